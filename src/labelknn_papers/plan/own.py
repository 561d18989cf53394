"""Modules and files of one's own, which a config names: are they there?"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from labelknn.errors import ConfigError, unknown
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.provenance import load_class, method_files


def local_files(entry: Mapping[str, Any]) -> list[Path]:
    """The files of a data set that lie on this machine, from the working directory."""
    files = [file for source in entry.get("sources", []) for file in source.get("files", {}).values()]
    return [Path(file["path"]).expanduser() for file in files if "path" in file]


def modules_folder(config: Mapping[str, Any]) -> Path | None:
    """Where modules of one's own are."""
    return Path(config["modules"]).expanduser().resolve() if config.get("modules") else None


def check_class(reference: str, files: Iterable[Path]) -> None:
    """Refuse a class that none of a method's files defines; they are read, not run."""
    name = reference.partition(":")[2]
    defined: set[str] = set()
    for path in files:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                defined.add(node.name)
            elif isinstance(node, ast.ImportFrom | ast.Import):
                defined.update(alias.asname or alias.name for alias in node.names)
            elif isinstance(node, ast.Assign):
                defined.update(target.id for target in node.targets if isinstance(target, ast.Name))
    if name not in defined:
        raise unknown("class", name, [one for one in defined if one[:1].isupper()], reference)


def check_parameters(entry: Mapping[str, Any], files: Iterable[Path]) -> None:
    """Refuse a parameter that a method's class does not have, or a class in its parameters.

    `name__inner` is a parameter of the class in `name`, and the grid of a search has parameters of its estimator.
    """
    params = entry.get("params", {})
    for name in [*params, *entry.get("sweep", {})]:
        _check_parameter(entry, name, files)
    for value in params.values():
        if _is_class(value):
            check_parameters(value, files)
    if _is_class(estimator := params.get("estimator")):
        grids = (params[name] for name in ("param_grid", "param_distributions") if name in params)
        for grid in (one for found in grids for one in (found if isinstance(found, list) else [found])):
            for name in grid:
                _check_parameter(estimator, name, files)


def _check_parameter(entry: Mapping[str, Any], name: str, files: Iterable[Path]) -> None:
    names, (outer, _, inner) = _constructor(entry["class"], files), name.partition("__")
    if names is not None and outer not in names:
        raise unknown("parameter", outer, names, entry["class"])
    if inner and _is_class(part := entry.get("params", {}).get(outer)):
        _check_parameter(part, inner, files)


def _is_class(value: Any) -> bool:
    return isinstance(value, Mapping) and "class" in value


def _constructor(reference: str, files: Iterable[Path]) -> list[str] | None:
    """The names of its parameters; None if it takes any, or cannot be told. What is in `files` is read, not run."""
    classes = {
        node.name: node for path in files for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)
    }
    name = reference.partition(":")[2]
    if name not in classes:  # of another library
        given = inspect.signature(load_class(reference)).parameters.values()
        return None if any(one.kind is one.VAR_KEYWORD for one in given) else [one.name for one in given]
    waiting = [classes[name]]
    while waiting:
        found = waiting.pop(0)
        for node in found.body:
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                return None if node.args.kwarg else [one.arg for one in (*node.args.args[1:], *node.args.kwonlyargs)]
        waiting += [classes[base.id] for base in found.bases if isinstance(base, ast.Name) and base.id in classes]
    return None


def check_files(plan: Plan) -> None:
    """Refuse a config that names modules or files which are not there, before anything runs."""
    folder = modules_folder(plan.config)
    if folder and not folder.is_dir():
        raise ConfigError(f"config, modules: {folder} is no folder")
    for name in plan.config.get("methods", {}):
        try:
            files = method_files(plan.methods[name], folder, strict=True)
            check_class(plan.methods[name]["class"], files)
        except ConfigError as error:
            raise ConfigError(f"methods, {name}, class: {error}") from None
        try:
            check_parameters(plan.methods[name], files)
        except ConfigError as error:
            raise ConfigError(f"methods, {name}, params: {error}") from None
    for name in plan.config.get("datasets", {}):
        for path in local_files(plan.datasets[name]):
            if not path.is_file():
                raise ConfigError(f"datasets, {name}: there is no file {path} (from {Path.cwd()})")
