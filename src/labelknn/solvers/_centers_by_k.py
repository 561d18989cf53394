"""Algorithm 1 of cheng2009, a Mallows model for the rankings of the k nearest neighbours, at many k at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from labelknn.neighbors._euclidean import Neighbors
from labelknn.ranking.stats._borda import ballots, rank_by_votes
from labelknn.ranking.stats._completion import MAX_ROUNDS, best_first, center_of, extend_into
from labelknn.ranking.stats._mallows import spreads
from labelknn.utils._kernels import inner, kernel
from labelknn.utils._threads import over_rows

# So many centres are remembered while one row is looked at; more are rare, and then the oldest makes room.
REMEMBERED = 32
# Votes as a difference of two sums lose digits where the neighbours' weights are less than this share of what they were
# without distances (the only ones that rank anything are about as far as the k-th). Those are counted one by one.
LEAST_WEIGHT = 1e-3


class Rankings(NamedTuple):
    """All training rankings, by row.

    ranks : whose m observed labels have the ranks 1..m, the others 0.
    orders : their labels, best first, those that are missing at the end.
    observed : the numbers m.
    ballots : what each adds to the first Borda count at distance weight 1: its votes and, in the end, its weight m / q.
    default : the centre of all of them, for where neighbours say nothing.
    """

    ranks: np.ndarray
    orders: np.ndarray
    observed: np.ndarray
    ballots: np.ndarray
    default: np.ndarray


def rankings_of(ranks: np.ndarray) -> Rankings:
    observed = (ranks > 0).sum(axis=1)
    weights = observed / ranks.shape[1]
    votes = np.column_stack([ballots(ranks, weights), weights])
    narrow = np.min_scalar_type(ranks.shape[1] + 1)  # less to fetch from memory, where neighbours lie scattered
    return Rankings(ranks.astype(narrow), best_first(ranks).astype(narrow), observed, votes, center_of(ranks, weights))


def centers_by_k(rankings: Rankings, found: Neighbors, grid: Sequence[int]) -> np.ndarray:
    """The centre of each row of neighbours that Algorithm 1 finds at each k of the grid, (n, len(grid), q).

    It is that of `center_of`, at a fraction of the cost. With e_i = d_i − d_1, Dudani's weight of neighbour i among k
    is 1 − e_i / e_k. So weighted votes are S − M / e_k, where S sums the votes and M the votes times e. Both are sums
    over the first k neighbours, so one pass gives them for every k. How a ranking is completed depends on the centre
    alone, so that holds around each centre that the iteration meets, and most k meet the same few. `grid` increases.
    """
    indices, distances = _arrays(found)
    n, columns, q = len(indices), len(grid), len(rankings.default)
    centers, totals = np.empty((n, columns, q), np.int64), np.empty((n, columns))
    of_rows = rankings, indices, distances, np.array(grid), centers, totals
    over_rows(_count_ballots, n, *of_rows)
    if not rankings.ranks.all():
        over_rows(_complete, n, *of_rows)
    for row, column in np.argwhere(centers[:, :, 0] == 0):
        k = grid[column]
        nearest = indices[row, :k]
        weights = distance_weights(rankings.observed[nearest], q, distances[row, :k])
        centers[row, column] = center_of(rankings.ranks[nearest], weights)
    return centers


def spreads_around(centers: np.ndarray, rankings: Rankings, found: Neighbors) -> np.ndarray:
    """Line 14 of Algorithm 1: θ from the weighted mean distance of the completed rankings; 0 if none has any order."""
    means = np.empty(len(centers))
    over_rows(_fill_mean_distances, len(means), centers, rankings, *_arrays(found), means)
    return spreads(means, centers.shape[1])


def distance_weights(observed: np.ndarray, q: int, distances: np.ndarray) -> np.ndarray:
    """Dudani's distance weights times |Y(σ)| / n (section 4.2, last paragraph)."""
    nearest, farthest = distances[0], distances[-1]
    weights = observed / q
    return weights * ((farthest - distances) / (farthest - nearest)) if farthest > nearest else weights


