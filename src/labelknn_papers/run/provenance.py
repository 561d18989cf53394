"""What a result was made of: the source files behind a class, the config, and the versions and machine it ran with.

Snakemake watches files, not imports; so the files that a method is made of are named as inputs of the rule that runs
it, and an edited method never leaves old results standing.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labelknn.errors import ConfigError
from labelknn.utils._discovery import FAMILIES
from labelknn.utils._lazy import home

if TYPE_CHECKING:  # a plan is much to import for a job that only wants the versions
    from labelknn_papers.plan.plan import Plan

# The parts of the package whose code decides what a number is.
_DECISIVE = (
    "labelknn.datasets",
    "labelknn.metrics",
    "labelknn.multilabel",
    "labelknn.neighbors",
    "labelknn.preprocessing",
    "labelknn.ranking",
    "labelknn.solvers",
    "labelknn.utils",
    "labelknn_papers.data",
    "labelknn_papers.plan.protocol",
    "labelknn_papers.run.adapter",
    "labelknn_papers.run.cell",
    "labelknn_papers.run.completed_rankings",
    "labelknn_papers.run.features",
    "labelknn_papers.run.neighbor_oracle",
    "labelknn_papers.run.predictions",
    "labelknn_papers.run.score",
    "labelknn_papers.run.search",
    "labelknn_papers.run.top_label_tree",
)


def load_class(reference: str) -> type:
    """The class named by "package.module:Class"."""
    module, _, name = reference.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"class {reference!r} cannot be loaded ({error}); write it as package.module:Class or package.module.Class"
        ) from error


def method_files(method: Mapping[str, Any], own: Path | None = None, strict: bool = False) -> list[Path]:
    """The files that a method of the registry is made of: those of its class, and of the classes in its parameters.

    strict : refuse a class of a package that is not installed; else it has no files, and the method says so when it is
        run, as other libraries are no part of what this one needs.
    """
    homes = {_home(reference) for reference in _classes(method)}
    found = [home for home in homes if strict or _installed(home) or _source_inside(home, own)]
    return sorted({path for home in found for path in source_files(home, own)})


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module.partition(".")[0]) is not None


def _classes(method: Mapping[str, Any]) -> Iterator[str]:
    yield method["class"]
    for value in method.get("params", {}).values():
        if isinstance(value, Mapping) and "class" in value:
            yield from _classes(value)


def _home(reference: str) -> str:
    """The module that a class is written in; the library's packages only import it when it is asked for."""
    package, _, name = reference.partition(":")
    if package != "labelknn":
        return home(package, name) if package.startswith("labelknn.") else package
    homes = [(family, home(family, name)) for family in FAMILIES.values()]
    return next((found for family, found in homes if found != family), package)


def source_files(module: str, own: Path | None = None) -> list[Path]:
    """The file of `module` and of all that it imports, however indirectly, in the decisive parts of this package and
    in the folder `own`, whose files are looked at, not run."""
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        inside = _source_inside(name, own)
        if name in found or not (path := inside or _source(name)):
            continue
        found[name] = path
        packages = _packages(name) if inside else set()
        waiting += [
            child
            for child in sorted(packages | _imports(name, path))
            if child.startswith(_DECISIVE) or _source_inside(child, own)
        ]
    if module not in found:
        folder = f"in {own} (`modules` in the config)" if own else "in a folder that the config names as `modules`"
        raise ConfigError(f"module {module!r} cannot be found; expected it {folder}, or installed")
    return sorted(found.values())


def versions() -> Mapping[str, str]:
    """The versions that numbers can depend on."""
    libraries = ("labelknn", "numba", "numpy", "scikit-learn", "scipy")
    return {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in libraries}}


def config_digest(plan: Plan) -> str:
    """The SHA-256 of all that config/ and the user's own config say; where files are kept is no part of it."""
    own = {key: value for key, value in plan.config.items() if key not in ("mirror", "data", "figures")}
    parts = [own, plan.datasets, plan.methods, plan.papers, plan.comparisons, plan.published]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def commit(root: Path) -> str | None:
    """The commit of a checkout, with "-dirty" if files differ from it; None for a folder that is no checkout."""
    command = ["git", "-C", str(root), "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def machine() -> Mapping[str, str | int | None]:
    """What the times of a run depend on, and in principle its last bits."""
    return {"system": platform.platform(), "processor": platform.machine(), "cores": os.cpu_count()}


def _source(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except (ModuleNotFoundError, ValueError):
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def _source_inside(module: str, folder: Path | None) -> Path | None:
    if folder is None:
        return None
    place = folder.joinpath(*module.split("."))
    return next((path for path in (place.with_name(f"{place.name}.py"), place / "__init__.py") if path.is_file()), None)


def _packages(module: str) -> set[str]:
    """The packages around a module: their files run when it is imported."""
    return {module[:end] for end, letter in enumerate(module) if letter == "."}


def _imports(module: str, path: Path) -> frozenset[str]:
    return _imports_of(module, path, path.stat().st_mtime_ns)


@cache
def _imports_of(module: str, path: Path, changed: int) -> frozenset[str]:
    """Methods have most of their files in common, so each is looked at once."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            # `from package import module` and `from module import name` look alike; a name is no module and drops out.
            steps = package.split(".")
            start = steps[: len(steps) + 1 - node.level] if node.level else []
            source = ".".join([*start, *filter(None, [node.module])])
            names |= {source} | {f"{source}.{alias.name}" for alias in node.names}
    return frozenset(names)
