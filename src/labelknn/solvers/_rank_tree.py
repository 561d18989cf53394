"""Growing a binary tree that partitions rankings (cheng2009, section 5).

Cost: each feature is sorted once, and the sorted rows are partitioned at each split as in CART; a level of the tree
takes O(n d q²) operations. Memory: about q² / 2 + 25 q + 12 d + 80 bytes for each example.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from labelknn.ranking.stats._completion import extend_into
from labelknn.ranking.stats._mallows import spreads
from labelknn.solvers._rank_tree_criterion import Rules, mean_distance, spread_splines, worth_limits
from labelknn.solvers._rank_tree_split import (
    Rankings,
    best_split,
    center_order,
    count_labels,
    empty_sums,
    is_pure,
    pair_signs,
    summarize,
)
from labelknn.utils._kernels import inner, kernel


@dataclass(frozen=True)
class Tree:
    """A binary tree in arrays, one entry for each node; node 0 is the root, and parents come before their children.

    feature, threshold : an example goes left if its feature is at most the threshold; feature -1 marks a leaf.
    left, right, parent : node numbers, -1 where there is none.
    size : number of training examples in the node.
    spread : θ of the Mallows model of the node's rankings, smoothed, at most the cap.
    ranks : (nodes, q) ranking of all labels, completed from the predecessors where the node's examples lack some.
    """

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    parent: np.ndarray
    size: np.ndarray
    spread: np.ndarray
    ranks: np.ndarray

    @property
    def leaves(self) -> np.ndarray:
        """The leaves' node numbers."""
        return np.flatnonzero(self.feature < 0)

    def depths(self) -> np.ndarray:
        """Each node's distance from the root."""
        depths = np.zeros(len(self.parent), np.intp)
        for node in range(1, len(depths)):
            depths[node] = depths[self.parent[node]] + 1
        return depths

    def apply(self, X: np.ndarray) -> np.ndarray:
        """The leaf that each row of X falls into."""
        leaves = np.empty(len(X), np.intp)
        _descend(X, self.feature, self.threshold, self.left, self.right, leaves)
        return leaves


def grow(
    X: np.ndarray,
    ranks: np.ndarray,
    criterion: int,
    smoothing: float = 1.0,
    cap: float = 20.0,
    min_leaf: int = 2,
    max_depth: int | None = None,
) -> Tree:
    """A tree on the rows of X and their rankings, whose m observed labels have the ranks 1..m and the others 0.

    A node is split where that gains most, unless it is `max_depth` below the root, or pure, or nothing is gained by any
    split into children of at least `min_leaf` examples and one observed pair of labels. `ranks` needs a pair.
    """
    q = ranks.shape[1]
    values = np.ascontiguousarray(X.T)
    rows = np.argsort(values, axis=1, kind="stable").astype(np.int32)
    values = np.take_along_axis(values, rows, axis=1)
    signs = pair_signs(ranks)
    observed = (ranks > 0).astype(np.int8)
    rankings = Rankings(signs, observed, np.count_nonzero(signs, axis=1))
    cap, complete = float(cap), bool(observed.all())
    splines, limits = spread_splines(q, cap, complete), worth_limits(q, criterion, cap, complete)
    deepest = len(X) if max_depth is None else max_depth
    rules = Rules(criterion, float(smoothing), cap, min_leaf, deepest, splines, limits)
    nodes, scratch = _unwritten(len(X), q), _Scratch._make(map(np.empty_like, (rows[0], rows[0], values[0], *rankings)))
    grown = slice(_grow(rows, values, rankings, rules, nodes, empty_sums(q), scratch))
    nodes = _Nodes._make(array[grown] for array in nodes)
    ranks = nodes.centers.copy()
    if not ranks.all():
        _complete_from_predecessors(nodes.centers, nodes.parent, ranks, *np.empty((5, q), np.int64))
    theta = np.minimum(spreads(nodes.distance, nodes.labels), cap)
    return Tree(nodes.feature, nodes.threshold, nodes.left, nodes.right, nodes.parent, nodes.size, theta, ranks)


class _Nodes(NamedTuple):
    """What is known of nodes, beside the arrays of `Tree`; the last entry stands for what is above the root.

    start, depth : the first of its rows, and its distance from the root.
    orders : its labels, best first.
    centers : the ranking of its own labels only: 0 where none of its examples has one.
    labels : how many of them there are.
    distance : the mean distance of its rankings from the centre.
    """

    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    parent: np.ndarray
    size: np.ndarray
    start: np.ndarray
    depth: np.ndarray
    orders: np.ndarray
    centers: np.ndarray
    labels: np.ndarray
    distance: np.ndarray


def _unwritten(n: int, q: int) -> _Nodes:
    """As many as a tree of n rows can have."""
    most = 2 * n
    feature, left, right, parent = np.full((4, most), -1, np.int32)
    size, start, depth, labels = np.zeros((4, most), np.int32)
    threshold, distance = np.full((2, most), np.nan)
    orders, centers = np.tile(np.arange(q, dtype=np.int32), (most, 1)), np.zeros((most, q), np.int64)
    return _Nodes(feature, threshold, left, right, parent, size, start, depth, orders, centers, labels, distance)


class _Scratch(NamedTuple):
    """Room for all rows: their places after a split, the rows and the values on its right side, and rankings."""

    places: np.ndarray
    rows: np.ndarray
    values: np.ndarray
    signs: np.ndarray
    observed: np.ndarray
    pairs: np.ndarray


