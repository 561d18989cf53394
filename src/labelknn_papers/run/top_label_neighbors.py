"""Neighbours as classifiers of the label that a ranking puts first: what single-label methods do on the same data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from labelknn.neighbors._euclidean import Neighbors
from labelknn.solvers._votes import count_labels
from labelknn.utils._base import LazyMethod
from labelknn_papers.run.neighbor_oracle import NeighborOracle
from labelknn_papers.run.top_label_tree import top_labels


class TopLabelOracle(NeighborOracle):
    """`NeighborOracle` on label sets of one label, the one that a ranking puts first (chiang2012, section 5).

    With `best` = `k` it chooses nothing: half of all neighbours' votes predict a label. Its only output is the Hamming
    loss, since there are no rankings to predict.

    >>> X, ranks = np.array([[0.0], [0.1], [1.0]]), np.array([[1, 2], [1, 2], [2, 1]])
    >>> oracle = TopLabelOracle(k=3, best=1).fit(X, ranks)
    >>> float(oracle._output(np.array([[0.0]]), truth=np.array([[2, 1]]))["hamming_loss"])
    0.0
    """

    _task = "ranking"

    def fit(self, X: Any, Y: Any, neighbors: Neighbors | None = None) -> TopLabelOracle:
        return super().fit(X, _one_label(Y), neighbors)

    def _output(
        self, X: np.ndarray, neighbors: Neighbors | None = None, *, truth: np.ndarray | None = None
    ) -> Mapping[str, np.ndarray]:
        """The share of cells that are predicted wrongly, given the true rankings of X."""
        sets = None if truth is None else _one_label(truth)
        predicted = super()._output(X, neighbors, truth=sets)["sets"]
        return {"hamming_loss": np.array(np.mean(predicted != sets))}


class TopLabelKNN(LazyMethod):
    """The k-nearest-neighbour classifier of the label that rankings put first: IBLR's counterpart (cheng2009, 6.2).

    Labels are ranked by the neighbours' votes, equal ones by their index.

    >>> X, ranks = np.array([[0.0], [0.1], [1.0]]), np.array([[2, 1], [2, 1], [1, 2]])
    >>> TopLabelKNN(k=2).fit(X, ranks)._output(np.array([[0.0]]))["ranks"]
    array([[2, 1]])
    """

    _task = "ranking"

    def __init__(self, k: int = 10) -> None:
        self.k = k

    def fit(self, X: Any, Y: Any, neighbors: Neighbors | None = None) -> TopLabelKNN:
        return super().fit(X, _one_label(Y), neighbors)

    def _output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        votes = count_labels(self._query_neighbors(X, neighbors).indices, self.Y_)
        order = np.argsort(-votes, axis=1, kind="stable")
        return {"ranks": np.argsort(order, axis=1) + 1}


def _one_label(ranks: np.ndarray) -> np.ndarray:
    return np.eye(ranks.shape[1], dtype=np.int64)[top_labels(np.asarray(ranks))]
