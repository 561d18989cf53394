"""The filter `only` of a config: which part of a paper or of a comparison is run. Whatever it names must be there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from labelknn.errors import ConfigError
from labelknn_papers.plan.cells import Published
from labelknn_papers.plan.comparisons import choices_of
from labelknn_papers.plan.config import known
from labelknn_papers.plan.protocol import Protocol

# In place of a list of data sets.
ALL = "all"
# What can be said of all papers at once, beside the keys of papers and comparisons.
EVERYWHERE = ("papers", "tables", "figures", "datasets")


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


@dataclass(frozen=True)
class Aliases:
    """What data sets are called: by the paper, in the config, and those that a setting puts in their place.

    ids : those of the config, by the paper's name where that is another one.
    chosen : what a data set is replaced by, by its id.
    """

    ids: Mapping[str, str]
    chosen: Mapping[str, str]

    def of(self, datasets: Iterable[str]) -> set[str]:
        """All names of these."""
        ids = {self.ids.get(name, name) for name in datasets}
        return {
            *ids,
            *(self.chosen.get(one, one) for one in ids),
            *(name for name, one in self.ids.items() if one in ids),
        }

    def find(self, asked: Collection[str], datasets: Collection[str]) -> list[str]:
        """Those of the data sets that are asked for. A name that one of them has here is no other name of another."""
        others = self.of(set(asked) - set(datasets))
        return [name for name in dict.fromkeys(datasets) if name in asked or others & self.of([name])]


def spread(
    only: Mapping[str, Any],
    papers: Mapping[str, Mapping[str, Any]],
    published: Mapping[str, Sequence[Published]],
    chosen: Mapping[str, Mapping[str, str]],
) -> dict[str, dict[str, Any]]:
    """The filter of each of these papers: what `only` says of all, and over it what it says of the paper alone.

    Where tables are named, figures are left out that are not, and the other way round.
    """
    _check_everywhere(only, papers, published, chosen)
    found = {}
    for key, paper in papers.items():
        names = Aliases(paper.get("datasets", {}), chosen[key])
        figures = paper.get("figures", {})
        filtered: dict[str, Any] = {}
        if "tables" in only or "figures" in only:
            filtered["tables"] = [name for name in paper["tables"] if name in only.get("tables", ())]
            filtered["figures"] = [name for name in figures if name in only.get("figures", ())]
        if "datasets" in only:
            filtered["datasets"] = names.find(only["datasets"], [number.dataset for number in published[key]])
            filtered["figures"] = {
                name: names.find(only["datasets"], figures[name]["datasets"])
                for name in filtered.get("figures", figures)
            }
        found[key] = {**filtered, **only.get(key, {})}
    return found


def _check_everywhere(
    only: Mapping[str, Any],
    papers: Mapping[str, Mapping[str, Any]],
    published: Mapping[str, Sequence[Published]],
    chosen: Mapping[str, Mapping[str, str]],
) -> None:
    """Refuse what is in none of the papers: a table, a figure, or a data set of those that are left."""
    tables = {table for paper in papers.values() for table in paper["tables"]}
    figures = {figure for paper in papers.values() for figure in paper.get("figures", {})}
    for kind, there in (("table", tables), ("figure", figures)):
        for name in only.get(f"{kind}s", ()):
            known(kind, name, there, f"config, only, {kind}s")
    named = "tables" in only or "figures" in only
    tables = set(only.get("tables", ())) if named else tables
    figures = set(only.get("figures", ())) if named else figures
    datasets: set[str] = set()
    for key, paper in papers.items():
        names = Aliases(paper.get("datasets", {}), chosen[key])
        datasets |= names.of(number.dataset for number in published[key] if number.table in tables)
        for figure in figures & paper.get("figures", {}).keys():
            datasets |= names.of(paper["figures"][figure]["datasets"])
    for name in only.get("datasets", ()):
        known("data set", name, datasets - {""}, "config, only, datasets")


def filter_paper(
    paper: Mapping[str, Any],
    published: Sequence[Published],
    chosen: Mapping[str, str],
    only: Mapping[str, Any],
    where: str,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The paper with what is left of its figures, and the filter with data sets called as its tables and figures do.

    Tables stay, with all numbers: `keeps` says which of these are run. So do pictures, which then say that they are
    left out, but not what is drawn on request.
    """
    names, resolved = Aliases(paper.get("datasets", {}), chosen), dict(only)
    by_table: dict[str, list[str]] = {table: [] for table in paper["tables"]}
    for number in published:
        by_table.setdefault(number.table, []).append(number.dataset)
    printed = [number.dataset for number in published]
    if "tables" in only:
        resolved["tables"] = _parts(only["tables"], by_table, names, "table", f"{where}, tables")
    if "datasets" in only:
        resolved["datasets"] = _found(only["datasets"], printed, names, f"{where}, datasets")
    for table, methods in only.get("methods", {}).items():
        known("table", table, paper["tables"], f"{where}, methods")
        for name in methods:
            known("method", name, {one.method for one in published if one.table == table}, f"{where}, methods, {table}")
    figures = paper.get("figures", {})
    drawn = {name: one["datasets"] for name, one in figures.items()}
    if isinstance(only.get("splits"), Mapping):
        shown = [name for datasets in drawn.values() for name in datasets]
        for name in only["splits"]:
            known("data set", name, names.of([*printed, *shown]), f"{where}, splits")
        resolved["splits"] = {
            found: number
            for name, number in only["splits"].items()
            for found in [*names.find([name], printed), *names.find([name], shown)]
        }
    if "figures" not in only:
        return dict(paper), resolved
    asked = _parts(only["figures"], drawn, names, "figure", f"{where}, figures")
    there = [name for name, one in figures.items() if name in asked or (_pictured(one) and not one.get("on_request"))]
    left = {name: {**figures[name], "datasets": _left(figures[name], asked.get(name, []))} for name in there}
    return {**paper, "figures": left}, resolved


