"""IBLR whose k is validated on complete rankings: one reading of how cheng2009 deletes labels (section 6.2).

The paper deletes labels "in the training set" and chooses k "through cross validation on the training set". `IBLR` has
nothing but the incomplete rankings, so it validates on them. If the labels of a validated row had been kept, the
neighbours would vote with incomplete rankings and be judged by a complete one. Test rows are not looked at in either
form.
"""

from __future__ import annotations

import numpy as np

from labelknn.errors import DataError
from labelknn.neighbors._euclidean import Neighbors
from labelknn.neighbors._shared import nearest_others
from labelknn.ranking import IBLR
from labelknn.ranking.stats._kendall import taus
from labelknn.solvers._centers_by_k import centers_by_k


class CompleteValidation(IBLR):
    """IBLR, with k by leave-one-out against the complete rankings of the training rows.

    `fit` gets incomplete rankings as all methods do, and remembers the complete ones: those of the last call on the
    same rows whose rankings lacked nothing. A protocol that deletes labels has to have 0 as its first share.

    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> complete = np.array([[1, 2, 3], [1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1], [3, 2, 1]])
    >>> incomplete = complete * [[1, 1, 1], [0, 0, 1], [1, 1, 1], [1, 0, 0], [1, 1, 1], [1, 1, 1]]
    >>> CompleteValidation(grid=(2, 3)).fit(X, complete).fit(X, incomplete).k_
    3
    """

    # The rows of the last complete rankings, and these.
    _complete = np.empty((0, 0)), np.empty((0, 0), np.int64)

    def fit(self, X: np.ndarray, Y: np.ndarray, neighbors: Neighbors | None = None) -> CompleteValidation:
        rows, ranks = np.asarray(X), np.asarray(Y)
        if (ranks > 0).all():
            self._complete = rows, ranks
        elif not np.array_equal(self._complete[0], rows):
            raise DataError("there are no complete rankings of these rows to validate on; fit these first")
        super().fit(X, Y, neighbors)
        return self

    def _choose_k(self, neighbors: Neighbors | None) -> None:
        n = len(self.ranks_)
        candidates = self._candidates(n)
        rows = np.linspace(0, n - 1, min(self.validation_rows, n)).round().astype(int)
        if neighbors is None:
            found = nearest_others(self.X_, rows, candidates[-1])
        else:
            neighbors = neighbors.nearest(candidates[-1])
            found = Neighbors(neighbors.indices[rows], neighbors.distances[rows])
        centers = centers_by_k(self.rankings_, found, candidates)
        complete = self._complete[1][rows]
        self.grid_tau_ = {k: float(taus(complete, centers[:, i]).mean()) for i, k in enumerate(candidates)}
        self.k_ = max(candidates, key=lambda k: self.grid_tau_[k])