def _arrays(found: Neighbors) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours without gaps in memory, as a part of a larger search has them: one layout, one compilation."""
    return np.ascontiguousarray(found.indices, np.intp), np.ascontiguousarray(found.distances)


class _Remembered(NamedTuple):
    """Scratch space for the centres that the iteration meets.

    known, orders : the centres and their labels, best first.
    tallies, counted : S and M around each of them, and at how many k of the grid they are known.
    """

    known: np.ndarray
    orders: np.ndarray
    tallies: np.ndarray
    counted: np.ndarray


def _count_ballots(
    start: int, stop: int, rankings: Rankings, indices: np.ndarray, distances: np.ndarray, grid: np.ndarray,
    centers: np.ndarray, totals: np.ndarray,
) -> None:  # fmt: skip
    q = centers.shape[2]
    _fill_centers(
        start, stop, rankings, indices, distances, grid, centers, totals, *np.empty((3, q + 1)), np.empty(q, int)
    )


def _complete(
    start: int, stop: int, rankings: Rankings, indices: np.ndarray, distances: np.ndarray, grid: np.ndarray,
    centers: np.ndarray, totals: np.ndarray,
) -> None:  # fmt: skip
    q = centers.shape[2]
    tallies, counted = np.empty((REMEMBERED, 2, q)), np.empty(REMEMBERED, np.int64)
    remembered = _Remembered._make((*np.empty((2, REMEMBERED, q), np.int64), tallies, counted))
    scratch = np.empty(q), *np.empty((4, q), np.int64)
    _iterate(start, stop, rankings, indices, distances, grid, centers, totals, remembered, *scratch)


@kernel
def _fill_centers(start, stop, rankings, indices, distances, grid, centers, totals, votes, moments, weighed, order):
    """The centres that the ballots vote for, and the sums of the weights, 0 where they do not decide.

    The first entry of a centre that must be counted one by one is left 0.
    """
    for i in range(start, stop):
        rows, far, added = indices[i], distances[i], 0
        for label in range(len(votes)):
            votes[label] = moments[label] = 0.0
        for column in range(len(grid)):
            center, k = centers[i, column], grid[column]
            for place in range(added, k):
                ballot, beyond = rankings.ballots[rows[place]], far[place] - far[0]
                for label in range(len(votes)):
                    votes[label] += ballot[label]
                    moments[label] += beyond * ballot[label]
            added = k
            totals[i, column] = 0.0
            if not _order_labels(rankings.observed, rows, far, k):
                for label in range(len(center)):
                    center[label] = rankings.default[label]
                continue
            _weigh(votes, moments, far[k - 1] - far[0], weighed)
            if weighed[-1] < LEAST_WEIGHT * votes[-1]:
                center[0] = 0
                continue
            totals[i, column] = weighed[-1]
            rank_by_votes(weighed, weighed[-1], order, center)


@kernel
def _iterate(
    start,
    stop,
    rankings,
    indices,
    distances,
    grid,
    centers,
    totals,
    remembered,
    weighed,
    order,
    completed,
    waiting,
    behind,
):
    """Go on from these centres, where rankings lack labels, until they stand still."""
    q = centers.shape[2]
    known, orders, tallies, counted = remembered
    for i in range(start, stop):
        rows, far = indices[i], distances[i]
        met, held, complete = 0, 0, 0
        for column in range(len(grid)):
            center, k, total = centers[i, column], grid[column], totals[i, column]
            while complete < k and rankings.observed[rows[complete]] == q:
                complete += 1
            for _ in range(MAX_ROUNDS if total > 0.0 and complete < k else 0):
                slot = 0
                while slot < held and not _same(known[slot], center):
                    slot += 1
                if slot == held:
                    slot = met % REMEMBERED
                    met += 1
                    held = min(met, REMEMBERED)
                    counted[slot] = 0
                    for label in range(q):
                        known[slot, label], orders[slot, center[label] - 1] = center[label], label
                        tallies[slot, 0, label] = tallies[slot, 1, label] = 0.0
                while counted[slot] <= column:
                    first = grid[counted[slot] - 1] if counted[slot] > 0 else 0
                    last = grid[counted[slot]]
                    _add_completions(
                        tallies[slot],
                        first,
                        last,
                        known[slot],
                        orders[slot],
                        rankings,
                        rows,
                        far,
                        completed,
                        waiting,
                        behind,
                    )
                    counted[slot] += 1
                _weigh(tallies[slot, 0], tallies[slot, 1], far[k - 1] - far[0], weighed)
                rank_by_votes(weighed, total, order, center)
                if _same(known[slot], center):
                    break


@inner
def _add_completions(tally, first, last, center, center_order, rankings, rows, far, completed, waiting, behind):
    """Add to S and M the rankings, completed around `center`, of some neighbours: the next of the grid."""
    q = len(center)
    agreeing, agreeing_beyond = 0.0, 0.0
    for place in range(first, last):
        row, beyond = rows[place], far[place] - far[0]
        m, order = rankings.observed[row], rankings.orders[row]
        weight = m / q
        if _agrees(center, order, m):
            agreeing += weight
            agreeing_beyond += beyond * weight
            continue
        extend_into(completed, rankings.ranks[row], order, m, center, center_order, q, waiting, behind)
        for label in range(q):
            ballot = weight * (q + 1 - completed[label])
            tally[0, label] += ballot
            tally[1, label] += beyond * ballot
    for label in range(q):
        tally[0, label] += agreeing * (q + 1 - center[label])
        tally[1, label] += agreeing_beyond * (q + 1 - center[label])


@inner
def _agrees(center, order, m):
    """Whether a ranking has its m labels, best first in `order`, in the centre's order: the centre completes it."""
    i = 1
    while i < m and center[order[i - 1]] < center[order[i]]:
        i += 1
    return i >= m


