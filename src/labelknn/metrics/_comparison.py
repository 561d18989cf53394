"""What the measures compare: label sets, scores of labels and rankings, checked and counted once for all of them.

Every measure takes (truth, prediction). What several measures of one kind need is computed by `compare_sets`,
`compare_scores` and `compare_ranks`, whose result can be given in place of the prediction to share that work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from labelknn.errors import DataError
from labelknn.utils._kernels import inner, kernel

# An array, a DataFrame or any scipy sparse matrix; scipy's sparse classes carry no types to say more.
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
class RankPair:
    """True and predicted ranks, found to be rankings of the same labels."""

    truth: np.ndarray
    predicted: np.ndarray


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
    _require_same_columns(truth, predicted, "predicted sets")
    shared = true_sets.multiply(predicted_sets).tocsr()
    by_row = (np.diff(sets.indptr) for sets in (true_sets, predicted_sets, shared))
    q = true_sets.shape[1]
    by_column = (np.bincount(sets.indices, minlength=q) for sets in (true_sets, predicted_sets, shared))
    return SetCounts(*by_row, *by_column)


def compare_scores(truth: Matrix, scores: Matrix | ScoreCounts) -> ScoreCounts:
    """Compare the scores of each instance's labels with those of the other labels."""
    if isinstance(scores, ScoreCounts):
        return scores
    _require_same_columns(truth, scores, "scores")
    true_sets, scores = _label_sets(truth, "truth"), _checked_scores(scores)
    _require_same_shape(true_sets, scores, "scores")
    n, q = true_sets.shape
    # One integer type, whatever SciPy chose, so that the kernel is compiled once.
    indptr, indices = true_sets.indptr.astype(np.int64), true_sets.indices.astype(np.int64)
    values = np.empty((n, 7))
    scratch = np.zeros(q, bool), np.empty(q + 1), np.empty(q + 1, np.int64)
    block = max(1, BLOCK_ENTRIES // q)
    for start in range(0, n, block):
        rows = slice(start, start + block)
        part = scores[rows].toarray() if sparse.issparse(scores) else scores[rows]
        _compare_rows(
            indptr[start : start + block + 1],
            indices,
            np.ascontiguousarray(part, dtype=np.float64),
            *scratch,
            values[rows],
        )
    return ScoreCounts(q, *values.T)


def compare_ranks(truth: Matrix, predicted: Matrix | RankPair) -> RankPair:
    """Check that both are rankings and that the predicted ones are complete."""
    if isinstance(predicted, RankPair):
        return predicted
    pair = RankPair(_checked_ranks(truth, "true ranks"), _checked_ranks(predicted, "predicted ranks"))
    _require_same_shape(pair.truth, pair.predicted, "predicted ranks")
    _require_same_columns(truth, predicted, "predicted ranks")
    if not pair.predicted.all():
        if (np.sort(pair.predicted, axis=1) == np.arange(pair.predicted.shape[1])).all():
            raise DataError("predicted ranks: every row counts from 0, but the best label has rank 1; add 1")
        row, label = np.argwhere(pair.predicted == 0)[0]
        raise DataError(f"predicted ranks: label {label} is missing from row {row}, expected complete rankings")
    return pair


def above_split(ranks: Matrix) -> np.ndarray:
    """The (n, c) split that (n, c + 1) ranks make: True for labels strictly above the virtual one, the last column."""
    ranks = _checked_ranks(ranks, "ranks with a virtual label")
    if ranks.shape[1] < 2:
        raise DataError("ranks with a virtual label: found one column, expected the labels' and the virtual label's")
    if not ranks.all():
        row, label = np.argwhere(ranks == 0)[0]
        raise DataError(
            f"ranks with a virtual label: label {label} is missing from row {row}, so it is on neither side"
        )
    return ranks[:, :-1] < ranks[:, -1:]


def _label_sets(matrix: Matrix, name: str) -> sparse.csr_matrix:
    """The matrix as canonical CSR without stored zeros; the caller's matrix is not changed."""
    sets = sparse.csr_matrix(_matrix(matrix, name))
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
    scores = _matrix(scores, "scores")
    if sparse.issparse(scores):
        scores = scores.tocsr()
        if scores.data.size and scores.data.min() < 0:
            raise DataError(f"scores: found {scores.data.min()}, but absent (0) is the lowest score of a sparse matrix")
    if np.isnan(scores.data if sparse.issparse(scores) else scores).any():
        raise DataError("scores: found NaN, expected a number for every instance and label")
    return scores


def _checked_ranks(ranks: Matrix, name: str) -> np.ndarray:
    """Ranks as numbers, 0 for a missing label."""
    ranks = _matrix(ranks, name)
    if sparse.issparse(ranks):
        ranks = ranks.toarray()
    if ranks.dtype == bool:
        raise DataError(f"{name}: found entries of type bool, expected numbers")
    ranks = np.ascontiguousarray(ranks, dtype=np.float64)
    if np.isnan(ranks).any():
        ranks = np.where(np.isnan(ranks), 0, ranks)
    q = ranks.shape[1]
    is_rank = (ranks == 0) | ((ranks >= 1) & (ranks <= q))
    if not is_rank.all():
        row, label = np.argwhere(~is_rank)[0]
        raise DataError(
            f"{name}: found {ranks[row, label]:g} in row {row}, expected 0 (missing) or a rank from 1 to {q}"
        )
    return ranks


def _matrix(matrix: Matrix, name: str) -> Matrix:
    if not sparse.issparse(matrix):
        matrix = np.asarray(matrix)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise DataError(f"{name}: found shape {matrix.shape}, expected at least one row (instance) and column (label)")
    if matrix.dtype.kind not in "biuf":
        raise DataError(f"{name}: found entries of type {matrix.dtype}, expected numbers")
    return matrix


def _require_same_shape(truth: Matrix, prediction: Matrix, name: str) -> None:
    if truth.shape != prediction.shape:
        raise DataError(f"{name}: found shape {prediction.shape}, expected that of the truth, {truth.shape}")


def _require_same_columns(truth: Matrix, prediction: Matrix, name: str) -> None:
    """Two DataFrames say by themselves whether they mean the same labels."""
    true_names, names = (list(getattr(matrix, "columns", [])) for matrix in (truth, prediction))
    if true_names and names and names != true_names:
        raise DataError(f"{name}: found the columns {names}, expected those of the truth in their order, {true_names}")


@kernel
def _compare_rows(indptr, indices, scores, relevant, true_scores, beaten, values):
    """Fill `values` with one-error, coverage, ranking loss, average precision, squared error, and the strict one-error
    and average precision of each row.

    With the scores a_1 <= ... <= a_k of the true labels, zhang2005's eqs. (4) to (6) all follow from how many other
    labels score at least a_j. So every other label looks up its place among the a_j, which is cheaper than sorting q.

    relevant : (q,) whether a label is true, all False. true_scores, beaten : scratch space for q + 1 numbers.
    """
    q = scores.shape[1]
    for i in range(len(scores)):
        labels, own = indices[indptr[i] : indptr[i + 1]], scores[i]
        k = len(labels)
        for j in range(k):
            relevant[labels[j]] = True
            _insert(true_scores, j, own[labels[j]])

        top, last_top = 0, 0
        squared_error = 0.0
        # beaten[j]: the other labels whose score is at least that of exactly the j lowest true labels.
        for j in range(k + 1):
            beaten[j] = 0
        for label in range(q):
            score = own[label]
            if score > own[top]:
                top = label
            if score >= own[last_top]:
                last_top = label
            if relevant[label]:
                squared_error += (score - 1.0) * (score - 1.0)
            else:
                squared_error += score * score
                if k > 0 and score >= true_scores[0]:
                    beaten[_place(true_scores, k, score, True)] += 1

        misordered = 0
        precision = 0.0
        others_above = 0
        for j in range(k - 1, -1, -1):
            others_above += beaten[j + 1]
            true_above = k - _place(true_scores, k, true_scores[j], False)
            misordered += others_above
            precision += true_above / (true_above + others_above)

        values[i, 0] = 0.0 if relevant[top] else 1.0
        values[i, 1] = k + others_above - 1 if k > 0 else 0.0
        values[i, 2] = misordered / (k * (q - k)) if 0 < k < q else 0.0
        values[i, 3] = precision / k if k > 0 else np.nan
        values[i, 4] = squared_error
        values[i, 5] = 0.0 if relevant[last_top] else 1.0
        values[i, 6] = _strict_precision(own, labels, relevant) if k > 0 else np.nan
        for j in range(k):
            relevant[labels[j]] = False


@inner
def _insert(ordered, n, value):
    """Add a value to the first n, which are in order."""
    place = n
    while place > 0 and ordered[place - 1] > value:
        ordered[place] = ordered[place - 1]
        place -= 1
    ordered[place] = value


@inner
def _place(ordered, n, value, after_equal):
    """Where among the first n of the ordered values this one belongs, before or after those that are equal."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < value or (after_equal and ordered[middle] == value):
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _strict_precision(scores, labels, relevant):
    """Mean precision at each true label of the strict order by score and, among equal ones, by falling index."""
    precision = 0.0
    for j in range(len(labels)):
        label, above, true_above = labels[j], 0, 0
        for other in range(len(scores)):
            if scores[other] > scores[label] or (scores[other] == scores[label] and other >= label):
                above += 1
                true_above += relevant[other]
        precision += true_above / above
    return precision / len(labels)
