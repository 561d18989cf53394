"""IBLR with and without its two kinds of weights, and how many rounds its approximate EM takes (cheng2009, 4.2, 6.2).

`labelknn.ranking.IBLR` is the paper's method. Here Algorithm 1 is written out once for each query, so that a weight can
be left away and rounds can be counted. All forms choose k in the same way, from a shorter grid and fewer rows than the
method itself, since only their differences matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from labelknn.neighbors._euclidean import Neighbors
from labelknn.neighbors._shared import nearest_others
from labelknn.ranking import IBLR
from labelknn.ranking.stats._borda import rank_by_votes
from labelknn.ranking.stats._completion import MAX_ROUNDS, extend_into
from labelknn.ranking.stats._kendall import taus
from labelknn.solvers._centers_by_k import Rankings
from labelknn.utils._kernels import inner, kernel
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

    def _ranks(self, found: Neighbors) -> np.ndarray:
        return self._centers(found)[0]

    def _choose_k(self, neighbors: Neighbors | None) -> None:
        candidates = self._candidates(len(self.ranks_))
        telling = np.flatnonzero(self.rankings_.observed > 1)
        spread_out = np.linspace(0, len(telling) - 1, min(self.validation_rows, len(telling)))
        rows = telling[spread_out.round().astype(int)]
        found = nearest_others(self.X_, rows, candidates[-1]) if neighbors is None else _of_rows(neighbors, rows)
        self.grid_tau_ = {k: float(np.mean(taus(self.ranks_[rows], self._ranks(found.nearest(k))))) for k in candidates}
        self.k_ = max(candidates, key=lambda k: self.grid_tau_[k])

    def _centers(self, found: Neighbors) -> tuple[np.ndarray, np.ndarray]:
        """The centre of each row of neighbours, and the rounds that it took."""
        observed, q = self.rankings_.observed, self.ranks_.shape[1]
        shares = observed / q if self.by_share else (observed > 0).astype(float)
        weights, distances = shares[found.indices], found.distances
        if self.by_distance:
            width = distances[:, -1:] - distances[:, :1]
            weights *= np.where(width > 0, (distances[:, -1:] - distances) / np.where(width > 0, width, 1), 1)
        return centers_and_rounds(self.rankings_, found.indices, weights)


def _of_rows(neighbors: Neighbors, rows: np.ndarray) -> Neighbors:
    return Neighbors(neighbors.indices[rows], neighbors.distances[rows])


def centers_and_rounds(rankings: Rankings, rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The centre of the weighted rankings in each row of `rows`, and after how many rounds it stayed as it was.

    The centre is that of `center_of` (labelknn.ranking.stats._completion). No round is needed where all rankings are
    complete, or where none orders any labels; an iteration that runs in a circle counts as MAX_ROUNDS.
    """
    n, q = len(rows), rankings.ranks.shape[1]
    centers, rounds = np.empty((n, q), np.int64), np.zeros(n, np.int64)
    over_rows(_fill, n, rankings, np.ascontiguousarray(rows, np.intp), weights, centers, rounds)
    return centers, rounds


def _fill(
    start: int, stop: int, rankings: Rankings, rows: np.ndarray, weights: np.ndarray, centers: np.ndarray,
    rounds: np.ndarray,
) -> None:  # fmt: skip
    q = centers.shape[1]
    _fill_centers(start, stop, rankings, rows, weights, centers, rounds, np.empty(q), *np.empty((5, q), np.int64))


@kernel
def _fill_centers(
    start, stop, rankings, rows, weights, centers, rounds, votes, order, previous, completed, waiting, behind
):
    q, observed = centers.shape[1], rankings.observed
    for i in range(start, stop):
        center, total, incomplete, orders_labels = centers[i], 0.0, False, False
        for label in range(q):
            votes[label] = 0.0
        for j in range(rows.shape[1]):
            weight, row = weights[i, j], rows[i, j]
            if weight > 0.0:
                m, ranks = observed[row], rankings.ranks[row]
                for label in range(q):
                    if ranks[label] > 0:
                        votes[label] += weight * (m - ranks[label] + 1) * (q + 1) / (m + 1)
                    else:
                        votes[label] += weight * (q + 1) / 2
                total += weight
                incomplete = incomplete or m < q
                orders_labels = orders_labels or m > 1
        if not orders_labels:
            for label in range(q):
                center[label] = rankings.default[label]
            continue
        rank_by_votes(votes, total, order, center)
        moves = incomplete
        while moves and rounds[i] < MAX_ROUNDS:
            _count_completed(rankings, rows[i], weights[i], center, order, votes, completed, waiting, behind)
            for label in range(q):
                previous[label] = center[label]
            rank_by_votes(votes, total, order, center)
            rounds[i] += 1
            moves = False
            for label in range(q):
                moves = moves or previous[label] != center[label]


@inner
def _count_completed(rankings, rows, weights, center, order, votes, completed, waiting, behind):
    """Borda's votes of the rankings as the centre completes them."""
    q = len(votes)
    for label in range(q):
        votes[label] = 0.0
    for j in range(len(rows)):
        if weights[j] > 0.0:
            row = rows[j]
            extend_into(
                completed, rankings.ranks[row], rankings.orders[row], rankings.observed[row], center, order, q,
                waiting, behind,
            )  # fmt: skip
            for label in range(q):
                votes[label] += weights[j] * (q + 1 - completed[label])
