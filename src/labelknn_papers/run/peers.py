"""Why a method is not the same in two libraries: ours, made to do what the other does, beside what the other predicts.

Two steps, so that each cause can be told apart. First our method does as the other, and still searches its neighbours
itself; then it takes the neighbours that the other has found too, who come in another order where they are equally far.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from labelknn.datasets._container import Dataset
from labelknn.multilabel import BRkNN, MLkNN
from labelknn.neighbors._euclidean import Neighbors, k_nearest
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.features import Features, features_for
from labelknn_papers.run.predictions import Predictions
from labelknn_papers.run.provenance import load_class


class CountingItself(MLkNN):
    """ML-kNN as scikit-multilearn-ng has it: in training a row is the first of its own k neighbours, and a label whose
    two posteriors are equal is predicted. Neighbours that are handed in have the row among them."""

    def fit(self, X: Any, Y: Any, neighbors: Neighbors | None = None) -> CountingItself:
        super().fit(X, Y, neighbors)
        self.predicted_ = self.posterior_ >= 0.5
        return self

    def _training_neighbors(self, neighbors: Neighbors | None) -> Neighbors:
        if neighbors is not None:
            return neighbors
        itself = np.arange(self.X_.shape[0])[:, None]
        found = Neighbors(itself, np.zeros(itself.shape))
        if self.k == 1:
            return found
        others = k_nearest(self.X_, self.k - 1)
        return Neighbors(*map(np.hstack, zip(vars(found).values(), vars(others).values(), strict=True)))


class HalfIsNone(BRkNN):
    """BR-kNN as scikit-multilearn-ng has it: a share of one half is rounded down."""

    def _output(self, X: Any, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        found = super()._output(X, neighbors)
        return {**found, "sets": found["scores"] > 0.5}


class Differing(NamedTuple):
    """How many of the labels of all test rows are not as the other library predicts them.

    ours : by our method as it is.
    made_alike : by ours made to do as the other.
    same_neighbors : by that with the neighbours of the other.
    """

    labels: int
    ours: int
    made_alike: int
    same_neighbors: int


def differing(
    data: Dataset,
    splits: Iterable[Split],
    entry: Mapping[str, Any],
    alike: str,
    predicted: tuple[Predictions, Predictions],
    setting: str = "",
) -> Differing:
    """entry : of our method in the registry.
    alike : the class that does as the other.
    predicted : by our method and by the other.
    """
    counts = np.zeros(4, dtype=int)
    assert data.Y is not None
    for split in splits:
        ours, theirs = (_dense(one[split.repeat, split.fold, setting]["sets"]) for one in predicted)
        X, Y = features_for(data, split.train, entry.get("preprocessing")), data.Y[split.train]
        train, queries = X[split.train], X[split.test]
        estimator = load_class(alike)(**entry.get("params", {}))
        made_alike = estimator.fit(train, Y)._output(queries)["sets"]
        known, asked = _neighbors_of_sklearn(train, queries, estimator.k)
        same_neighbors = estimator.fit(train, Y, known)._output(queries, asked)["sets"]
        counts += [theirs.size, *(np.count_nonzero(one != theirs) for one in (ours, made_alike, same_neighbors))]
    return Differing(*map(int, counts))


def _neighbors_of_sklearn(train: Features, queries: Features, k: int) -> tuple[Neighbors, Neighbors]:
    """Of the training rows, themselves among them, and of the queries."""
    search = NearestNeighbors(n_neighbors=k).fit(train)
    known, asked = (search.kneighbors(rows)[::-1] for rows in (train, queries))
    return Neighbors(*known), Neighbors(*asked)


def _dense(sets: Any) -> np.ndarray:
    return np.asarray(sets.toarray() if sparse.issparse(sets) else sets, dtype=bool)