@kernel
def _grow(rows_by_value, sorted_values, rankings, rules, nodes, sums, scratch):
    """Write the nodes of a tree, and return their number; what is below a left child comes before the right one."""
    feature, threshold, parent = nodes.feature, nodes.threshold, nodes.parent
    nodes.size[0] = len(rankings.pairs)
    written, this = 1, 0
    while this >= 0:
        start, above, order = np.int64(nodes.start[this]), parent[this], nodes.orders[this]
        end = start + nodes.size[this]
        pairs = summarize(start, end, rankings, sums)
        # Where nothing orders a child's labels, they come as in the parent of the node that is split.
        agreement = center_order(order, sums.signs, nodes.orders[parent[above]], sums)
        _write_ranks(nodes.centers[this], order, sums.counts, this == 0)
        labels = count_labels(sums.counts)
        nodes.labels[this] = labels
        nodes.distance[this] = mean_distance(end - start, pairs, agreement, labels, rules.smoothing)
        chosen, count = -1, 0
        if nodes.depth[this] < rules.max_depth and not is_pure(sums, pairs):
            chosen, count = best_split(
                rows_by_value, sorted_values, start, end, rankings, rules, sums, pairs, agreement, nodes.orders[above]
            )
        if chosen >= 0:
            feature[this], threshold[this] = chosen, sorted_values[chosen, start + count - 1]
            _partition(rows_by_value, sorted_values, start, end, chosen, count, rankings, scratch)
            nodes.left[this], nodes.right[this] = written, written + 1
            for child in range(written, written + 2):
                parent[child], nodes.depth[child] = this, nodes.depth[this] + 1
            nodes.start[written], nodes.size[written] = start, count
            nodes.start[written + 1], nodes.size[written + 1] = start + count, end - start - count
            this = written
            written += 2
        else:
            # Left children have odd numbers: after the last node below one, its right sibling is next.
            while this >= 0 and this % 2 == 0:
                this = parent[this]
            this += this >= 0
    return written


@inner
def _partition(rows_by_value, sorted_values, start, end, feature, count, rankings, scratch):
    """Renumber a node's rows by the chosen feature, whose first `count` are the left child's; both stay sorted.

    A node's rows so have neighbouring numbers, and what is known of them stays together in memory: looking it up in the
    order of a feature would otherwise miss the processor's caches the more often the more rows there are.
    """
    places = scratch.places
    for i in range(start, end):
        row = rows_by_value[feature, i]
        places[row] = i
        scratch.pairs[i] = rankings.pairs[row]
        for pair in range(rankings.signs.shape[1]):
            scratch.signs[i, pair] = rankings.signs[row, pair]
        for label in range(rankings.observed.shape[1]):
            scratch.observed[i, label] = rankings.observed[row, label]
    for i in range(start, end):
        rankings.pairs[i] = scratch.pairs[i]
        for pair in range(rankings.signs.shape[1]):
            rankings.signs[i, pair] = scratch.signs[i, pair]
        for label in range(rankings.observed.shape[1]):
            rankings.observed[i, label] = scratch.observed[i, label]
    for other in range(len(rows_by_value)):
        rows, values = rows_by_value[other], sorted_values[other]
        kept, moved = start, 0
        for i in range(start, end):
            place, value = places[rows[i]], values[i]
            # Both are written and one of them counts, since no processor can predict where a row goes.
            rows[kept], values[kept] = place, value
            scratch.rows[moved], scratch.values[moved] = place, value
            left = place < start + count
            kept += left
            moved += not left
        for i in range(moved):
            rows[kept + i], values[kept + i] = scratch.rows[i], scratch.values[i]


@inner
def _write_ranks(ranks, order, counts, all_labels):
    """The ranks of the labels that occur; with `all_labels`, as in the root, the others stand in the middle."""
    occurring = count_labels(counts)
    middle = (occurring + 1) // 2
    others = len(order) - occurring if all_labels else 0
    rank, other = 0, middle
    for place in range(len(order)):
        label = order[place]
        if counts[label] > 0:
            rank += 1
            ranks[label] = rank if rank <= middle else rank + others
        elif all_labels:
            other += 1
            ranks[label] = other


@kernel
def _complete_from_predecessors(centers, parent, ranks, completed, order, center_order, waiting, behind):
    """Section 5.2: a node's ranking, expanded by each predecessor in turn that has labels which it still lacks.

    A node's labels are labels of its predecessors too, so one with more labels has labels that the node lacks; one
    without changes nothing. The root has them all.
    """
    q = ranks.shape[1]
    for node in range(len(ranks)):
        m, predecessor = _best_first(ranks[node], order), parent[node]
        while m < q:
            center = centers[predecessor]
            occurring = _best_first(center, center_order)
            extend_into(completed, ranks[node], order, m, center, center_order, occurring, waiting, behind)
            for place in range(m):
                ranks[node, order[place]] = completed[order[place]]
            for place in range(occurring):
                ranks[node, center_order[place]] = completed[center_order[place]]
            m, predecessor = _best_first(ranks[node], order), parent[predecessor]


@inner
def _best_first(ranks, order):
    """Write the labels that a ranking has in the order of their ranks 1..m, and return m."""
    m = 0
    for label in range(len(ranks)):
        if ranks[label] > 0:
            order[ranks[label] - 1] = label
            m += 1
    return m


@kernel
def _descend(X, feature, threshold, left, right, leaves):
    for i in range(len(X)):
        node = 0
        while feature[node] >= 0:
            node = left[node] if X[i, feature[node]] <= threshold[node] else right[node]
        leaves[i] = node
