"""Label ranking trees that split only for a larger gain (cheng2009, section 5.1).

What a node gains does not depend on how much a split has to gain. So the tree for a larger gain is the grown one, cut
where going down from the root a split gains no more, and one fit serves all of them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from labelknn.ranking import LRT
from labelknn.solvers._rank_tree import Tree
from labelknn.solvers._rank_tree_split import SMALLEST_GAIN, pair_signs
from labelknn.utils._validation import check_rankings


class LRTByGain(LRT):
    """LRT by concordant pairs, as in the authors' program, that splits only for a gain of more than `least_gain`.

    Parameters
    ----------
    least_gain : of the logarithm of the share of concordant pairs, at least the program's own 1e-6.

    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> ranks = np.array([[1, 2, 3], [1, 2, 3], [1, 2, 3], [2, 1, 3], [2, 1, 3], [2, 1, 3]])
    >>> [int(LRTByGain(gain).fit(X, ranks)._output(X)["leaves"]) for gain in (0.2, 0.3)]
    [2, 1]
    """

    _side_by_side = ("least_gain", "gain")

    def __init__(self, least_gain: float = SMALLEST_GAIN) -> None:
        super().__init__(criterion="concordance")
        self.least_gain = least_gain

    def fit(self, X: np.ndarray, Y: np.ndarray) -> LRTByGain:
        super().fit(X, Y)
        ranks = check_rankings(self, Y, len(X))
        ordering = (ranks > 0).sum(axis=1) > 1
        self.gains_ = gains(self.tree_, self.tree_.apply(np.asarray(X, float)[ordering]), ranks[ordering])
        return self

    def _output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        return self._outputs(X)[self.least_gain]

    def _outputs(self, X: np.ndarray) -> Mapping[float, Mapping[str, np.ndarray]]:
        """By gain."""
        leaves, found = self.apply(X), {}
        for least in self._values or (self.least_gain,):
            ends = cut(self.tree_, self.gains_ > least)
            count = len(np.unique(ends[self.tree_.leaves]))
            found[least] = {"ranks": self.tree_.ranks[ends[leaves]], "leaves": np.array(count)}
        return found


def gains(tree: Tree, leaves: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """By node, what its split gains for each pair of labels, 0 in leaves; `leaves` are those of the rankings."""
    signs, nodes = pair_signs(ranks), len(tree.feature)
    sums, pairs = np.zeros((nodes, signs.shape[1]), np.int64), np.zeros(nodes)
    np.add.at(sums, leaves, signs)
    np.add.at(pairs, leaves, np.count_nonzero(signs, axis=1))
    for node in range(nodes - 1, 0, -1):  # children come after their parents
        sums[tree.parent[node]] += sums[node]
        pairs[tree.parent[node]] += pairs[node]
    agreement = (pair_signs(tree.ranks) * sums).sum(axis=1)
    worth = pairs * np.log2((pairs + agreement) / (2 * pairs))
    split, found = tree.feature >= 0, np.zeros(nodes)
    found[split] = (worth[tree.left[split]] + worth[tree.right[split]] - worth[split]) / pairs[split]
    return found


def cut(tree: Tree, splits: np.ndarray) -> np.ndarray:
    """Where the way from the root to each node ends if only nodes with `splits` are split: there, or further up."""
    ends = np.arange(len(tree.parent))
    for node in range(1, len(ends)):
        above = tree.parent[node]
        if ends[above] != above or not splits[above]:
            ends[node] = ends[above]
    return ends
