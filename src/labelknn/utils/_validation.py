"""What a method is given, looked at once and in one place: rows of features, label sets, rankings.

Names and numbers of features are remembered and checked by scikit-learn; entries that are not finite get one message
everywhere, with row and column.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from labelknn.errors import DataError
from labelknn.utils._warnings import warn

# Rows of features as methods keep them: float64, dense in C order or CSR.
Rows: TypeAlias = np.ndarray | sparse.csr_matrix

# Labels that a message names.
SHOWN = 10
_NO_LABEL_SETS = "neither classes nor continuous targets are label sets"


def check_features(estimator: BaseEstimator, X: Any, *, fitting: bool) -> Rows:
    """Rows as float64, dense or CSR as they were given; names and number of features are remembered, or checked."""
    X = validate_data(estimator, X, reset=fitting, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    return finite_rows(X, "X")


def check_dense_features(estimator: BaseEstimator, X: Any, *, fitting: bool) -> np.ndarray:
    """The same with all zeros, for methods that need every feature: 8 n d bytes."""
    return dense_rows(check_features(estimator, X, fitting=fitting))


def check_sparse_features(estimator: BaseEstimator, X: Any, *, fitting: bool) -> sparse.csr_matrix:
    """The same as CSR without stored zeros, for methods that see nothing else; the caller's matrix is not changed."""
    rows = sparse.csr_matrix(check_features(estimator, X, fitting=fitting), copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


def finite_rows(X: Any, what: str) -> Rows:
    """A matrix of finite float64, or an error that names `what` and the first entry that is not."""
    if sparse.issparse(X):
        rows = sparse.csr_matrix(X, dtype=np.float64)
        if not np.isfinite(rows.data).all():
            place = int(np.argmin(np.isfinite(rows.data)))
            row = int(np.searchsorted(rows.indptr, place, side="right")) - 1
            raise _not_finite(what, rows.data[place], row, int(rows.indices[place]))
        return rows
    X = np.asarray(X)
    if np.iscomplexobj(X):
        raise DataError(f"Complex data not supported: {what} must be real numbers")
    # Writeable and of no subclass, so that each kernel is compiled for one type of array only.
    X = np.require(X, np.float64, ["C", "W", "E"])
    if X.ndim != 2:
        raise DataError(f"{what} must be a matrix, got {X.ndim} dimension(s). Reshape your data: one row a query")
    if X.shape[1] == 0:
        raise DataError(f"{what} has 0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
    if not np.isfinite(X).all():
        row, column = np.argwhere(~np.isfinite(X))[0]
        raise _not_finite(what, X[row, column], row, column)
    return X


def _not_finite(what: str, value: float, row: int, column: int) -> DataError:
    shown = "NaN" if np.isnan(value) else value
    return DataError(f"{what} holds {shown} in row {row}, column {column}; impute or drop it first")


def dense_rows(X: Any) -> np.ndarray:
    """Rows with all their zeros."""
    return np.ascontiguousarray(X.toarray()) if sparse.issparse(X) else np.asarray(X)


def check_label_sets(estimator: BaseEstimator, Y: Any, n: int) -> sparse.csr_matrix:
    """The label sets of n training rows as CSR of bool.

    The estimator learns how many labels there are, the labels' names where Y has some, and whether Y was sparse, since
    predictions come in the container that `fit` got. scikit-learn's scorers and `cross_val_predict` ask for the
    classes: two of each label, in an array whose rows are the labels.
    """
    sets = as_label_sets(Y, n)
    estimator.classes_ = np.tile([0, 1], (sets.shape[1], 1))
    estimator.n_labels_ = sets.shape[1]
    estimator._sparse_labels = sparse.issparse(Y)
    _remember_label_names(estimator, Y)
    empty = np.flatnonzero(np.bincount(sets.indices, minlength=sets.shape[1]) == 0)
    if len(empty):
        named = estimator.label_names_[empty] if hasattr(estimator, "label_names_") else empty
        shown = ", ".join(map(str, named[:SHOWN])) + (", ..." if len(empty) > SHOWN else "")
        warn(f"labels without a training row: {len(empty)} of {sets.shape[1]} ({shown}); they cannot be learnt")
    return sets


def as_label_sets(Y: Any, n: int) -> sparse.csr_matrix:
    """An indicator matrix as CSR of bool; anything but zeros and ones, or a wrong number of rows, is refused."""
    if Y is None:
        raise DataError("requires y to be passed, but the target y is None; expected label sets, a row for each of X")
    if sparse.issparse(Y):
        sets = sparse.csr_matrix(Y, copy=True)
        sets.eliminate_zeros()
        values = sets.data
    else:
        Y = _matrix_of_labels(Y)
        values = Y.ravel()
        sets = sparse.csr_matrix(Y != 0)
    wrong = values[~np.isin(values, (0, 1))]
    if len(wrong):
        found = "a missing value" if wrong[0] != wrong[0] else wrong[0]
        raise DataError(f"an indicator matrix of label sets holds 0 and 1 only, found {found}; {_NO_LABEL_SETS}")
    if sets.shape[0] != n:
        raise DataError(f"{n} rows of features but {sets.shape[0]} label sets")
    sets = sets.astype(bool)
    sets.sort_indices()
    return sets


def _matrix_of_labels(Y: Any) -> np.ndarray:
    try:
        Y = _as_numbers(Y)
    except ValueError:  # rows of different lengths
        Y = np.array(["names"])
    if Y.dtype.kind in "OUS" and not np.isin(Y.ravel(), (0, 1)).all():
        raise DataError(
            "label sets are rows of 0 and 1, a column for each label; lists of label names become such rows by "
            "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(Y)"
        )
    if Y.ndim != 2:
        raise DataError(
            f"expected an indicator matrix, got an array of {Y.ndim} dimension(s); {_NO_LABEL_SETS}; the estimator "
            "learns all labels at once, so it takes no wrapper that gives it one at a time"
        )
    return Y


def check_rankings(estimator: BaseEstimator, Y: Any, n: int) -> np.ndarray:
    """The rankings of n training rows as `as_rankings` has them; the estimator learns the labels' names, if any.

    Ranks that seem to start at 0, where a label would be missing from every row, are refused.
    """
    ranks = as_rankings(Y, n)
    numbers = _as_numbers(Y)
    if np.isnan(numbers).any():
        if (numbers == 0).any():
            raise DataError(
                "ranks with both 0 and NaN: ranks start at 1, the best, so add 1; for labels that are missing, write "
                "either 0 or NaN everywhere"
            )
    elif ranks.shape[1] > 1 and (np.sort(numbers, axis=1) == np.arange(ranks.shape[1])).all():
        raise DataError(
            f"each ranking is a permutation of 0 to {ranks.shape[1] - 1}: ranks start at 1, the best, so add 1; "
            "if 0 stands for a label that is missing, write NaN"
        )
    estimator.n_labels_ = ranks.shape[1]
    _remember_label_names(estimator, Y)
    return ranks


def as_rankings(Y: Any, n: int) -> np.ndarray:
    """Ranks as int64, the observed labels of each row on the ranks 1..m, missing ones (0 or NaN) 0.

    Only the order counts, so gaps (1, 3, 4 after a label was deleted) are closed. Equal ranks in a row are refused: the
    methods that use this learn from strict orders. So are negative ranks, ranks that are no whole numbers, and a wrong
    number of rows.
    """
    Y = as_ranks(Y, n)
    values = np.sort(Y, axis=1)
    repeated = (values[:, 1:] == values[:, :-1]) & (values[:, 1:] > 0)
    if repeated.any():
        row, place = np.argwhere(repeated)[0]
        raise DataError(
            f"rank {values[row, place]:g} occurs twice in row {row}; expected a strict order of its labels (of 0 and 1 "
            "only, it would be a label set: those are for the estimators of labelknn.multilabel)"
            if values.max() == 1
            else f"rank {values[row, place]:g} occurs twice in row {row}; expected a strict order of its labels"
        )
    order = np.argsort(np.where(Y > 0, Y, np.inf), axis=1, kind="stable")
    ranks = np.empty(Y.shape, np.int64)
    np.put_along_axis(ranks, order, np.arange(1, Y.shape[1] + 1), axis=1)
    ranks[Y == 0] = 0
    return ranks


def as_ranks(Y: Any, n: int) -> np.ndarray:
    """A matrix of ranks, ties and gaps as they are, in which 0 is a missing label; NaN may stand for it too."""
    if Y is None:
        raise DataError("requires y to be passed, but the target y is None; expected rankings, a row for each of X")
    Y = _as_numbers(Y)
    if Y.ndim != 2 or Y.shape[1] == 0:
        raise DataError(f"rankings are rows of ranks, one column for each label; got an array of shape {Y.shape}")
    if len(Y) != n:
        raise DataError(f"{n} rows of features but {len(Y)} rankings")
    if Y.dtype.kind not in "iuf":
        raise DataError(f"ranks are whole numbers, got entries of type {Y.dtype}")
    Y = np.where(np.isnan(Y), 0, Y)
    wrong = ~((Y >= 0) & (np.floor(Y) == Y) & np.isfinite(Y))
    if wrong.any():
        row, label = np.argwhere(wrong)[0]
        raise DataError(
            f"rank {Y[row, label]} of label {label} in row {row}; expected 1, 2, ..., or 0 or NaN if it is missing"
        )
    return Y


def _as_numbers(Y: Any) -> np.ndarray:
    """An array; objects such as None and pandas' own missing values become NaN if everything else is a number."""
    if sparse.issparse(Y):
        return Y.toarray()
    if hasattr(Y, "to_numpy"):
        try:
            return Y.to_numpy(dtype=float, na_value=np.nan)
        except (TypeError, ValueError):
            return np.asarray(Y)
    Y = np.asarray(Y)
    if Y.dtype == object:
        try:
            return Y.astype(float)
        except (TypeError, ValueError):
            return Y
    return Y


def _remember_label_names(estimator: BaseEstimator, Y: Any) -> None:
    if hasattr(Y, "columns"):
        estimator.label_names_ = np.asarray(Y.columns, dtype=object)
    elif hasattr(estimator, "label_names_"):  # of an earlier fit
        del estimator.label_names_


def check_bucket_orders(estimator: BaseEstimator, Y: Any, n: int) -> np.ndarray:
    """The bucket orders of n training rows, complete rankings of c labels and a split point, (n, c + 1) of float64.

    Only the order counts, and equal ranks share a bucket (brinker2007, section 4); the split point's are in the last
    column. The estimator learns the labels' names, if any, among them the split point's.
    """
    orders = _as_bucket_orders(Y, n)
    estimator.n_labels_ = orders.shape[1]
    _remember_label_names(estimator, Y)
    return orders


def _as_bucket_orders(Y: Any, n: int) -> np.ndarray:
    if Y is None:
        raise DataError("requires y to be passed, but the target y is None; expected rankings, a row for each of X")
    Y = _as_numbers(Y)
    if Y.ndim != 2 or Y.shape[1] < 2:
        raise DataError(
            f"rankings with a split point are rows of ranks, the split point's in the last column; "
            f"got an array of shape {Y.shape}"
        )
    if len(Y) != n:
        raise DataError(f"{n} rows of features but {len(Y)} rankings")
    if Y.dtype.kind not in "iuf":
        raise DataError(f"ranks are numbers, got entries of type {Y.dtype}")
    if len(Y) and (Y.min(axis=1) == 0).all():
        raise DataError("each ranking has ranks from 0 on: ranks start at 1, the best, so add 1")
    missing = ~(Y[:, -1] > 0)
    if missing.any():
        row = np.flatnonzero(missing)[0]
        raise DataError(
            f"the ranking in row {row} has no split point: its last rank is {Y[row, -1]}, expected 1, 2, ..."
        )
    wrong = ~((Y > 0) & np.isfinite(Y))
    if wrong.any():
        row, label = np.argwhere(wrong)[0]
        raise DataError(f"rank {Y[row, label]} of label {label} in row {row}; expected complete rankings: 1, 2, ...")
    return np.ascontiguousarray(Y, np.float64)
