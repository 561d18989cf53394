"""C4.5 decision trees on numeric features, as Weka's J48 grows and prunes them by default.

Cheng, Hühn & Hüllermeier (2009, section 6.2) give the size of a label ranking tree relative to the tree that J48 learns
when the label ranked first is the class. That takes J48's number of leaves, so what counts here is to find the same
tree. The method is Quinlan's (C4.5: Programs for Machine Learning, 1993; Improved use of continuous attributes in C4.5,
JAIR 4, 1996); his descriptions leave details open, which are settled as J48 was observed to settle them:

* A node is a leaf if it is pure or has fewer than twice `min_leaf` examples.
* A threshold is tried between any two neighbouring values, also within one class, that are more than 1e-5 apart: what
  lies closer together counts as one value. Each side keeps at least a tenth of the mean class size, n / 10 q, but no
  fewer than `min_leaf` examples, and never needs more than 25 unless `min_leaf` is larger; J48 goes below such a
  `min_leaf` in large nodes, which this does not. The number of classes q is that of the whole problem, whichever of
  them occur in the node.
* Of a feature, the threshold with the highest information gain is taken, the smallest one among equals. Its gain is
  lowered by log2(thresholds tried) / n and must stay positive.
* Of the features whose gain reaches the mean over the usable features, or misses it by at most 0.001, the one with
  the highest gain ratio splits the node, the first one among equals. The ratio's numerator is the lowered gain.
* The threshold lies halfway between the two values, then moves down to the nearest value that occurs in the training
  data, whether or not in this node. That makes no difference to training examples.
* A subtree that makes no fewer errors on the training data than a leaf in its place collapses, before pruning, which
  nearly always would remove it too.
* Pruning goes from the leaves to the root and estimates a leaf's errors by the upper limit of their binomial
  proportion at `confidence`: exactly if there are none, else by the normal approximation with continuity correction. A
  node becomes a leaf if that is expected to make at most 0.1 errors more than its subtree and than its larger branch
  with all of its examples. Otherwise that branch takes the node's place (subtree raising) if it is expected to make at
  most 0.1 errors more than the subtree, and what has been raised is pruned once more. Of two branches with equally many
  examples, the second one counts as the larger.
* Gains, ratios and expected errors that differ by at most 1e-6 are equal in all these comparisons. Of equally
  frequent classes a leaf predicts the first.

The observations are those of Weka 3.9.7, whose trees on the training parts of cheng2009's 16 data sets are reproduced
node by node. Weka 3.6 also lets a value up to 1e-6 above a threshold pass as equal to it; where values lie on a grid,
that moves thresholds, and on sets with a thousand leaves and more it changes a few of them.

Cost: each feature is sorted once, and the sorted rows are partitioned at each split as in CART; a level of the tree
takes O(n d) operations beside O(d q) for each node. Pruning adds for each node the walks of its smaller branch's
examples down the larger branch. Memory: about 45 + 20 d + 4 q bytes for each example with a `min_leaf` of 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numba
import numpy as np
from scipy.special import ndtri
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from labelknn.errors import DataError
from labelknn.neighbors._euclidean import finite_rows
from labelknn.utils._base import RankingMethod, as_rankings

# When J48 takes two results for equal, two values for one, a gain for average, and a simpler tree for as good.
_EQUAL = 1e-6
_SAME_VALUE = 1e-5
_NEARLY_AVERAGE = 1e-3
_AS_GOOD = 0.1

# However large the node, C4.5 asks for no more examples than this on each side of a threshold.
_MOST_ASKED = 25


class Tree(NamedTuple):
    """A binary tree in arrays, one entry for each node; node 0 is the root.

    feature, threshold : an example goes left if its feature is at most the threshold; feature -1 marks a leaf.
    left, right : node numbers, -1 where there is none.
    counts : (nodes, q) number of training examples of each class.
    """

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    counts: np.ndarray


class _Examples(NamedTuple):
    """The training examples: features by column, classes as numbers, and the rows that are in each node of a tree.

    Node v has `rows[start[v]:end[v]]`, and its children share them, the left one first.
    """

    columns: np.ndarray
    classes: np.ndarray
    rows: np.ndarray
    start: np.ndarray
    end: np.ndarray


class C45(ClassifierMixin, BaseEstimator):
    """C4.5 decision tree on numeric features without missing values (see the module's text).

    Parameters
    ----------
    confidence : of the limit that pruning uses, above 0 and at most 0.5; the smaller, the more is pruned.
    min_leaf : least number of examples on each side of a split.
    n_classes : number of classes of the problem, if some may be missing from the training data. None: those in y.

    Attributes
    ----------
    tree_ : the pruned `Tree`.
    n_leaves_ : its number of leaves.
    classes_ : the classes that occur in y, sorted; columns of the tree's counts beyond them are 0.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> tree = C45().fit(X, np.array(["a", "a", "a", "b", "b", "b"]))
    >>> tree.n_leaves_, tree.predict(np.array([[0.2], [0.3]])).tolist()
    (2, ['a', 'b'])
    """

    def __init__(self, confidence: float = 0.25, min_leaf: int = 2, n_classes: int | None = None) -> None:
        self.confidence = confidence
        self.min_leaf = min_leaf
        self.n_classes = n_classes

    def fit(self, X: np.ndarray, y: np.ndarray) -> C45:
        if not 0 < self.confidence <= 0.5:
            raise DataError(f"confidence must be above 0 and at most 0.5, got {self.confidence}")
        if self.min_leaf < 1:
            raise DataError(f"min_leaf must be at least 1, got {self.min_leaf}")
        X = finite_rows(X, "the training rows")
        y = np.asarray(y)
        if y.shape != (len(X),):
            raise DataError(
                f"{len(X)} rows of features but classes of shape {y.shape}; expected one class for each row"
            )
        if len(X) == 0:
            raise DataError("no training rows; expected at least one")
        self.classes_, classes = np.unique(y, return_inverse=True)
        q = len(self.classes_) if self.n_classes is None else self.n_classes
        if q < len(self.classes_):
            raise DataError(f"n_classes is {q}, but {len(self.classes_)} classes occur in y")
        self.n_features_in_ = X.shape[1]
        columns = np.ascontiguousarray(X.T)
        tree, examples = _grow(columns, classes, q, self.min_leaf)
        _collapse(tree)
        _prune(tree, examples, self.confidence, ndtri(1 - self.confidence))
        self.tree_ = _reachable(tree)
        self.n_leaves_ = int((self.tree_.feature < 0).sum())
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The most frequent class of each row's leaf."""
        check_is_fitted(self)
        X = finite_rows(X, "the queries")
        if X.shape[1] != self.n_features_in_:
            raise DataError(f"the queries have {X.shape[1]} features, the training rows had {self.n_features_in_}")
        leaves = _leaves(self.tree_, np.ascontiguousarray(X.T))
        return self.classes_[self.tree_.counts[leaves].argmax(axis=1)]


def top_label(ranks: np.ndarray) -> np.ndarray:
    """The label that each ranking puts first among its observed ones; rankings without labels are left out."""
    ranks = as_rankings(ranks, len(ranks))
    return np.argmax(ranks[ranks.any(axis=1)] == 1, axis=1)


def count_leaves(X: np.ndarray, ranks: np.ndarray, confidence: float = 0.25, min_leaf: int = 2) -> int:
    """Leaves of the C4.5 tree whose class is the top label; rows whose ranking has no labels are left out."""
    ranks = as_rankings(ranks, len(X))
    observed = ranks.any(axis=1)
    if not observed.any():
        raise DataError("no ranking has any label; expected at least one that does")
    tree = C45(confidence, min_leaf, n_classes=ranks.shape[1])
    return tree.fit(np.asarray(X)[observed], top_label(ranks)).n_leaves_


class TopLabelTree(RankingMethod):
    """C4.5 on the label that each ranking puts first: what the size of a label ranking tree is compared with.

    It predicts no rankings; its only output is the number of leaves.

    References
    ----------
    Quinlan (1993, 1996); cheng2009, section 6.2.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> ranks = np.array([[1, 2, 3], [1, 3, 2], [1, 2, 3], [3, 2, 1], [2, 3, 1], [3, 2, 1]])
    >>> TopLabelTree().fit(X, ranks).output(X)["leaves"]
    array(2)
    """

    def __init__(self, confidence: float = 0.25, min_leaf: int = 2) -> None:
        self.confidence = confidence
        self.min_leaf = min_leaf

    def fit(self, X: np.ndarray, Y: np.ndarray) -> TopLabelTree:
        self.n_leaves_ = count_leaves(X, Y, self.confidence, self.min_leaf)
        self.n_features_in_ = np.shape(X)[1]
        return self

    def output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        check_is_fitted(self)
        return {"leaves": np.array(self.n_leaves_)}


def _grow(columns: np.ndarray, classes: np.ndarray, q: int, min_leaf: int) -> tuple[Tree, _Examples]:
    """The tree before pruning, in which children come after their parents, and the examples in each of its nodes."""
    n = len(classes)
    most = max(2 * (n // min_leaf) - 1, 1)
    tree = Tree(
        np.full(most, -1, np.int32),
        np.full(most, np.nan),
        np.full(most, -1, np.int32),
        np.full(most, -1, np.int32),
        np.zeros((most, q), np.int32),
    )
    rows_by_value = np.argsort(columns, axis=1, kind="stable").astype(np.int32)
    sorted_columns = np.take_along_axis(columns, rows_by_value, axis=1)
    start, end = np.zeros(most, np.int32), np.zeros(most, np.int32)
    used = _split_all(tree, start, end, rows_by_value, columns, sorted_columns, classes, min_leaf, _information(n))
    tree = Tree(*(array[:used] for array in tree))
    return tree, _Examples(columns, classes, rows_by_value[0], start[:used], end[:used])


def _information(n: int) -> np.ndarray:
    """i log2 i for i = 0..n: the entropy of n examples, n_c of them of class c, is (n log2 n − Σ n_c log2 n_c) / n."""
    counts = np.arange(n + 1)
    return counts * np.log2(np.maximum(counts, 1))


@numba.njit(cache=True)
def _split_all(tree, start, end, rows_by_value, columns, sorted_columns, classes, min_leaf, information):
    """Split nodes until all that remain are leaves; returns how many nodes the tree has."""
    n = len(classes)
    goes_left, buffer = np.zeros(n, np.bool_), np.empty(n, np.int32)
    nodes, waiting = 1, [0]
    end[0] = n
    while waiting:
        node = waiting.pop()
        rows = rows_by_value[:, start[node] : end[node]]
        counts = tree.counts[node]
        for row in rows[0]:
            counts[classes[row]] += 1
        if rows.shape[1] < 2 * min_leaf or counts.max() == rows.shape[1]:
            continue
        feature, size, threshold = _best_split(rows, columns, classes, counts, min_leaf, information)
        if feature < 0:
            continue
        place = np.searchsorted(sorted_columns[feature], threshold, side="right")
        tree.feature[node], tree.threshold[node] = feature, sorted_columns[feature, place - 1]
        goes_left[rows[feature, :size]] = True
        for other in rows:
            _partition(other, goes_left, buffer)
        goes_left[rows[feature, :size]] = False
        left, right = nodes, nodes + 1
        nodes += 2
        tree.left[node], tree.right[node] = left, right
        start[left], end[left] = start[node], start[node] + size
        start[right], end[right] = end[left], end[node]
        waiting.append(right)
        waiting.append(left)
    return nodes


@numba.njit(cache=True)
def _best_split(rows_by_value, columns, classes, counts, min_leaf, information):
    """The feature with the best gain ratio, -1 if none can be used, the size of its left side, and the threshold."""
    features = len(columns)
    gains, ratios = np.zeros(features), np.zeros(features)
    sizes, thresholds = np.zeros(features, np.int64), np.zeros(features)
    for feature in range(features):
        gains[feature], ratios[feature], sizes[feature], thresholds[feature] = _best_threshold(
            rows_by_value[feature], columns[feature], classes, counts, min_leaf, information
        )
    usable = sizes > 0
    best, best_ratio = -1, 0.0
    if usable.any():
        enough = gains.sum() / usable.sum() - _NEARLY_AVERAGE
        for feature in range(features):
            if usable[feature] and gains[feature] >= enough and ratios[feature] > best_ratio + _EQUAL:
                best, best_ratio = feature, ratios[feature]
    return best, sizes[best], thresholds[best]


@numba.njit(cache=True)
def _best_threshold(rows, values, classes, counts, min_leaf, information):
    """Of one feature: lowered gain, gain ratio, size of the left side, threshold; all 0 if the feature is of no use."""
    n = len(rows)
    asked = max(min_leaf, math.ceil(min(_MOST_ASKED, n / (10 * len(counts))) - _EQUAL))
    left, right = np.zeros_like(counts), counts.copy()
    left_information, right_information = 0.0, information[counts].sum()
    best_gain, best_size, tried = 0.0, 0, 0
    entropy = information[n] - right_information
    for size in range(1, n - asked + 1):
        moving = classes[rows[size - 1]]
        left_information += information[left[moving] + 1] - information[left[moving]]
        right_information += information[right[moving] - 1] - information[right[moving]]
        left[moving] += 1
        right[moving] -= 1
        if size < asked or values[rows[size - 1]] + _SAME_VALUE >= values[rows[size]]:
            continue
        tried += 1
        remaining = information[size] - left_information + information[n - size] - right_information
        gain = (entropy - remaining) / n
        if gain > best_gain + _EQUAL:
            best_gain, best_size = gain, size
    if best_size == 0:
        return 0.0, 0.0, 0, 0.0
    gain = best_gain - math.log2(tried) / n
    if gain < _EQUAL:
        return 0.0, 0.0, 0, 0.0
    split_entropy = (information[n] - information[best_size] - information[n - best_size]) / n
    threshold = (values[rows[best_size - 1]] + values[rows[best_size]]) / 2
    return gain, gain / split_entropy, best_size, threshold


@numba.njit(cache=True)
def _partition(rows, goes_left, buffer):
    """Bring the rows that go left to the front, both sides in their order; returns how many go left."""
    kept, moved = 0, 0
    for row in rows:
        if goes_left[row]:
            rows[kept] = row
            kept += 1
        else:
            buffer[moved] = row
            moved += 1
    for i in range(moved):
        rows[kept + i] = buffer[i]
    return kept


@numba.njit(cache=True)
def _collapse(tree):
    """Make a leaf of each node whose subtree makes no fewer errors on the training data."""
    errors = np.zeros(len(tree.feature), np.int64)
    for node in range(len(errors) - 1, -1, -1):
        as_leaf = tree.counts[node].sum() - tree.counts[node].max()
        errors[node] = as_leaf
        if tree.feature[node] >= 0:
            errors[node] = errors[tree.left[node]] + errors[tree.right[node]]
            if errors[node] == as_leaf:
                tree.feature[node] = -1


@numba.njit(cache=True)
def _prune(tree, examples, confidence, z):
    """Pessimistic pruning with subtree raising, in place: nodes cut off remain in the arrays, out of reach.

    `z` is the quantile of the standard normal that `confidence` of its mass exceeds.
    """
    waiting = [(0, False)]
    while waiting:
        node, children_are_done = waiting.pop()
        if tree.feature[node] < 0:
            continue
        left, right = tree.left[node], tree.right[node]
        if not children_are_done:
            waiting.append((node, True))
            waiting.append((left, False))
            waiting.append((right, False))
            continue
        larger, smaller = right, left
        if tree.counts[left].sum() > tree.counts[right].sum():
            larger, smaller = left, right
        as_leaf = _expected_errors(tree.counts[node], confidence, z)
        as_tree = _subtree_errors(tree, node, confidence, z)
        as_branch = _raised_errors(tree, examples, larger, smaller, confidence, z)
        if as_leaf <= min(as_tree, as_branch) + _AS_GOOD + _EQUAL:
            tree.feature[node] = -1
        elif as_branch <= as_tree + _AS_GOOD + _EQUAL:
            _raise(tree, examples, node, larger)
            waiting.append((node, False))


@numba.njit(cache=True)
def _expected_errors(counts, confidence, z):
    """Upper limit of the number of errors that a leaf makes on as many new examples as it has (Quinlan 1993, ch. 4).

    Without errors the binomial limit, otherwise Wilson's with half an error added for continuity.
    """
    n = counts.sum()
    errors = n - counts.max()
    if errors == 0:
        return n * (1 - confidence ** (1 / n))
    share = (errors + 0.5) / n
    deviation = z * math.sqrt(share / n - share**2 / n + z**2 / (4 * n**2))
    return n * (share + z**2 / (2 * n) + deviation) / (1 + z**2 / n)


@numba.njit(cache=True)
def _subtree_errors(tree, top, confidence, z):
    errors, waiting = 0.0, [top]
    while waiting:
        node = waiting.pop()
        if tree.feature[node] < 0:
            errors += _expected_errors(tree.counts[node], confidence, z)
        else:
            waiting.append(tree.left[node])
            waiting.append(tree.right[node])
    return errors


@numba.njit(cache=True)
def _raised_errors(tree, examples, larger, smaller, confidence, z):
    """Expected errors of the larger branch once the smaller one's examples have fallen into its leaves."""
    newcomers = examples.rows[examples.start[smaller] : examples.end[smaller]]
    leaves = np.empty(len(newcomers), np.int32)
    for i, row in enumerate(newcomers):
        leaves[i] = _leaf(tree, larger, examples.columns, row)
        tree.counts[leaves[i], examples.classes[row]] += 1
    errors = _subtree_errors(tree, larger, confidence, z)
    for i, row in enumerate(newcomers):
        tree.counts[leaves[i], examples.classes[row]] -= 1
    return errors


@numba.njit(cache=True)
def _raise(tree, examples, top, branch):
    """Put a branch in the place of its parent `top` and sort the parent's examples into it."""
    columns, classes, rows, start, end = examples
    tree.feature[top], tree.threshold[top] = tree.feature[branch], tree.threshold[branch]
    tree.left[top], tree.right[top] = tree.left[branch], tree.right[branch]
    goes_left, buffer = np.zeros(len(classes), np.bool_), np.empty(end[top] - start[top], np.int32)
    waiting = [top]
    while waiting:
        node = waiting.pop()
        here = rows[start[node] : end[node]]
        tree.counts[node] = 0
        for row in here:
            tree.counts[node, classes[row]] += 1
        if tree.feature[node] < 0:
            continue
        for row in here:
            goes_left[row] = columns[tree.feature[node], row] <= tree.threshold[node]
        left, right = tree.left[node], tree.right[node]
        middle = start[node] + _partition(here, goes_left, buffer)
        start[left], end[left] = start[node], middle
        start[right], end[right] = middle, end[node]
        waiting.append(left)
        waiting.append(right)


@numba.njit(cache=True)
def _leaf(tree, top, columns, row):
    node = top
    while tree.feature[node] >= 0:
        node = tree.left[node] if columns[tree.feature[node], row] <= tree.threshold[node] else tree.right[node]
    return node


@numba.njit(cache=True)
def _leaves(tree, columns):
    leaves = np.empty(columns.shape[1], np.intp)
    for row in range(len(leaves)):
        leaves[row] = _leaf(tree, 0, columns, row)
    return leaves


def _reachable(tree: Tree) -> Tree:
    """The tree without the nodes that pruning has cut off, numbered from the root down, left before right."""
    old, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        old.append(node)
        if tree.feature[node] >= 0:
            waiting += [tree.right[node], tree.left[node]]
    is_leaf = tree.feature[old] < 0
    new = np.empty(len(tree.feature), np.int32)
    new[old] = np.arange(len(old))
    return Tree(
        tree.feature[old],
        np.where(is_leaf, np.nan, tree.threshold[old]),
        np.where(is_leaf, -1, new[tree.left[old]]),
        np.where(is_leaf, -1, new[tree.right[old]]),
        tree.counts[old],
    )
