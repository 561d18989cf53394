"""OneThreshold (Mulan; Feremans et al. 2017 have it for LCIF's baselines): one threshold on the scores of all labels.

The threshold is the multiple of .01 that gives the best micro F1 on the training rows. The paper walks from 0 to 1 in
steps of .1 and then in steps of .01 around the best; all multiples of .01 are looked at here, at no cost. A training
row is scored by its neighbours among the others, as it is while the method learns. Mulan counts the row itself as one
of its neighbours, unless it is told to make folds; the paper does not say what it did.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, check_is_fitted

from labelknn.errors import ConfigError
from labelknn.multilabel._mlknn import MLkNN
from labelknn.neighbors._euclidean import Neighbors, k_nearest
from labelknn.utils._base import LabelSetMethod, ProbabilityMixin
from labelknn.utils._scores import label_scores
from labelknn.utils._validation import check_features, check_label_sets, dense_rows

STEPS = 100


class OneThreshold(ProbabilityMixin, LabelSetMethod):
    """An estimator whose probabilities are cut at the threshold that is best on the training rows.

    Cost: that of the estimator, and one pass over the n × q scores of the training rows; an estimator that learns from
    anything but neighbours is fitted `cv` times more.

    Parameters
    ----------
    estimator : any estimator for label sets with `predict_proba`; None is ML-kNN. A neighbour method of this library
        scores a training row by its neighbours among the others, any other estimator by cross-validation.
    cv : folds of that, or a splitter of scikit-learn.

    Attributes
    ----------
    threshold_ : probabilities from here on predict a label.
    estimator_ : the fitted estimator.

    References
    ----------
    Mulan; feremans2017 has it for the baselines of LCIF.

    >>> import numpy as np
    >>> from labelknn import MLkNN
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> Y = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    >>> OneThreshold(MLkNN(k=2)).fit(X, Y).threshold_
    0.8
    """

    def __init__(self, estimator: Any = None, cv: Any = 5) -> None:
        self.estimator = estimator
        self.cv = cv

    @property
    def _uses_neighbors(self) -> bool:  # type: ignore[override]
        return getattr(self._chosen(), "_uses_neighbors", False)

    @property
    def _learns_from_neighbors(self) -> bool:
        return True  # at least the threshold does

    def _neighbors_needed(self, n: int) -> int:
        return self._chosen()._neighbors_needed(n)

    def fit(self, X: Any, Y: Any, neighbors: Neighbors | None = None) -> OneThreshold:
        """Learn from the rows of X, (n, d), and their label sets in Y, (n, q) of 0 and 1."""
        if not all(hasattr(self._chosen(), method) for method in ("fit", "predict_proba")):
            raise ConfigError(f"OneThreshold needs an estimator with fit and predict_proba, got {self.estimator!r}")
        if self._uses_neighbors:
            X = check_features(self, X, fitting=True)
        sets = check_label_sets(self, Y, _num_samples(X))
        self.estimator_ = clone(self._chosen())
        if self._uses_neighbors:
            found = neighbors or k_nearest(X, self._neighbors_needed(X.shape[0]))
            self.estimator_.fit(X, sets, neighbors=found)
            scores = self.estimator_._output(X, neighbors=found)["scores"]
        else:
            targets = sets.toarray().astype(np.int64)
            scores = np.empty(targets.shape)
            for train, test in check_cv(self.cv).split(X, targets):
                fitted = clone(self.estimator_).fit(_safe_indexing(X, train), targets[train])
                scores[test] = _probabilities(fitted, _safe_indexing(X, test))
            self.estimator_.fit(X, targets)
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(self.estimator_, name):
                    setattr(self, name, getattr(self.estimator_, name))
        self.threshold_ = best_threshold(sets.toarray(), scores)
        return self

    def _output(self, X: Any, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Label sets, and the scores of the estimator."""
        check_is_fitted(self)
        if self._uses_neighbors:
            X = check_features(self, X, fitting=False)
            scores = self.estimator_._output(X, neighbors=neighbors)["scores"]
        else:
            scores = _probabilities(self.estimator_, X)
        return {"sets": scores >= self.threshold_, "scores": scores}

    def _chosen(self) -> Any:
        return MLkNN() if self.estimator is None else self.estimator


def _probabilities(fitted: Any, X: Any) -> np.ndarray:
    return dense_rows(label_scores(fitted, X, "predict_proba"))


def best_threshold(truth: np.ndarray, scores: np.ndarray) -> float:
    """The multiple of .01 with the best micro F1 if scores from there on predict a label; of equal ones the largest."""
    # A score of .29 is not less than 29 / 100, whatever its binary digits are.
    steps = np.floor(np.clip(scores, 0, 1) * STEPS + 1e-9).astype(np.int64).ravel()
    predicted = np.bincount(steps, minlength=STEPS + 1)[::-1].cumsum()
    shared = np.bincount(steps[truth.ravel()], minlength=STEPS + 1)[::-1].cumsum()
    f1 = 2 * shared / np.maximum(predicted + np.count_nonzero(truth), 1)
    return float((STEPS - f1.argmax()) / STEPS)
