"""Comparisons without printed numbers: methods side by side, on the same data sets and splits."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from labelknn.errors import ConfigError
from labelknn.metrics import METRICS
from labelknn_papers.plan.cells import Cell, Entry
from labelknn_papers.plan.config import known
from labelknn_papers.plan.protocol import protocol_from

# What a comparison has where its file says nothing.
DEFAULTS: Mapping[str, Any] = {"caption": "", "level": 0.05, "cannot": []}


def complete(
    definition: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]], methods: Mapping[str, Any], where: str
) -> dict[str, Any]:
    """A comparison with all its keys, and its methods by name.

    others : those that `like` can name. From there comes what is not said here, but for what is about its data sets.
    """
    filled = {**definition, "methods": _named(definition.get("methods", {}), methods, where)}
    if "like" in definition:
        known("comparison", filled.pop("like"), others, f"{where}, like")
        model = others[definition["like"]]
        named = _named(model["methods"], methods, where)
        taken = {key: value for key, value in model.items() if key not in ("ranked", "cannot")}
        filled = taken | filled | {"methods": named | filled["methods"]}
    return {**DEFAULTS, **({"ranked": filled["datasets"]} if "datasets" in filled else {}), **filled}


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
    for run in comparison["methods"].values():
        known("method", run["method"], methods, f"{where}, methods")
    for name in comparison["metrics"]:
        known("metric", name, METRICS, f"{where}, metrics")
    for name in comparison["ranked"]:
        known("data set", name, comparison["datasets"], f"{where}, ranked")
    for left_out in comparison["cannot"]:
        for kind, key in (("method", "methods"), ("data set", "datasets")):
            for name in left_out[key]:
                known(kind, name, comparison[key], f"{where}, cannot")


def entries(comparison: Mapping[str, Any]) -> list[Entry]:
    """Every method on every data set, those included that are known not to run; each rate of missing labels apart."""
    protocol = protocol_from(comparison["protocol"])
    rates = [f"missing={rate:.1f}" for rate in protocol.missing] or [""]
    reasons = {
        (method, dataset): left_out["because"]
        for left_out in comparison["cannot"]
        for method, dataset in product(left_out["methods"], left_out["datasets"])
    }
    found = []
    for (name, run), rate, dataset in product(comparison["methods"].items(), rates, comparison["datasets"]):
        cell = Cell(protocol, dataset, run["method"])
        setting = ";".join(filter(None, (rate, run.get("setting", ""))))
        found.append(Entry(f"{name}, {rate}" if rate else name, cell, setting, reasons.get((name, dataset), "")))
    return found
