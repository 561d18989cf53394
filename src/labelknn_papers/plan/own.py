"""What a config of one's own adds: methods that join the tables of papers, and comparisons on chosen data sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labelknn.errors import ConfigError, unknown
from labelknn.metrics import METRICS
from labelknn_papers.run.provenance import method_files

if TYPE_CHECKING:
    from labelknn_papers.plan.plan import Plan, Target


def joined_targets(
    join: Mapping[str, Sequence[str]],
    papers: Mapping[str, Mapping[str, Any]],
    targets: Mapping[str, Sequence[Target]],
    algorithms: Mapping[str, Any],
) -> dict[str, list[Target]]:
    """For each paper, what the methods that join it have beside the printed scores, on the same data sets and splits.

    join : the ids of the methods by paper. The tables that compare methods take them all.
    """
    for paper, names in join.items():
        if paper not in papers:
            raise unknown("paper", paper, papers, "config, join (the config's `papers` must have it)")
        printed = {target.published.method for target in targets[paper]}
        for name in names:
            where = f"config, join, {paper}"
            if name not in algorithms:
                raise unknown("algorithm", name, algorithms, where)
            if name in printed:
                raise ConfigError(f"{where}: the paper's tables have a method {name!r} already; choose another id")
            if "sweep" in algorithms[name]:
                raise ConfigError(f"{where}: {name!r} has a sweep, but one place in a table; join an id for each value")
    return {
        paper: [
            _in_the_place_of(target, name)
            for target in _places(targets[paper], definition["tables"])
            for name in join.get(paper, ())
        ]
        for paper, definition in papers.items()
    }


def _places(targets: Iterable[Target], tables: Mapping[str, Mapping[str, Any]]) -> list[Target]:
    """A target for each place that a method has in the tables that compare methods by scores.

    It is one under the table's protocol, not under one that the paper has for a single method.
    """
    places: dict[tuple[str, ...], Target] = {}
    for target in targets:
        number, table = target.published, tables[target.published.table]
        named = {field for fields in table["layout"].values() for field in fields}
        if "setting" not in named:  # then it is one of the printed method
            number = replace(number, setting="")
        if (
            target.cell
            and target.metric in METRICS
            and "method" in named
            and number.method not in table.get("protocols", {})
        ):
            place = (number.table, number.dataset, number.metric, number.setting)
            places.setdefault(place, replace(target, published=number))
    return list(places.values())


def _in_the_place_of(target: Target, name: str) -> Target:
    assert target.cell is not None
    return replace(
        target,
        published=replace(target.published, method=name, printed="", note=""),
        cell=replace(target.cell, algorithm=name),
        setting=target.published.setting if target.cell.protocol.missing else "",
    )


def chosen_comparisons(
    config: Mapping[str, Any],
    grand: Mapping[str, Mapping[str, Any]],
    datasets: Mapping[str, Mapping[str, Any]],
    algorithms: Mapping[str, Any],
) -> dict[str, dict[str, Any]]:
    """The grand comparison on the data sets of the config's key `compare` in place of its own, by task.

    Methods are those of the grand comparison and all that the config adds, or the ones that `compare` names.
    """
    asked = config["compare"]
    if "missing" in asked.get("protocol", {}):
        raise ConfigError("config, compare, protocol: `missing` belongs to a paper's protocol")
    tasks: dict[str, list[str]] = {}
    for name in asked["datasets"]:
        if name not in datasets:
            raise unknown("data set", name, datasets, "config, compare, datasets")
        task = datasets[name]["task"]
        if task not in grand:
            raise ConfigError(f"config, compare: {name!r} is a {task} data set; methods are for {' and '.join(grand)}")
        tasks.setdefault(task, []).append(name)
    added = [name for name, entry in config.get("algorithms", {}).items() if "class" in entry]
    known = dict.fromkeys(name for comparison in grand.values() for name in comparison["methods"])
    names = asked.get("methods", [*known, *added])
    for name in names:
        if name not in known and name not in algorithms:
            raise unknown("method", name, {*known, *algorithms}, "config, compare, methods")
        if name not in known and "sweep" in algorithms[name]:
            raise ConfigError(f"config, compare, methods: {name!r} has a sweep; name an id with one value")
    return {
        task: {
            "title": grand[task]["title"],
            "protocol": asked.get("protocol", grand[task]["protocol"]),
            "datasets": chosen,
            "methods": {
                name: grand[task]["methods"].get(name, name)
                for name in names
                if name in grand[task]["methods"] or name not in known
            },
            "metrics": grand[task]["metrics"],
            "ranked": chosen,
            "level": grand[task]["level"],
        }
        for task, chosen in tasks.items()
    }


def local_files(entry: Mapping[str, Any]) -> list[Path]:
    """The files of a data set that lie on this machine, from the working directory."""
    files = [file for source in entry.get("sources", []) for file in source.get("files", {}).values()]
    return [Path(file["path"]).expanduser() for file in files if "path" in file]


def check_files(plan: Plan, folder: Path | None) -> None:
    """Refuse a config that names modules or files which are not there, before anything runs.

    folder : where modules of one's own are.
    """
    if folder and not folder.is_dir():
        raise ConfigError(f"config, python_path: {folder} is no folder")
    for name in plan.config.get("algorithms", {}):
        try:
            method_files(plan.algorithms[name], folder)
        except ConfigError as error:
            raise ConfigError(f"algorithms, {name}, class: {error}") from None
    for name in plan.config.get("datasets", {}):
        for path in local_files(plan.datasets[name]):
            if not path.is_file():
                raise ConfigError(f"datasets, {name}: there is no file {path} (from {Path.cwd()})")
