"""Modules and files of one's own, which a config names: are they there?"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from labelknn.errors import ConfigError, unknown
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.provenance import method_files


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


def check_files(plan: Plan) -> None:
    """Refuse a config that names modules or files which are not there, before anything runs."""
    folder = modules_folder(plan.config)
    if folder and not folder.is_dir():
        raise ConfigError(f"config, modules: {folder} is no folder")
    for name in plan.config.get("methods", {}):
        try:
            files = method_files(plan.methods[name], folder)
            check_class(plan.methods[name]["class"], files)
        except ConfigError as error:
            raise ConfigError(f"methods, {name}, class: {error}") from None
    for name in plan.config.get("datasets", {}):
        for path in local_files(plan.datasets[name]):
            if not path.is_file():
                raise ConfigError(f"datasets, {name}: there is no file {path} (from {Path.cwd()})")
