"""Rankings that lack labels: their most probable completions, and the centre of a set of them (cheng2009, 4.2).

Rankings are rows of ranks as in `labelknn.datasets._container`, whose m observed labels have the ranks 1..m.
"""

from __future__ import annotations

import numpy as np

from labelknn.ranking.stats._borda import ballots, rank_by_votes
from labelknn.utils._kernels import inner, kernel

# Completion minimises Kendall's distance and Borda's count Spearman's, so the iteration of Algorithm 1 has no common
# objective and could run in a circle. Where it does stand still, that takes a handful of rounds.
MAX_ROUNDS = 50


def best_first(rankings: np.ndarray) -> np.ndarray:
    """The labels of each row in the order of their ranks, those that it lacks at the end.

    >>> best_first(np.array([[2, 0, 1]]))
    array([[2, 0, 1]])
    """
    return np.argsort(np.where(rankings > 0, rankings, rankings.shape[1] + 1), axis=1)


def center_of(rankings: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Algorithm 1 up to its line 13: the centre of weighted rankings, by the approximate EM iteration.

    Rankings of weight 0 are not looked at. The result ranks every label.

    >>> center_of(np.array([[1, 2, 3], [1, 2, 0], [2, 1, 3]]), np.ones(3))
    array([1, 2, 3])
    """
    rankings, weights = rankings[weights > 0].astype(np.int64), weights[weights > 0]
    q, observed, total = rankings.shape[1], (rankings > 0).sum(axis=1), _added(weights)
    center, order = _ranked(_added(ballots(rankings, weights)), total)
    if (observed == q).all():
        return center
    orders, completed = best_first(rankings), np.empty(rankings.shape, np.int64)
    for _ in range(MAX_ROUNDS):
        _extend_all(completed, rankings, orders, observed, center, order, *np.empty((2, q), np.int64))
        previous = center
        center, order = _ranked(_added(weights[:, None] * (q + 1 - completed)), total)
        if (previous == center).all():
            break
    return center


def _added(values: np.ndarray) -> np.ndarray:
    """The sum over the first axis, from the first to the last, as in a loop."""
    return np.cumsum(np.concatenate([np.zeros((1, *values.shape[1:])), values]), axis=0)[-1]


def _ranked(votes: np.ndarray, total: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ranking that they vote for, and its labels, best first."""
    ranks, order = np.empty((2, len(votes)), np.int64)
    rank_by_votes.py_func(votes, total, order, ranks)
    return ranks, order


@kernel
def _extend_all(completed, rankings, orders, observed, center, center_order, waiting, behind):
    for i in range(len(rankings)):
        extend_into(
            completed[i], rankings[i], orders[i], observed[i], center, center_order, len(center), waiting, behind
        )


@inner
def extend_into(completed, ranks, order, m, center, center_order, occurring, waiting, behind):
    """Write the ranking nearest to `center` that keeps the order of `ranks`: Proposition 1.

    The first m labels of `order` are those of `ranks`, the first `occurring` ones of `center_order` those of `center`,
    both best first; `waiting` is scratch space. If `center` lacks labels too, those that both lack are left as they are
    (section 5.2 completes a leaf of a tree from predecessors in this way), and those that only `center` lacks do not
    pull on the others.
    """
    missing = 0
    for place in range(occurring):
        waiting[missing] = center_order[place]
        missing += ranks[center_order[place]] == 0
    for position in range(m):
        behind[position] = 0
    # Going down the observed labels, each that the centre puts below the missing one costs a discordant pair and each
    # that it puts above saves one; the first cheapest place counts. It never moves up as we go down the centre, so
    # labels in the same place come out in the centre's order.
    for inserted in range(missing):
        rank, place, cost, cheapest = center[waiting[inserted]], 0, 0, 0
        for position in range(m):
            other = center[order[position]]
            cost += (other > rank) - (0 < other < rank)
            place = position + 1 if cost < cheapest else place
            cheapest = min(cost, cheapest)
        completed[waiting[inserted]] = place + inserted + 1
        behind[place] += 1
    inserted = 0
    for position in range(m):
        inserted += behind[position]
        completed[order[position]] = position + inserted + 1