@inner
def _same(one, other):
    """Whether two rankings are equal."""
    label = 0
    while label < len(one) and one[label] == other[label]:
        label += 1
    return label == len(one)


@inner
def _weigh(votes, moments, reach, weighed):
    """S − M / e_k; if all neighbours are equally far, all distance weights are 1."""
    for label in range(len(votes)):
        weighed[label] = votes[label] - moments[label] / reach if reach > 0.0 else votes[label]


@inner
def _order_labels(observed, rows, far, k):
    """Whether any of k rows that count has two labels to order: all count if they are equally far, else not the last.

    The distances increase, so the first row with two labels decides.
    """
    place = 0
    while place < k and observed[rows[place]] < 2:
        place += 1
    return place < k and (far[place] < far[k - 1] or far[0] == far[k - 1])


@kernel
def _fill_mean_distances(start, stop, centers, rankings, indices, distances, means):
    """The weighted mean distance of the completed rankings from the centre; ∞ if none has any order."""
    k, q = indices.shape[1], centers.shape[1]
    for i in range(start, stop):
        center, rows, far = centers[i], indices[i], distances[i]
        reach = far[k - 1] - far[0]
        if not _order_labels(rankings.observed, rows, far, k):
            means[i] = np.inf
            continue
        total, mean = 0.0, 0.0
        for place in range(k):
            row = rows[place]
            m, order = rankings.observed[row], rankings.orders[row]
            weight = m / q
            if reach > 0.0:
                weight *= (far[k - 1] - far[place]) / reach
            total += weight
            if weight > 0.0 and not _agrees(center, order, m):
                mean += weight * _distance(center, order, m, q)
        means[i] = mean / total


@inner
def _distance(center, order, m, q):
    """Kendall's distance of a completed ranking: its own discordant pairs, and those that its missing labels cost.

    Each of these is where it costs least, and two of them are as in the centre, see `extend_into`.
    """
    discordant = 0
    for a in range(1, m):
        for b in range(a):
            discordant += center[order[b]] > center[order[a]]
    for missing in range(m, q):
        rank, cost = center[order[missing]], 0
        for place in range(m):
            cost += center[order[place]] < rank
        least = cost
        for place in range(m):
            cost += 1 if center[order[place]] > rank else -1
            least = min(least, cost)
        discordant += least
    return discordant
