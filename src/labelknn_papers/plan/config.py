"""Reading and checking what is in config/: a misspelt key or id stops here, and the message names the known ones.

    python -m labelknn_papers.plan.config mine.yaml

says in which line a file is no YAML, which Snakemake does not.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from referencing import Registry, Resource

from labelknn.errors import ConfigError, unknown

# libyaml's parser where it is there: ten times faster on the registry.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path) -> dict[str, Any]:
    try:
        document = yaml.load(path.read_text(), _LOADER)
    except FileNotFoundError:
        raise ConfigError(f"{path} does not exist") from None
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConfigError(f"{path}{line}: not valid YAML ({error.problem or error.context})") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML ({error})") from None
    if not isinstance(document, dict):
        raise ConfigError(f"{path} must hold a mapping")
    return document


def merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Snakemake's rule for configs that are laid over each other: mappings merge, everything else is replaced."""
    merged = dict(base)
    for key, value in changes.items():
        both_mappings = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = merge(merged[key], value) if both_mappings else value
    return merged


def with_colons(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A registry entry with its class, and those in its parameters, written as package.module:Class."""
    changed = dict(entry)
    if isinstance(reference := entry.get("class"), str) and ":" not in reference:
        changed["class"] = ":".join(reference.rsplit(".", 1))
    if "params" in entry:
        params = entry["params"].items()
        changed["params"] = {
            name: with_colons(value) if isinstance(value, Mapping) else value for name, value in params
        }
    return changed


def known(kind: str, name: str, names: Iterable[str], where: str) -> None:
    """Refuse a name that is none of `names`."""
    names = list(names)
    if name not in names:
        raise unknown(kind, name, names, where)


def validate(document: Mapping[str, Any], schema: str, schemas: Path, where: str, part: str = "") -> None:
    """Check `document` against workflow/schemas/<schema>.schema.yaml, or against one of the definitions in it."""
    files = {path.name: read_yaml(path) for path in schemas.glob("*.schema.yaml")}
    registry: Registry = Registry().with_resources(
        (name, Resource.from_contents(content)) for name, content in files.items()
    )
    # The schema gets an address of its own, so that its references to definitions inside itself can be resolved.
    main = {"$ref": f"{schema}.schema.yaml" + (f"#/$defs/{part}" if part else "")}
    error = best_match(Draft202012Validator(main, registry=registry).iter_errors(document))
    if error is not None:
        raise _explain(error, where)


def _explain(error: ValidationError, where: str) -> ConfigError:
    place = where + "".join(f", {step}" for step in error.absolute_path)
    if error.validator == "additionalProperties" and isinstance(error.schema, Mapping):
        known = error.schema.get("properties", {})
        return unknown("key", next(key for key in error.instance if key not in known), known, place)
    if error.validator == "enum":
        return unknown("value", error.instance, map(str, error.validator_value), place)
    return ConfigError(f"{place}: {error.message}")


def main(paths: Iterable[str]) -> None:
    try:
        for path in paths:
            read_yaml(Path(path))
    except ConfigError as error:
        sys.exit(f"labelknn: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
