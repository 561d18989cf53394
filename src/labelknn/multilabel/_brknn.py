"""BR-kNN (Spyromitros, Tsoumakas & Vlahavas 2008): every label by a vote of the k nearest neighbours.

As chiang2012 uses it: the share of the neighbours that have a label is its score, and one half is enough to predict it
(chiang2012, equation (9)). Neighbours that are equally far count by row index, so there are always exactly k.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np
from scipy import sparse

from labelknn.errors import DataError
from labelknn.multilabel._mlknn import count_labels
from labelknn.neighbors._euclidean import Neighbors, finite_rows
from labelknn.utils._base import MultilabelMethod, NeighborMethod, as_label_sets, dense_rows


class LazyMethod(NeighborMethod, MultilabelMethod):
    """A method that only keeps its training rows in `fit`: all work is done for a query and its k neighbours."""

    k: int
    learns_from_neighbors = False

    def fit(self, X: np.ndarray, Y: np.ndarray | sparse.spmatrix, neighbors: Neighbors | None = None) -> Self:
        """Keep the rows; the neighbours of the training rows are not looked at."""
        self.X_ = finite_rows(dense_rows(X), "the training rows")
        self.n_features_in_ = self.X_.shape[1]
        k = self.neighbors_needed(len(self.X_))
        if not 1 <= k <= len(self.X_):
            raise DataError(f"k = {k} neighbours asked for, {len(self.X_)} rows to choose from")
        self.Y_ = as_label_sets(Y, len(self.X_))
        return self


class BRkNN(LazyMethod):
    """Binary relevance with k-nearest neighbours: a vote for each label.

    Cost: the neighbour search, then O(k c) a query for rows of c labels. Nothing is learned in `fit`.

    Parameters
    ----------
    k : number of neighbours.

    References
    ----------
    Spyromitros, Tsoumakas & Vlahavas (2008); chiang2012, equation (9).

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [9.0]])
    >>> Y = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]])
    >>> BRkNN(k=2).fit(X, Y).predict_scores(np.array([[0.2]]))
    array([[1. , 0.5, 0. ]])
    """

    def __init__(self, k: int = 10) -> None:
        self.k = k

    def output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Label sets, and the shares of the neighbours' votes as scores."""
        found = self._query_neighbors(X, neighbors)
        counts = count_labels(found.indices, self.Y_.indptr, self.Y_.indices, self.Y_.shape[1])
        return {"sets": 2 * counts >= self.k, "scores": counts / self.k}
