"""Comparisons without printed numbers: methods side by side, on the same data sets and splits.

One that is part of the run has methods as the papers have them. All others try them as a user would: each for itself,
nominal features as binary columns for all of them, and within limits of time and memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

from labelknn.errors import ConfigError
from labelknn.metrics import METRICS
from labelknn_papers.plan.cells import Cell, Entry, Limits
from labelknn_papers.plan.config import known
from labelknn_papers.plan.protocol import Protocol, protocol_from

# What a comparison has where its file says nothing; seconds and GB.
DEFAULTS: Mapping[str, Any] = {
    "caption": "",
    "grand": False,
    "level": 0.05,
    "rope": 0.01,
    "time_limit": 120,
    "memory_limit": 4,
}

# What can be asked for beside comparisons, and the page of several of them.
TARGETS = ("all", "compare", "comparison", "index", "scale")

# The features that a method sees where neither it nor the comparison names some.
AS_THEY_ARE = "nominal-to-binary"


def complete(
    definition: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]], methods: Mapping[str, Any], where: str
) -> dict[str, Any]:
    """A comparison with all its keys, and its methods by name.

    others : those that `like` can name. From there comes what is not said here.
    """
    filled = {**definition, "methods": _named(definition.get("methods", {}), methods, where)}
    if "like" in definition:
        known("comparison", filled.pop("like"), others, f"{where}, like")
        model = others[definition["like"]]
        named = _named(model["methods"], methods, where) | filled["methods"]
        filled = {**model, "grand": False, **filled, "methods": named}
        if "orderings" not in definition:  # those of the model are of its metrics
            found = model.get("orderings", [])
            filled["orderings"] = [one for one in found if one["metric"] in filled["metrics"]]
    return {**DEFAULTS, **filled}


def _named(listed: Any, methods: Mapping[str, Any], where: str) -> dict[str, dict[str, str]]:
    """Name -> run. A list has ids, which are called by their titles."""
    if isinstance(listed, Mapping):
        return {name: {"method": run} if isinstance(run, str) else run for name, run in listed.items()}
    found: dict[str, dict[str, str]] = {}
    for name in listed:
        known("method", name, methods, f"{where}, methods")
        title = methods[name]["title"]
        if title in found:
            both = f"{found[title]['method']!r} and {name!r}"
            raise ConfigError(f"{where}, methods: {both} have the same title {title!r}; name them in a mapping")
        found[title] = {"method": name}
    return found


def check(comparison: Mapping[str, Any], methods: Mapping[str, Any], datasets: Mapping[str, Any], where: str) -> None:
    """Refuse names that nothing is known of, and data sets that no method is for."""
    for name in comparison["datasets"]:
        known("data set", name, datasets, f"{where}, datasets")
        if datasets[name]["task"] not in (tasks := {metric.task for metric in METRICS.values()}):
            task = datasets[name]["task"]
            raise ConfigError(f"{where}: {name!r} is a {task} data set; methods are for {' and '.join(sorted(tasks))}")
        protocol_for(comparison, name, datasets, where)
    for run in comparison["methods"].values():
        known("method", run["method"], methods, f"{where}, methods")
    for name in comparison["metrics"]:
        known("metric", name, METRICS, f"{where}, metrics")
    for pair in comparison.get("peers", []):
        for name in (pair["ours"], pair["theirs"]):
            known("method", name, comparison["methods"], f"{where}, peers")
    for ordering in comparison.get("orderings", []):
        for name in (ordering["better"], *ordering["than"]):
            known("method", name, comparison["methods"], f"{where}, orderings")
        known("metric", ordering["metric"], comparison["metrics"], f"{where}, orderings")


def choices_of(protocol: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The protocols of a comparison, each under `use`, in the order in which they are asked who suits a data set."""
    return [{"use": protocol}] if isinstance(protocol, Mapping) else list(protocol)


def protocol_for(comparison: Mapping[str, Any], dataset: str, datasets: Mapping[str, Any], where: str) -> Protocol:
    """The first that suits the data set: it has no more rows than `up_to`, and a public split where one is asked for.

    A data set whose registry entry does not say how large it is suits all sizes.
    """
    expected = datasets[dataset].get("expect", {})
    choices = choices_of(comparison["protocol"])
    for choice in choices:
        small = expected.get("instances", 0) <= choice.get("up_to", float("inf"))
        if small and (choice["use"]["kind"] != "public-split" or len(choices) == 1 or "train_instances" in expected):
            return protocol_from(choice["use"])
    raise ConfigError(f"{where}, protocol: none is for {dataset!r} of {expected['instances']} rows")


def limits_of(comparison: Mapping[str, Any]) -> Limits:
    return Limits(comparison["time_limit"], comparison["memory_limit"])


def tried_as(
    comparison: Mapping[str, Any], run: Mapping[str, str], methods: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """What a method is called that sees what the comparison shows it, and its registry entry.

    Neighbours are not shared: a user would have to search them.
    """
    method, entry = run["method"], methods[run["method"]]
    shown = (one.get("preprocessing") for one in (comparison, run, entry))
    features = next(filter(None, shown), AS_THEY_ARE)
    features = {"unit-rows": "binary-unit-rows"}.get(features, features)
    own = {key: value for key, value in entry.items() if key not in ("neighbors", "neighbors_of")}
    return f"{method}@{features}", own | {"preprocessing": features}


def entries(
    comparison: Mapping[str, Any], datasets: Mapping[str, Any], methods: Mapping[str, Any], tried: bool
) -> list[Entry]:
    """Every method on every data set, each rate of missing labels apart.

    tried : the comparison is no part of the run.
    """
    found = []
    limits = limits_of(comparison) if tried else None
    for (name, run), dataset in product(comparison["methods"].items(), comparison["datasets"]):
        protocol = protocol_for(comparison, dataset, datasets, "")
        method = tried_as(comparison, run, methods)[0] if tried else run["method"]
        for rate in protocol.missing or (None,):
            # A method that is tried has its time for each rate, and may fail at one of them.
            own = replace(protocol, missing=(rate,)) if tried and rate is not None else protocol
            condition = "" if rate is None else f"missing={rate:.1f}"
            setting = ";".join(filter(None, (condition, run.get("setting", ""))))
            found.append(Entry(name, Cell(own, dataset, method, limits), setting, condition))
    return found


class View(NamedTuple):
    """A metric under a condition: what a table or a picture of a comparison shows."""

    metric: str
    condition: str

    @property
    def name(self) -> str:
        """For files."""
        rate = self.condition.partition("=")[2]
        return f"{self.metric}_missing_{100 * float(rate):.0f}" if rate else self.metric

    @property
    def title(self) -> str:
        """For readers."""
        rate = float(self.condition.partition("=")[2]) if self.condition else 0.0
        return METRICS[self.metric].label + (f", {rate:.0%} of the labels missing" if rate else "")


def views_of(metrics: Sequence[str], found: Sequence[Entry]) -> list[View]:
    conditions = dict.fromkeys(entry.condition for entry in found)
    return [View(metric, condition) for condition in conditions for metric in metrics]
