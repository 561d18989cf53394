"""How far rows are from a query, in twice the working precision."""

from __future__ import annotations

import numba
import numpy as np

from labelknn.neighbors._exact import product, two_sum


@numba.njit(cache=True)
def squared_distances(X, query, rows):
    """Σ (x − y)² in twice the working precision, rounded to float64 at the end.

    Feature by feature for all rows, so that a processor does several rows in one instruction.
    """
    columns = np.empty((len(query), len(rows)))
    for i in range(len(rows)):
        row = X[rows[i]]
        for j in range(len(query)):
            columns[j, i] = row[j]
    high, low = np.zeros(len(rows)), np.zeros(len(rows))
    for j in range(len(query)):
        x, y = columns[j], query[j]
        for i in range(len(rows)):
            difference, error = two_sum(x[i], -y)
            square, rest = product(difference, difference)
            high[i], carry = two_sum(high[i], square)
            low[i] += carry + (rest + 2.0 * difference * error)
    for i in range(len(rows)):
        high[i] += low[i]
    return high
