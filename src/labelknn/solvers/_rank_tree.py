"""Growing a binary tree that partitions rankings: the split search of cheng2009, section 5.1, by prefix sums.

A ranking enters as a row of signs, one for each pair i < j of labels: +1 if it puts i before j, -1 if after, 0 if one
of them is missing. Their sums S over a set of rankings, with the number N of observed pairs, tell all that is needed:

* the centre of the set, see `_center`;
* its *agreement* with them, the concordant minus the discordant pairs, so that the share of discordant pairs is
  (N − agreement) / 2N;
* no ranking agrees more than the sum of the |S|, and the set is pure, i.e. its rankings contradict each other nowhere,
  if and only if that sum is N.

Along the sorted values of a feature one example after the other moves from the right side to the left, and the sums
follow. Where even the largest agreements would not make the best split so far, the centres need not be found. All of
these are integers, so the split found does not depend on the way the sums were formed.

Cost: each feature is sorted once, and the sorted rows are partitioned at each split as in CART; a level of the tree
takes O(n d q²) operations. Memory: about q² / 2 + 25 q + 12 d + 80 bytes for each example.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numba
import numpy as np
from scipy.interpolate import CubicSpline

from labelknn.ranking.stats._completion import most_probable_extension
from labelknn.ranking.stats._mallows import expected_distance, spread

MALLOWS, CONCORDANCE = 0, 1

# A gain up to this, for each unit of the node's weight, is none: Weka's tolerance, which the authors' program compares
# with. It is above the error of the interpolated spread.
_SMALLEST_GAIN = 1e-6

_KNOTS = 1025


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


class _Rankings(NamedTuple):
    """All training rankings, by row; `pairs` is the number of label pairs that each has."""

    signs: np.ndarray
    observed: np.ndarray
    pairs: np.ndarray


class _Rules(NamedTuple):
    """How to judge a split and when to stop; `splines` has the coefficients of `_spread_spline` by number of labels."""

    criterion: int
    smoothing: float
    cap: float
    min_leaf: int
    splines: np.ndarray


def grow(
    X: np.ndarray, ranks: np.ndarray, criterion: int, smoothing: float = 1.0, cap: float = 20.0, min_leaf: int = 2
) -> Tree:
    """A tree on the rows of X and their rankings, whose m observed labels have the ranks 1..m and the others 0.

    A node is split where that gains most, unless it is pure or nothing is gained by any split into children of at least
    `min_leaf` examples and one observed pair of labels. `ranks` needs a pair.
    """
    q = ranks.shape[1]
    values = np.ascontiguousarray(X.T)
    rows = np.argsort(values, axis=1, kind="stable").astype(np.int32)
    values = np.take_along_axis(values, rows, axis=1)
    signs = _pair_signs(ranks)
    observed = (ranks > 0).astype(np.int8)
    rankings = _Rankings(signs, observed, np.count_nonzero(signs, axis=1))
    splines = _spread_splines(q, float(cap), bool(observed.all()))
    rules = _Rules(criterion, float(smoothing), float(cap), min_leaf, splines)
    feature, threshold, left, right, parent, size, theta, centers = _grow(rows, values, rankings, rules)
    ranks = _complete_from_predecessors(centers, parent)
    return Tree(feature, threshold, left, right, parent, size, theta, ranks)


def _pair_signs(ranks: np.ndarray) -> np.ndarray:
    first, second = np.triu_indices(ranks.shape[1], 1)
    signs = np.empty((len(ranks), len(first)), np.int8)
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        signs[:, pair] = np.sign(ranks[:, j] - ranks[:, i]) * ((ranks[:, i] > 0) & (ranks[:, j] > 0))
    return signs


def _spread_splines(q: int, cap: float, complete_rankings: bool) -> np.ndarray:
    splines = np.zeros((q + 1, 2 + 4 * (_KNOTS - 1)))
    for labels in range(q if complete_rankings else 2, q + 1):
        if labels > 1:
            splines[labels] = _spread_spline(labels, cap)
    return splines


@lru_cache(maxsize=256)
def _spread_spline(labels: int, cap: float) -> np.ndarray:
    """θ as a cubic spline in the logarithm of the mean distance, from where θ is `cap` to where it is 0.

    Solving for θ at every candidate split would take most of the time; the spline is off by less than 1e-9 at a cap of
    5 and 1e-7 at a cap of 20. Returned are the first knot, the number of knots by unit, and the four coefficients of
    each interval, highest power first.
    """
    farthest = labels * (labels - 1) / 4
    knots = np.linspace(np.log(expected_distance(cap, labels)), np.log(farthest), _KNOTS)
    theta = np.array([spread(distance, labels) for distance in np.exp(knots)])
    return np.concatenate([[knots[0], 1 / (knots[1] - knots[0])], CubicSpline(knots, theta).c.T.ravel()])


@numba.njit(cache=True)
def _capped_spread(mean_distance, labels, cap, splines):
    first, density = splines[labels, 0], splines[labels, 1]
    position = (math.log(mean_distance) - first) * density if mean_distance > 0 else 0.0
    if position <= 0:
        return cap
    interval = int(position)
    if interval >= _KNOTS - 1:
        return 0.0
    t = (position - interval) / density
    a, b, c, d = splines[labels, 2 + 4 * interval : 6 + 4 * interval]
    return ((a * t + b) * t + c) * t + d


@numba.njit(cache=True)
def _mean_distance(size, pairs, agreement, labels, smoothing):
    """Mean distance from the centre: the share of discordant pairs among the observed ones, times all pairs.

    The share is that after `smoothing` more rankings of as many pairs as the others have on average, in random order.
    """
    share = (pairs - agreement) / (2.0 * pairs)
    return (size * share + smoothing / 2) / (size + smoothing) * (labels * (labels - 1) / 2)


@numba.njit(cache=True)
def _worth(rules, size, pairs, agreement, labels):
    """What a set of rankings adds to the criterion; a split's gain is its children's worth minus the node's.

    MALLOWS: |T| θ as in equation (6), whose factor |T|^-1 is the same for all splits of a node. CONCORDANCE: the number
    of observed pairs times the logarithm of the share that agrees with the centre.
    """
    if rules.criterion == CONCORDANCE:
        return pairs * np.log2((pairs + agreement) / (2.0 * pairs))
    distance = _mean_distance(size, pairs, agreement, labels, rules.smoothing)
    return size * _capped_spread(distance, labels, rules.cap, rules.splines)


@numba.njit(cache=True)
def _center(order, signs, ties):
    """Write the centre of the rankings with these sums of signs into `order`, best label first; returns its agreement.

    The label that wins by the largest margin against all others together goes first, and so on with the others among
    themselves. Equal margins go to the lower index, and where all are 0, so that nothing speaks for any label, to the
    first one in `ties`.
    """
    q = len(order)
    wins, margins, waiting = np.zeros((q, q), np.int64), np.zeros(q, np.int64), np.ones(q, np.bool_)
    pair = 0
    for i in range(q):
        for j in range(i + 1, q):
            wins[i, j], wins[j, i] = signs[pair], -signs[pair]
            margins[i] += signs[pair]
            margins[j] -= signs[pair]
            pair += 1
    agreement = 0
    for place in range(q):
        best = -1
        for label in range(q):
            if waiting[label] and (best < 0 or margins[label] > margins[best]):
                best = label
        # The margins of the waiting labels sum to 0, so the largest is 0 only where all are.
        if margins[best] == 0:
            for label in ties:
                if waiting[label]:
                    best = label
                    break
        order[place], waiting[best] = best, False
        agreement += margins[best]
        for label in range(q):
            margins[label] += wins[best, label]
    return agreement


@numba.njit(cache=True)
def _count_labels(counts):
    labels = 0
    for count in counts:
        labels += count > 0
    return labels


@numba.njit(cache=True)
def _summarize(start, end, rankings):
    """Sums of signs, observed labels and observed pairs over some rows."""
    signs, counts = np.zeros(rankings.signs.shape[1], np.int32), np.zeros(rankings.observed.shape[1], np.int64)
    pairs = 0
    for row in range(start, end):
        for pair in range(len(signs)):
            signs[pair] += rankings.signs[row, pair]
        for label in range(len(counts)):
            counts[label] += rankings.observed[row, label]
        pairs += rankings.pairs[row]
    return signs, counts, pairs


@numba.njit(cache=True)
def _best_split(rows_by_value, sorted_values, start, end, rankings, rules, node, agreement, ties):
    """The best split of a node: a feature, -1 if no split gains, and the number of examples on the left.

    The node has the rows from `start` to `end`, which stand in `rows_by_value` once for each feature, sorted by the
    values beside them; `node` are its sums, `agreement` is that of its centre, `ties` order its children's labels where
    nothing else does. Among equal gains the first feature and its smallest threshold win.
    """
    row_signs, row_observed, row_pairs = rankings
    signs, counts, pairs = node
    size, q, min_leaf = end - start, len(counts), rules.min_leaf
    left_signs, right_signs, left_counts = np.empty_like(signs), np.empty_like(signs), np.empty_like(counts)
    order = np.empty(q, np.int32)
    left_labels = right_labels = labels = _count_labels(counts)
    all_complete = counts.sum() == size * q

    worth = _worth(rules, size, pairs, agreement, labels)
    best_feature, best_count, best_gain = -1, 0, _SMALLEST_GAIN * (pairs if rules.criterion == CONCORDANCE else size)
    for feature in range(len(rows_by_value)):
        rows, values = rows_by_value[feature, start:end], sorted_values[feature, start:end]
        if values[0] == values[-1]:
            continue
        left_signs[:], left_counts[:], left_pairs = 0, 0, 0
        for count in range(1, size - min_leaf + 1):
            row = rows[count - 1]
            left_most, right_most = 0, 0
            for pair in range(len(signs)):
                left_signs[pair] += np.int32(row_signs[row, pair])
                right_signs[pair] = signs[pair] - left_signs[pair]
                left_most += abs(left_signs[pair])
                right_most += abs(right_signs[pair])
            left_pairs += row_pairs[row]
            if not all_complete:
                for label in range(q):
                    left_counts[label] += row_observed[row, label]
            if count < min_leaf or values[count - 1] == values[count] or left_pairs == 0 or left_pairs == pairs:
                continue
            if not all_complete:
                left_labels, right_labels = _count_labels(left_counts), _count_labels(counts - left_counts)
            right_pairs = pairs - left_pairs
            at_most = (
                _worth(rules, count, left_pairs, left_most, left_labels)
                + _worth(rules, size - count, right_pairs, right_most, right_labels)
                - worth
            )
            if at_most <= best_gain:
                continue
            gain = (
                _worth(rules, count, left_pairs, _center(order, left_signs, ties), left_labels)
                + _worth(rules, size - count, right_pairs, _center(order, right_signs, ties), right_labels)
                - worth
            )
            if gain > best_gain:
                best_feature, best_count, best_gain = feature, count, gain
    return best_feature, best_count


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
    nodes, waiting = 1, [(0, 0, n)]
    while waiting:
        this, start, end = waiting.pop()
        # Where nothing orders a child's labels, they come as in the parent of the node that is split.
        above = parent[this]
        ties_of_children = orders[above] if above >= 0 else by_index
        ties = orders[parent[above]] if above > 0 else by_index
        node = _summarize(start, end, rankings)
        signs, counts, pairs = node
        agreement = _center(orders[this], signs, ties)
        size[this] = end - start
        _write_ranks(centers[this], orders[this], counts, this == 0)
        labels = _count_labels(counts)
        distance = _mean_distance(end - start, pairs, agreement, labels, rules.smoothing)
        theta[this] = min(spread(distance, labels), rules.cap)
        if np.abs(signs).sum() == pairs:
            continue
        chosen, count = _best_split(
            rows_by_value, sorted_values, start, end, rankings, rules, node, agreement, ties_of_children
        )
        if chosen < 0:
            continue
        feature[this], threshold[this] = chosen, sorted_values[chosen, start + count - 1]
        _partition(rows_by_value, sorted_values, start, end, chosen, count, rankings, places, row_buffer, value_buffer)
        left[this], right[this] = nodes, nodes + 1
        parent[nodes], parent[nodes + 1] = this, this
        waiting.append((nodes + 1, start + count, end))
        waiting.append((nodes, start, start + count))
        nodes += 2
    kept = slice(nodes)
    return feature[kept], threshold[kept], left[kept], right[kept], parent[kept], size[kept], theta[kept], centers[kept]


@numba.njit(cache=True)
def _write_ranks(ranks, order, counts, all_labels):
    """The ranks of the labels that occur; with `all_labels`, as in the root, the others stand in the middle."""
    occurring = _count_labels(counts)
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
