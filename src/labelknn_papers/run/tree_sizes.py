"""Sizes of C4.5 trees on what could be "the corresponding classification data" of rankings (cheng2009, section 6.2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelknn.solvers._c45 import c45
from labelknn.utils._base import Method
from labelknn.utils._validation import check_dense_features, check_rankings
from labelknn_papers.run.top_label_tree import top_labels

# The least numbers of examples in a leaf.
LEAST = (1, 2, 3, 4, 5)


class ClassificationTrees(Method):
    """The numbers of leaves of C4.5 trees whose class is one of several things about a ranking; it ranks nothing.

    top_label_<m> : the label that is ranked first, with at least m examples in a leaf. 2 is J48's default.
    bottom_label : the label that is ranked last, as where the largest rank is taken for the best.
    first_label : the rank of the label that comes first in the file.
    incomplete_top_label : the label that is first of those that are left, where labels are missing; nothing else there.

    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> ranks = np.array([[1, 2, 3], [1, 3, 2], [1, 2, 3], [3, 1, 2], [3, 1, 2], [3, 1, 2]])
    >>> trees = ClassificationTrees().fit(X, ranks)._output(X)
    >>> {name: int(leaves) for name, leaves in trees.items() if not name.startswith("top")}
    {'bottom_label': 2, 'first_label': 2}
    """

    _task = "ranking"

    def fit(self, X: np.ndarray, Y: np.ndarray) -> ClassificationTrees:
        X = check_dense_features(self, X, fitting=True)
        ranks = check_rankings(self, Y, len(X))
        q = ranks.shape[1]
        if (ranks > 0).all():
            top = top_labels(ranks)
            self.leaves_ = {f"top_label_{least}": c45(X, top, q, min_leaf=least).n_leaves for least in LEAST}
            self.leaves_["bottom_label"] = c45(X, ranks.argmax(axis=1), q).n_leaves
            self.leaves_["first_label"] = c45(X, ranks[:, 0] - 1, q).n_leaves
        else:
            there = ranks.any(axis=1)
            self.leaves_ = {"incomplete_top_label": c45(X[there], top_labels(ranks[there]), q).n_leaves}
        return self

    def _output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        check_is_fitted(self)
        return {name: np.array(leaves) for name, leaves in self.leaves_.items()}
