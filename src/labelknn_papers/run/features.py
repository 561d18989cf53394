"""What a method sees of a data set's features: as they are, or by a transformer that has learned the training rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from labelknn.datasets._container import Dataset
from labelknn.errors import unknown
from labelknn.preprocessing import NominalMinMaxScaler, NominalToBinary, UnitRows

Features: TypeAlias = np.ndarray | sparse.csr_matrix
Transformer: TypeAlias = NominalMinMaxScaler | NominalToBinary | UnitRows | Pipeline

# The values of the key `preprocessing` in the registry of methods.
SCALINGS: Mapping[str, Callable[[Dataset], Transformer]] = {
    "min-max": lambda data: NominalMinMaxScaler(data.levels),
    "zero-to-one": lambda data: make_pipeline(NominalMinMaxScaler(data.levels), FunctionTransformer(_clipped)),
    "unit-rows": lambda data: UnitRows(),
    "binary-unit-rows": lambda data: make_pipeline(NominalToBinary(data.levels), UnitRows()),
    "nominal-to-binary": lambda data: NominalToBinary(data.levels),
}


def _clipped(X: Features) -> Features:
    """Rows within the bounds 0 and 1; those of a sparse matrix that stays one have no negative values in training."""
    if not sparse.issparse(X):
        return np.clip(X, 0, 1)
    within = sparse.csr_matrix(X, copy=True)
    within.data = np.clip(within.data, 0, 1)
    return within


def features_for(data: Dataset, train: np.ndarray, scaling: str | None) -> Features:
    """The features of all rows for a split with these training rows."""
    if scaling is None:
        return data.X
    if scaling not in SCALINGS:
        raise unknown("features", scaling, SCALINGS, "algorithm")
    return SCALINGS[scaling](data).fit(data.X[train]).transform(data.X)
