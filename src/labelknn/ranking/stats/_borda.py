"""Borda's count, weighted and for rankings that lack labels (cheng2009, section 4.2 and Proposition 2).

A ranking of m out of q labels gives the label on rank i (m − i + 1)(q + 1) / (m + 1) votes and each missing label
(q + 1) / 2: their mean votes over all equally likely complete rankings that agree with it. For m = q these are the
ordinary votes q, q − 1, ..., 1. A label that no ranking has collects the votes of a middle place.

Rankings are rows of ranks as in `labelknn.datasets._container`, whose m observed labels have the ranks 1..m. All
functions can be called from numba code.
"""

from __future__ import annotations

import numba
import numpy as np

# Votes are sums of rounded fractions: two labels whose mean votes differ by less than this are tied.
TIE = 1e-10


@numba.njit(cache=True)
def add_votes(votes, ranks, weight):
    """Add the generalised votes of one ranking, `weight` times, to the (q,) array `votes`."""
    q, m = len(ranks), 0
    for rank in ranks:
        if rank > 0:
            m += 1
    for label in range(q):
        if ranks[label] > 0:
            votes[label] += weight * (m - ranks[label] + 1) * (q + 1) / (m + 1)
        else:
            votes[label] += weight * (q + 1) / 2


@numba.njit(cache=True)
def rank_by_votes(votes, total_weight):
    """Ranks of the labels, most votes first; the lower label index first among ties.

    `total_weight` is the sum of the weights behind the votes. Tied are labels between whose votes, in order, no gap
    exceeds `TIE` times that: equal fractions tie however they were rounded, and so does everything if the weight is 0.
    """
    q = len(votes)
    order = np.arange(q)
    for i in range(1, q):
        label, j = order[i], i
        while j > 0 and votes[order[j - 1]] < votes[label]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = label
    ranks = np.empty(q, np.int64)
    start = 0
    while start < q:
        end = start + 1
        while end < q and votes[order[end - 1]] - votes[order[end]] <= TIE * total_weight:
            end += 1
        tied = np.sort(order[start:end]) if end - start > 1 else order[start:end]
        for i in range(end - start):
            ranks[tied[i]] = start + i + 1
        start = end
    return ranks


@numba.njit(cache=True)
def borda(rankings, weights):
    """The complete ranking that the rows of `rankings`, with these weights, vote for.

    >>> import numpy as np
    >>> borda(np.array([[1, 2, 3], [1, 2, 0], [2, 1, 3]]), np.ones(3))
    array([1, 2, 3])
    """
    votes = np.zeros(rankings.shape[1])
    for i in range(len(rankings)):
        add_votes(votes, rankings[i], weights[i])
    return rank_by_votes(votes, weights.sum())
