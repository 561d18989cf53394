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

Every measure takes the matrices. What several of them need is computed by `compare_sets` and `compare_scores`, whose
result can be given in place of the prediction to share that work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numba import njit
from scipy import sparse

from labelknn.errors import DataError

# A dense array or any scipy sparse matrix; scipy's sparse classes carry no types to say more.
Matrix: TypeAlias = Any

# Scores are compared in blocks of rows of about this many entries, so that sparse ones are never dense as a whole.
BLOCK_ENTRIES = 4_000_000


@dataclass(frozen=True)
class SetCounts:
    """Sizes of the true sets, the predicted sets and what they share: by instance (rows) and by label (columns)."""

    row_true: np.ndarray
    row_predicted: np.ndarray
    row_shared: np.ndarray
    column_true: np.ndarray
    column_predicted: np.ndarray
    column_shared: np.ndarray


@dataclass(frozen=True)
class ScoreCounts:
    """The number q of labels and what the score measures average, one entry per instance."""

    q: int
    one_error: np.ndarray
    coverage: np.ndarray
    ranking_loss: np.ndarray
    average_precision: np.ndarray
    squared_error: np.ndarray
    strict_one_error: np.ndarray
    strict_average_precision: np.ndarray


def compare_sets(truth: Matrix, predicted: Matrix | SetCounts) -> SetCounts:
    """Count agreements of the true and the predicted sets, without making a sparse matrix dense."""
    if isinstance(predicted, SetCounts):
        return predicted
    true_sets, predicted_sets = _label_sets(truth, "truth"), _label_sets(predicted, "predicted sets")
    _require_same_shape(true_sets, predicted_sets, "predicted sets")
    shared = true_sets.multiply(predicted_sets).tocsr()
    by_row = (np.diff(sets.indptr) for sets in (true_sets, predicted_sets, shared))
    q = true_sets.shape[1]
    by_column = (np.bincount(sets.indices, minlength=q) for sets in (true_sets, predicted_sets, shared))
    return SetCounts(*by_row, *by_column)


