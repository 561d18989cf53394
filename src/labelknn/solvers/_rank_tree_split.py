"""The best split of a node of rankings: all thresholds of all features by prefix sums (cheng2009, section 5.1).

A ranking enters as a row of signs, one for each pair i < j of labels: +1 if it puts i before j, -1 if after, 0 if one
of them is missing. Their sums S over a set of rankings, with the number N of observed pairs, tell all that is needed:

* the centre of the set, see `center_order`;
* its *agreement* with them, the concordant minus the discordant pairs, so that the share of discordant pairs is
  (N − agreement) / 2N;
* no ranking agrees more than the sum of the |S|, and the set is pure, i.e. its rankings contradict each other nowhere,
  if and only if that sum is N.

Along the sorted values of a feature one example after the other moves from the right side to the left, and the sums
follow. Where even the largest agreements would not make the best split so far, the centres need not be found; what
these are worth at most, from a table, decides most cases. Sums and agreements are integers, so the split found does not
depend on the way they were formed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from labelknn.solvers._rank_tree_criterion import CONCORDANCE, worth_at_most, worth_of
from labelknn.utils._kernels import inner

# A gain up to this, for each unit of the node's weight, is none: Weka's tolerance, which the authors' program compares
# with. It is above the error of the interpolated spread.
SMALLEST_GAIN = 1e-6


class Rankings(NamedTuple):
    """All training rankings, by row; `pairs` is the number of label pairs that each has."""

    signs: np.ndarray
    observed: np.ndarray
    pairs: np.ndarray


def pair_signs(ranks: np.ndarray) -> np.ndarray:
    first, second = np.triu_indices(ranks.shape[1], 1)
    signs = np.empty((len(ranks), len(first)), np.int8)
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        signs[:, pair] = np.sign(ranks[:, j] - ranks[:, i]) * ((ranks[:, i] > 0) & (ranks[:, j] > 0))
    return signs


class Sums(NamedTuple):
    """What a node's rankings add up to, and those of its left and right child.

    signs, left_signs, right_signs : a sum for each pair of labels.
    counts, left_counts : how many rankings have each label.
    order, wins, margins, waiting : scratch space of `center_order`.
    """

    signs: np.ndarray
    left_signs: np.ndarray
    right_signs: np.ndarray
    counts: np.ndarray
    left_counts: np.ndarray
    order: np.ndarray
    wins: np.ndarray
    margins: np.ndarray
    waiting: np.ndarray


def empty_sums(q: int) -> Sums:
    signs, counts = np.empty((3, q * (q - 1) // 2), np.int32), np.empty((2, q), np.int64)
    wins, margins = np.empty((q, q), np.int64), np.empty(q, np.int64)
    return Sums._make((*signs, *counts, np.empty(q, np.int32), wins, margins, np.empty(q, bool)))


@inner
def summarize(start, end, rankings, sums):
    """Add up signs and observed labels over some rows; returns the number of observed pairs."""
    signs, counts = sums.signs, sums.counts
    for pair in range(len(signs)):
        signs[pair] = 0
    for label in range(len(counts)):
        counts[label] = 0
    pairs = 0
    for row in range(start, end):
        for pair in range(len(signs)):
            signs[pair] += rankings.signs[row, pair]
        for label in range(len(counts)):
            counts[label] += rankings.observed[row, label]
        pairs += rankings.pairs[row]
    return pairs


@inner
def is_pure(sums, pairs):
    """Whether so many observed pairs contradict each other nowhere."""
    agreeing = 0
    for pair in range(len(sums.signs)):
        agreeing += abs(sums.signs[pair])
    return agreeing == pairs


@inner
def center_order(order, signs, ties, sums):
    """Write the centre of the rankings with these sums of signs into `order`, best label first; returns its agreement.

    The label that wins by the largest margin against all others together goes first, and so on with the others among
    themselves. Equal margins go to the lower index, and where all are 0, so that nothing speaks for any label, to the
    first one in `ties`.
    """
    q = len(order)
    wins, margins, waiting = sums.wins, sums.margins, sums.waiting
    for label in range(q):
        wins[label, label] = margins[label] = 0
        waiting[label] = True
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
            first = 0
            while not waiting[ties[first]]:
                first += 1
            best = ties[first]
        order[place], waiting[best] = best, False
        agreement += margins[best]
        for label in range(q):
            margins[label] += wins[best, label]
    return agreement


@inner
def count_labels(counts):
    labels = 0
    for label in range(len(counts)):
        labels += counts[label] > 0
    return labels


@inner
def best_split(rows_by_value, sorted_values, start, end, rankings, rules, sums, pairs, agreement, ties):
    """The best split of a node: a feature, -1 if no split gains, and the number of examples on the left.

    The node has the rows from `start` to `end`, which stand in `rows_by_value` once for each feature, sorted by the
    values beside them. The rows have these `sums` and observed `pairs`, `agreement` is that of their centre, and `ties`
    order the children's labels where nothing else does. Among equal gains the first feature and its smallest threshold
    win.
    """
    signs, left_signs, right_signs = sums.signs, sums.left_signs, sums.right_signs
    counts, left_counts, order = sums.counts, sums.left_counts, sums.order
    size, q, min_leaf = end - start, len(counts), rules.min_leaf
    left_labels = right_labels = labels = count_labels(counts)
    all_complete = True
    for label in range(q):
        all_complete = all_complete and counts[label] == size

    worth = worth_of(rules, size, pairs, agreement, labels)
    best_feature, best_count, best_gain = -1, 0, SMALLEST_GAIN * (pairs if rules.criterion == CONCORDANCE else size)
    for feature in range(len(rows_by_value)):
        rows, values = rows_by_value[feature], sorted_values[feature]
        if values[start] == values[end - 1]:
            continue
        for pair in range(len(signs)):
            left_signs[pair] = 0
        for label in range(q):
            left_counts[label] = 0
        left_pairs = 0
        for count in range(1, size - min_leaf + 1):
            row = rows[start + count - 1]
            left_most, right_most = 0, 0
            for pair in range(len(signs)):
                left = left_signs[pair] + rankings.signs[row, pair]
                left_signs[pair] = left
                left_most += abs(left)
                right_most += abs(signs[pair] - left)
            left_pairs += rankings.pairs[row]
            if not all_complete:
                for label in range(q):
                    left_counts[label] += rankings.observed[row, label]
            same_value = values[start + count - 1] == values[start + count]
            if count < min_leaf or same_value or left_pairs == 0 or left_pairs == pairs:
                continue
            if not all_complete:
                left_labels = right_labels = 0
                for label in range(q):
                    left_labels += left_counts[label] > 0
                    right_labels += left_counts[label] < counts[label]
            right_pairs = pairs - left_pairs
            limit = (
                worth_at_most(rules, count, left_pairs, left_most, left_labels)
                + worth_at_most(rules, size - count, right_pairs, right_most, right_labels)
                - worth
            )
            if limit <= best_gain:
                continue
            at_most = (
                worth_of(rules, count, left_pairs, left_most, left_labels)
                + worth_of(rules, size - count, right_pairs, right_most, right_labels)
                - worth
            )
            if at_most <= best_gain:
                continue
            for pair in range(len(signs)):
                right_signs[pair] = signs[pair] - left_signs[pair]
            left_agreement = center_order(order, left_signs, ties, sums)
            right_agreement = center_order(order, right_signs, ties, sums)
            gain = (
                worth_of(rules, count, left_pairs, left_agreement, left_labels)
                + worth_of(rules, size - count, right_pairs, right_agreement, right_labels)
                - worth
            )
            if gain > best_gain:
                best_feature, best_count, best_gain = feature, count, gain
    return best_feature, best_count
