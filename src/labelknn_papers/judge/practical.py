"""Which of two methods is better for practical purposes: the Bayesian signed-rank test over data sets.

Benavoli, Corani, Demšar and Zaffalon (2017), Time for a change: a tutorial for comparing multiple classifiers through
Bayesian analysis, JMLR 18. Differences within the region of practical equivalence, the rope, count as none. Unlike a
p-value, the three probabilities can say that two methods are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from labelknn_papers.judge.estimates import ValueTable
from labelknn_papers.judge.significance import average_ranks

_SAMPLES = 10_000
# Draws are the same in every run.
_SEED = 0


class Practical(NamedTuple):
    """Probabilities that the first of two methods is better by more than the rope, equal, and worse."""

    first: str
    second: str
    better: float
    equal: float
    worse: float


def signed_ranks(first: ArrayLike, second: ArrayLike, rope: float) -> tuple[float, float, float]:
    """The probabilities that the first is better, that they are equal, that the second is; higher values are better."""
    from baycomp import SignedRankTest  # it imports all of matplotlib

    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    left, equal, right = SignedRankTest(x, y, rope, nsamples=_SAMPLES, random_state=_SEED).probs(with_rope=True)
    return float(left), float(equal), float(right)


def against(table: ValueTable, name: str, rope: float) -> Iterator[Practical]:
    """A method of a complete table against each of the others."""
    values = -table.values if table.lower_is_better else table.values
    own = values[:, table.methods.index(name)]
    for column, other in enumerate(table.methods):
        if other != name:
            yield Practical(name, other, *signed_ranks(own, values[:, column], rope))


def best_method(table: ValueTable) -> str:
    """The one with the best average rank; of equal ones the first."""
    return table.methods[int(np.argmin(average_ranks(table.values, table.lower_is_better)))]


def practical_rows(view: tuple[Any, ...], found: list[Practical], rope: float) -> list[tuple[Any, ...]]:
    """For the table of tests: the statistic is the probability that the first is better."""
    return [
        (
            *view,
            "Bayesian signed ranks",
            round(one.better, 4),
            "",
            f"{one.first} against {one.second}: better {one.better:.3f}, equal within {rope:g} {one.equal:.3f}, "
            f"worse {one.worse:.3f}",
        )
        for one in found
    ]