def compare_scores(truth: Matrix, scores: Matrix | ScoreCounts) -> ScoreCounts:
    """Compare the scores of each instance's labels with those of the other labels."""
    if isinstance(scores, ScoreCounts):
        return scores
    true_sets, scores = _label_sets(truth, "truth"), _checked_scores(scores)
    _require_same_shape(true_sets, scores, "scores")
    n, q = true_sets.shape
    # One integer type, whatever scipy chose, so that numba compiles the kernel once.
    indptr, indices = true_sets.indptr.astype(np.int64), true_sets.indices.astype(np.int64)
    values = np.empty((n, 7))
    block = max(1, BLOCK_ENTRIES // q)
    for start in range(0, n, block):
        rows = slice(start, start + block)
        part = scores[rows].toarray() if sparse.issparse(scores) else scores[rows]
        _compare_rows(
            indptr[start : start + block + 1],
            indices,
            np.ascontiguousarray(part, dtype=np.float64),
            values[rows],
        )
    return ScoreCounts(q, *values.T)


def hamming_loss(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Share of (instance, label) cells that are predicted wrongly: zhang2005, eq. (2)."""
    counts = compare_sets(truth, predicted)
    wrong = counts.row_true + counts.row_predicted - 2 * counts.row_shared
    return float(wrong.sum() / (wrong.size * counts.column_true.size))


def subset_accuracy(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Share of instances whose predicted set is the true set."""
    counts = compare_sets(truth, predicted)
    exact = (counts.row_shared == counts.row_true) & (counts.row_shared == counts.row_predicted)
    return float(exact.mean())


def example_accuracy(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Mean over instances of |Y ∩ Z| / |Y ∪ Z|, the Jaccard index: feremans2017, section IV-C."""
    counts = compare_sets(truth, predicted)
    union = counts.row_true + counts.row_predicted - counts.row_shared
    return float(_ratio(counts.row_shared, union, if_empty=1.0).mean())


def example_f1(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Mean over instances of 2 |Y ∩ Z| / (|Y| + |Z|): feremans2017, section IV-C."""
    counts = compare_sets(truth, predicted)
    return float(_ratio(2 * counts.row_shared, counts.row_true + counts.row_predicted, if_empty=1.0).mean())


def micro_f1(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """F1 of all (instance, label) cells taken together: feremans2017, section IV-C."""
    counts = compare_sets(truth, predicted)
    sizes = counts.row_true.sum() + counts.row_predicted.sum()
    return float(_ratio(2 * counts.row_shared.sum(), sizes, if_empty=1.0))


def macro_f1(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Mean over labels of the label's F1, where a label that no instance has and none is given counts 1.

    feremans2017, section IV-C, leaves 0/0 open; counting 1 is Mulan's way and the one that the paper's numbers follow.
    """
    return _macro_f1(compare_sets(truth, predicted), if_empty=1.0)


def macro_f1_zero(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Mean over labels of the label's F1, where a label that no instance has and none is given counts 0."""
    return _macro_f1(compare_sets(truth, predicted), if_empty=0.0)


def one_error(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """Share of instances whose top label is wrong: zhang2005, eq. (3)."""
    return float(compare_scores(truth, scores).one_error.mean())


def coverage(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """How far down the list of labels the last true one is, the first place being 0: zhang2005, eq. (4)."""
    return float(compare_scores(truth, scores).coverage.mean())


def ranking_loss(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """Mean share of pairs of a true and another label that are not ordered correctly: zhang2005, eq. (5)."""
    return float(compare_scores(truth, scores).ranking_loss.mean())


def average_precision(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """Mean precision of the list of labels cut at each true label: zhang2005, eq. (6), and chiang2012, eq. (15)."""
    return _mean_where_defined(compare_scores(truth, scores).average_precision)


def strict_one_error(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """One-error where the top label is the one with the highest index among equal scores, as in Mulan."""
    return float(compare_scores(truth, scores).strict_one_error.mean())


def strict_average_precision(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """Average precision where labels of equal score come by falling index, as in Mulan."""
    return _mean_where_defined(compare_scores(truth, scores).strict_average_precision)


def rmse(truth: Matrix, scores: Matrix | ScoreCounts) -> float:
    """Root mean squared difference of the scores from 1 (true label) and 0 (other): chiang2012, eq. (16).

    It says something only of scores that are shares or probabilities, and is at most 1 for them.
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


def _label_sets(matrix: Matrix, name: str) -> sparse.csr_matrix:
    """The matrix as canonical CSR without stored zeros; the caller's matrix is not changed."""
    _require_matrix(matrix, name)
    sets = sparse.csr_matrix(matrix)
    if not sets.has_canonical_format:
        sets = sets.copy()
        sets.sum_duplicates()
    if not sets.data.all():
        sets = sets.copy()
        sets.eliminate_zeros()
    if sets.dtype != bool and (sets.data != 1).any():
        raise DataError(f"{name}: found the entry {sets.data[sets.data != 1][0]}, expected only 0 and 1 (or bool)")
    return sets.astype(bool, copy=False)


def _checked_scores(scores: Matrix) -> Matrix:
    _require_matrix(scores, "scores")
    if sparse.issparse(scores):
        scores = scores.tocsr()
        if scores.data.size and scores.data.min() < 0:
            raise DataError(f"scores: found {scores.data.min()}, but absent (0) is the lowest score of a sparse matrix")
    else:
        scores = np.asarray(scores)
    if np.isnan(scores.data if sparse.issparse(scores) else scores).any():
        raise DataError("scores: found NaN, expected a number for every instance and label")
    return scores


def _require_matrix(matrix: Matrix, name: str) -> None:
    if not sparse.issparse(matrix):
        matrix = np.asarray(matrix)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise DataError(f"{name}: found shape {matrix.shape}, expected at least one row (instance) and column (label)")
    if matrix.dtype.kind not in "biuf":
        raise DataError(f"{name}: found entries of type {matrix.dtype}, expected numbers")


def _require_same_shape(truth: Matrix, prediction: Matrix, name: str) -> None:
    if truth.shape != prediction.shape:
        raise DataError(f"{name}: found shape {prediction.shape}, expected that of the truth, {truth.shape}")


@njit(cache=True)
def _compare_rows(indptr: np.ndarray, indices: np.ndarray, scores: np.ndarray, values: np.ndarray) -> None:
    """Fill `values` with one-error, coverage, ranking loss, average precision, squared error, and the strict one-error
    and average precision of each row.

    With the scores a_1 <= ... <= a_k of the true labels, zhang2005's eqs. (4) to (6) all follow from how many other
    labels score at least a_j. So every other label looks up its place among the a_j, which is cheaper than sorting q.
    """
    n, q = scores.shape
    relevant = np.zeros(q, np.bool_)
    for i in range(n):
        labels = indices[indptr[i] : indptr[i + 1]]
        k = len(labels)
        relevant[labels] = True
        true_scores = np.sort(scores[i, labels])

        top, last_top = 0, 0
        squared_error = 0.0
        # beaten[j]: the other labels whose score is at least that of exactly the j lowest true labels.
        beaten = np.zeros(k + 1, np.int64)
        for label in range(q):
            score = scores[i, label]
            if score > scores[i, top]:
                top = label
            if score >= scores[i, last_top]:
                last_top = label
            if relevant[label]:
                squared_error += (score - 1.0) ** 2
            else:
                squared_error += score**2
                if k > 0 and score >= true_scores[0]:
                    beaten[np.searchsorted(true_scores, score, side="right")] += 1

        misordered = 0
        precision = 0.0
        others_above = 0
        for j in range(k - 1, -1, -1):
            others_above += beaten[j + 1]
            true_above = k - np.searchsorted(true_scores, true_scores[j], side="left")
            misordered += others_above
            precision += true_above / (true_above + others_above)

        values[i, 0] = 0.0 if relevant[top] else 1.0
        values[i, 1] = k + others_above - 1 if k > 0 else 0.0
        values[i, 2] = misordered / (k * (q - k)) if 0 < k < q else 0.0
        values[i, 3] = precision / k if k > 0 else np.nan
        values[i, 4] = squared_error
        values[i, 5] = 0.0 if relevant[last_top] else 1.0
        values[i, 6] = _strict_precision(scores[i], labels, relevant) if k > 0 else np.nan
        relevant[labels] = False


@njit(cache=True)
def _strict_precision(scores: np.ndarray, labels: np.ndarray, relevant: np.ndarray) -> float:
    """Mean precision at each true label of the strict order by score and, among equal ones, by falling index."""
    precision = 0.0
    for label in labels:
        above, true_above = 0, 0
        for other in range(len(scores)):
            if scores[other] > scores[label] or (scores[other] == scores[label] and other >= label):
                above += 1
                true_above += relevant[other]
        precision += true_above / above
    return precision / len(labels)
