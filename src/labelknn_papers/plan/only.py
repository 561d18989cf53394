"""The filter `only` of a config: which part of a paper or of a comparison is run. Whatever it names must be there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from labelknn.errors import ConfigError
from labelknn_papers.plan.cells import Published
from labelknn_papers.plan.comparisons import choices_of
from labelknn_papers.plan.config import known
from labelknn_papers.plan.protocol import Protocol

# In place of a list of data sets.
ALL = "all"


def shorten(protocol: Protocol, only: Mapping[str, Any], dataset: str) -> Protocol:
    """At most as many of a protocol's splits as the filter says, the first ones: each as large as in the whole."""
    asked = only.get("splits", protocol.size)
    number = asked.get(dataset, protocol.size) if isinstance(asked, Mapping) else asked
    return replace(protocol, first=number) if number < protocol.size else protocol


def fewer(protocol: Mapping[str, Any], only: Mapping[str, Any]) -> dict[str, Any]:
    """A protocol with at most as many repeats and folds as the filter says; one that is drawn once stays as it is."""
    smaller = dict(protocol)
    if "repeats" in only and protocol["kind"] != "public-split":
        smaller["repeats"] = min(only["repeats"], protocol.get("repeats", 1))
    if "folds" in only and "folds" in protocol:
        smaller["folds"] = min(only["folds"], protocol["folds"])
    return smaller


def filter_paper(
    paper: Mapping[str, Any], published: Iterable[Published], only: Mapping[str, Any], where: str
) -> dict[str, Any]:
    """The paper with the figures that are drawn, on fewer data sets.

    Tables stay, with all numbers: `keeps` says which of these are run.
    """
    printed = list(published)
    _check_parts(only.get("tables", {}), _datasets_by_table(paper, printed), "table", f"{where}, tables")
    for name in only.get("datasets", ()):
        known("data set", name, {number.dataset for number in printed}, f"{where}, datasets")
    for table, methods in only.get("methods", {}).items():
        known("table", table, paper["tables"], f"{where}, methods")
        for name in methods:
            known("method", name, {one.method for one in printed if one.table == table}, f"{where}, methods, {table}")
    figures = paper.get("figures", {})
    asked = only.get("figures", list(figures))
    _check_parts(asked, {name: one["datasets"] for name, one in figures.items()}, "figure", f"{where}, figures")
    filtered = dict(paper)
    if figures:
        filtered["figures"] = {
            name: {**one, "datasets": _in_order(one["datasets"], _asked(asked, name, one["datasets"]))}
            for name, one in figures.items()
            if name in asked
        }
    drawn = {dataset for one in figures.values() for dataset in one["datasets"]}
    for name in only["splits"] if isinstance(only.get("splits"), Mapping) else ():
        known("data set", name, {number.dataset for number in printed} | drawn, f"{where}, splits")
    return filtered


def keeps(only: Mapping[str, Any], number: Published) -> bool:
    """Whether a printed number is part of the run."""
    tables = only.get("tables", {number.table: ALL})
    return (
        number.table in tables
        and number.dataset in _asked(tables, number.table, [number.dataset])
        and number.dataset in only.get("datasets", [number.dataset])
        and number.method in only.get("methods", {}).get(number.table, [number.method])
    )


def filter_comparison(comparison: Mapping[str, Any], only: Mapping[str, Any], where: str) -> dict[str, Any]:
    for kind, key in (("data set", "datasets"), ("method", "methods")):
        for name in only.get(key, ()):
            known(kind, name, comparison[key], f"{where}, {key}")
    datasets = [name for name in comparison["datasets"] if name in only.get("datasets", [name])]
    methods = {name: run for name, run in comparison["methods"].items() if name in only.get("methods", [name])}
    choices = [{**choice, "use": fewer(choice["use"], only)} for choice in choices_of(comparison["protocol"])]
    filtered = {**comparison, "protocol": choices, "datasets": datasets, "methods": methods}
    # What is said of methods that are left out is left out too.
    for key, names in {"peers": ("ours", "theirs"), "orderings": ("better",)}.items():
        if key in comparison:
            filtered[key] = [one for one in comparison[key] if all(one[name] in methods for name in names)]
    if "orderings" in filtered:
        filtered["orderings"] = [
            {**one, "than": [name for name in one["than"] if name in methods]} for one in filtered["orderings"]
        ]
    return filtered


def _datasets_by_table(paper: Mapping[str, Any], published: Iterable[Published]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {table: [] for table in paper["tables"]}
    for number in published:
        found.setdefault(number.table, []).append(number.dataset)
    return found


def _check_parts(
    asked: Mapping[str, Any] | list[str], datasets: Mapping[str, Iterable[str]], kind: str, where: str
) -> None:
    for name in asked:
        known(kind, name, datasets, where)
        for dataset in _asked(asked, name, []):
            known("data set", dataset, datasets[name], f"{where}, {name}")


def _in_order(everything: Iterable[str], chosen: Collection[str]) -> list[str]:
    return [name for name in everything if name in chosen]


def _asked(asked: Mapping[str, Any] | list[str], name: str, everything: list[str]) -> list[str]:
    """The data sets that a list of names, or a mapping from names to data sets, asks for."""
    chosen: Any = asked[name] if isinstance(asked, Mapping) else ALL
    return everything if chosen == ALL else list(chosen)


def check_counts(only: Mapping[str, Any], protocols: Iterable[Mapping[str, Any]], where: str) -> None:
    """Refuse a number of splits, repeats or folds where there is nothing to repeat or to fold."""
    kinds = {protocol["kind"] for protocol in protocols}
    drawn = {"cross-validation", "hold-out"}
    takes = {"splits": drawn, "repeats": drawn, "folds": {"cross-validation"}}
    for key, able in takes.items():
        if key in only and not kinds & able:
            raise ConfigError(f"{where}: no protocol there has {key} ({', '.join(sorted(kinds)) or 'there is none'})")
