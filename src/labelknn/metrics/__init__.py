"""Every measure that the papers report: what it is called, what it needs, which way is better, where it is defined.

Each is a function of (truth, prediction), by its name: ``hamming_loss(Y, predicted)``. `METRICS` declares them all,
`evaluate` computes all that a prediction allows, and `scorer` makes of one a `scoring` for scikit-learn. A measure is
added by its function and the declaration `metric` on top of it.
"""

from labelknn.metrics._comparison import above_split, compare_ranks, compare_scores, compare_sets
from labelknn.metrics._evaluate import evaluate
from labelknn.metrics._multilabel import *  # noqa: F403 - each function there is a measure, listed in METRICS
from labelknn.metrics._ranking import *  # noqa: F403
from labelknn.metrics._registry import METRICS, Metric, metric
from labelknn.metrics._scorer import scorer, scorer_names

__all__ = [
    "METRICS",
    "Metric",
    "above_split",
    "compare_ranks",
    "compare_scores",
    "compare_sets",
    "evaluate",
    "metric",
    "scorer",
    "scorer_names",
    *METRICS,
]


def __dir__() -> list[str]:
    """The public names; what the modules of measures import came along with them."""
    return sorted(__all__)
