"""Rankings that lack labels: their most probable completions, and the Mallows model of a set of them (cheng2009, 4.2).

Rankings are rows of ranks as in `labelknn.datasets._container`, whose m observed labels have the ranks 1..m. All
functions can be called from numba code.
"""

from __future__ import annotations

import numba
import numpy as np

from labelknn.ranking.stats._borda import add_votes, rank_by_votes

# Completion minimises Kendall's distance and Borda's count Spearman's, so the iteration of Algorithm 1 has no common
# objective and could run in a circle. Where it does stand still, that takes a handful of rounds.
MAX_ROUNDS = 50


@numba.njit(cache=True)
def most_probable_extension(ranks, center):
    """The ranking nearest to `center` that keeps the order of `ranks`: Proposition 1.

    If `center` lacks labels too, the labels that both lack stay missing (section 5.2 completes a leaf of a tree from
    predecessors in this way), and the labels that only `center` lacks do not pull on the others.

    >>> import numpy as np
    >>> most_probable_extension(np.array([2, 0, 1, 0]), np.array([1, 2, 3, 4]))
    array([3, 1, 2, 4])
    """
    completed = np.empty(len(ranks), np.int64)
    extend_into(completed, ranks, best_first(ranks), center, best_first(center))
    return completed


@numba.njit(cache=True)
def extend_into(completed, ranks, observed, center, center_order):
    """`most_probable_extension` into an array; `observed` and `center_order` are `best_first` of both rankings."""
    completed[:] = 0
    inserted, placed = 0, 0
    for label in center_order:
        if ranks[label] > 0:
            continue
        # Going down the observed labels, each that the centre puts below `label` costs a discordant pair and each that
        # it puts above saves one; the first cheapest place counts. It never moves up as `label` goes down the centre,
        # so labels in the same place come out in the centre's order and one pass over `observed` is enough.
        place, cost, cheapest = 0, 0, 0
        for position in range(len(observed)):
            rank_in_center = center[observed[position]]
            if rank_in_center > center[label]:
                cost += 1
            elif rank_in_center > 0:
                cost -= 1
            if cost < cheapest:
                cheapest, place = cost, position + 1
        while placed < place:
            completed[observed[placed]] = placed + inserted + 1
            placed += 1
        completed[label] = place + inserted + 1
        inserted += 1
    while placed < len(observed):
        completed[observed[placed]] = placed + inserted + 1
        placed += 1


@numba.njit(cache=True)
def best_first(ranks):
    """The observed labels in the order of their ranks 1..m."""
    m = 0
    for rank in ranks:
        if rank > 0:
            m += 1
    order = np.empty(m, np.int64)
    for label in range(len(ranks)):
        if ranks[label] > 0:
            order[ranks[label] - 1] = label
    return order


@numba.njit(cache=True)
def center_of(rankings, rows, weights):
    """Algorithm 1 up to its line 13: the centre of some rows of `rankings`, by the approximate EM iteration.

    `weights` belong to `rows`; rows of weight 0 are not looked at. The result ranks every label.
    """
    q = rankings.shape[1]
    votes, total, incomplete = np.zeros(q), 0.0, False
    for i in range(len(rows)):
        if weights[i] > 0.0:
            add_votes(votes, rankings[rows[i]], weights[i])
            total += weights[i]
            incomplete = incomplete or rankings[rows[i]].min() == 0
    center = rank_by_votes(votes, total)
    if not incomplete:
        return center
    completed = np.empty(q, np.int64)
    for _ in range(MAX_ROUNDS):
        order = best_first(center)
        votes[:] = 0.0
        for i in range(len(rows)):
            if weights[i] > 0.0:
                extend_into(completed, rankings[rows[i]], best_first(rankings[rows[i]]), center, order)
                for label in range(q):
                    votes[label] += weights[i] * (q + 1 - completed[label])
        previous, center = center, rank_by_votes(votes, total)
        if np.array_equal(previous, center):
            break
    return center
