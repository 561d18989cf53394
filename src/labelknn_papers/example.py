"""Two small methods to copy: neither knows anything of labelknn, and both can be named in a config (README, Your own).

Parameters are stored as they are given, `fit` learns and returns self, `predict` predicts. A parameter called
random_state gets a seed for each split.
"""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestNeighbors


class NearestSets(BaseEstimator):
    """A label is predicted if more than half of the k nearest rows have it."""

    def __init__(self, k: int = 10) -> None:
        self.k = k

    def fit(self, X: np.ndarray | sparse.csr_matrix, Y: np.ndarray) -> "NearestSets":
        """Y is an (n, q) array of 0 and 1."""
        self.search_ = NearestNeighbors(n_neighbors=self.k).fit(X)
        self.Y_ = Y
        return self

    def predict_proba(self, X: np.ndarray | sparse.csr_matrix) -> np.ndarray:
        """Scores that put the labels in order, (n, q); a method without any has `predict` alone."""
        return self.Y_[self.search_.kneighbors(X, return_distance=False)].mean(axis=1)

    def predict(self, X: np.ndarray | sparse.csr_matrix) -> np.ndarray:
        return self.predict_proba(X) > 0.5


class NearestRanking(BaseEstimator):
    """Labels by their mean rank among the k nearest rows."""

    def __init__(self, k: int = 10) -> None:
        self.k = k

    def fit(self, X: np.ndarray, Y: np.ndarray) -> "NearestRanking":
        """Y is an (n, q) array of ranks: 1 is best, 0 is a label missing from the ranking."""
        self.search_ = NearestNeighbors(n_neighbors=self.k).fit(X)
        self.Y_ = Y
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The ranks of all labels, (n, q)."""
        ranks = self.Y_[self.search_.kneighbors(X, return_distance=False)]
        known = (ranks > 0).sum(axis=1)
        # A label that no neighbour ranks is put into the middle.
        means = np.where(known > 0, ranks.sum(axis=1) / np.maximum(known, 1), (ranks.shape[2] + 1) / 2)
        return np.argsort(np.argsort(means, axis=1, kind="stable"), axis=1) + 1
