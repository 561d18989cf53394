"""What a method sees of a data set's features: as they are, or by a transformer that has learned the training rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from scipy import sparse

from labelknn.datasets._container import Dataset
from labelknn.errors import unknown
from labelknn.preprocessing import NominalMinMaxScaler, NominalToBinary, UnitRows

Features: TypeAlias = np.ndarray | sparse.csr_matrix
Transformer: TypeAlias = NominalMinMaxScaler | NominalToBinary | UnitRows

# The values of the key `preprocessing` in the registry of methods.
SCALINGS: Mapping[str, Callable[[Dataset], Transformer]] = {
    "min-max": lambda data: NominalMinMaxScaler(data.levels),
    "unit-rows": lambda data: UnitRows(),
    "nominal-to-binary": lambda data: NominalToBinary(data.levels),
}


def features_for(data: Dataset, train: np.ndarray, scaling: str | None) -> Features:
    """The features of all rows for a split with these training rows."""
    if scaling is None:
        return data.X
    if scaling not in SCALINGS:
        raise unknown("features", scaling, SCALINGS, "algorithm")
    return SCALINGS[scaling](data).fit(data.X[train]).transform(data.X)
