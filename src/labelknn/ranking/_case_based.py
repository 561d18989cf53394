"""Case-based multilabel ranking (Brinker & Hüllermeier 2007): the mean ranks of the nearest neighbours' bucket orders.

The prediction is the strict ranking that is nearest to the k neighbours' bucket orders in squared rank differences. By
Theorem 1 that is the order of the labels' mean generalised ranks. The virtual label's place in it is the split.

What the paper leaves open is settled here:

- Equal mean ranks ("ties are broken arbitrarily"): the virtual label first, then the lower label index.
- A label that ties with the split point is not relevant; trained on "bipartition", it is among the irrelevant ones.
- k-NN* weighs "by the distances" without saying how. Ours is "linear": 1 - d / dmax, where dmax is the width of the
  training rows, twice their largest distance from their mean. (With the distance of the k-th neighbour for dmax the
  weights would be proportional to Dudani's, and so give the same predictions.)
- k is validated as the SVMs' parameters are: the best mean Spearman correlation on 30 % of the training rows with the
  other 70 % to search, the smaller k if two are equal. Queries then search all training rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numba
import numpy as np
from scipy import sparse

from labelknn.errors import DataError, unknown
from labelknn.neighbors._euclidean import Neighbors, finite_rows, k_nearest, nearest_sets
from labelknn.ranking.stats._buckets import (
    as_bucket_orders,
    check_virtual_labels,
    from_label_sets,
    gaps,
    generalised_ranks,
    order_by_mean_ranks,
    positions,
    relevant,
    spearman,
)
from labelknn.solvers._hold_out import VALIDATION_SHARE, hold_out
from labelknn.utils._base import MultilabelMethod, NeighborMethod, RankingMethod, as_label_sets, dense_rows
from labelknn.utils._estimator import check_is_fitted
from labelknn.utils._threads import over_rows

# Section 6: k from {1, 3, ..., 11, 21, ..., 151}.
GRID = (1, 3, 5, 7, 9, 11, *range(21, 152, 10))

WEIGHTS = ("uniform", "linear", "inverse", "dudani")
TARGETS = ("ranking", "bipartition")


class Explanation(NamedTuple):
    """What predictions were made from: for each query its neighbours, nearest first.

    rows, distances, weights : (n, k) training row numbers, distances and weights in the mean ranks.
    orders : (n, k, c + 1) the neighbours' bucket orders, as in `labelknn.ranking.stats`, which has `order_text`.
    """

    rows: np.ndarray
    distances: np.ndarray
    weights: np.ndarray
    orders: np.ndarray


class _CaseBased(NeighborMethod):
    """What both faces share: bucket orders of the training rows, weights of the neighbours, and their mean ranks."""

    weights: str
    p: float
    k_: int

    def explain(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Explanation:
        """The neighbours behind each prediction."""
        found = self._query_neighbors(X, neighbors)
        return Explanation(found.indices, found.distances, self._weigh(found.distances), self.orders_[found.indices])

    def _given_k(self, n: int) -> int:
        k = self.neighbors_needed(n)
        if not 1 <= k <= n:
            raise DataError(f"k = {k} neighbours asked for, {n} rows to choose from")
        return k

    def _remember(self, X: np.ndarray, orders: np.ndarray) -> None:
        """Keep the training rows and what the sums over neighbours are made of."""
        if self.weights not in WEIGHTS:
            raise unknown("weights", self.weights, WEIGHTS, type(self).__name__)
        check_virtual_labels(self.p)
        self.X_, self.n_features_in_, self.orders_ = X, X.shape[1], orders
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
        indices = nearest_sets(self.X_, self.k_, dense_rows(X))
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


class CaseBasedRanking(_CaseBased, RankingMethod):
    """Multilabel rankings from those of the nearest neighbours: k-NN, k-NN* and their "-r" versions of section 6.

    `Y` holds ranks of c labels and, in the last column, of the virtual label; ties are welcome, missing labels are not.

    Cost: the neighbour search (`labelknn.neighbors`), then O(k c + c log c) a query. Choosing k costs a search
    and a pass over the neighbours at the largest k of the grid; each further k costs a query one sort of its labels.

    Parameters
    ----------
    k : number of neighbours; None chooses it from `grid`.
    grid : the numbers of neighbours to choose from. Those that the training part is too small for are left out.
    weights : of the neighbours. "uniform" is k-NN; "linear" (1 - d / dmax), "inverse" (1 / d; only neighbours at
        distance 0, if there are any) and "dudani" ((d_k - d) / (d_k - d_1)) are forms of k-NN*. Weights that are all 0
        are all 1 instead.
    targets : learn from the whole "ranking", or from its "bipartition" only (the suffix "-r").
    p : number of virtual labels at the split point; any number costs the same, also infinity.
    random_state : seed of the rows that k is validated on.

    Attributes
    ----------
    k_ : the number of neighbours used.
    grid_spearman_ : mean Spearman correlation on the validation rows by k, if k was chosen.

    References
    ----------
    brinker2007, Theorem 1 and section 6.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> ranks = np.array([[1, 2, 4, 3], [1, 2, 4, 3], [1, 1, 3, 2], [3, 2, 1, 4], [4, 3, 1, 2], [4, 3, 1, 2]])
    >>> CaseBasedRanking(k=3).fit(X, ranks).predict(np.array([[0.05], [5.05]]))
    array([[1, 2, 4, 3],
           [4, 3, 1, 2]])
    """

    def __init__(
        self,
        k: int | None = None,
        grid: Sequence[int] = GRID,
        weights: str = "uniform",
        targets: str = "ranking",
        p: float = 1,
        random_state: int = 0,
    ) -> None:
        self.k = k
        self.grid = grid
        self.weights = weights
        self.targets = targets
        self.p = p
        self.random_state = random_state

    def neighbors_needed(self, n: int) -> int:
        return self._candidates(int(VALIDATION_SHARE * n))[-1] if self.k is None else self.k

    def fit(self, X: np.ndarray, Y: np.ndarray, neighbors: Neighbors | None = None) -> CaseBasedRanking:
        """Keep the rows, and choose k if it is not given; neighbours among the training rows are of no use here."""
        if self.targets not in TARGETS:
            raise unknown("targets", self.targets, TARGETS, type(self).__name__)
        X = finite_rows(X, "the training rows")
        orders = as_bucket_orders(Y, len(X))
        learned = orders if self.targets == "ranking" else from_label_sets(relevant(orders))
        if self.k is None:
            self._choose_k(X, orders, learned)
        else:
            self.k_ = self._given_k(len(X))
        self._remember(X, learned)
        return self

    def output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Strict ranks of all labels and the virtual one, (n, c + 1), and the split that they make, (n, c)."""
        ranks = self._predicted(X, neighbors)
        return {"ranks": ranks, "split": relevant(ranks)}

    def _candidates(self, n: int) -> list[int]:
        """The grid, increasing, as far as n rows to search allow."""
        candidates = sorted({k for k in self.grid if k <= n})
        if not candidates or candidates[0] < 1:
            raise DataError(
                f"the grid of k, {list(self.grid)}, must be positive and have a value up to {n}, 70 % of rows"
            )
        return candidates

    def _choose_k(self, X: np.ndarray, orders: np.ndarray, learned: np.ndarray) -> None:
        searched, validated = hold_out(len(X), VALIDATION_SHARE, self.random_state)
        candidates = self._candidates(len(searched))
        self._remember(X[searched], learned[searched])
        predicted = self._ranks(k_nearest(self.X_, candidates[-1], X[validated]), candidates)
        means = spearman(generalised_ranks(orders[validated]), predicted).mean(axis=1)
        self.grid_spearman_ = dict(zip(candidates, means.tolist(), strict=True))
        self.k_ = candidates[int(np.argmax(means))]


