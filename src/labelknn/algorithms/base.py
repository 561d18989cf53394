"""What every method here shares: the scikit-learn contract, label sets as arrays, and neighbours that may be handed in.

A method is one file with one class. `fit` learns, `output` predicts everything the method has to say about the queries
as a mapping of arrays, and `predict` gives the part that the task is about:

==========  ==========  ================================================================================
task        key         array
==========  ==========  ================================================================================
multilabel  sets        (n, q) bool: the predicted label sets
multilabel  scores      (n, q) float: the larger, the more likely the label; ranks the labels
ranking     ranks       (n, q) int: place of each label, 1 is best
==========  ==========  ================================================================================

A method may add keys of its own (a reliability, say); they are stored beside the prediction.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from labelknn.errors import DataError
from labelknn.neighbors.dense import Neighbors, k_nearest


class MultilabelMethod(BaseEstimator):
    """Learns label sets: `Y` is an (n, q) indicator matrix, dense or sparse."""

    task = "multilabel"

    def output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        raise NotImplementedError

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The predicted label sets, (n, q) bool."""
        return self.output(X)["sets"]

    def predict_scores(self, X: np.ndarray) -> np.ndarray:
        """A score for each label, (n, q) float; sorting by it ranks the labels."""
        return self.output(X)["scores"]


class NeighborMethod(BaseEstimator):
    """Learns from the `k` nearest rows, which it searches itself unless the caller has them already.

    Several methods on the same rows, or one method at several k, share one search at the largest k: pass
    ``neighbors=k_nearest(X, largest)`` to `fit` and ``neighbors=k_nearest(X, largest, queries)`` to `output`.
    """

    k: int

    def _training_neighbors(self, X: np.ndarray, neighbors: Neighbors | None) -> Neighbors:
        """Each training row's neighbours among the others, and the rows kept for queries."""
        self.X_ = np.asarray(X, dtype=float)
        self.n_features_in_ = self.X_.shape[1]
        return (k_nearest(self.X_, self.k) if neighbors is None else neighbors).nearest(self.k)

    def _query_neighbors(self, X: np.ndarray, neighbors: Neighbors | None) -> Neighbors:
        check_is_fitted(self)
        return (k_nearest(self.X_, self.k, X) if neighbors is None else neighbors).nearest(self.k)


def as_label_sets(Y: np.ndarray | sparse.spmatrix, n: int) -> sparse.csr_matrix:
    """An indicator matrix as CSR of bool; anything but zeros and ones, or a wrong number of rows, is refused."""
    if sparse.issparse(Y):
        sets = sparse.csr_matrix(Y, copy=True)
        sets.eliminate_zeros()
        values = sets.data
    else:
        Y = np.asarray(Y)
        if Y.ndim != 2:
            raise DataError(f"label sets are rows of an indicator matrix, got an array of {Y.ndim} dimension(s)")
        values = Y.ravel()
        sets = sparse.csr_matrix(Y != 0)
    if not np.isin(values, (0, 1)).all():
        raise DataError("an indicator matrix of label sets holds 0 and 1 only")
    if sets.shape[0] != n:
        raise DataError(f"{n} rows of features but {sets.shape[0]} label sets")
    sets = sets.astype(bool)
    sets.sort_indices()
    return sets
