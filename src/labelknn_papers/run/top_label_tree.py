"""The size of the C4.5 tree whose classes are the labels that rankings put first (cheng2009, section 6.2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelknn.errors import DataError
from labelknn.solvers._c45 import c45
from labelknn.utils._base import Method
from labelknn.utils._validation import check_dense_features, check_rankings


class TopLabelTree(Method):
    """C4.5 on the label that each ranking puts first: what the size of a label ranking tree is compared with.

    It predicts no rankings; its only output is the number of leaves. Rankings without labels are left out.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> ranks = np.array([[1, 2, 3], [1, 3, 2], [1, 2, 3], [3, 2, 1], [2, 3, 1], [3, 2, 1]])
    >>> TopLabelTree().fit(X, ranks).n_leaves_
    2
    """

    _task = "ranking"

    def __init__(self, confidence: float = 0.25, min_leaf: int = 2) -> None:
        self.confidence = confidence
        self.min_leaf = min_leaf

    def fit(self, X: np.ndarray, Y: np.ndarray) -> TopLabelTree:
        X = check_dense_features(self, X, fitting=True)
        ranks = check_rankings(self, Y, len(X))
        observed = ranks.any(axis=1)
        if not observed.any():
            raise DataError("no ranking has any label; expected at least one that does")
        tree = c45(X[observed], top_labels(ranks[observed]), ranks.shape[1], self.confidence, self.min_leaf)
        self.n_leaves_ = tree.n_leaves
        return self

    def _output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        check_is_fitted(self)
        return {"leaves": np.array(self.n_leaves_)}


def top_labels(ranks: np.ndarray) -> np.ndarray:
    """The label that each ranking puts first among its observed ones, which have the ranks 1..m."""
    return np.argmax(ranks == 1, axis=1)
