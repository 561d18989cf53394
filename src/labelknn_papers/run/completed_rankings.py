"""Methods for complete rankings with a split point, on rankings that have no split point and lack labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from labelknn_papers.run.adapter import expected_ranks


class CompletedRankings(BaseEstimator):
    """An estimator around which rankings are completed: a missing label where it is on average, the first of equal ones
    first; the split point, which is the last label, behind this share of the others, and taken away again.

    Nothing says which labels are relevant: all of them, unless a method learns from the split point alone.
    """

    def __init__(self, estimator: Any, relevant: float = 1.0, random_state: int | None = None) -> None:
        self.estimator = estimator
        self.relevant = relevant
        self.random_state = random_state

    def fit(self, X: Any, Y: np.ndarray) -> Self:
        self.estimator_ = clone(self.estimator)
        if "random_state" in self.estimator_.get_params():
            self.estimator_.set_params(random_state=self.random_state)
        ranks = expected_ranks(Y).argsort(axis=1, kind="stable").argsort(axis=1) + 1
        above = int(self.relevant * Y.shape[1])
        self.estimator_.fit(X, np.column_stack([ranks + (ranks > above), np.full(len(Y), above + 1)]))
        return self

    def predict(self, X: Any) -> np.ndarray:
        ranks = np.asarray(self.estimator_.predict(X))
        return ranks[:, :-1] - (ranks[:, :-1] > ranks[:, -1:])
