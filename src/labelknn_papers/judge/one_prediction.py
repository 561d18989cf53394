"""Whether printed values of four metrics can be those of one prediction of n label sets over q labels.

In how many rows does a prediction hit a label that is there? Hamming loss and micro F1 say that it cannot be in many:

    micro F1 = 2 t / (2 t + e),    e = n q · Hamming loss,

where t are the hits and e the wrong cells, so t = e · F1 / (2 (1 − F1)), which grows with both. There are no more rows
with a hit than hits.

Accuracy and example F1 say that it must be in some. A row with the F1 f has the accuracy f / (2 − f), and a row without
a hit has 0 of both. Over the share h of rows that score, the accuracy is convex in f: by Jensen's inequality

    A / h ≥ (F / h) / (2 − F / h),    so    h ≥ A F / (2 A − F) where 2 A > F,

which falls with A and grows with F; and since h ≤ 1, A ≥ F / (2 − F). If 2 A ≤ F, no share is enough. A row without
labels counts as 1 in both where nothing is predicted: it may score without a hit, so such rows are added to those with
hits.

Printed values are taken half a digit up or down, to whichever side leaves more room.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from labelknn_papers.plan.cells import Published

METRICS = ("hamming_loss", "micro_f1", "example_accuracy", "example_f1")


class Bounds(NamedTuple):
    """Shares of the rows that can score, and that must; the second is infinite if no share is enough.

    least_accuracy : what the example F1 asks for, whatever the rows.
    """

    rows_at_most: float
    rows_at_least: float
    least_accuracy: float

    @property
    def possible(self) -> bool:
        return self.rows_at_least <= min(self.rows_at_most, 1.0)


def bounds(printed: Mapping[str, Published], rows: int, labels: int, unlabelled: int) -> Bounds:
    """printed : by metric, those of METRICS. unlabelled : rows without labels."""
    hamming_loss, micro_f1, accuracy = (_rounded(printed[metric], +1) for metric in METRICS[:3])
    f1 = _rounded(printed["example_f1"], -1)
    hits = math.floor(min(most_hits(hamming_loss * rows * labels, micro_f1), rows) + 1e-9)  # whole, but for rounding
    return Bounds(min(hits + unlabelled, rows) / rows, least_scoring(accuracy, f1), f1 / (2 - f1))


def most_hits(wrong_cells: float, micro_f1: float) -> float:
    """The hits of a prediction with so many wrong cells."""
    return wrong_cells * micro_f1 / (2 * (1 - micro_f1)) if micro_f1 < 1 else math.inf


def least_scoring(accuracy: float, f1: float) -> float:
    """The share of rows that must score.

    >>> least_scoring(0.5, 0.5)  # half of the rows perfect, the others nothing
    0.5
    >>> least_scoring(0.4, 0.9)
    inf
    """
    return accuracy * f1 / (2 * accuracy - f1) if 2 * accuracy > f1 else math.inf


def _rounded(number: Published, way: int) -> float:
    """The largest (or smallest) value that is printed so."""
    assert number.value is not None
    return number.value + way * 0.5 * 10.0**-number.digits