def _pictured(figure: Mapping[str, Any]) -> bool:
    return figure.get("picture", True)


def _left(figure: Mapping[str, Any], datasets: list[str]) -> list[str]:
    """What is made from all of its data sets together has none without one of them."""
    whole = "all_data" in figure["needs"] and len(datasets) < len(figure["datasets"])
    return [] if whole else datasets


def keeps(only: Mapping[str, Any], number: Published) -> bool:
    """Whether a printed number is part of the run, by the filter that `filter_paper` gives."""
    return (
        number.dataset in only.get("tables", {number.table: [number.dataset]}).get(number.table, ())
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


def _parts(
    asked: Mapping[str, Any] | list[str], datasets: Mapping[str, list[str]], names: Aliases, kind: str, where: str
) -> dict[str, list[str]]:
    """By name, the data sets that are asked for: by a list of names, or by a mapping from names to data sets."""
    found = {}
    for name in asked:
        known(kind, name, datasets, where)
        chosen = asked[name] if isinstance(asked, Mapping) else ALL
        there = list(dict.fromkeys(datasets[name]))
        found[name] = there if chosen == ALL else _found(chosen, there, names, f"{where}, {name}")
    return found


def _found(asked: Collection[str], datasets: Collection[str], names: Aliases, where: str) -> list[str]:
    for name in asked:
        known("data set", name, names.of(datasets), where)
    return names.find(asked, datasets)


def check_counts(only: Mapping[str, Any], protocols: Iterable[Mapping[str, Any]], where: str) -> None:
    """Refuse a number of splits, repeats or folds where there is nothing to repeat or to fold."""
    kinds = {protocol["kind"] for protocol in protocols}
    drawn = {"cross-validation", "hold-out"}
    takes = {"splits": drawn, "repeats": drawn, "folds": {"cross-validation"}}
    for key, able in takes.items():
        if key in only and not kinds & able:
            raise ConfigError(f"{where}: no protocol there has {key} ({', '.join(sorted(kinds)) or 'there is none'})")
