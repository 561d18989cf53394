"""What the case-based methods of brinker2007 share: mean ranks of the nearest neighbours' bucket orders.

The strict ranking that is nearest to the k neighbours' bucket orders in squared rank differences is, by Theorem 1, the
order of the labels' mean generalised ranks. The virtual label's place in it is the split.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelknn.errors import DataError, unknown
from labelknn.neighbors._euclidean import Neighbors, nearest_sets
from labelknn.ranking.stats._buckets import check_virtual_labels, gaps, order_by_mean_ranks, positions
from labelknn.utils._base import NeighborMethod
from labelknn.utils._kernels import kernel
from labelknn.utils._threads import over_rows, threaded
from labelknn.utils._validation import check_dense_features

WEIGHTS = ("uniform", "linear", "inverse", "dudani")


class Explanation(NamedTuple):
    """What predictions were made from: for each query its neighbours, nearest first.

    rows, distances, weights : (n, k) training row numbers, distances and weights in the mean ranks.
    orders : (n, k, c + 1) the neighbours' bucket orders, as in `labelknn.ranking.stats`, which has `order_text`.
    """

    rows: np.ndarray
    distances: np.ndarray
    weights: np.ndarray
    orders: np.ndarray


class CaseBased(NeighborMethod):
    """Bucket orders of the training rows, weights of the neighbours, and their mean ranks."""

    weights: str
    p: float
    k_: int

    @threaded
    def explain(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Explanation:
        """The neighbours behind each prediction."""
        found = self._query_neighbors(X, neighbors)
        return Explanation(found.indices, found.distances, self._weigh(found.distances), self.orders_[found.indices])

    def _given_k(self, n: int) -> int:
        k = self._neighbors_needed(n)
        if not 1 <= k <= n:
            raise DataError(f"k = {k} neighbours asked for, {n} rows to choose from (n_samples = {n})")
        return k

    def _remember(self, X: np.ndarray, orders: np.ndarray) -> None:
        """Keep the training rows and what the sums over neighbours are made of."""
        if self.weights not in WEIGHTS:
            raise unknown("weights", self.weights, WEIGHTS, type(self).__name__)
        check_virtual_labels(self.p)
        self.X_, self.orders_ = X, orders
        self.ballots_ = np.hstack([positions(orders), gaps(orders)]).astype(float)  # whole numbers
        self.width_ = 2 * np.sqrt(np.square(X - X.mean(axis=0)).sum(axis=1).max())

    def _weigh(self, distances: np.ndarray) -> np.ndarray:
        """The weight of each neighbour, (n, k); all 1 for a query whose neighbours would have none."""
        nearest, farthest = distances[:, :1], distances[:, -1:]
        if self.weights == "linear":
            # A query outside may be farther than the training rows are wide.
            weights = np.maximum(1 - distances / self.width_, 0) if self.width_ > 0 else np.ones(distances.shape)
        elif self.weights == "inverse":
            # The limit of 1 / d where neighbours are at distance 0: only these count.
            with np.errstate(divide="ignore"):
                weights = np.where(nearest > 0, 1 / distances, distances == 0)
        elif self.weights == "dudani":
            weights = (farthest - distances) / np.where(farthest > nearest, farthest - nearest, 1)
        else:
            weights = np.ones(distances.shape)
        return np.where(weights.any(axis=1, keepdims=True), weights, 1.0)

    def _predicted(self, X: np.ndarray, neighbors: Neighbors | None) -> np.ndarray:
        """Predicted strict ranks, (n, c + 1)."""
        if neighbors is not None or self.weights != "uniform":
            return self._ranks(self._query_neighbors(X, neighbors), (self.k_,))[0]
        # Neighbours that weigh the same add up to the same whole numbers in any order.
        check_is_fitted(self)
        indices = nearest_sets(self.X_, self.k_, check_dense_features(self, X, fitting=False))
        return self._order(self._sums(indices, np.ones(indices.shape), (self.k_,)))[0]

    def _ranks(self, found: Neighbors, grid: Sequence[int]) -> np.ndarray:
        """Predicted strict ranks at each k of an increasing grid, (len(grid), n, c + 1).

        Weights that do not depend on k need one pass over the neighbours for the whole grid; Dudani's do.
        """
        if self.weights == "dudani" and len(grid) > 1:
            return np.concatenate([self._ranks(found.nearest(k), (k,)) for k in grid])
        return self._order(self._sums(found.indices, self._weigh(found.distances), grid))

    def _sums(self, indices: np.ndarray, weights: np.ndarray, grid: Sequence[int]) -> np.ndarray:
        """Weighted sums of ballots and, in the end, of the weights, over the first k neighbours for k in the grid."""
        indices = np.ascontiguousarray(indices, np.intp)
        sums = np.empty((len(grid), len(indices), self.ballots_.shape[1] + 1))
        over_rows(_add_ballots, len(indices), self.ballots_, indices, weights, np.array(grid), sums)
        return sums

    def _order(self, sums: np.ndarray) -> np.ndarray:
        """The strict ranks that sums of ballots and weights lead to."""
        means = sums[..., :-1] / sums[..., -1:]
        mean_positions, mean_gaps = np.split(means, 2, axis=-1)
        return order_by_mean_ranks(mean_positions, mean_gaps, self.p)


@kernel
def _add_ballots(start, stop, ballots, neighbors, weights, grid, sums):
    """Weighted sums of the ballots of the first k neighbours of each query for increasing k; the last sums weights."""
    width = ballots.shape[1]
    for i in range(start, stop):
        for step in range(len(grid)):
            total = sums[step, i]
            for column in range(width + 1):
                total[column] = sums[step - 1, i, column] if step > 0 else 0.0
            for place in range(grid[step - 1] if step > 0 else 0, grid[step]):
                weight, ballot = weights[i, place], ballots[neighbors[i, place]]
                for column in range(width):
                    total[column] += weight * ballot[column]
                total[width] += weight
