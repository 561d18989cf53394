"""What the papers' methods see of the features: transformers for scikit-learn's pipelines.

A nominal feature is a column of level numbers 0, 1, ...; the parameter `levels` says which columns these are, since the
numbers alone do not. What is learned, ranges and names, comes from the rows of `fit` alone. Sparse rows stay sparse
where zeros stay zeros.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from labelknn.errors import DataError, unknown

__all__ = ["NominalMinMaxScaler", "NominalToBinary", "UnitRows"]

# scipy's sparse classes carry no types to say more.
Rows: TypeAlias = Any
Levels: TypeAlias = Mapping[int, int | Sequence[str]] | Mapping[str, int | Sequence[str]]


class UnitRows(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Every row divided by its Euclidean length; a row of zeros stays one.

    Nothing is learned. The support vector machines of brinker2007 are run on such rows, so that C and the polynomial
    kernels mean the same for each of them; the paper does not say how it scales.

    References
    ----------
    brinker2007, section 6.

    Examples
    --------
    >>> UnitRows().fit_transform([[3.0, 4.0], [0.0, 0.0]])
    array([[0.6, 0.8],
           [0. , 0. ]])
    """

    def fit(self, X: Rows, y: object = None) -> Self:
        _checked_rows(self, X, reset=True)
        return self

    def transform(self, X: Rows) -> Rows:
        X = _checked_rows(self, X)
        if sparse.issparse(X):
            lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
            return type(X)(sparse.diags(1 / np.where(lengths > 0, lengths, 1)) @ X)
        lengths = np.linalg.norm(X, axis=1, keepdims=True)
        return X / np.where(lengths > 0, lengths, 1)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.requires_fit = False
        return tags


