"""How good predicted label sets, and scores of labels, are: the measures of zhang2005, chiang2012 and feremans2017.

Label sets are rows of an (n, q) matrix of bool, dense or sparse. Scores are an (n, q) matrix of numbers, larger for
more relevant labels: dense, or sparse with non-negative entries, where an absent entry is the lowest score, 0.

The papers' formulas divide by the size of a label set and say nothing of instances that have no label, or all of them.
Here, as in Mulan (the tool of chiang2012 and feremans2017), such an instance counts

================== ======================== ==============
measure            no label                 all labels
================== ======================== ==============
one-error          1                        0
coverage           0                        q - 1
ranking loss       0                        0
average precision  is left out of the mean  1
================== ======================== ==============

and the average precision of instances that all have no label is NaN. Two empty sets agree: their example-based
accuracy and F1 are 1, as is the micro-averaged F1 when no label is there and none is predicted. Equal scores count
against the prediction, as the papers' "<=" and ">=" say; only one-error has to pick a single top label, which is the
one with the lowest index. Mulan puts labels of equal score into a strict order instead, the higher index first;
`strict_one_error` and `strict_average_precision` are for numbers that come from there.
"""

from __future__ import annotations

from math import inf

import numpy as np

from labelknn.metrics._comparison import Matrix, ScoreCounts, SetCounts, compare_scores, compare_sets
from labelknn.metrics._registry import metric


