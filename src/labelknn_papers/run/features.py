"""What a method sees of the features: as they are, or scaled. Ranges come from the training rows alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from scipy import sparse

from labelknn.datasets._container import Dataset
from labelknn.errors import unknown
from labelknn.utils._base import dense_rows

Features: TypeAlias = np.ndarray | sparse.csr_matrix


def min_max(data: Dataset, train: np.ndarray) -> Features:
    """Every feature from 0 to 1 over the training rows; test rows may leave these bounds.

    Two levels of a nominal feature are 1 apart, whichever they are (that is how Mulan measures them): a feature of more
    than two levels becomes one indicator for each, divided by √2. A feature that is constant in training is 0 there.
    A sparse matrix stays sparse where 0 is the smallest value of all features.
    """
    many = [column for column, levels in data.levels.items() if len(levels) > 2]
    scaled = _from_zero_to_one(data.X, train)
    if not many:
        return scaled
    others = np.setdiff1d(np.arange(data.d), many)
    blocks = [scaled[:, others], *(_indicators(data, column) for column in many)]
    if sparse.issparse(scaled):
        return sparse.hstack(blocks, format="csr")
    return np.hstack([blocks[0], *(block.toarray() for block in blocks[1:])])


def unit_rows(data: Dataset, train: np.ndarray) -> Features:
    """Every row divided by its Euclidean length; a row of zeros stays one."""
    if sparse.issparse(data.X):
        X = sparse.csr_matrix(data.X)
        lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        return sparse.csr_matrix(sparse.diags(1 / np.where(lengths > 0, lengths, 1)) @ X)
    lengths = np.linalg.norm(data.X, axis=1, keepdims=True)
    return data.X / np.where(lengths > 0, lengths, 1)


def nominal_to_binary(data: Dataset, train: np.ndarray) -> Features:
    """Features as they are, but one indicator for each level of a nominal feature of more than two levels.

    A feature with a level of its own for more than 99 % of the training rows is a name and is left out, as by the
    filter RemoveUseless in Weka's logistic regression.
    """
    many = [column for column, levels in data.levels.items() if len(levels) > 2]
    if not many:
        return data.X
    numbers = {column: _level_numbers(data, column) for column in many}
    telling = [column for column in many if len(np.unique(numbers[column][train])) <= 0.99 * len(train)]
    others = np.setdiff1d(np.arange(data.d), many)
    blocks = [data.X[:, others], *(_indicators(data, column) * np.sqrt(2) for column in telling)]
    if sparse.issparse(data.X):
        return sparse.hstack(blocks, format="csr")
    return np.hstack([blocks[0], *(block.toarray() for block in blocks[1:])])


# The values of the key `preprocessing` in the registry of methods.
SCALINGS: Mapping[str, Callable[[Dataset, np.ndarray], Features]] = {
    "min-max": min_max,
    "unit-rows": unit_rows,
    "nominal-to-binary": nominal_to_binary,
}


def features_for(data: Dataset, train: np.ndarray, scaling: str | None) -> Features:
    """The features of all rows for a split with these training rows."""
    if scaling is None:
        return data.X
    if scaling not in SCALINGS:
        raise unknown("features", scaling, SCALINGS, "algorithm")
    return SCALINGS[scaling](data, train)


def _from_zero_to_one(X: Features, train: np.ndarray) -> Features:
    if sparse.issparse(X):
        low, high = (bound.toarray().ravel() for bound in (X[train].min(axis=0), X[train].max(axis=0)))
        if (low == 0).all():  # then dividing is all there is to do, and zeros stay zeros
            return sparse.csr_matrix(X @ sparse.diags(1 / np.where(high > 0, high, 1)))
        X = dense_rows(X)
    low, high = X[train].min(axis=0), X[train].max(axis=0)
    return (X - low) / np.where(high > low, high - low, 1)


def _indicators(data: Dataset, column: int) -> sparse.csr_matrix:
    levels = _level_numbers(data, column)
    ones = np.full(data.n, 1 / np.sqrt(2))
    return sparse.csr_matrix((ones, (np.arange(data.n), levels)), shape=(data.n, len(data.levels[column])))


def _level_numbers(data: Dataset, column: int) -> np.ndarray:
    return dense_rows(data.X[:, [column]]).ravel().astype(int)
