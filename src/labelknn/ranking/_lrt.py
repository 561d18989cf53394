"""Label ranking trees (Cheng, Hühn & Hüllermeier 2009, section 5): binary splits, a Mallows model in every leaf.

`criterion="mallows"` is equation (6) of the paper. `criterion="concordance"` is what the authors' program maximises,
the class LRT of WEKA-LR by Jens Hühn and Alexander Balz: instead of θ, the logarithm of the share of pairs that agree
with the centre, averaged over the children by their numbers of observed pairs. It comes nearer to the printed results.

What section 5 leaves open is settled as in that program; docs/methods/lrt.md has all of it. In short:

* Rankings of fewer than two labels are left out, and a leaf has at least two examples.
* The centre of a node is found label by label, each the one that wins by the largest margin against those after it.
* A split must raise the criterion by more than 1e-6. Among equally good ones the first feature and the smallest
  threshold win, and the threshold is a value that occurs.
* θ is estimated as though each node had one more ranking, in random order (`smoothing`), since that of a pure node is
  infinite otherwise. This is post hoc.
* With missing labels the mean distance from the centre is the share of discordant pairs among the observed ones, times
  all pairs of the node's labels.

A leaf without some labels is completed from its predecessors as section 5.2 says. Reliability is θ times the leaf's
share of the training examples (section 6.2), with θ smoothed as above.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelknn.errors import DataError, unknown
from labelknn.plotting import plot_ranking_tree, ranking_tree_text
from labelknn.solvers._rank_tree import grow
from labelknn.solvers._rank_tree_criterion import CONCORDANCE, MALLOWS
from labelknn.utils._base import RankingMethod
from labelknn.utils._validation import check_dense_features, check_rankings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CRITERIA = {"mallows": MALLOWS, "concordance": CONCORDANCE}


class LRT(RankingMethod):
    """Label ranking tree.

    Cost: O(n d q²) for each level of the tree, see `labelknn.solvers`; a prediction is one way from root to leaf.

    Parameters
    ----------
    criterion : "mallows", equation (6), or "concordance", as in the authors' program (docs/methods/lrt.md).
    smoothing : number of random rankings that every node is taken to have beside its own; 0: none.
    max_theta : cap on the spread θ; without smoothing it decides how much a pure node is worth.
    min_leaf : least number of examples in a leaf.
    max_depth : length of the longest way from the root to a leaf; None: as far as splits gain.

    Attributes
    ----------
    tree_ : the tree in arrays; `export_text` and `plot` show it.
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
    >>> print(LRT().fit(X, Y).export_text(feature_names=["size"]))
    size <= 0.1: y1 > y2  (n = 2, θ = 1.61)
    size > 0.1: y2 > y1  (n = 2, θ = 1.61)
    <BLANKLINE>
    """

    def __init__(
        self,
        criterion: str = "mallows",
        smoothing: float = 1.0,
        max_theta: float = 20.0,
        min_leaf: int = 2,
        max_depth: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.smoothing = smoothing
        self.max_theta = max_theta
        self.min_leaf = min_leaf
        self.max_depth = max_depth

    def fit(self, X: np.ndarray, Y: np.ndarray) -> LRT:
        """Learn from the rows of X, (n, d), and their rankings in Y, (n, q): 1 is best, 0 or NaN a missing label."""
        if self.criterion not in CRITERIA:
            raise unknown("criterion", self.criterion, CRITERIA, "LRT")
        if not 0 < self.max_theta < np.inf:
            raise DataError(f"the cap max_theta must be positive and finite, got {self.max_theta}")
        if not 0 <= self.smoothing < np.inf:
            raise DataError(f"the smoothing must be finite and not negative, got {self.smoothing}")
        if self.min_leaf < 1:
            raise DataError(f"a leaf needs at least one example, got min_leaf = {self.min_leaf}")
        if self.max_depth is not None and self.max_depth < 1:
            raise DataError(f"max_depth must be at least 1, or None, got {self.max_depth}")
        X = check_dense_features(self, X, fitting=True)
        ranks = check_rankings(self, Y, len(X))
        ordering = (ranks > 0).sum(axis=1) > 1
        if not ordering.any():
            raise DataError("no training ranking orders any two labels; expected at least one that does")
        rules = CRITERIA[self.criterion], self.smoothing, self.max_theta, self.min_leaf, self.max_depth
        self.tree_ = grow(X[ordering], ranks[ordering], *rules)
        self.n_leaves_ = len(self.tree_.leaves)
        self.depth_ = int(self.tree_.depths().max())
        return self

    def _output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
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
        return self._output(X)["reliability"]

    def apply(self, X: np.ndarray) -> np.ndarray:
        """The node number of the leaf that each row falls into."""
        check_is_fitted(self)
        return self.tree_.apply(check_dense_features(self, X, fitting=False))

    def export_text(self, feature_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None) -> str:
        """The tree as indented text: a line for each branch, which ends in a ranking where the branch ends in a leaf.

        Behind the ranking stand the number of training examples in the leaf and its smoothed θ. Names that are not
        given are those that `fit` was given, or x1, x2, ... and y1, y2, ....
        """
        check_is_fitted(self)
        return ranking_tree_text(self.tree_, *self._names(feature_names, label_names))

    def plot(
        self,
        feature_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw a small tree: the left branch of a test is where it holds. Needs matplotlib; names as in `export_text`.

        ax : where to draw; None makes a figure of the right size.
        """
        check_is_fitted(self)
        return plot_ranking_tree(self.tree_, *self._names(feature_names, label_names), ax)

    def _names(
        self, feature_names: Sequence[str] | None, label_names: Sequence[str] | None
    ) -> tuple[Sequence[str] | None, Sequence[str] | None]:
        features = getattr(self, "feature_names_in_", None) if feature_names is None else feature_names
        return features, getattr(self, "label_names_", None) if label_names is None else label_names
