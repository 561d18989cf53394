"""Data sets that are made from other data sets: the recipes that the registry's `generate` entries name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from labelknn.datasets._container import Dataset
from labelknn.errors import ConfigError, unknown
from labelknn_papers.data.expression import expression_task, reconstruct
from labelknn_papers.data.generate import attribute_rankings, naive_bayes_rankings


def make(name: str, recipe: str, sources: Sequence[Dataset], options: Mapping[str, Any]) -> Dataset:
    """The data set `name` from its sources."""
    where = f"data set {name!r}"
    if recipe not in RECIPES:
        raise unknown("recipe", recipe, RECIPES, where)
    known = inspect.signature(RECIPES[recipe]).parameters
    for option in options:
        if option not in list(known)[1:]:
            raise unknown(f"option of recipe {recipe!r}", option, list(known)[1:], where)
    for option, parameter in list(known.items())[1:]:
        if parameter.default is parameter.empty and option not in options:
            raise ConfigError(f"{where}: recipe {recipe!r} needs the option {option!r}")
    return replace(RECIPES[recipe](sources, **options), name=name)


def _attributes(sources: Sequence[Dataset], predictors: list[str], labels: list[str]) -> Dataset:
    return attribute_rankings(_only(sources), predictors, labels)


def _naive_bayes(
    sources: Sequence[Dataset],
    estimator: str = "weka",
    decimals: int | None = None,
    ties: str = "quicksort",
    scale: str = "standard",
) -> Dataset:
    if estimator == "gaussian":
        decimals, ties = None, "index"  # the clean alternative has none of the accidents that these two imitate
    return naive_bayes_rankings(_only(sources), estimator, decimals, ties, scale)


def _reconstruction(sources: Sequence[Dataset], ties: str = "ordinal") -> Dataset:
    table, _ = reconstruct(*expression_and_rankings(sources), ties)
    return table


def _expression(sources: Sequence[Dataset], task: str, zero_level: str = "gene-mean") -> Dataset:
    return expression_task(_only(sources), task, zero_level)


RECIPES: dict[str, Callable[..., Dataset]] = {
    "attributes": _attributes,
    "expression": _expression,
    "naive-bayes": _naive_bayes,
    "reconstruction": _reconstruction,
}


def expression_and_rankings(sources: Sequence[Dataset]) -> tuple[Dataset, dict[str, Dataset]]:
    """The log ratios come first; the names of the rankings end in the first letters of their experiment's columns."""
    expression, *rankings = sources
    return expression, {data.name.rpartition("-")[2]: data for data in rankings}


def _only(sources: Sequence[Dataset]) -> Dataset:
    if len(sources) != 1:
        raise ConfigError(f"the recipe takes one source, got {', '.join(data.name for data in sources)}")
    return sources[0]