@metric(needs="sets", better="lower", low=0, high=1, label="Hamming loss", source="zhang2005, eq. (2)")
def hamming_loss(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Share of (instance, label) cells that are predicted wrongly.

    Examples
    --------
    >>> round(hamming_loss([[1, 0, 1], [0, 1, 0]], [[1, 1, 1], [0, 1, 0]]), 3)
    0.167
    """
    counts = compare_sets(truth, predicted)
    wrong = counts.row_true + counts.row_predicted - 2 * counts.row_shared
    return float(wrong.sum() / (wrong.size * counts.column_true.size))


@metric(
    needs="sets",
    better="higher",
    low=0,
    high=1,
    label="Subset accuracy",
    source="share of exactly right sets; in none of the papers",
)
def subset_accuracy(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Share of instances whose predicted set is the true set.

    Examples
    --------
    >>> subset_accuracy([[1, 0, 1], [0, 1, 0]], [[1, 1, 1], [0, 1, 0]])
    0.5
    """
    counts = compare_sets(truth, predicted)
    exact = (counts.row_shared == counts.row_true) & (counts.row_shared == counts.row_predicted)
    return float(exact.mean())


@metric(needs="sets", better="higher", low=0, high=1, label="Example accuracy", source="feremans2017, section IV-C")
def example_accuracy(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Mean over instances of |Y ∩ Z| / |Y ∪ Z|, the Jaccard index.

    Examples
    --------
    >>> round(example_accuracy([[1, 0, 1], [0, 1, 0]], [[1, 1, 1], [0, 1, 0]]), 3)
    0.833
    """
    counts = compare_sets(truth, predicted)
    union = counts.row_true + counts.row_predicted - counts.row_shared
    return float(_ratio(counts.row_shared, union, if_empty=1.0).mean())


@metric(needs="sets", better="higher", low=0, high=1, label="Example F1", source="feremans2017, section IV-C")
def example_f1(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Mean over instances of 2 |Y ∩ Z| / (|Y| + |Z|).

    Examples
    --------
    >>> round(example_f1([[1, 0, 1], [0, 1, 0]], [[1, 1, 1], [0, 1, 0]]), 3)
    0.9
    """
    counts = compare_sets(truth, predicted)
    return float(_ratio(2 * counts.row_shared, counts.row_true + counts.row_predicted, if_empty=1.0).mean())


@metric(needs="sets", better="higher", low=0, high=1, label="Micro F1", source="feremans2017, section IV-C")
def micro_f1(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """F1 of all (instance, label) cells taken together.

    Examples
    --------
    >>> round(micro_f1([[1, 0, 1], [0, 1, 0]], [[1, 1, 1], [0, 1, 0]]), 3)
    0.857
    """
    counts = compare_sets(truth, predicted)
    sizes = counts.row_true.sum() + counts.row_predicted.sum()
    return float(_ratio(2 * counts.row_shared.sum(), sizes, if_empty=1.0))


@metric(
    needs="sets",
    better="higher",
    low=0,
    high=1,
    label="Macro F1",
    source="feremans2017, section IV-C; an empty label counts 1, as in Mulan",
)
def macro_f1(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Mean over labels of the label's F1, where a label that no instance has and none is given counts 1.

    feremans2017, section IV-C, leaves 0/0 open; counting 1 is Mulan's way and the one that the paper's numbers follow.

    Examples
    --------
    >>> round(macro_f1([[1, 0, 0], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]]), 3)
    0.889
    """
    return _macro_f1(compare_sets(truth, predicted), if_empty=1.0)


@metric(
    needs="sets",
    better="higher",
    low=0,
    high=1,
    label="Macro F1 (empty = 0)",
    source="feremans2017, section IV-C; an empty label counts 0",
)
def macro_f1_zero(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Mean over labels of the label's F1, where a label that no instance has and none is given counts 0.

    Examples
    --------
    >>> round(macro_f1_zero([[1, 0, 0], [0, 1, 0]], [[1, 1, 0], [0, 1, 0]]), 3)
    0.556
    """
    return _macro_f1(compare_sets(truth, predicted), if_empty=0.0)


@metric(needs="scores", better="lower", low=0, high=1, label="One-error", source="zhang2005, eq. (3)")
def one_error(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """Share of instances whose top label is wrong.

    Examples
    --------
    >>> one_error([[1, 0, 1], [0, 1, 0]], [[0.9, 0.7, 0.6], [0.2, 0.8, 0.1]])
    0.0
    """
    return float(compare_scores(truth, scores).one_error.mean())


@metric(needs="scores", better="lower", low=0, high=inf, label="Coverage", source="zhang2005, eq. (4)")
def coverage(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """How far down the list of labels the last true one is, the first place being 0.

    Examples
    --------
    >>> coverage([[1, 0, 1], [0, 1, 0]], [[0.9, 0.7, 0.6], [0.2, 0.8, 0.1]])
    1.0
    """
    return float(compare_scores(truth, scores).coverage.mean())


@metric(needs="scores", better="lower", low=0, high=1, label="Ranking loss", source="zhang2005, eq. (5)")
def ranking_loss(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """Mean share of pairs of a true and another label that are not ordered correctly.

    Examples
    --------
    >>> ranking_loss([[1, 0, 1], [0, 1, 0]], [[0.9, 0.7, 0.6], [0.2, 0.8, 0.1]])
    0.25
    """
    return float(compare_scores(truth, scores).ranking_loss.mean())


@metric(needs="scores", better="higher", low=0, high=1, label="Average precision", source="zhang2005, eq. (6)")
def average_precision(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """Mean precision of the list of labels cut at each true label; also chiang2012, eq. (15).

    Examples
    --------
    >>> round(average_precision([[1, 0, 1], [0, 1, 0]], [[0.9, 0.7, 0.6], [0.2, 0.8, 0.1]]), 3)
    0.917
    """
    return _mean_where_defined(compare_scores(truth, scores).average_precision)


@metric(
    needs="scores",
    better="lower",
    low=0,
    high=1,
    label="One-error (strict order)",
    source="zhang2005, eq. (3); of equal scores the higher label index is first, as in Mulan",
)
def strict_one_error(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """One-error where the top label is the one with the highest index among equal scores, as in Mulan.

    Examples
    --------
    >>> strict_one_error([[1, 0, 0]], [[0.7, 0.7, 0.1]]), one_error([[1, 0, 0]], [[0.7, 0.7, 0.1]])
    (1.0, 0.0)
    """
    return float(compare_scores(truth, scores).strict_one_error.mean())


@metric(
    needs="scores",
    better="higher",
    low=0,
    high=1,
    label="Average precision (strict order)",
    source="chiang2012, eq. (15); of equal scores the higher label index is first, as in Mulan",
)
def strict_average_precision(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """Average precision where labels of equal score come by falling index, as in Mulan.

    Examples
    --------
    >>> strict_average_precision([[0, 1, 0]], [[0.7, 0.7, 0.1]]), average_precision([[0, 1, 0]], [[0.7, 0.7, 0.1]])
    (1.0, 0.5)
    """
    return _mean_where_defined(compare_scores(truth, scores).strict_average_precision)


@metric(needs="scores", better="lower", low=0, high=1, label="RMSE", source="chiang2012, eq. (16)")
def rmse(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """Root mean squared difference of the scores from 1 (true label) and 0 (other).

    It says something only of scores that are shares or probabilities, and is at most 1 for them.

    Examples
    --------
    >>> round(rmse([[1, 0, 1], [0, 1, 0]], [[0.9, 0.7, 0.6], [0.2, 0.8, 0.1]]), 3)
    0.354
    """
    counts = compare_scores(truth, scores)
    return float(np.sqrt(counts.squared_error.mean() / counts.q))


def _mean_where_defined(values: np.ndarray) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else float("nan")


def _macro_f1(counts: SetCounts, if_empty: float) -> float:
    sizes = counts.column_true + counts.column_predicted
    return float(_ratio(2 * counts.column_shared, sizes, if_empty).mean())


def _ratio(part: np.ndarray, whole: np.ndarray, if_empty: float) -> np.ndarray:
    """part / whole, and `if_empty` where whole is 0."""
    whole = np.asarray(whole)
    return np.divide(part, whole, out=np.full(whole.shape, if_empty), where=whole > 0)
