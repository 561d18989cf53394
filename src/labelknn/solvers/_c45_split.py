"""Growing a C4.5 tree: the threshold with the highest gain of each feature, the feature with the highest gain ratio."""

from __future__ import annotations

import math

import numba
import numpy as np

from labelknn.solvers._c45_tree import EQUAL, Examples, Tree, partition

# When J48 takes two values for one, and a gain for average.
_SAME_VALUE = 1e-5
_NEARLY_AVERAGE = 1e-3

# However large the node, C4.5 asks for no more examples than this on each side of a threshold.
_MOST_ASKED = 25


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
    used = _split_all(tree, start, end, rows_by_value, columns, sorted_columns, classes, min_leaf, information_of(n))
    tree = Tree(*(array[:used] for array in tree))
    return tree, Examples(columns, classes, rows_by_value[0], start[:used], end[:used])


def information_of(n: int) -> np.ndarray:
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
        feature, size, threshold = best_split(rows, columns, classes, counts, min_leaf, information)
        if feature < 0:
            continue
        place = np.searchsorted(sorted_columns[feature], threshold, side="right")
        tree.feature[node], tree.threshold[node] = feature, sorted_columns[feature, place - 1]
        goes_left[rows[feature, :size]] = True
        for other in rows:
            partition(other, goes_left, buffer)
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
def best_split(rows_by_value, columns, classes, counts, min_leaf, information):
    """The feature with the best gain ratio, -1 if none can be used, the size of its left side, and the threshold."""
    features = len(columns)
    gains, ratios = np.zeros(features), np.zeros(features)
    sizes, thresholds = np.zeros(features, np.int64), np.zeros(features)
    for feature in range(features):
        gains[feature], ratios[feature], sizes[feature], thresholds[feature] = best_threshold(
            rows_by_value[feature], columns[feature], classes, counts, min_leaf, information
        )
    usable = sizes > 0
    best, best_ratio = -1, 0.0
    if usable.any():
        enough = gains.sum() / usable.sum() - _NEARLY_AVERAGE
        for feature in range(features):
            if usable[feature] and gains[feature] >= enough and ratios[feature] > best_ratio + EQUAL:
                best, best_ratio = feature, ratios[feature]
    return best, sizes[best], thresholds[best]


@numba.njit(cache=True)
def best_threshold(rows, values, classes, counts, min_leaf, information):
    """Of one feature: lowered gain, gain ratio, size of the left side, threshold; all 0 if the feature is of no use."""
    n = len(rows)
    asked = max(min_leaf, math.ceil(min(_MOST_ASKED, n / (10 * len(counts))) - EQUAL))
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
