"""Forms of methods that one would take without a look at what papers print, beside those that were taken with one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from labelknn.multilabel import FeatureKNN, MLkNN
from labelknn.neighbors._euclidean import Neighbors, k_nearest
from labelknn.solvers._votes import SLACK, weighted_votes
from labelknn.utils._threads import threaded


class MLkNNAmongItself(MLkNN):
    """ML-kNN whose training rows are among their own neighbours: Figure 1 of zhang2005 does not leave them out.

    >>> X, Y = np.array([[0.0], [0.1], [1.0]]), np.array([[1], [1], [0]])
    >>> [round(float(MLkNNAmongItself(k=1).fit(X, Y).posterior_[0, count]), 3) for count in (0, 1)]
    [0.36, 0.771]
    """

    def _training_neighbors(self, neighbors: Neighbors | None) -> Neighbors:
        return k_nearest(self.X_, self.k, self.X_)


class DudaniKNN(FeatureKNN):
    """Feature-kNN with the weights of Dudani (1976), (d_k − d) / (d_k − d_1), which chiang2012 cites."""

    @threaded
    def _output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        found = self._query_neighbors(X, neighbors)
        weights = dudani_weights(found.distances)
        scores = weighted_votes(found.indices, weights, self.Y_)
        return {"sets": scores >= 0.5 - SLACK, "scores": scores}


def dudani_weights(distances: np.ndarray) -> np.ndarray:
    """Of each row's neighbours, the nearest first, divided by their sum; all are equal where the distances are.

    >>> dudani_weights(np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]])).round(2).tolist()
    [[0.67, 0.33, 0.0], [0.33, 0.33, 0.33]]
    """
    first, last = distances[:, :1], distances[:, -1:]
    apart = last > first
    weights = np.where(apart, (last - distances) / np.where(apart, last - first, 1.0), 1.0)
    return weights / weights.sum(axis=1, keepdims=True)
