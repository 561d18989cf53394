"""Kendall's tau between rankings that may lack labels (cheng2009, section 2, equation (1)).

Rankings are rows of ranks as in `labelknn.datasets._container`: 1 is best, 0 is a missing label. Only the order of the
ranks counts. A pair of labels is compared if both rankings have both labels; a pair that either ranking ties is neither
concordant nor discordant.
"""

from __future__ import annotations

import numpy as np

from labelknn.utils._kernels import kernel


def taus(rankings: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Tau of each row with the same row of `others`: (concordant − discordant) / compared pairs, NaN if there are none.

    >>> taus(np.array([[2, 1, 0, 3]]), np.array([[2, 3, 1, 4]])).round(3)
    array([0.333])
    """
    result = np.empty(len(rankings))
    _fill_taus(*(np.ascontiguousarray(ranks, np.float64) for ranks in (rankings, others)), result)
    return result


@kernel
def _fill_taus(rankings, others, result):
    n, q = rankings.shape
    for row in range(n):
        a, b = rankings[row], others[row]
        surplus, compared = 0, 0
        for i in range(q):
            if a[i] == 0 or b[i] == 0:
                continue
            for j in range(i):
                if a[j] != 0 and b[j] != 0:
                    compared += 1
                    surplus += ((a[i] > a[j]) - (a[i] < a[j])) * ((b[i] > b[j]) - (b[i] < b[j]))
        result[row] = surplus / compared if compared > 0 else np.nan
