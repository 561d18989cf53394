"""Growing a C4.5 tree: the threshold with the highest gain of each feature, the feature with the highest gain ratio."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from labelknn.solvers._c45_tree import EQUAL, Examples, Tree, partition
from labelknn.utils._kernels import inner, kernel

# When J48 takes two values for one, and a gain for average.
_SAME_VALUE = 1e-5
_NEARLY_AVERAGE = 1e-3

# However large the node, C4.5 asks for no more examples than this on each side of a threshold.
_MOST_ASKED = 25


class _Scratch(NamedTuple):
    """What growing needs beside its result.

    waiting : room for all nodes; goes_left, buffer : for all examples; left, right : for all classes.
    gains, ratios, sizes, thresholds : for all features, what `best_threshold` says of them.
    """

    waiting: np.ndarray
    goes_left: np.ndarray
    buffer: np.ndarray
    left: np.ndarray
    right: np.ndarray
    gains: np.ndarray
    ratios: np.ndarray
    sizes: np.ndarray
    thresholds: np.ndarray


def grow(columns: np.ndarray, classes: np.ndarray, q: int, min_leaf: int) -> tuple[Tree, Examples]:
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
    left, right = np.empty((2, q), np.int32)
    gains, ratios, thresholds = np.empty((3, len(columns)))
    sizes, waiting = np.empty(len(columns), np.int64), np.empty(most, np.int64)
    goes_left, buffer = np.zeros(n, np.bool_), np.empty(n, np.int32)
    scratch = _Scratch(waiting, goes_left, buffer, left, right, gains, ratios, sizes, thresholds)
    used = _split_all(
        tree, start, end, rows_by_value, columns, sorted_columns, classes, min_leaf, information_of(n), scratch
    )
    tree = Tree(*(array[:used] for array in tree))
    return tree, Examples(columns, classes, rows_by_value[0], start[:used], end[:used])


def information_of(n: int) -> np.ndarray:
    """i log2 i for i = 0..n: the entropy of n examples, n_c of them of class c, is (n log2 n − Σ n_c log2 n_c) / n."""
    counts = np.arange(n + 1)
    return counts * np.log2(np.maximum(counts, 1))


@kernel
def _split_all(tree, start, end, rows_by_value, columns, sorted_columns, classes, min_leaf, information, scratch):
    """Split nodes until all that remain are leaves; returns how many nodes the tree has."""
    waiting, goes_left, buffer = scratch[:3]
    nodes, count, waiting[0] = 1, 1, 0
    end[0] = len(classes)
    while count:
        count -= 1
        node = waiting[count]
        first, last = start[node], end[node]
        if not _is_mixed(rows_by_value[0, first:last], classes, tree.counts[node], min_leaf):
            continue
        feature = _best_split(
            rows_by_value, first, last, columns, classes, tree.counts[node], min_leaf, information, scratch
        )
        if feature < 0:
            continue
        size, threshold = scratch.sizes[feature], scratch.thresholds[feature]
        place = _count_up_to(sorted_columns[feature], threshold)
        tree.feature[node], tree.threshold[node] = feature, sorted_columns[feature, place - 1]
        middle = first + size
        for i in range(first, middle):
            goes_left[rows_by_value[feature, i]] = True
        for other in range(len(columns)):
            partition(rows_by_value[other, first:last], goes_left, buffer)
        for i in range(first, middle):
            goes_left[rows_by_value[feature, i]] = False
        tree.left[node], tree.right[node] = nodes, nodes + 1
        start[nodes], end[nodes] = first, middle
        start[nodes + 1], end[nodes + 1] = middle, last
        waiting[count], waiting[count + 1] = nodes + 1, nodes
        count += 2
        nodes += 2
    return nodes


@inner
def _is_mixed(rows, classes, counts, min_leaf):
    """Count the classes of the rows; returns whether a split is worth looking for."""
    largest = 0
    for row in rows:
        counts[classes[row]] += 1
    for count in counts:
        if count > largest:
            largest = count
    return len(rows) >= 2 * min_leaf and largest < len(rows)


@inner
def _best_split(rows_by_value, first, last, columns, classes, counts, min_leaf, information, scratch):
    """The feature with the best gain ratio, -1 if none can be used."""
    left, right, gains, ratios, sizes, thresholds = scratch[3:]
    usable, total = 0, 0.0
    for feature in range(len(columns)):
        gains[feature], ratios[feature], sizes[feature], thresholds[feature] = best_threshold(
            rows_by_value[feature, first:last], columns[feature], classes, counts, min_leaf, information, left, right
        )
        usable += sizes[feature] > 0
        total += gains[feature]
    best, best_ratio = -1, 0.0
    if usable:
        enough = total / usable - _NEARLY_AVERAGE
        for feature in range(len(columns)):
            if sizes[feature] > 0 and gains[feature] >= enough and ratios[feature] > best_ratio + EQUAL:
                best, best_ratio = feature, ratios[feature]
    return best


@inner
def best_threshold(rows, values, classes, counts, min_leaf, information, left, right):
    """Of one feature: lowered gain, gain ratio, size of the left side, threshold; all 0 if the feature is of no use.

    left, right : room for the numbers of examples of each class on each side.
    """
    n = len(rows)
    asked = math.ceil(min(_MOST_ASKED, n / (10 * len(counts))) - EQUAL)
    if asked < min_leaf:
        asked = min_leaf
    left_information, right_information = 0.0, 0.0
    for c in range(len(counts)):
        left[c], right[c] = 0, counts[c]
        right_information += information[counts[c]]
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
        if gain > best_gain + EQUAL:
            best_gain, best_size = gain, size
    if best_size == 0:
        return 0.0, 0.0, 0, 0.0
    gain = best_gain - math.log2(tried) / n
    if gain < EQUAL:
        return 0.0, 0.0, 0, 0.0
    split_entropy = (information[n] - information[best_size] - information[n - best_size]) / n
    threshold = (values[rows[best_size - 1]] + values[rows[best_size]]) / 2
    return gain, gain / split_entropy, best_size, threshold


@inner
def _count_up_to(increasing, bound):
    """How many of the values are at most `bound`."""
    low, high = 0, len(increasing)
    while low < high:
        middle = (low + high) // 2
        if increasing[middle] <= bound:
            low = middle + 1
        else:
            high = middle
    return low
