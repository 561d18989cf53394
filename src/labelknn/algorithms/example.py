"""A method to copy: each label's mean rank among the nearest rows, the nearer the heavier. It belongs to no paper.

To compare a method of your own with those of the papers, copy this file to a folder of your own, config/template.yaml
beside it, and put your idea in the place of `_mean_ranks`. Nothing in the repository has to change.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from labelknn.algorithms.base import RankingMethod, as_rankings
from labelknn.errors import DataError


class MeanRankKNN(RankingMethod):
    """Ranks the labels by their mean ranks among the k nearest training rows, weighted by 1 / (1 + distance).

    A label that is missing from a neighbour's ranking counts there as if in the middle.

    Parameters
    ----------
    k : number of neighbours.

    Attributes
    ----------
    ranks_ : (n, q) the rankings of the training rows.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> Y = np.array([[1, 2, 3]] * 3 + [[3, 2, 1]] * 3)
    >>> MeanRankKNN(k=3).fit(X, Y).predict(np.array([[0.05], [5.05]]))
    array([[1, 2, 3],
           [3, 2, 1]])
    """

    def __init__(self, k: int = 10) -> None:
        self.k = k

    def fit(self, X: np.ndarray, Y: np.ndarray) -> MeanRankKNN:
        if self.k < 1:
            raise DataError(f"the number of neighbours must be at least 1, got {self.k}")
        self.X_ = validate_data(self, X, dtype=float)
        self.ranks_ = as_rankings(Y, len(self.X_))
        return self

    def output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        """What the method says about each query; more keys than "ranks" are stored beside the prediction."""
        check_is_fitted(self)
        queries = validate_data(self, X, dtype=float, reset=False)
        mean = np.array([self._mean_ranks(query) for query in queries]).reshape(len(queries), self.ranks_.shape[1])
        # Sorting twice turns mean ranks into places; of equal ones the label that comes first is ahead.
        places = np.argsort(np.argsort(mean, axis=1, kind="stable"), axis=1) + 1
        return {"ranks": places, "mean_ranks": mean}

    def _mean_ranks(self, query: np.ndarray) -> np.ndarray:
        distances = np.linalg.norm(self.X_ - query, axis=1)
        nearest = np.argsort(distances, kind="stable")[: self.k]
        ranks = self.ranks_[nearest]
        middle = (ranks.max(axis=1, keepdims=True) + 1) / 2
        return np.average(np.where(ranks > 0, ranks, middle), axis=0, weights=1 / (1 + distances[nearest]))
