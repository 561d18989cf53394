"""Algorithm 1 of cheng2009, a Mallows model for the rankings of the k nearest neighbours, at many k at once.

Arguments of many kernels: `rankings`, the ranks of the training rows, whose m observed labels have the ranks 1..m;
`orders`, their labels, best first; `observed`, their numbers of labels; `ballots`, see `ballots_of`; `default`, the
centre where neighbours say nothing; `rows` and `distances`, a query's neighbours, nearest first.
"""

from __future__ import annotations

import numba
import numpy as np

from labelknn.ranking.stats._borda import add_votes, rank_by_votes
from labelknn.ranking.stats._completion import MAX_ROUNDS, best_first, center_of, extend_into
from labelknn.ranking.stats._kendall import complete_distance, tau
from labelknn.ranking.stats._mallows import spread

# So many centres are remembered while one row is validated; more are rare, and then the oldest makes room.
REMEMBERED = 32
# Votes as a difference of two sums lose digits where the neighbours' weights are less than this share of what they were
# without distances (the only ones that rank anything are about as far as the k-th). Those are counted one by one.
LEAST_WEIGHT = 1e-3


@numba.njit(nogil=True, cache=True)
def fit_models(start, stop, rankings, orders, observed, ballots, default, neighbors, distances, centers, spreads):
    """Algorithm 1 for each row of neighbours: centres and spreads."""
    grid = np.array([neighbors.shape[1]])
    for i in range(start, stop):
        rows, far = neighbors[i], distances[i]
        center = centers_by_k(rankings, orders, observed, ballots, default, rows, far, grid)[0]
        for label in range(len(center)):
            centers[i, label] = center[label]
        spreads[i] = spread_of(center, rankings, orders, observed, rows, far)


@numba.njit(nogil=True, cache=True)
def leave_one_out_taus(
    start, stop, rankings, orders, observed, ballots, default, left_out, neighbors, distances, grid, taus
):
    """Tau of each ranking left out with its prediction at each k of the grid, which is increasing."""
    for i in range(start, stop):
        truth = rankings[left_out[i]]
        centers = centers_by_k(rankings, orders, observed, ballots, default, neighbors[i], distances[i], grid)
        for column in range(len(grid)):
            taus[i, column] = tau(truth, centers[column])


@numba.njit(cache=True)
def ballots_of(rankings, observed):
    """What each ranking adds to the first Borda count at distance weight 1: its votes and, in the end, its weight."""
    n, q = rankings.shape
    ballots = np.zeros((n, q + 1))
    for row in range(n):
        ballots[row, q] = observed[row] / q
        add_votes(ballots[row, :q], rankings[row], ballots[row, q])
    return ballots


@numba.njit(cache=True)
def centers_by_k(rankings, orders, observed, ballots, default, rows, distances, grid):
    """The centre that Algorithm 1 finds at each k of the grid: that of `center_of`, at a fraction of the cost.

    With e_i = d_i − d_1, Dudani's weight of neighbour i among k is 1 − e_i / e_k. So weighted votes are S − M / e_k,
    where S sums the votes and M the votes times e. Both are sums over the first k neighbours, so one pass gives them
    for every k. How a ranking is completed depends on the centre alone, so that holds around each centre that the
    iteration meets, and most k meet the same few.
    """
    q = rankings.shape[1]
    beyond = distances - distances[0]
    first = _tally_ballots(ballots, rows, beyond, grid)
    known, tallied = np.empty((REMEMBERED, q), np.int64), np.zeros(REMEMBERED, np.int64)
    tallies = np.empty((REMEMBERED, len(grid), 2, q))
    met, complete = 0, 0
    centers = np.empty((len(grid), q), np.int64)
    for column in range(len(grid)):
        k, reach = grid[column], beyond[grid[column] - 1]
        if not order_labels(observed, rows[:k], distances[:k]):
            centers[column] = default
            continue
        votes = _weigh(first[column], reach)
        total = votes[q]
        if total < LEAST_WEIGHT * first[column, 0, q]:
            centers[column] = center_of(rankings, rows[:k], distance_weights(observed, q, rows[:k], distances[:k]))
            continue
        center = rank_by_votes(votes[:q], total)
        while complete < k and observed[rows[complete]] == q:
            complete += 1
        for _ in range(MAX_ROUNDS if complete < k else 0):
            slot = _find(center, known, min(met, REMEMBERED))
            if slot < 0:
                slot = met % REMEMBERED
                known[slot], tallied[slot] = center, 0
                met += 1
            for missing in range(tallied[slot], column + 1):
                _tally_completions(tallies[slot], missing, center, rankings, orders, observed, rows, beyond, grid)
                tallied[slot] = column + 1
            previous, center = center, rank_by_votes(_weigh(tallies[slot, column], reach), total)
            if _equal(previous, center):
                break
        centers[column] = center
    return centers


