"""Any scikit-learn-style estimator as a method: what it predicts is checked, and gets the names of `base`.

For label sets it has `fit(X, Y)`, where Y is an (n, q) array of 0 and 1, and one or more of

    predict(X)            (n, q) array of 0 and 1: the label sets
    predict_proba(X)      (n, q) probabilities, or scikit-learn's list of q arrays with a column for each class
    decision_function(X)  (n, q) scores, positive for a label that is predicted

Without `predict`, the sets are the labels with a probability above 1/2, or with a positive score. Without the other two
there are no scores, and measures that need the labels in order have no value.

For rankings it has `fit(X, Y)` and `predict(X)`, both with (n, q) ranks: 1 is best; 0 in Y is a label missing from the
ranking. X is a CSR matrix where the data set is sparse, else an array. A regressor of scikit-learn learns the ranks as
numbers, missing labels in the middle, and what it predicts is put into order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import rankdata
from sklearn.base import is_regressor

from labelknn.errors import ConfigError, DataError
from labelknn.utils._scores import BORDERS, label_scores, scoring_method

_PREDICTIONS = {"multilabel": ("predict", *BORDERS), "ranking": ("predict",)}
_EXPECTED = {
    "multilabel": "fit(X, Y) with an (n, q) array of 0 and 1, and predict(X) that gives one; in its place or beside "
    "it, predict_proba(X) or decision_function(X) with (n, q) scores",
    "ranking": "fit(X, Y) and predict(X), both with (n, q) ranks from 1, the best",
}


class Adapter:
    """An estimator under its name in the config; unless it says so itself, its task is that of the data."""

    def __init__(self, estimator: Any, name: str, task: str) -> None:
        self.estimator = estimator
        self.name = name
        self._task = getattr(estimator, "task", task)
        asked = _PREDICTIONS.get(self._task, ())
        self.predictions = [method for method in asked if callable(getattr(estimator, method, None))]
        missing = [] if callable(getattr(estimator, "fit", None)) else ["fit"]
        missing += [] if self.predictions else [" or ".join(asked)]
        if missing:
            expected = _EXPECTED.get(self._task, f"a task of {', '.join(_EXPECTED)}")
            raise ConfigError(f"{name} has no method {' and no '.join(missing)}; expected: {expected}")

    def get_params(self) -> Mapping[str, Any]:
        return self.estimator.get_params() if hasattr(self.estimator, "get_params") else {}

    def set_params(self, **params: Any) -> None:
        self.estimator.set_params(**params)

    def fit(self, X: np.ndarray | sparse.csr_matrix, Y: np.ndarray | sparse.csr_matrix) -> Adapter:
        self.labels_ = Y.shape[1]
        dense = Y if isinstance(Y, np.ndarray) else Y.toarray().astype(int)
        self.estimator.fit(X, expected_ranks(dense) if self._regresses else dense)
        return self

    @property
    def _regresses(self) -> bool:
        return self._task == "ranking" and hasattr(self.estimator, "__sklearn_tags__") and is_regressor(self.estimator)

    def _output(self, X: np.ndarray | sparse.csr_matrix) -> Mapping[str, np.ndarray]:
        if self._task == "ranking":
            return {"ranks": self._ranks(X)}
        found = {}
        if method := scoring_method(self.estimator):
            scores = self._scores(method, X)
            found = {"sets": scores > BORDERS[method], "scores": scores}
        return {**found, "sets": self._sets(X)} if "predict" in self.predictions else found

    def _ranks(self, X: np.ndarray | sparse.csr_matrix) -> np.ndarray:
        ranks = self._checked("predict", self.estimator.predict(X), X.shape[0], "ranks")
        if self._regresses:
            return rankdata(ranks, method="min", axis=1).astype(np.int64)
        wrong = ~((ranks >= 1) & (np.floor(ranks) == ranks) & np.isfinite(ranks))
        if wrong.any():
            raise DataError(f"{self.name}: predict gave the rank {ranks[wrong][0]:g}; expected 1 (the best), 2, ...")
        return ranks.astype(np.int64)

    def _sets(self, X: np.ndarray | sparse.csr_matrix) -> np.ndarray:
        sets = self._checked("predict", self.estimator.predict(X), X.shape[0], "label sets")
        wrong = ~np.isin(sets, (0, 1))
        if wrong.any():
            raise DataError(f"{self.name}: predict gave {sets[wrong][0]:g} in a label set; expected 0 and 1")
        return sets.astype(bool)

    def _scores(self, method: str, X: np.ndarray | sparse.csr_matrix) -> np.ndarray:
        scores = self._checked(method, label_scores(self.estimator, X, method), X.shape[0], "scores")
        if not np.isfinite(scores).all():
            raise DataError(f"{self.name}: {method} gave a score that is no finite number")
        return scores.astype(float)

    def _checked(self, method: str, found: Any, n: int, what: str) -> np.ndarray:
        array = found.toarray() if sparse.issparse(found) else np.asarray(found)
        if array.shape != (n, self.labels_) or array.dtype.kind not in "biuf":
            raise DataError(
                f"{self.name}: {method} gave an array of shape {array.shape} and type {array.dtype}; expected {what} "
                f"as numbers of shape ({n}, {self.labels_}): a row for each row of X, a column for each label"
            )
        return array


def expected_ranks(Y: np.ndarray) -> np.ndarray:
    """The mean rank of each label over all complete rankings that agree with an incomplete one.

    Of m ranked labels among q, the r-th is at r (q + 1) / (m + 1), and one that is missing in the middle, (q + 1) / 2.
    """
    there = Y > 0
    order = rankdata(np.where(there, Y, np.inf), method="average", axis=1)
    every, ranked = Y.shape[1] + 1, there.sum(axis=1, keepdims=True) + 1
    return np.where(there, order * every / ranked, every / 2)
