"""Borda's count, weighted and for rankings that lack labels (cheng2009, section 4.2 and Proposition 2).

A ranking of m out of q labels gives the label on rank i (m − i + 1)(q + 1) / (m + 1) votes and each missing label
(q + 1) / 2: their mean votes over all equally likely complete rankings that agree with it. For m = q these are the
ordinary votes q, q − 1, ..., 1. A label that no ranking has collects the votes of a middle place.

Rankings are rows of ranks as in `labelknn.datasets._container`, whose m observed labels have the ranks 1..m.
"""

from __future__ import annotations

import numpy as np

from labelknn.utils._kernels import inner

# Votes are sums of rounded fractions: two labels whose mean votes differ by less than this are tied.
TIE = 1e-10


def ballots(rankings: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The generalised votes of each ranking for each label, times its weight, (n, q).

    >>> ballots(np.array([[2, 0, 1]]), np.ones(1))
    array([[1.33333333, 2.        , 2.66666667]])
    """
    q, m = rankings.shape[1], (rankings > 0).sum(axis=1, keepdims=True)
    weights = weights[:, None]
    return np.where(rankings > 0, weights * (m - rankings + 1) * (q + 1) / (m + 1), weights * (q + 1) / 2)


@inner
def rank_by_votes(votes, total_weight, order, ranks):
    """Fill in the labels, most votes first, and their ranks; the lower label index is first among ties.

    `total_weight` is the sum of the weights behind the votes. Tied are labels between whose votes, in order, no gap
    exceeds `TIE` times that: equal fractions tie however they were rounded, and so does everything if the weight is 0.
    """
    q = len(order)
    for label in range(q):
        place = label
        while place > 0 and votes[order[place - 1]] < votes[label]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = label
    start = 0
    for end in range(1, q + 1):
        if end < q and votes[order[end - 1]] - votes[order[end]] <= TIE * total_weight:
            continue
        for i in range(start + 1, end):
            label, place = order[i], i
            while place > start and order[place - 1] > label:
                order[place] = order[place - 1]
                place -= 1
            order[place] = label
        for place in range(start, end):
            ranks[order[place]] = place + 1
        start = end