@numba.njit(cache=True)
def _tally_ballots(ballots, rows, beyond, grid):
    """S and M of the ballots, (2, q + 1) for each k of the grid."""
    width = ballots.shape[1]
    tallies = np.empty((len(grid), 2, width))
    votes, moments, counted = np.zeros(width), np.zeros(width), 0
    for column in range(len(grid)):
        for i in range(counted, grid[column]):
            for label in range(width):
                votes[label] += ballots[rows[i], label]
                moments[label] += beyond[i] * ballots[rows[i], label]
        counted = grid[column]
        for label in range(width):
            tallies[column, 0, label], tallies[column, 1, label] = votes[label], moments[label]
    return tallies


@numba.njit(cache=True)
def _tally_completions(tallies, column, center, rankings, orders, observed, rows, beyond, grid):
    """Fill in S and M of the rankings completed around `center` at one k, from those at the k before."""
    q = len(center)
    center_order, completed = best_first(center), np.empty(q, np.int64)
    tally = tallies[column]
    for label in range(q):
        tally[0, label] = tallies[column - 1, 0, label] if column > 0 else 0.0
        tally[1, label] = tallies[column - 1, 1, label] if column > 0 else 0.0
    agreeing, agreeing_beyond = 0.0, 0.0
    for i in range(grid[column - 1] if column > 0 else 0, grid[column]):
        row = rows[i]
        weight = observed[row] / q
        if _agrees(center, orders[row], observed[row]):
            agreeing += weight
            agreeing_beyond += beyond[i] * weight
            continue
        ranks = rankings[row]
        if observed[row] < q:
            extend_into(completed, ranks, orders[row, : observed[row]], center, center_order)
            ranks = completed
        for label in range(q):
            ballot = weight * (q + 1 - ranks[label])
            tally[0, label] += ballot
            tally[1, label] += beyond[i] * ballot
    for label in range(q):
        tally[0, label] += agreeing * (q + 1 - center[label])
        tally[1, label] += agreeing_beyond * (q + 1 - center[label])


@numba.njit(cache=True)
def _agrees(center, order, m):
    """Whether a ranking has its m labels, best first in `order`, in the centre's order: the centre completes it."""
    i = 1
    while i < m and center[order[i - 1]] < center[order[i]]:
        i += 1
    return i >= m


@numba.njit(cache=True)
def _weigh(tally, reach):
    """S − M / e_k; if all neighbours are equally far, all distance weights are 1."""
    votes = np.empty(tally.shape[1])
    for label in range(len(votes)):
        votes[label] = tally[0, label] - tally[1, label] / reach if reach > 0.0 else tally[0, label]
    return votes


@numba.njit(cache=True)
def _find(center, known, count):
    """The place of a centre among the first `count` known ones, or -1."""
    for slot in range(count):
        if _equal(known[slot], center):
            return slot
    return -1


@numba.njit(cache=True)
def _equal(one, other):
    label = 0
    while label < len(one) and one[label] == other[label]:
        label += 1
    return label == len(one)


@numba.njit(cache=True)
def spread_of(center, rankings, orders, observed, rows, distances):
    """Line 14 of Algorithm 1: θ from the weighted mean distance of the completed rankings; 0 if none has any order."""
    if not order_labels(observed, rows, distances):
        return 0.0
    q = len(center)
    weights = distance_weights(observed, q, rows, distances)
    center_order, completed = best_first(center), np.empty(q, np.int64)
    total, mean = 0.0, 0.0
    for i in range(len(rows)):
        row = rows[i]
        total += weights[i]
        if weights[i] > 0.0 and not _agrees(center, orders[row], observed[row]):
            ranks = rankings[row]
            if observed[row] < q:
                extend_into(completed, ranks, orders[row, : observed[row]], center, center_order)
                ranks = completed
            mean += weights[i] * complete_distance(ranks, center)
    return spread(mean / total, q)


@numba.njit(cache=True)
def distance_weights(observed, q, rows, distances):
    """Dudani's distance weights times |Y(σ)| / n (section 4.2, last paragraph)."""
    nearest, farthest = distances[0], distances[-1]
    weights = np.empty(len(rows))
    for i in range(len(rows)):
        weights[i] = observed[rows[i]] / q
        if farthest > nearest:
            weights[i] *= (farthest - distances[i]) / (farthest - nearest)
    return weights


@numba.njit(cache=True)
def order_labels(observed, rows, distances):
    """Whether any of the rows that count has two labels to order: all count if they are equally far, else not the last.

    The distances increase, so the first row with two labels decides.
    """
    for i in range(len(rows)):
        if observed[rows[i]] > 1:
            return distances[i] < distances[-1] or distances[0] == distances[-1]
    return False