class CaseBasedMultilabel(_CaseBased, MultilabelMethod):
    """Label sets from those of the nearest neighbours, with a gap that p virtual labels broaden (section 5, Figure 1).

    For p = 1 the split point counts as much as any label in the aggregation. The larger p, the more a label's side of
    the split counts; for p = ∞ it decides, and the prediction is the per-label majority vote. A vote of exactly one
    half is decided by the mean ranks for p = 1, at every p: the label is relevant if the neighbours that have it have
    more labels, all together, than the other neighbours lack.

    Cost: the neighbour search, then O(k c + c log c) a query, whatever p is.

    Parameters
    ----------
    k : number of neighbours.
    p : number of virtual labels, 1, 2, ... or infinity.
    weights : of the neighbours, as in `CaseBasedRanking`.

    References
    ----------
    brinker2007, section 5 and Figure 1.

    >>> import numpy as np
    >>> X = np.zeros((3, 1))
    >>> Y = np.array([[1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0]])
    >>> [CaseBasedMultilabel(k=3, p=p).fit(X, Y).predict(X[:1]).sum() for p in (1, 3)]
    [np.int64(0), np.int64(1)]
    """

    def __init__(self, k: int = 10, p: float = 1, weights: str = "uniform") -> None:
        self.k = k
        self.p = p
        self.weights = weights

    def fit(
        self, X: np.ndarray, Y: np.ndarray | sparse.spmatrix, neighbors: Neighbors | None = None
    ) -> CaseBasedMultilabel:
        """Keep the rows; neighbours among the training rows are of no use here."""
        X = finite_rows(dense_rows(X), "the training rows")
        self.k_ = self._given_k(len(X))
        self._remember(X, from_label_sets(as_label_sets(Y, len(X)).toarray()))
        return self

    def output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Label sets, and as scores by how many places a label ranks before the split point: positive if relevant."""
        ranks = self._predicted(X, neighbors)
        return {"sets": relevant(ranks), "scores": (ranks[:, -1:] - ranks[:, :-1]).astype(float)}


@numba.njit(nogil=True, cache=True)
def _add_ballots(start, stop, ballots, neighbors, weights, grid, sums):
    """Weighted sums of the ballots of the first k neighbours of each query for increasing k; the last sums weights."""
    width = ballots.shape[1]
    for i in range(start, stop):
        total, counted = np.zeros(width + 1), 0
        for step in range(len(grid)):
            for place in range(counted, grid[step]):
                weight, ballot = weights[i, place], ballots[neighbors[i, place]]
                for column in range(width):
                    total[column] += weight * ballot[column]
                total[width] += weight
            counted = grid[step]
            for column in range(width + 1):
                sums[step, i, column] = total[column]
