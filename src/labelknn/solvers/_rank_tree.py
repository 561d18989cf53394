"""Growing a binary tree that partitions rankings (cheng2009, section 5).

Cost: each feature is sorted once, and the sorted rows are partitioned at each split as in CART; a level of the tree
takes O(n d q²) operations. Memory: about q² / 2 + 25 q + 12 d + 80 bytes for each example.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np

from labelknn.ranking.stats._completion import most_probable_extension
from labelknn.ranking.stats._mallows import spread
from labelknn.solvers._rank_tree_criterion import Rules, mean_distance, spread_splines
from labelknn.solvers._rank_tree_split import Rankings, best_split, center_order, count_labels, pair_signs, summarize


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
        return _descend(X, self.feature, self.threshold, self.left, self.right)


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
    splines = spread_splines(q, float(cap), bool(observed.all()))
    deepest = len(X) if max_depth is None else max_depth
    rules = Rules(criterion, float(smoothing), float(cap), min_leaf, deepest, splines)
    feature, threshold, left, right, parent, size, theta, centers = _grow(rows, values, rankings, rules)
    ranks = _complete_from_predecessors(centers, parent)
    return Tree(feature, threshold, left, right, parent, size, theta, ranks)


@numba.njit(cache=True)
def _grow(rows_by_value, sorted_values, rankings, rules):
    """The arrays of `Tree`, with the ranking of each node's own labels only: 0 where none of its examples has one."""
    n, q = rankings.observed.shape
    most = 2 * n - 1
    feature, parent = np.full(most, -1, np.int32), np.full(most, -1, np.int32)
    left, right = np.full(most, -1, np.int32), np.full(most, -1, np.int32)
    size, threshold, theta = np.zeros(most, np.int32), np.full(most, np.nan), np.zeros(most)
    orders, centers = np.empty((most, q), np.int32), np.zeros((most, q), np.int64)
    by_index = np.arange(q).astype(np.int32)
    places, row_buffer, value_buffer = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n)
    nodes, waiting = 1, [(0, 0, n, 0)]
    while waiting:
        this, start, end, depth = waiting.pop()
        # Where nothing orders a child's labels, they come as in the parent of the node that is split.
        above = parent[this]
        ties_of_children = orders[above] if above >= 0 else by_index
        ties = orders[parent[above]] if above > 0 else by_index
        node = summarize(start, end, rankings)
        signs, counts, pairs = node
        agreement = center_order(orders[this], signs, ties)
        size[this] = end - start
        _write_ranks(centers[this], orders[this], counts, this == 0)
        labels = count_labels(counts)
        distance = mean_distance(end - start, pairs, agreement, labels, rules.smoothing)
        theta[this] = min(spread(distance, labels), rules.cap)
        if depth == rules.max_depth or np.abs(signs).sum() == pairs:
            continue
        chosen, count = best_split(
            rows_by_value, sorted_values, start, end, rankings, rules, node, agreement, ties_of_children
        )
        if chosen < 0:
            continue
        feature[this], threshold[this] = chosen, sorted_values[chosen, start + count - 1]
        _partition(rows_by_value, sorted_values, start, end, chosen, count, rankings, places, row_buffer, value_buffer)
        left[this], right[this] = nodes, nodes + 1
        parent[nodes], parent[nodes + 1] = this, this
        waiting.append((nodes + 1, start + count, end, depth + 1))
        waiting.append((nodes, start, start + count, depth + 1))
        nodes += 2
    kept = slice(nodes)
    return feature[kept], threshold[kept], left[kept], right[kept], parent[kept], size[kept], theta[kept], centers[kept]


@numba.njit(cache=True)
def _partition(rows_by_value, sorted_values, start, end, feature, count, rankings, places, row_buffer, value_buffer):
    """Renumber a node's rows by the chosen feature, whose first `count` are the left child's; both stay sorted.

    A node's rows so have neighbouring numbers, and what is known of them stays together in memory: looking it up in the
    order of a feature would otherwise miss the processor's caches the more often the more rows there are.
    """
    chosen = rows_by_value[feature, start:end].copy()
    for i in range(len(chosen)):
        places[chosen[i]] = start + i
    for other in range(len(rows_by_value)):
        rows, values = rows_by_value[other], sorted_values[other]
        kept, moved = start, 0
        for i in range(start, end):
            place, value = places[rows[i]], values[i]
            # Both are written and one of them counts, since no processor can predict where a row goes.
            rows[kept], values[kept] = place, value
            row_buffer[moved], value_buffer[moved] = place, value
            left = place < start + count
            kept += left
            moved += not left
        rows[kept:end], values[kept:end] = row_buffer[:moved], value_buffer[:moved]
    rankings.signs[start:end] = rankings.signs[chosen]
    rankings.observed[start:end] = rankings.observed[chosen]
    rankings.pairs[start:end] = rankings.pairs[chosen]


@numba.njit(cache=True)
def _write_ranks(ranks, order, counts, all_labels):
    """The ranks of the labels that occur; with `all_labels`, as in the root, the others stand in the middle."""
    occurring = count_labels(counts)
    middle = (occurring + 1) // 2
    others = len(order) - occurring if all_labels else 0
    rank, other = 0, middle
    for label in order:
        if counts[label] > 0:
            rank += 1
            ranks[label] = rank if rank <= middle else rank + others
        elif all_labels:
            other += 1
            ranks[label] = other


@numba.njit(cache=True)
def _complete_from_predecessors(centers, parent):
    """Section 5.2: a node's ranking, expanded by each predecessor in turn that has labels which it still lacks.

    A node's labels are labels of its predecessors too, so one with more labels has labels that the node lacks; one
    without changes nothing. The root has them all.
    """
    ranks = centers.copy()
    for node in range(len(ranks)):
        predecessor = parent[node]
        while ranks[node].min() == 0:
            ranks[node] = most_probable_extension(ranks[node], centers[predecessor])
            predecessor = parent[predecessor]
    return ranks


@numba.njit(cache=True)
def _descend(X, feature, threshold, left, right):
    leaves = np.empty(len(X), np.intp)
    for i in range(len(X)):
        node = 0
        while feature[node] >= 0:
            node = left[node] if X[i, feature[node]] <= threshold[node] else right[node]
        leaves[i] = node
    return leaves
