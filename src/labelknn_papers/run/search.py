"""The neighbours of every row in every split, searched once for all methods that look at the same features."""

from __future__ import annotations

from os import PathLike

import numpy as np

from labelknn.datasets._container import Dataset
from labelknn.neighbors._euclidean import Neighbors, k_nearest
from labelknn.utils._files import load_arrays, save_arrays
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.features import features_for

# (repeat, fold) -> the neighbours of the training rows among each other, if they were asked for, and those of the test
# rows among them.
Searched = dict[tuple[int, int], tuple[Neighbors | None, Neighbors]]


def search_splits(data: Dataset, splits: list[Split], scaling: str | None, k: int, training: bool = True) -> Searched:
    """training : whether the training rows' neighbours are asked for too."""
    found: Searched = {}
    for split in splits:
        X = features_for(data, split.train, scaling)
        train = X[split.train]
        of_training = k_nearest(train, k) if training else None
        found[split.repeat, split.fold] = (of_training, k_nearest(train, k, X[split.test]))
    return found


def save_searched(path: str | PathLike, searched: Searched) -> None:
    arrays: dict[str, np.ndarray] = {}
    for (repeat, fold), both in searched.items():
        for rows, neighbors in zip(("train", "test"), both, strict=True):
            if neighbors is not None:
                arrays[f"{repeat}/{fold}/{rows}/indices"] = neighbors.indices
                arrays[f"{repeat}/{fold}/{rows}/distances"] = neighbors.distances
    save_arrays(path, arrays)


def load_searched(path: str | PathLike) -> Searched:
    arrays = load_arrays(path)

    def found(rows: str) -> Neighbors:
        return Neighbors(arrays[f"{rows}/indices"], arrays[f"{rows}/distances"])

    searched: Searched = {}
    for repeat, fold in dict.fromkeys(tuple(map(int, key.split("/")[:2])) for key in arrays):
        split = f"{repeat}/{fold}"
        of_training = found(f"{split}/train") if f"{split}/train/indices" in arrays else None
        searched[repeat, fold] = (of_training, found(f"{split}/test"))
    return searched
