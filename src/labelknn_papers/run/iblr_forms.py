"""IBLR with and without its two kinds of weights, and how many rounds its approximate EM takes (cheng2009, 4.2, 6.2).

`labelknn.ranking.IBLR` is the paper's method. Here Algorithm 1 is written out once for each query, so that a weight can
be left away and rounds can be counted. All forms choose k in the same way, from a shorter grid and fewer rows than the
method itself, since only their differences matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numba
import numpy as np

from labelknn.neighbors._euclidean import Neighbors
from labelknn.ranking import IBLR
from labelknn.ranking.stats._borda import add_votes, rank_by_votes
from labelknn.ranking.stats._completion import MAX_ROUNDS, best_first, extend_into
from labelknn.ranking.stats._kendall import taus
from labelknn.utils._threads import over_rows, threaded

# Up to how many rounds queries are counted.
FEW, MANY = 3, 10


class IBLRForm(IBLR):
    """IBLR with weights that can be left away.

    Parameters
    ----------
    by_distance : weigh neighbours by Dudani's distance weights; else all alike.
    by_share : weigh an incomplete ranking by the share of the labels that it has; else as if it were complete. One
        without any label has weight 0 in both forms.
    k, grid, validation_rows, n_jobs : as in `IBLR`.

    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> ranks = np.array([[1, 2, 3], [1, 2, 0], [1, 2, 3], [3, 2, 1], [0, 2, 1], [3, 2, 1]])
    >>> IBLRForm(k=3, by_distance=False).fit(X, ranks).predict(np.array([[0.05], [5.05]]))
    array([[1, 2, 3],
           [3, 2, 1]])
    """

    def __init__(
        self,
        k: int | None = None,
        grid: Sequence[int] = (2, 3, 5, 7, 10, 15, 20, 30, 40),
        validation_rows: int = 500,
        by_distance: bool = True,
        by_share: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(k, grid, validation_rows, n_jobs)
        self.by_distance = by_distance
        self.by_share = by_share

    @threaded
    def _output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Predicted ranks, and of the queries whose neighbours lack labels: how many, and how many need few rounds."""
        ranks, rounds = self._centers(self._query_neighbors(X, neighbors))
        counted = rounds[rounds > 0]
        return {
            "ranks": ranks,
            "iterated_queries": np.array(float(len(counted))),
            "few_rounds": np.array(float((counted <= FEW).sum())),
            "many_rounds": np.array(float((counted > MANY).sum())),
        }

    def _choose_k(self, found: Neighbors) -> None:
        candidates = self._candidates(len(self.ranks_))
        telling = np.flatnonzero(self.observed_ > 1)
        spread_out = np.linspace(0, len(telling) - 1, min(self.validation_rows, len(telling)))
        rows = telling[spread_out.round().astype(int)]
        left_out = Neighbors(found.indices[rows], found.distances[rows])
        self.grid_tau_ = {
            k: float(np.mean(taus(self.ranks_[rows], self._centers(left_out.nearest(k))[0]))) for k in candidates
        }
        self.k_ = max(candidates, key=lambda k: self.grid_tau_[k])

    def _centers(self, found: Neighbors) -> tuple[np.ndarray, np.ndarray]:
        """The centre of each row of neighbours, and the rounds that it took."""
        n, q = len(found.indices), self.ranks_.shape[1]
        shares = self.observed_ / q if self.by_share else (self.observed_ > 0).astype(float)
        centers, rounds = np.empty((n, q), np.int64), np.empty(n, np.int64)
        neighbors, far = np.ascontiguousarray(found.indices, np.intp), np.ascontiguousarray(found.distances)
        given = self.ranks_, self.observed_, shares, self.center_, neighbors, far, self.by_distance
        over_rows(_fit_centers, n, *given, centers, rounds)
        return centers, rounds


@numba.njit(nogil=True, cache=True)
def _fit_centers(
    start, stop, rankings, observed, shares, default, neighbors, distances, by_distance, centers, all_rounds
):
    for i in range(start, stop):
        rows, far = neighbors[i], distances[i]
        weights, orders_labels = np.empty(len(rows)), False
        for j in range(len(rows)):
            weights[j] = shares[rows[j]]
            if by_distance and far[-1] > far[0]:
                weights[j] *= (far[-1] - far[j]) / (far[-1] - far[0])
            orders_labels = orders_labels or (weights[j] > 0.0 and observed[rows[j]] > 1)
        if orders_labels:
            centers[i], all_rounds[i] = center_and_rounds(rankings, rows, weights)
        else:
            centers[i], all_rounds[i] = default, 0


@numba.njit(cache=True)
def center_and_rounds(rankings, rows, weights):
    """`center_of` (labelknn.ranking.stats._completion), and after how many rounds its centre stayed as it was.

    No round is needed where all rankings are complete. An iteration that runs in a circle counts as MAX_ROUNDS.
    """
    q = rankings.shape[1]
    votes, total, incomplete = np.zeros(q), 0.0, False
    for i in range(len(rows)):
        if weights[i] > 0.0:
            add_votes(votes, rankings[rows[i]], weights[i])
            total += weights[i]
            incomplete = incomplete or rankings[rows[i]].min() == 0
    center, rounds, moves = rank_by_votes(votes, total), 0, incomplete
    completed = np.empty(q, np.int64)
    while moves and rounds < MAX_ROUNDS:
        order = best_first(center)
        votes[:] = 0.0
        for i in range(len(rows)):
            if weights[i] > 0.0:
                ranks = rankings[rows[i]]
                extend_into(completed, ranks, best_first(ranks), center, order)
                for label in range(q):
                    votes[label] += weights[i] * (q + 1 - completed[label])
        previous, center = center, rank_by_votes(votes, total)
        rounds += 1
        moves = not np.array_equal(previous, center)
    return center, rounds