class _NominalTransformer(TransformerMixin, BaseEstimator):
    """Nominal features of more than two levels become indicators of their levels, behind all other columns.

    Two levels, 0 and 1, are one indicator already.
    """

    # What an indicator of a level is worth.
    _indicated: float

    def __init__(self, levels: Levels | None = None) -> None:
        self.levels = levels

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the other columns, then feature=level for each level of a nominal one."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        kept = [names[column] for column in self.others_]
        indicators = [f"{names[column]}={level}" for column, levels in self.levels_.items() for level in levels]
        return np.asarray([*kept, *indicators], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _many_levels(self) -> dict[int, tuple[str, ...]]:
        """The level names of each nominal feature of more than two, by the number of its column."""
        many = {}
        for column, levels in (self.levels or {}).items():
            names = tuple(map(str, range(levels) if isinstance(levels, int | np.integer) else levels))
            if len(names) > 2:
                many[self._number(column)] = names
        return many

    def _number(self, column: int | str) -> int:
        d = self.n_features_in_
        if isinstance(column, str):
            names = list(getattr(self, "feature_names_in_", []))
            if column not in names:
                raise unknown("feature", column, names, f"{type(self).__name__}, levels")
            return names.index(column)
        if not 0 <= column < d:
            raise DataError(f"{type(self).__name__}, levels: column {column}, expected a number from 0 to {d - 1}")
        return int(column)

    def _with_indicators(self, X: Rows, others: Rows) -> Rows:
        """The other columns, and the indicators of the nominal columns of X."""
        blocks = [others, *(self._indicators(X, column) for column in self.levels_)]
        if sparse.issparse(others):
            return sparse.hstack(blocks, format="csr")
        return np.hstack([blocks[0], *(block.toarray() for block in blocks[1:])])

    def _indicators(self, X: Rows, column: int) -> sparse.csr_matrix:
        n, size = X.shape[0], len(self.levels_[column])
        numbers = _level_numbers(X, column, size)
        return sparse.csr_matrix((np.full(n, self._indicated), (np.arange(n), numbers)), shape=(n, size))


class NominalMinMaxScaler(_NominalTransformer):
    """Every feature from 0 to 1 over the training rows, and any two levels of a nominal feature 1 apart.

    A feature of more than two levels becomes one indicator for each, divided by √2, so that the Euclidean distance of
    two levels is 1, whichever they are; that is how Mulan measures them. Other rows may leave the bounds 0 and 1. A
    feature that is constant in training is 0 there. A sparse matrix stays sparse where 0 is the smallest training value
    of all features, and else becomes an array.

    Parameters
    ----------
    levels : the nominal features: level names, or their number, by column (or feature name, if `fit` gets a DataFrame).

    Attributes
    ----------
    low_, high_ : (d,) the bounds of each feature in training.
    levels_ : level names of the features that become indicators, by column.
    others_ : the columns that stay one, which come first.

    References
    ----------
    chiang2012, section 4.3, whose methods ran in Mulan; feremans2017, section III-B: "all feature values are normalized
    between 0.0 and 1.0".

    Examples
    --------
    >>> X = [[2.0, 0], [3.0, 2], [4.0, 1]]
    >>> NominalMinMaxScaler(levels={1: ["red", "green", "blue"]}).fit_transform(X).round(2)
    array([[0.  , 0.71, 0.  , 0.  ],
           [0.5 , 0.  , 0.  , 0.71],
           [1.  , 0.  , 0.71, 0.  ]])
    """

    _indicated = 1 / np.sqrt(2)

    def fit(self, X: Rows, y: object = None) -> Self:
        X = _checked_rows(self, X, reset=True)
        self.levels_ = self._many_levels()
        self.others_ = np.setdiff1d(np.arange(self.n_features_in_), list(self.levels_))
        self.low_, self.high_ = _bounds(X)
        return self

    def transform(self, X: Rows) -> Rows:
        check_is_fitted(self)
        X = _checked_rows(self, X)
        scaled = self._from_zero_to_one(X)
        return self._with_indicators(X, scaled[:, self.others_]) if self.levels_ else scaled

    def _from_zero_to_one(self, X: Rows) -> Rows:
        if sparse.issparse(X):
            if (self.low_ == 0).all():  # then dividing is all there is to do, and zeros stay zeros
                return type(X)(X @ sparse.diags(1 / np.where(self.high_ > 0, self.high_, 1)))
            X = X.toarray()
        scaled = X - self.low_
        scaled /= np.where(self.high_ > self.low_, self.high_ - self.low_, 1)
        return scaled


class NominalToBinary(_NominalTransformer):
    """Numeric features as they are, one indicator for each level of a nominal feature of more than two levels.

    A feature with a level of its own for more than 99 % of the training rows is a name and is left out, as by the
    filters NominalToBinary and RemoveUseless in Weka's logistic regression.

    Parameters
    ----------
    levels : the nominal features: level names, or their number, by column (or feature name, if `fit` gets a DataFrame).

    Attributes
    ----------
    levels_ : level names of the features that become indicators, by column.
    others_ : the columns that stay as they are, which come first.

    References
    ----------
    chiang2012, section 4.3, whose logistic regression is Weka's.

    Examples
    --------
    >>> X = [[2.0, 0], [3.0, 2], [4.0, 1], [5.0, 1]]
    >>> to_binary = NominalToBinary(levels={1: ["red", "green", "blue"]})
    >>> to_binary.fit_transform(X)
    array([[2., 1., 0., 0.],
           [3., 0., 0., 1.],
           [4., 0., 1., 0.],
           [5., 0., 1., 0.]])
    >>> to_binary.get_feature_names_out()
    array(['x0', 'x1=red', 'x1=green', 'x1=blue'], dtype=object)
    """

    _indicated = 1.0

    def fit(self, X: Rows, y: object = None) -> Self:
        X = _checked_rows(self, X, reset=True)
        many = self._many_levels()
        self.others_ = np.setdiff1d(np.arange(self.n_features_in_), list(many))
        self.levels_ = {
            column: levels
            for column, levels in many.items()
            if len(np.unique(_level_numbers(X, column, len(levels)))) <= 0.99 * X.shape[0]
        }
        return self

    def transform(self, X: Rows) -> Rows:
        """The rows of X; X itself where no feature has more than two levels."""
        check_is_fitted(self)
        X = _checked_rows(self, X)
        if len(self.others_) == self.n_features_in_:
            return X
        return self._with_indicators(X, X[:, self.others_])


def _bounds(X: Rows) -> tuple[np.ndarray, np.ndarray]:
    if sparse.issparse(X):
        low, high = (bound.toarray().ravel() for bound in (X.min(axis=0), X.max(axis=0)))
        if (low == 0).all():
            return low, high
        X = X.toarray()
    return X.min(axis=0), X.max(axis=0)


def _level_numbers(X: Rows, column: int, size: int) -> np.ndarray:
    cells = X[:, [column]]
    numbers = (cells.toarray() if sparse.issparse(cells) else cells).ravel()
    wrong = ~((numbers >= 0) & (numbers < size) & (numbers == np.floor(numbers)))
    if wrong.any():
        row = np.flatnonzero(wrong)[0]
        raise DataError(f"column {column} is nominal, but row {row} has {numbers[row]:g}; expected 0 to {size - 1}")
    return numbers.astype(int)


def _checked_rows(transformer: BaseEstimator, X: Rows, reset: bool = False) -> Rows:
    """float64 rows, the same as those of `fit` in number and names of features, without NaN and infinity."""
    X = validate_data(transformer, X, reset=reset, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    values = X.data if sparse.issparse(X) else X
    if not np.isfinite(values).all():
        if sparse.issparse(X):
            place = np.flatnonzero(~np.isfinite(X.data))[0]
            row, column = np.searchsorted(X.indptr, place, side="right") - 1, X.indices[place]
        else:
            row, column = np.argwhere(~np.isfinite(X))[0]
        value = "NaN" if np.isnan(X[row, column]) else X[row, column]
        raise DataError(f"the rows contain {value} (row {row}, column {column}); impute or drop it first")
    return X
