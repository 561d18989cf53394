"""The predictions of one cell and their file. They are stored before anything is scored: a new metric runs no model."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

import numpy as np
from scipy import sparse

from labelknn.utils._files import load_arrays, pack, save_arrays, unpack

# (repeat, fold, setting) -> what a method says about the test rows, by the keys of `labelknn.utils._base`.
Predictions = dict[tuple[int, int, str], Mapping[str, np.ndarray | sparse.csr_matrix]]


def save_predictions(path: str | PathLike, predictions: Predictions) -> None:
    arrays: dict[str, np.ndarray] = {}
    for (repeat, fold, setting), output in predictions.items():
        for what, array in output.items():
            key = f"{repeat}/{fold}/{setting}/{what}"
            if array.dtype == bool and not sparse.issparse(array):
                # Label sets as bits, 64 times smaller than the scores beside them.
                arrays[f"{key}/bits"] = np.packbits(array, axis=1)
                arrays[f"{key}/width"] = np.array(array.shape[1])
            else:
                arrays |= pack(key, array)
    save_arrays(path, arrays)


def load_predictions(path: str | PathLike) -> Predictions:
    arrays = load_arrays(path)
    predictions: dict[tuple[int, int, str], dict[str, np.ndarray | sparse.csr_matrix]] = {}
    for key in dict.fromkeys("/".join(name.split("/")[:4]) for name in arrays):
        repeat, fold, setting, what = key.split("/")
        if f"{key}/bits" in arrays:
            width = int(arrays[f"{key}/width"])
            array = np.unpackbits(arrays[f"{key}/bits"], axis=1, count=width).astype(bool)
        else:
            array = unpack(key, arrays)
        predictions.setdefault((int(repeat), int(fold), setting), {})[what] = array
    return dict(predictions)
