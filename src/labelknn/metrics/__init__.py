"""Every measure that the papers report: what it is called, what it needs, which way is better, where it is defined.

The functions are in `multilabel` (label sets and scores) and `ranking`; `METRICS` declares each of them once, and
`evaluate` computes all that a prediction allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from labelknn.errors import DataError, unknown
from labelknn.metrics import _multilabel as multilabel
from labelknn.metrics import _ranking as ranking

__all__ = ["METRICS", "Metric", "evaluate"]


@dataclass(frozen=True)
class Metric:
    """One measure, ``function(truth, prediction)``, and what a table or a test has to know about it.

    needs : the kind of prediction it takes, a key of `evaluate`'s `prediction`.
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


# Which values are better, so that the table below reads as one.
LOWER, HIGHER = True, False

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "hamming_loss", "multilabel", "sets", LOWER, 0, 1,
            "zhang2005, eq. (2)", multilabel.hamming_loss, "Hamming loss",
        ),
        Metric(
            "subset_accuracy", "multilabel", "sets", HIGHER, 0, 1,
            "share of exactly right sets; in none of the papers", multilabel.subset_accuracy, "Subset accuracy",
        ),
        Metric(
            "example_accuracy", "multilabel", "sets", HIGHER, 0, 1,
            "feremans2017, section IV-C", multilabel.example_accuracy, "Example accuracy",
        ),
        Metric(
            "example_f1", "multilabel", "sets", HIGHER, 0, 1,
            "feremans2017, section IV-C", multilabel.example_f1, "Example F1",
        ),
        Metric(
            "micro_f1", "multilabel", "sets", HIGHER, 0, 1,
            "feremans2017, section IV-C", multilabel.micro_f1, "Micro F1",
        ),
        Metric(
            "macro_f1", "multilabel", "sets", HIGHER, 0, 1,
            "feremans2017, section IV-C; an empty label counts 1, as in Mulan", multilabel.macro_f1, "Macro F1",
        ),
        Metric(
            "macro_f1_zero", "multilabel", "sets", HIGHER, 0, 1,
            "feremans2017, section IV-C; an empty label counts 0", multilabel.macro_f1_zero, "Macro F1 (empty = 0)",
        ),
        Metric(
            "one_error", "multilabel", "scores", LOWER, 0, 1,
            "zhang2005, eq. (3)", multilabel.one_error, "One-error",
        ),
        Metric(
            "coverage", "multilabel", "scores", LOWER, 0, inf,
            "zhang2005, eq. (4)", multilabel.coverage, "Coverage",
        ),
        Metric(
            "ranking_loss", "multilabel", "scores", LOWER, 0, 1,
            "zhang2005, eq. (5)", multilabel.ranking_loss, "Ranking loss",
        ),
        Metric(
            "average_precision", "multilabel", "scores", HIGHER, 0, 1,
            "zhang2005, eq. (6)", multilabel.average_precision, "Average precision",
        ),
        Metric(
            "strict_one_error", "multilabel", "scores", LOWER, 0, 1,
            "zhang2005, eq. (3); of equal scores the higher label index is first, as in Mulan",
            multilabel.strict_one_error, "One-error (strict order)",
        ),
        Metric(
            "strict_average_precision", "multilabel", "scores", HIGHER, 0, 1,
            "chiang2012, eq. (15); of equal scores the higher label index is first, as in Mulan",
            multilabel.strict_average_precision, "Average precision (strict order)",
        ),
        Metric(
            "rmse", "multilabel", "scores", LOWER, 0, 1,
            "chiang2012, eq. (16)", multilabel.rmse, "RMSE",
        ),
        Metric(
            "kendall_tau", "ranking", "ranks", HIGHER, -1, 1,
            "cheng2009, section 2, eq. (1)", ranking.kendall_tau, "Kendall's tau",
        ),
        Metric(
            "spearman", "ranking", "ranks", HIGHER, -1, 1,
            "brinker2007, eq. (1) and section 6", ranking.spearman, "Spearman correlation",
        ),
        Metric(
            "bipartition_hamming_loss", "ranking", "split", LOWER, 0, 1,
            "brinker2007, section 2: the bipartition, measured by zhang2005, eq. (2)",
            ranking.bipartition_hamming_loss, "Hamming loss of the split",
        ),
    )
}  # fmt: skip

# What the measures of one need share, computed once per prediction. A ranking's split is that at its virtual label.
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "sets": multilabel.compare_sets,
    "scores": multilabel.compare_scores,
    "ranks": ranking.compare_ranks,
    "split": lambda truth, split: multilabel.compare_sets(ranking.above_split(truth), split),
}


def evaluate(task: str, truth: Any, prediction: Mapping[str, Any]) -> dict[str, float]:
    """All measures of the task that the prediction has the arrays for, in the order of `METRICS`.

    truth : multilabel: (n, q) label sets. ranking: (n, q) ranks; where the prediction has a "split", their last column
        is the virtual label and the split has one column less.
    prediction : by name, "sets" and "scores" for multilabel, "ranks" and "split" for ranking; others are not looked at.
    """
    metrics = [metric for metric in METRICS.values() if metric.task == task]
    if not metrics:
        raise unknown("task", task, {metric.task for metric in METRICS.values()}, "evaluate")
    needed = {metric.needs for metric in metrics}
    compared = {need: _COMPARE[need](truth, prediction[need]) for need in sorted(needed) if need in prediction}
    if not compared:
        found = ", ".join(prediction) or "nothing"
        raise DataError(f"a {task} prediction has {found}, expected one or more of {', '.join(sorted(needed))}")
    return {
        metric.name: metric.function(truth, compared[metric.needs]) for metric in metrics if metric.needs in compared
    }
