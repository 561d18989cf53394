"""The arrays of a C4.5 tree and of its training examples, and the ways down from its root."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelknn.utils._kernels import inner, kernel

# When J48 takes two results for equal.
EQUAL = 1e-6


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

    @property
    def n_leaves(self) -> int:
        return int((self.feature < 0).sum())

    def apply(self, X: np.ndarray) -> np.ndarray:
        """The leaf that each row of X falls into."""
        leaves = np.empty(len(X), np.intp)
        _find_leaves(self, np.ascontiguousarray(X.T), leaves)
        return leaves

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The most frequent class of each row's leaf, the first one among equally frequent ones."""
        return self.counts[self.apply(X)].argmax(axis=1)


class Examples(NamedTuple):
    """The training examples: features by column, classes as numbers, and the rows that are in each node of a tree.

    Node v has `rows[start[v]:end[v]]`, and its children share them, the left one first.
    """

    columns: np.ndarray
    classes: np.ndarray
    rows: np.ndarray
    start: np.ndarray
    end: np.ndarray


@inner
def partition(rows, goes_left, buffer):
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


@inner
def leaf_of(tree, top, columns, row):
    node = top
    while tree.feature[node] >= 0:
        node = tree.left[node] if columns[tree.feature[node], row] <= tree.threshold[node] else tree.right[node]
    return node


@kernel
def _find_leaves(tree, columns, leaves):
    for row in range(len(leaves)):
        leaves[row] = leaf_of(tree, np.int64(0), columns, row)


def reachable(tree: Tree) -> Tree:
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
