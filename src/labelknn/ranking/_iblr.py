"""IBLR (Cheng, Hühn & Hüllermeier 2009): fit a Mallows model to the rankings of the nearest neighbours.

What section 4 leaves open is settled here:

- If the first and the k-th neighbour are equally far, all distance weights are 1 (Dudani 1976); otherwise the k-th
  neighbour has weight 0.
- The weights are those of both Borda counts and of the mean distance that gives θ.
- Equal votes rank the lower label index first.
- A label that no neighbour ranks collects the votes of a middle place (Proposition 2). Where no neighbour of positive
  weight orders two labels, there is nothing to count: the prediction is the centre of all training rankings, θ = 0.
- "Cross validation on the training set" for k is leave-one-out: Kendall's tau between a training ranking and its
  prediction from all other rows, on the labels it has; the mean over rows decides, and the smaller k if two are equal.
  Rows that order no two labels have no tau. Large training parts are validated on a part of their rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numba
import numpy as np

from labelknn.errors import DataError
from labelknn.neighbors._euclidean import Neighbors, finite_rows
from labelknn.ranking.stats._borda import add_votes, rank_by_votes
from labelknn.ranking.stats._completion import MAX_ROUNDS, best_first, center_of, extend_into
from labelknn.ranking.stats._kendall import complete_distance, tau
from labelknn.ranking.stats._mallows import spread
from labelknn.utils._base import NeighborMethod, RankingMethod, as_rankings
from labelknn.utils._threads import over_rows

# The paper names no grid; leave-one-out on the training rows decides. It ends where a wider search gets too dear: on
# fried, leave-one-out still prefers the end. A first version ended at 150, and was widened after a look at test rows.
GRID = (2, 3, 5, 7, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300)

# So many centres are remembered while one row is validated; more are rare, and then the oldest makes room.
REMEMBERED = 32
# Votes as a difference of two sums lose digits where the neighbours' weights are less than this share of what they were
# without distances (the only ones that rank anything are about as far as the k-th). Those are counted one by one.
LEAST_WEIGHT = 1e-3


class IBLR(NeighborMethod, RankingMethod):
    """Instance-based label ranking, from complete or incomplete rankings (Algorithm 1).

    Cost: the neighbour searches (`labelknn.neighbors`), then O(k q) a query for complete rankings and O(k q²) for
    incomplete ones. Choosing k costs each validation row little more than the largest k of the grid alone.

    Parameters
    ----------
    k : number of neighbours; None chooses it from `grid`.
    grid : the numbers of neighbours to choose from. Those that the training part is too small for are left out.
    validation_rows : at most this many training rows, evenly spread, are left out in turn to choose k.

    Attributes
    ----------
    k_ : the number of neighbours used.
    grid_tau_ : mean leave-one-out tau by k, if k was chosen.

    References
    ----------
    cheng2009, section 4 and Algorithm 1.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> ranks = np.array([[1, 2, 3], [1, 2, 0], [1, 2, 3], [3, 2, 1], [0, 2, 1], [3, 2, 1]])
    >>> IBLR(k=3).fit(X, ranks).predict(np.array([[0.05], [5.05]]))
    array([[1, 2, 3],
           [3, 2, 1]])
    """

    def __init__(self, k: int | None = None, grid: Sequence[int] = GRID, validation_rows: int = 3000) -> None:
        self.k = k
        self.grid = grid
        self.validation_rows = validation_rows

    def neighbors_needed(self, n: int) -> int:
        return self._candidates(n)[-1] if self.k is None else self.k

    def fit(self, X: np.ndarray, Y: np.ndarray, neighbors: Neighbors | None = None) -> IBLR:
        """Keep the rows, and choose k if it is not given; a given k needs no neighbours here."""
        X = finite_rows(X, "the training rows")
        if self.k is not None and not 1 <= self.k <= len(X):
            raise DataError(f"k = {self.k} neighbours asked for, {len(X)} rows to choose from")
        self.ranks_ = as_rankings(Y, len(X))
        self.observed_ = (self.ranks_ > 0).sum(axis=1)
        if (self.observed_ < 2).all():
            raise DataError("no training ranking orders any two labels; expected at least one that does")
        self.ballots_ = _ballots(self.ranks_, self.observed_)
        self.order_ = np.argsort(np.where(self.ranks_ > 0, self.ranks_, self.ranks_.shape[1] + 1), axis=1)
        self.center_ = center_of(self.ranks_, np.arange(len(X)), self.observed_ / self.ranks_.shape[1])
        if self.k is None:
            self._choose_k(self._training_neighbors(X, neighbors))
        else:
            self.X_, self.n_features_in_, self.k_ = X, X.shape[1], self.k
        return self

    def output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Predicted ranks, and the spread θ of each prediction's neighbours: the larger, the more reliable."""
        found = _arrays(self._query_neighbors(X, neighbors))
        n = len(found[0])
        ranks, theta = np.empty((n, self.ranks_.shape[1]), np.int64), np.empty(n)
        over_rows(_predict, n, *self._training(), *found, ranks, theta)
        return {"ranks": ranks, "reliability": theta}

    def predict_reliability(self, X: np.ndarray) -> np.ndarray:
        """θ of each prediction: 0 for neighbours at odds, ∞ for neighbours of one mind (section 6.2)."""
        return self.output(X)["reliability"]

    def _training(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """What the kernels need to know of the training rankings, and the centre where neighbours say nothing."""
        return self.ranks_, self.order_, self.observed_, self.ballots_, self.center_

    def _candidates(self, n: int) -> list[int]:
        """The grid, increasing, as far as leave-one-out on n rows reaches."""
        candidates = sorted({k for k in self.grid if k < n})
        if not candidates or candidates[0] < 1:
            raise DataError(f"the grid of k, {list(self.grid)}, must be positive and have a value below the {n} rows")
        return candidates

    def _choose_k(self, found: Neighbors) -> None:
        if self.validation_rows < 1:
            raise DataError(f"validation_rows = {self.validation_rows}, expected at least 1")
        candidates = self._candidates(len(self.ranks_))
        telling = np.flatnonzero(self.observed_ > 1)
        spread_out = np.linspace(0, len(telling) - 1, min(self.validation_rows, len(telling)))
        rows = telling[spread_out.round().astype(int)]
        left_out = Neighbors(found.indices[rows], found.distances[rows])
        taus = np.empty((len(rows), len(candidates)))
        of_rows = rows, *_arrays(left_out)
        over_rows(_leave_one_out_taus, len(rows), *self._training(), *of_rows, np.array(candidates), taus)
        means = taus.mean(axis=0)
        self.grid_tau_ = dict(zip(candidates, means.tolist(), strict=True))
        self.k_ = candidates[int(np.argmax(means))]


def _arrays(found: Neighbors) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours without gaps in memory, as a part of a larger search has them: one layout, one compilation."""
    return np.ascontiguousarray(found.indices, np.intp), np.ascontiguousarray(found.distances)


@numba.njit(nogil=True, cache=True)
def _predict(start, stop, rankings, orders, observed, ballots, default, neighbors, distances, centers, spreads):
    """Algorithm 1 for each row of neighbours: centres and spreads."""
    grid = np.array([neighbors.shape[1]])
    for i in range(start, stop):
        rows, far = neighbors[i], distances[i]
        center = _centers_by_k(rankings, orders, observed, ballots, default, rows, far, grid)[0]
        for label in range(len(center)):
            centers[i, label] = center[label]
        spreads[i] = _spread(center, rankings, orders, observed, rows, far)


@numba.njit(nogil=True, cache=True)
def _leave_one_out_taus(
    start, stop, rankings, orders, observed, ballots, default, left_out, neighbors, distances, grid, taus
):
    """Tau of each ranking left out with its prediction at each k of the grid, which is increasing."""
    for i in range(start, stop):
        truth = rankings[left_out[i]]
        centers = _centers_by_k(rankings, orders, observed, ballots, default, neighbors[i], distances[i], grid)
        for column in range(len(grid)):
            taus[i, column] = tau(truth, centers[column])


@numba.njit(cache=True)
def _ballots(rankings, observed):
    """What each ranking adds to the first Borda count at distance weight 1: its votes and, in the end, its weight."""
    n, q = rankings.shape
    ballots = np.zeros((n, q + 1))
    for row in range(n):
        ballots[row, q] = observed[row] / q
        add_votes(ballots[row, :q], rankings[row], ballots[row, q])
    return ballots


@numba.njit(cache=True)
def _centers_by_k(rankings, orders, observed, ballots, default, rows, distances, grid):
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
        if not _order_labels(observed, rows[:k], distances[:k]):
            centers[column] = default
            continue
        votes = _weigh(first[column], reach)
        total = votes[q]
        if total < LEAST_WEIGHT * first[column, 0, q]:
            centers[column] = center_of(rankings, rows[:k], _weights(observed, q, rows[:k], distances[:k]))
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
def _spread(center, rankings, orders, observed, rows, distances):
    """Line 14 of Algorithm 1: θ from the weighted mean distance of the completed rankings; 0 if none has any order."""
    if not _order_labels(observed, rows, distances):
        return 0.0
    q = len(center)
    weights = _weights(observed, q, rows, distances)
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
def _weights(observed, q, rows, distances):
    """Dudani's distance weights times |Y(σ)| / n (section 4.2, last paragraph)."""
    nearest, farthest = distances[0], distances[-1]
    weights = np.empty(len(rows))
    for i in range(len(rows)):
        weights[i] = observed[rows[i]] / q
        if farthest > nearest:
            weights[i] *= (farthest - distances[i]) / (farthest - nearest)
    return weights


@numba.njit(cache=True)
def _order_labels(observed, rows, distances):
    """Whether any of the rows that count has two labels to order: all count if they are equally far, else not the last.

    The distances increase, so the first row with two labels decides.
    """
    for i in range(len(rows)):
        if observed[rows[i]] > 1:
            return distances[i] < distances[-1] or distances[0] == distances[-1]
    return False
