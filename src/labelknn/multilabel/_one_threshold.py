"""OneThreshold (Mulan; Feremans et al. 2017 have it for the rivals of LCIF): one threshold on the scores of all labels.

The threshold is the multiple of .01 that gives the best micro F1 on the training rows. The paper walks from 0 to 1 in
steps of .1 and then in steps of .01 around the best; all multiples of .01 are looked at here, at no cost. A training
row is scored by its neighbours among the others, as it is while the method learns. Mulan counts the row itself as one
of its neighbours, unless it is told to make folds; the paper does not say what it did.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from labelknn.errors import unknown
from labelknn.multilabel._iblr_ml import IBLRML
from labelknn.multilabel._mlknn import MLkNN
from labelknn.neighbors._euclidean import Neighbors
from labelknn.utils._base import MultilabelMethod, NeighborMethod, as_label_sets

METHODS = {"mlknn": MLkNN, "iblr-ml": IBLRML}
STEPS = 100


class OneThreshold(NeighborMethod, MultilabelMethod):
    """A neighbour method whose scores are cut at the threshold that is best on the training rows.

    Cost: that of the method, and one pass over the n × q scores of the training rows.

    Parameters
    ----------
    method : "mlknn" or "iblr-ml".
    k : its number of neighbours.
    params : its other parameters, by name.

    Attributes
    ----------
    threshold_ : scores from here on predict a label.
    method_ : the fitted method.

    References
    ----------
    Mulan; feremans2017 has it for the rivals of LCIF.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> Y = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    >>> OneThreshold(k=2).fit(X, Y).threshold_
    0.8
    """

    k: int

    def __init__(self, method: str = "mlknn", k: int = 10, params: Mapping[str, Any] | None = None) -> None:
        self.method = method
        self.k = k
        self.params = params

    def fit(self, X: np.ndarray, Y: np.ndarray | sparse.spmatrix, neighbors: Neighbors | None = None) -> OneThreshold:
        if self.method not in METHODS:
            raise unknown("method", self.method, METHODS, "OneThreshold")
        found = self._training_neighbors(X, neighbors)
        self.method_ = METHODS[self.method](k=self.k, **(self.params or {})).fit(self.X_, Y, neighbors=found)
        scores = self.method_.output(self.X_, neighbors=found)["scores"]
        self.threshold_ = best_threshold(as_label_sets(Y, len(self.X_)).toarray(), scores)
        return self

    def output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Label sets, and the scores of the method."""
        found = self._query_neighbors(X, neighbors)
        scores = self.method_.output(X, neighbors=found)["scores"]
        return {"sets": scores >= self.threshold_, "scores": scores}


def best_threshold(truth: np.ndarray, scores: np.ndarray) -> float:
    """The multiple of .01 with the best micro F1 if scores from there on predict a label; of equal ones the largest."""
    # A score of .29 is not less than 29 / 100, whatever its binary digits are.
    steps = np.floor(np.clip(scores, 0, 1) * STEPS + 1e-9).astype(np.int64).ravel()
    predicted = np.bincount(steps, minlength=STEPS + 1)[::-1].cumsum()
    shared = np.bincount(steps[truth.ravel()], minlength=STEPS + 1)[::-1].cumsum()
    f1 = 2 * shared / np.maximum(predicted + np.count_nonzero(truth), 1)
    return float((STEPS - f1.argmax()) / STEPS)
