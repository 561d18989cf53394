"""How good predicted rankings of labels are: the measures of brinker2007 and cheng2009.

Rankings are rows of ranks: 1 is best, 0 or NaN means missing, equal ranks are ties. Only the order of the ranks counts,
so dense ranks (1, 1, 2), competition ranks (1, 1, 3) and mean ranks (1.5, 1.5, 3) are the same. A prediction ranks
every label. Labels that the truth does not rank are left out of the comparison, an instance with fewer than two ranked
labels is left out of the mean, and the mean of none is NaN.

brinker2007 puts the border between relevant and irrelevant labels into the ranking, as a virtual label. The measures
here take it as one more column, the last, like any other label: Spearman's correlation for c labels is then that of
c + 1 columns.
"""

from __future__ import annotations

import numpy as np

from labelknn.metrics._comparison import Matrix, RankPair, SetCounts, above_split, compare_ranks
from labelknn.metrics._multilabel import _mean_where_defined, hamming_loss
from labelknn.metrics._registry import metric
from labelknn.ranking.stats._kendall import taus
from labelknn.utils._kernels import kernel


@metric(needs="ranks", better="higher", low=-1, high=1, label="Kendall's tau", source="cheng2009, section 2, eq. (1)")
def kendall_tau(truth: Matrix, predicted: Matrix | RankPair) -> float:
    """Mean over instances of (concordant - discordant) / all pairs of ranked labels.

    This is Kendall's tau-a: a pair that is tied on either side is neither concordant nor discordant.

    Examples
    --------
    >>> round(kendall_tau([[2, 1, 0, 3]], [[2, 3, 1, 4]]), 3)
    0.333
    """
    pair = compare_ranks(truth, predicted)
    return _mean_where_defined(taus(pair.truth, pair.predicted))


@metric(
    needs="ranks",
    better="higher",
    low=-1,
    high=1,
    label="Spearman correlation",
    source="brinker2007, eq. (1) and section 6",
)
def spearman(truth: Matrix, predicted: Matrix | RankPair) -> float:
    """Mean over instances of 1 - 6 l2 / (m (m² - 1)), with brinker2007's l2 of eq. (1) and m ranked labels.

    l2 sums the squared differences of generalised ranks, i.e. average positions within a bucket of ties. The paper
    (section 6) says that the measure is +1 for identical and -1 for reversed rankings. The first always holds; the
    second only without ties: a ranking with buckets of sizes t, reversed, gives -1 + 2 sum (t³ - t) / (m³ - m).

    Examples
    --------
    >>> spearman([[2, 1, 0, 3]], [[2, 3, 1, 4]])
    0.5
    """
    pair = compare_ranks(truth, predicted)
    values = np.empty(len(pair.truth))
    _spearman_by_row(pair.truth, pair.predicted, values)
    return _mean_where_defined(values)


@metric(
    needs="split",
    better="lower",
    low=0,
    high=1,
    label="Hamming loss of the split",
    source="brinker2007, section 2: the bipartition, measured by zhang2005, eq. (2)",
)
def bipartition_hamming_loss(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Share of labels on the wrong side of the split, which is the virtual label in a true ranking.

    Examples
    --------
    >>> round(bipartition_hamming_loss([[1, 4, 3, 2]], above_split([[1, 4, 2, 3]])), 3)
    0.333
    """
    return hamming_loss(truth if isinstance(predicted, SetCounts) else above_split(truth), predicted)


@kernel
def _spearman_by_row(truth, predicted, values):
    n, q = truth.shape
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
        values[i] = 1.0 - 1.5 * squares / (m * (m * m - 1)) if m > 1 else np.nan
