"""Kendall's distance and tau between rankings that may lack labels (cheng2009, section 2, equation (1)).

Rankings are rows of ranks as in `labelknn.datasets._container`: 1 is best, 0 is a missing label. Only the order of the
ranks counts. A pair of labels is compared if both rankings have both labels; a pair that either ranking ties is neither
concordant nor discordant.
"""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(cache=True)
def distance(a, b):
    """D(a, b): the number of label pairs that the two rankings order differently."""
    return _count_pairs(a, b)[1]


@numba.njit(cache=True)
def complete_distance(a, b):
    """The distance of two rankings that have all labels and no ties, counted without branches."""
    discordant = 0
    for i in range(1, len(a)):
        for j in range(i):
            discordant += (a[i] < a[j]) != (b[i] < b[j])
    return discordant


@numba.njit(cache=True)
def tau(a, b):
    """(concordant − discordant) / compared pairs; NaN if no pair can be compared."""
    concordant, discordant, compared = _count_pairs(a, b)
    if compared == 0:
        return np.nan
    return (concordant - discordant) / compared


@numba.njit(cache=True)
def distances(rankings, center):
    """The distance of each row from one ranking."""
    result = np.empty(len(rankings), np.int64)
    for i in range(len(rankings)):
        result[i] = distance(rankings[i], center)
    return result


@numba.njit(cache=True)
def taus(rankings, others):
    """Tau of each row with the same row of `others`."""
    result = np.empty(len(rankings))
    for i in range(len(rankings)):
        result[i] = tau(rankings[i], others[i])
    return result


@numba.njit(cache=True)
def _count_pairs(a, b):
    concordant, discordant, compared = 0, 0, 0
    for i in range(len(a)):
        if a[i] == 0 or b[i] == 0:
            continue
        for j in range(i):
            if a[j] == 0 or b[j] == 0:
                continue
            compared += 1
            if a[i] == a[j] or b[i] == b[j]:
                continue
            if (a[i] < a[j]) == (b[i] < b[j]):
                concordant += 1
            else:
                discordant += 1
    return concordant, discordant, compared
