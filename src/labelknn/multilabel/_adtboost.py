"""ADTBoost.MH (De Comité, Gilleron & Tommasi 2003): one alternating decision tree for all labels, by AdaBoost.MH.

The tree is a set of rules. A rule looks at the rows that reach its precondition, a node of the tree, asks them for
x ≤ threshold, and both answers are new nodes with a vote for each label. The score of a label is the sum of its votes
over all nodes that a row reaches, the root included; a label is predicted if the sum is positive.

Each step adds the rule with the smallest Z = W(rows outside the precondition) + 2 Σ √(W+ W−) over both answers and all
labels; the root has votes before the first step. Weights, votes and thresholds are those of `boostexter`, with the same
smoothing 1/(mk). Left open by the paper and settled here: among equally good rules the oldest precondition, then the
first feature and the smallest threshold win; when no rule lowers Z the tree stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from labelknn.plotting import alternating_tree_text, plot_alternating_tree
from labelknn.solvers._boosting import EQUAL, BoostingData, by_sign
from labelknn.utils._base import DecisionMixin, LabelSetMethod
from labelknn.utils._parameters import check_whole
from labelknn.utils._validation import check_dense_features, check_label_sets

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class AlternatingTree:
    """Rules in the order in which they were added, and votes by node.

    Node 0 is the root; rule r leads to node 2 r + 1 where x ≤ threshold and to node 2 r + 2 where it is not.

    preconditions : (rules,) the node that a rule hangs from.
    features, thresholds : (rules,) what it asks.
    votes : (2 rules + 1, q).
    """

    preconditions: np.ndarray
    features: np.ndarray
    thresholds: np.ndarray
    votes: np.ndarray

    def reached(self, X: np.ndarray) -> np.ndarray:
        """Which nodes each row reaches: (2 rules + 1, n) bool."""
        reached = np.ones((len(self.votes), len(X)), dtype=bool)
        for rule, (node, feature) in enumerate(zip(self.preconditions, self.features, strict=True)):
            below = X[:, feature] <= self.thresholds[rule]
            reached[2 * rule + 1] = reached[node] & below
            reached[2 * rule + 2] = reached[node] & ~below
        return reached

    def sums(self, X: np.ndarray) -> np.ndarray:
        """The sum of the votes of the nodes that each row reaches, (n, q)."""
        return list(self.staged_sums(X))[-1]

    def staged_sums(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """The same of the root alone, then after each rule."""
        sums = np.zeros((len(X), self.votes.shape[1]))
        for node, rows in enumerate(self.reached(X)):
            sums[rows] += self.votes[node]
            if node % 2 == 0:
                yield sums.copy()

    def in_reading_order(self) -> list[tuple[int, int]]:
        """Nodes with their depths: below a node its rules from the oldest on, of each first the lower branch."""
        lines, waiting = [], [(0, 0)]
        while waiting:
            node, depth = waiting.pop()
            lines.append((node, depth))
            for rule in np.flatnonzero(self.preconditions == node)[::-1]:
                waiting += [(2 * rule + 2, depth + 1), (2 * rule + 1, depth + 1)]
        return lines

    def question(self, node: int, feature_names: Sequence[str]) -> str:
        """What a row was asked and answered to reach the node from the one above it."""
        if node == 0:
            return "root"
        rule = (node - 1) // 2
        sign = "<=" if node % 2 else ">"
        return f"({rule + 1}) {feature_names[self.features[rule]]} {sign} {self.thresholds[rule]:.4g}"


class ADTBoostMH(DecisionMixin, LabelSetMethod):
    """Multi-label alternating decision tree.

    Cost: O(n d q) for each node in each step, where n is the number of rows that reach the node.

    Where no feature has two values there is no rule, and the root's votes are the labels' prior log odds. A label that
    no training row has, or that all have, gets votes of one sign only.

    Parameters
    ----------
    steps : number of rules; zhang2005 has 30.

    Attributes
    ----------
    tree_ : the `AlternatingTree`; the methods `export_text` and `plot` show it.
    losses_ : (rules + 1,) mean exponential loss on the training rows, of the root alone and after each step; it never
        rises.
    weights_ : (n, q) the distribution that a further step would learn from.

    References
    ----------
    De Comité, Gilleron & Tommasi (2003); a baseline in zhang2005, table II.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> model = ADTBoostMH(steps=1).fit(X, Y)
    >>> print(model.export_text())
    root: y1 0.00, y2 0.00
    |   (1) x1 <= 1.5: y1 0.55, y2 -0.55
    |   (1) x1 > 1.5: y1 -0.55, y2 0.55
    <BLANKLINE>
    """

    _side_by_side = ("steps", "steps")

    def __init__(self, steps: int = 30) -> None:
        self.steps = steps

    def fit(self, X: np.ndarray, Y: np.ndarray | sparse.spmatrix) -> ADTBoostMH:
        """Learn from the rows of X, (n, d), and their label sets in Y, (n, q) of 0 and 1."""
        check_whole(self, "steps", least=0)
        X = check_dense_features(self, X, fitting=True)
        training = BoostingData.prepare(X, check_label_sets(self, Y, len(X)).toarray())
        reached = [np.ones(len(training.X), dtype=bool)]
        votes = [training.vote(training.uniform(), reached[0])]
        self.weights_, loss = training.reweigh(training.uniform(), votes[0])
        losses = [loss]
        rules: list[tuple[int, int, float]] = []
        for _ in range(self.steps):
            rule = _best_rule(training, self.weights_, reached)
            if rule is None:
                break
            node, feature, threshold = rule
            below = training.X[:, feature] <= threshold
            branches = [reached[node] & below, reached[node] & ~below]
            cast = [training.vote(self.weights_, rows) for rows in branches]
            received = np.zeros_like(self.weights_)
            for rows, vote in zip(branches, cast, strict=True):
                received[rows] = vote
            self.weights_, normaliser = training.reweigh(self.weights_, received)
            losses.append(losses[-1] * normaliser)
            rules.append(rule)
            reached += branches
            votes += cast
        columns = zip(*rules, strict=True) if rules else ((), (), ())
        preconditions, features, thresholds = columns
        self.tree_ = AlternatingTree(
            np.array(preconditions, dtype=np.int64),
            np.array(features, dtype=np.int64),
            np.array(thresholds, dtype=float),
            np.array(votes),
        )
        self.losses_ = np.array(losses)
        return self

    def export_text(self, feature_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None) -> str:
        """The tree as indented text: a line for each node with its votes. Rules are numbered as they were added."""
        check_is_fitted(self)
        return alternating_tree_text(self.tree_, *self._names(feature_names, label_names))

    def plot(self, feature_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None) -> Figure:
        """The same as a picture: the tree on the left, its votes as colours on the right."""
        check_is_fitted(self)
        return plot_alternating_tree(self.tree_, *self._names(feature_names, label_names))

    def _output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        """Label sets and the sums of votes."""
        check_is_fitted(self)
        return by_sign(self.tree_.sums(check_dense_features(self, X, fitting=False)))

    def _outputs(self, X: np.ndarray) -> dict[int, Mapping[str, np.ndarray]]:
        """The same after several numbers of steps; a tree that stopped growing stays as it is."""
        check_is_fitted(self)
        stages = list(self.tree_.staged_sums(check_dense_features(self, X, fitting=False)))
        return {steps: by_sign(stages[min(steps, len(stages) - 1)]) for steps in self._values}

    def _names(
        self, feature_names: Sequence[str] | None, label_names: Sequence[str] | None
    ) -> tuple[Sequence[str] | None, Sequence[str] | None]:
        """The names given, else those that `fit` has seen."""
        features = getattr(self, "feature_names_in_", None) if feature_names is None else feature_names
        return features, getattr(self, "label_names_", None) if label_names is None else label_names


def _best_rule(
    training: BoostingData, weights: np.ndarray, reached: Sequence[np.ndarray]
) -> tuple[int, int, float] | None:
    """Precondition, feature and threshold that lower Z most below 1, the sum of all weights; None if none do."""
    best, most = None, 0.0
    for node, rows in enumerate(reached):
        z, feature, threshold = training.best_condition(weights, rows)
        lowered = float(weights[rows].sum()) - z
        if threshold < np.inf and lowered > most + EQUAL:
            best, most = (node, feature, threshold), lowered
    return best
