"""Methods for complete rankings with a split point, on rankings that have no split point and lack labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from labelknn_papers.run.adapter import expected_ranks


class CompletedRankings(BaseEstimator):
    """An estimator around which rankings are completed: a missing label where it is on average, the first of equal ones
    first; the split point, the last label of all, behind the others, and taken away again.

    Where nothing says which labels are relevant, all of them are.
    """

    def __init__(self, estimator: Any, random_state: int | None = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, Y: np.ndarray) -> Self:
        self.estimator_ = clone(self.estimator)
        if "random_state" in self.estimator_.get_params():
            self.estimator_.set_params(random_state=self.random_state)
        order = expected_ranks(Y).argsort(axis=1, kind="stable")
        self.estimator_.fit(X, np.column_stack([order.argsort(axis=1) + 1, np.full(len(Y), Y.shape[1] + 1)]))
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.asarray(self.estimator_.predict(X))[:, :-1]
