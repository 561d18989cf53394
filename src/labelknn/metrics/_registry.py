"""The registry of measures: a function becomes one by the declaration on top of it, and by nothing else."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from labelknn.errors import ConfigError, unknown
from labelknn.metrics._comparison import above_split, compare_ranks, compare_scores, compare_sets

Function = TypeVar("Function", bound=Callable[[Any, Any], float])


@dataclass(frozen=True)
class Metric:
    """One measure, ``function(truth, prediction)``, and what a table, a test or a scorer has to know about it.

    needs : the kind of prediction it takes, a key of `NEEDS` and of `evaluate`'s `prediction`.
    low, high : the range of its values; that of rmse holds for scores in [0, 1].
    source : the paper and the place where it is defined.
    label : its name in tables and figures.
    """

    name: str
    task: str
    needs: str
    lower_is_better: bool
    low: float
    high: float
    source: str
    function: Callable[[Any, Any], float]
    label: str


@dataclass(frozen=True)
class Need:
    """A kind of prediction: its task, what its measures share (computed once per prediction), its description."""

    task: str
    compare: Callable[[Any, Any], Any]
    truth: str
    prediction: str


_SETS = "(n, q) label sets: a matrix of 0 and 1 (or bool), dense, sparse or a DataFrame."
_RANKS = "(n, q) ranks, 1 is best, equal ranks are ties"

NEEDS: dict[str, Need] = {
    "sets": Need("multilabel", compare_sets, _SETS, "label sets of the same shape."),
    "scores": Need(
        "multilabel",
        compare_scores,
        _SETS,
        "scores of the same shape, larger for more relevant labels; in a sparse matrix 0 is the lowest.",
    ),
    "ranks": Need(
        "ranking", compare_ranks, f"{_RANKS}; 0 or NaN is a missing label.", f"{_RANKS}; every label has one."
    ),
    "split": Need(
        "ranking",
        lambda truth, split: compare_sets(above_split(truth), split),
        f"{_RANKS}; the last column is the virtual label.",
        "(n, q - 1) label sets: the labels above the virtual one, as `above_split` gives them.",
    ),
}

# In the order of their declarations, which is the order of rows in tables of scores.
METRICS: dict[str, Metric] = {}


def metric(
    *, needs: str, better: Literal["lower", "higher"], low: float, high: float, label: str, source: str
) -> Callable[[Function], Function]:
    """Declare the function ``(truth, prediction) -> float`` below as a measure; the arguments are fields of `Metric`.

    It is then a row of `METRICS`, a value of `evaluate` and a `scorer`, and its docstring gets what follows from the
    declaration. `evaluate` calls it with what `compare_sets`, `compare_scores` or `compare_ranks` makes of the
    prediction. So that is the first thing it calls: the function gives such a result back as it is.

    Examples
    --------
    >>> from labelknn.metrics import compare_sets, evaluate
    >>> @metric(needs="sets", better="higher", low=0, high=1, label="Hits", source="an example")
    ... def hits(truth, predicted):
    ...     return float((compare_sets(truth, predicted).row_shared > 0).mean())
    >>> evaluate("multilabel", [[1, 0], [0, 1]], {"sets": [[1, 1], [1, 0]]})["hits"]
    0.5
    >>> del METRICS["hits"]
    """
    if needs not in NEEDS:
        raise unknown("kind of prediction", needs, NEEDS, "metric, needs")
    if better not in ("lower", "higher"):
        raise unknown("direction", better, ("lower", "higher"), "metric, better")

    def declare(function: Function) -> Function:
        name = function.__name__
        if name in METRICS and METRICS[name].function.__module__ != function.__module__:
            raise ConfigError(f"metric {name!r} is declared in {METRICS[name].function.__module__} already; rename it")
        function.__doc__ = _documented(function, NEEDS[needs], source)
        METRICS[name] = Metric(name, NEEDS[needs].task, needs, better == "lower", low, high, source, function, label)
        return function

    return declare


def _documented(function: Callable[[Any, Any], float], need: Need, source: str) -> str:
    """The function's docstring with the sections that are the same for all measures of its kind."""
    text, heading, examples = inspect.cleandoc(function.__doc__ or "").partition("Examples\n--------\n")
    truth, prediction = inspect.signature(function).parameters
    sections = [
        text.strip(),
        f"Parameters\n----------\n{truth} : {need.truth}\n{prediction} : {need.prediction}",
        f"References\n----------\n{source}.",
        heading + examples,
    ]
    return "\n\n".join(filter(None, sections))
