"""All measures of one prediction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labelknn.errors import DataError, unknown
from labelknn.metrics._registry import METRICS, NEEDS


def evaluate(task: str, truth: Any, prediction: Mapping[str, Any]) -> dict[str, float]:
    """All measures of the task that the prediction has the arrays for, in the order of `METRICS`.

    Parameters
    ----------
    task : "multilabel" or "ranking".
    truth : multilabel: (n, q) label sets. ranking: (n, q) ranks; where the prediction has a "split", their last column
        is the virtual label and the split has one column less.
    prediction : by name, "sets" and "scores" for multilabel, "ranks" and "split" for ranking; others are not looked at.

    Examples
    --------
    >>> found = evaluate("multilabel", [[1, 0, 1]], {"sets": [[1, 1, 1]], "scores": [[0.9, 0.8, 0.7]]})
    >>> {name: round(found[name], 3) for name in ("hamming_loss", "micro_f1", "average_precision")}
    {'hamming_loss': 0.333, 'micro_f1': 0.8, 'average_precision': 0.833}
    """
    metrics = [metric for metric in METRICS.values() if metric.task == task]
    if not metrics:
        raise unknown("task", task, {metric.task for metric in METRICS.values()}, "evaluate")
    needed = {metric.needs for metric in metrics}
    compared = {need: NEEDS[need].compare(truth, prediction[need]) for need in sorted(needed) if need in prediction}
    if not compared:
        found = ", ".join(prediction) or "nothing"
        raise DataError(f"a {task} prediction has {found}, expected one or more of {', '.join(sorted(needed))}")
    return {
        metric.name: metric.function(truth, compared[metric.needs]) for metric in metrics if metric.needs in compared
    }
