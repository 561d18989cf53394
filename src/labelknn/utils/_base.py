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

A method may add keys of its own (a reliability, say); they are stored beside the prediction. A single number about the
model (how many leaves it has, say) is a score by itself, under its own name.

A method whose fit allows for several predictions (at several numbers of rounds, say) has `outputs` as well: a mapping
of outputs by the name of their setting, "rounds=30" for instance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from labelknn.errors import DataError
from labelknn.neighbors._euclidean import Neighbors, finite_rows, k_nearest
from labelknn.utils._estimator import Estimator, check_is_fitted

if TYPE_CHECKING:
    from sklearn.utils import Tags


class MultilabelMethod(Estimator):
    """Learns label sets: `Y` is an (n, q) indicator matrix, dense or sparse."""

    task = "multilabel"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        raise NotImplementedError

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The predicted label sets, (n, q) bool."""
        return self.output(X)["sets"]

    def predict_scores(self, X: np.ndarray) -> np.ndarray:
        """A score for each label, (n, q) float; sorting by it ranks the labels."""
        return self.output(X)["scores"]


class RankingMethod(Estimator):
    """Learns rankings: `Y` is an (n, q) matrix of ranks, 1 is best, 0 is a label missing from the ranking."""

    task = "ranking"

    def output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        raise NotImplementedError

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The predicted ranks, (n, q) int; every label is ranked."""
        return self.output(X)["ranks"]


class NeighborMethod(Estimator):
    """Learns from the `k` nearest rows, which it searches itself unless the caller has them already.

    Several methods on the same rows, or one method at several k, share one search at the largest k: pass
    ``neighbors=k_nearest(X, largest)`` to `fit` and ``neighbors=k_nearest(X, largest, queries)`` to `output`.
    """

    k: int | None

    # Whether `fit` looks at the training rows' neighbours; `output` always looks at those of the queries.
    learns_from_neighbors = True

    def neighbors_needed(self, n: int) -> int:
        """How many neighbours a shared search among n training rows must find for this method."""
        assert self.k is not None, "a method that chooses its own k says how far it looks"
        return self.k

    def _training_neighbors(self, X: np.ndarray, neighbors: Neighbors | None) -> Neighbors:
        """Each training row's neighbours among the others, and the rows kept for queries."""
        self.X_ = finite_rows(dense_rows(X), "the training rows")
        self.n_features_in_ = self.X_.shape[1]
        k = self.neighbors_needed(len(self.X_))
        return (k_nearest(self.X_, k) if neighbors is None else neighbors).nearest(k)

    def _query_neighbors(self, X: np.ndarray, neighbors: Neighbors | None) -> Neighbors:
        check_is_fitted(self)
        # k_ is the choice of a method that makes one.
        k = getattr(self, "k_", None) or self.neighbors_needed(len(self.X_))
        return (k_nearest(self.X_, k, dense_rows(X)) if neighbors is None else neighbors).nearest(k)


def dense_rows(X: np.ndarray | sparse.spmatrix) -> np.ndarray:
    """Rows for the searches by Euclidean distance, which need every feature: 8 n d bytes."""
    return sparse.csr_matrix(X).toarray() if sparse.issparse(X) else np.asarray(X)


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


def as_rankings(Y: np.ndarray, n: int) -> np.ndarray:
    """Ranks as int64, the observed labels of each row on the ranks 1..m.

    Only the order counts, so gaps (1, 3, 4 after a label was deleted) are closed. Equal ranks in a row are refused: the
    methods that use this learn from strict orders. So are negative ranks, ranks that are no whole numbers, and a wrong
    number of rows.
    """
    Y = np.asarray(Y)
    if Y.ndim != 2 or Y.shape[1] == 0:
        raise DataError(f"rankings are rows of ranks, one column for each label; got an array of shape {Y.shape}")
    if len(Y) != n:
        raise DataError(f"{n} rows of features but {len(Y)} rankings")
    if Y.dtype.kind not in "iuf":
        raise DataError(f"ranks are whole numbers, got entries of type {Y.dtype}")
    wrong = ~((Y >= 0) & (np.floor(Y) == Y) & np.isfinite(Y))
    if wrong.any():
        row, label = np.argwhere(wrong)[0]
        raise DataError(f"rank {Y[row, label]} of label {label} in row {row}; expected 1, 2, ... or 0 if it is missing")
    values = np.sort(Y, axis=1)
    repeated = (values[:, 1:] == values[:, :-1]) & (values[:, 1:] > 0)
    if repeated.any():
        row, place = np.argwhere(repeated)[0]
        raise DataError(f"rank {values[row, place]:g} occurs twice in row {row}; expected a strict order of its labels")
    order = np.argsort(np.where(Y > 0, Y, np.inf), axis=1, kind="stable")
    ranks = np.empty(Y.shape, np.int64)
    np.put_along_axis(ranks, order, np.arange(1, Y.shape[1] + 1), axis=1)
    ranks[Y == 0] = 0
    return ranks
