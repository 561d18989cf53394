"""Pruning a C4.5 tree by pessimistic estimates of its errors, with subtree raising (Quinlan 1993, chapter 4)."""

from __future__ import annotations

import math

import numba
import numpy as np

from labelknn.solvers._c45_tree import EQUAL, leaf_of, partition

# When J48 takes a simpler tree for as good.
_AS_GOOD = 0.1


@numba.njit(cache=True)
def collapse(tree):
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
def prune(tree, examples, confidence, z):
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
        as_leaf = expected_errors(tree.counts[node], confidence, z)
        as_tree = _subtree_errors(tree, node, confidence, z)
        as_branch = _raised_errors(tree, examples, larger, smaller, confidence, z)
        if as_leaf <= min(as_tree, as_branch) + _AS_GOOD + EQUAL:
            tree.feature[node] = -1
        elif as_branch <= as_tree + _AS_GOOD + EQUAL:
            _raise(tree, examples, node, larger)
            waiting.append((node, False))


@numba.njit(cache=True)
def expected_errors(counts, confidence, z):
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
            errors += expected_errors(tree.counts[node], confidence, z)
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
        leaves[i] = leaf_of(tree, larger, examples.columns, row)
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
        middle = start[node] + partition(here, goes_left, buffer)
        start[left], end[left] = start[node], middle
        start[right], end[right] = middle, end[node]
        waiting.append(left)
        waiting.append(right)
