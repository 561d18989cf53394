"""How good predicted rankings of labels are: the measures of brinker2007 and cheng2009.

Rankings are rows of ranks as in `labelknn.datasets._container`: 1 is best, 0 means missing, equal ranks are ties. Only
the order of the ranks counts, so dense ranks (1, 1, 2), competition ranks (1, 1, 3) and mean ranks (1.5, 1.5, 3) are
the same. A prediction ranks every label. Labels that the truth does not rank are left out of the comparison, an
instance with fewer than two ranked labels is left out of the mean, and the mean of none is NaN.

brinker2007 puts the border between relevant and irrelevant labels into the ranking, as a virtual label. The measures
here take it as one more column, the last, like any other label: Spearman's correlation for c labels is then that of
c + 1 columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from labelknn.errors import DataError
from labelknn.metrics._multilabel import Matrix, SetCounts, hamming_loss


@dataclass(frozen=True)
class RankPair:
    """True and predicted ranks, found to be rankings of the same labels."""

    truth: np.ndarray
    predicted: np.ndarray


def compare_ranks(truth: np.ndarray, predicted: np.ndarray | RankPair) -> RankPair:
    """Check that both are rankings and that the predicted ones are complete."""
    if isinstance(predicted, RankPair):
        return predicted
    pair = RankPair(_checked_ranks(truth, "true ranks"), _checked_ranks(predicted, "predicted ranks"))
    if pair.truth.shape != pair.predicted.shape:
        raise DataError(
            f"predicted ranks: found shape {pair.predicted.shape}, expected that of the truth, {pair.truth.shape}"
        )
    if not pair.predicted.all():
        row, label = np.argwhere(pair.predicted == 0)[0]
        raise DataError(f"predicted ranks: label {label} is missing from row {row}, expected complete rankings")
    return pair


def kendall_tau(truth: np.ndarray, predicted: np.ndarray | RankPair) -> float:
    """Mean over instances of (concordant - discordant) / all pairs of ranked labels: cheng2009, section 2, eq. (1).

    This is Kendall's tau-a: a pair that is tied on either side is neither concordant nor discordant.
    """
    pair = compare_ranks(truth, predicted)
    return _mean_of_defined(_kendall_by_row(pair.truth, pair.predicted))


def spearman(truth: np.ndarray, predicted: np.ndarray | RankPair) -> float:
    """Mean over instances of 1 - 6 l2 / (m (m² - 1)), with brinker2007's l2 of eq. (1) and m ranked labels.

    l2 sums the squared differences of generalised ranks, i.e. average positions within a bucket of ties. The paper
    (section 6) says that the measure is +1 for identical and -1 for reversed rankings. The first always holds; the
    second only without ties: a ranking with buckets of sizes t, reversed, gives -1 + 2 sum (t³ - t) / (m³ - m).
    """
    pair = compare_ranks(truth, predicted)
    return _mean_of_defined(_spearman_by_row(pair.truth, pair.predicted))


def bipartition_hamming_loss(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Share of labels on the wrong side of the split, given the sets of relevant labels (see `above_split`)."""
    return hamming_loss(truth, predicted)


def above_split(ranks: np.ndarray) -> np.ndarray:
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


def _checked_ranks(ranks: np.ndarray, name: str) -> np.ndarray:
    ranks = np.asarray(ranks)
    if ranks.ndim != 2 or 0 in ranks.shape:
        raise DataError(f"{name}: found shape {ranks.shape}, expected at least one row (instance) and column (label)")
    if ranks.dtype.kind not in "iuf":
        raise DataError(f"{name}: found entries of type {ranks.dtype}, expected numbers")
    q = ranks.shape[1]
    # Written so that NaN, which fails every comparison, is refused too.
    is_rank = (ranks == 0) | ((ranks >= 1) & (ranks <= q))
    if not is_rank.all():
        row, label = np.argwhere(~is_rank)[0]
        raise DataError(f"{name}: found {ranks[row, label]} in row {row}, expected 0 (missing) or a rank from 1 to {q}")
    return np.ascontiguousarray(ranks, dtype=np.float64)


def _mean_of_defined(values: np.ndarray) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else float("nan")


@njit(cache=True)
def _kendall_by_row(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    n, q = truth.shape
    values = np.full(n, np.nan)
    for i in range(n):
        pairs = 0
        surplus = 0.0
        for a in range(q):
            if truth[i, a] == 0:
                continue
            for b in range(a):
                if truth[i, b] == 0:
                    continue
                pairs += 1
                surplus += np.sign(truth[i, a] - truth[i, b]) * np.sign(predicted[i, a] - predicted[i, b])
        if pairs > 0:
            values[i] = surplus / pairs
    return values


@njit(cache=True)
def _spearman_by_row(truth: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    n, q = truth.shape
    values = np.full(n, np.nan)
    for i in range(n):
        m = 0
        squares = 0
        for a in range(q):
            if truth[i, a] == 0:
                continue
            m += 1
            # Twice the difference of the generalised ranks, each of which is (1 + labels before + labels not after) / 2
            # with the label itself among the latter: whole numbers, so that the sum is exact.
            difference = 0
            for b in range(q):
                if truth[i, b] != 0:
                    difference += (truth[i, b] < truth[i, a]) + (truth[i, b] <= truth[i, a])
                    difference -= (predicted[i, b] < predicted[i, a]) + (predicted[i, b] <= predicted[i, a])
            squares += difference * difference
        if m > 1:
            values[i] = 1.0 - 1.5 * squares / (m * (m * m - 1))
    return values
