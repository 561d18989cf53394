"""Pruning a C4.5 tree by pessimistic estimates of its errors, with subtree raising (Quinlan 1993, chapter 4)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from labelknn.solvers._c45_tree import EQUAL, Examples, Tree, leaf_of, partition
from labelknn.utils._kernels import inner, kernel

# When J48 takes a simpler tree for as good.
_AS_GOOD = 0.1


def collapse(tree: Tree) -> None:
    """Make a leaf of each node whose subtree makes no fewer errors on the training data."""
    _collapse(tree, np.empty(len(tree.feature), np.int64))


@kernel
def _collapse(tree, errors):
    for node in range(len(errors) - 1, -1, -1):
        as_leaf = _size_and_errors(tree.counts[node])[1]
        errors[node] = as_leaf
        if tree.feature[node] >= 0:
            errors[node] = errors[tree.left[node]] + errors[tree.right[node]]
            if errors[node] == as_leaf:
                tree.feature[node] = -1


class _Scratch(NamedTuple):
    """What pruning needs beside the tree.

    waiting : room for each node twice; below : for each node; leaves, goes_left, buffer : for each example.
    """

    waiting: np.ndarray
    below: np.ndarray
    leaves: np.ndarray
    goes_left: np.ndarray
    buffer: np.ndarray


def prune(tree: Tree, examples: Examples, confidence: float, z: float) -> None:
    """Pessimistic pruning with subtree raising, in place: nodes cut off remain in the arrays, out of reach.

    `z` is the quantile of the standard normal that `confidence` of its mass exceeds.
    """
    nodes, n = len(tree.feature), len(examples.classes)
    leaves, buffer = np.empty((2, n), np.int32)
    waiting, below = np.empty(2 * nodes, np.int64), np.empty(nodes, np.int64)
    _prune(tree, examples, float(confidence), float(z), _Scratch(waiting, below, leaves, np.zeros(n, np.bool_), buffer))


@kernel
def _prune(tree, examples, confidence, z, scratch):
    waiting = scratch.waiting
    count, waiting[0] = 1, 0
    while count:
        count -= 1
        # The complement of a node says that its children are done.
        children_are_done = waiting[count] < 0
        node = ~waiting[count] if children_are_done else waiting[count]
        if tree.feature[node] < 0:
            continue
        left, right = tree.left[node], tree.right[node]
        if not children_are_done:
            waiting[count], waiting[count + 1], waiting[count + 2] = ~node, left, right
            count += 3
            continue
        larger, smaller = right, left
        if _size_and_errors(tree.counts[left])[0] > _size_and_errors(tree.counts[right])[0]:
            larger, smaller = left, right
        as_leaf = expected_errors(tree.counts[node], confidence, z)
        as_tree = _subtree_errors(tree, node, confidence, z, scratch)
        as_branch = _raised_errors(tree, examples, larger, smaller, confidence, z, scratch)
        if as_leaf <= min(as_tree, as_branch) + _AS_GOOD + EQUAL:
            tree.feature[node] = -1
        elif as_branch <= as_tree + _AS_GOOD + EQUAL:
            _raise(tree, examples, node, larger, scratch)
            waiting[count] = node
            count += 1


@inner
def _size_and_errors(counts):
    """How many examples a node has, and how many of them are not of its most frequent class."""
    size, largest = 0, 0
    for count in counts:
        size += count
        if count > largest:
            largest = count
    return size, size - largest


@inner
def expected_errors(counts, confidence, z):
    """Upper limit of the number of errors that a leaf makes on as many new examples as it has (Quinlan 1993, ch. 4).

    Without errors the binomial limit, otherwise Wilson's with half an error added for continuity.
    """
    n, errors = _size_and_errors(counts)
    if errors == 0:
        return n * (1 - confidence ** (1 / n))
    share = (errors + 0.5) / n
    deviation = z * math.sqrt(share / n - share**2 / n + z**2 / (4 * n**2))
    return n * (share + z**2 / (2 * n) + deviation) / (1 + z**2 / n)


@inner
def _subtree_errors(tree, top, confidence, z, scratch):
    errors, below = 0.0, scratch.below
    count, below[0] = 1, top
    while count:
        count -= 1
        node = below[count]
        if tree.feature[node] < 0:
            errors += expected_errors(tree.counts[node], confidence, z)
        else:
            below[count], below[count + 1] = tree.left[node], tree.right[node]
            count += 2
    return errors


@inner
def _raised_errors(tree, examples, larger, smaller, confidence, z, scratch):
    """Expected errors of the larger branch once the smaller one's examples have fallen into its leaves."""
    columns, classes, rows, start, end = examples
    for i in range(start[smaller], end[smaller]):
        leaf = leaf_of(tree, np.int64(larger), columns, rows[i])
        scratch.leaves[i] = leaf
        tree.counts[leaf, classes[rows[i]]] += 1
    errors = _subtree_errors(tree, np.int64(larger), confidence, z, scratch)
    for i in range(start[smaller], end[smaller]):
        tree.counts[scratch.leaves[i], classes[rows[i]]] -= 1
    return errors


@inner
def _raise(tree, examples, top, branch, scratch):
    """Put a branch in the place of its parent `top` and sort the parent's examples into it."""
    columns, classes, rows, start, end = examples
    tree.feature[top], tree.threshold[top] = tree.feature[branch], tree.threshold[branch]
    tree.left[top], tree.right[top] = tree.left[branch], tree.right[branch]
    below, goes_left = scratch.below, scratch.goes_left
    count, below[0] = 1, top
    while count:
        count -= 1
        node = below[count]
        for c in range(tree.counts.shape[1]):
            tree.counts[node, c] = 0
        for i in range(start[node], end[node]):
            tree.counts[node, classes[rows[i]]] += 1
        if tree.feature[node] < 0:
            continue
        for i in range(start[node], end[node]):
            goes_left[rows[i]] = columns[tree.feature[node], rows[i]] <= tree.threshold[node]
        left, right = tree.left[node], tree.right[node]
        middle = start[node] + partition(rows[start[node] : end[node]], goes_left, scratch.buffer)
        start[left], end[left] = start[node], middle
        start[right], end[right] = middle, end[node]
        below[count], below[count + 1] = left, right
        count += 2
