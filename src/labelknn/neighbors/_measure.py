"""How far rows are from a query, in twice the working precision."""

from __future__ import annotations

from labelknn.neighbors._exact import product, two_sum
from labelknn.utils._kernels import inner

# So many rows are measured side by side.
TILE = 64


@inner
def squared_distances(X, query, rows, n, tile, distances):
    """Fill in Σ (x − y)² of the first n `rows`, summed in twice the working precision and then rounded to float64.

    Feature by feature for many rows, so that a processor does several in one instruction. `tile` is scratch space of
    TILE numbers for each feature, and as many for the sums' low parts.
    """
    d = len(query)
    for start in range(0, n, TILE):
        width = n - start if n - start < TILE else TILE
        high, low = distances[start : start + width], tile[d]
        for i in range(width):
            high[i] = low[i] = 0.0
            for j in range(d):
                tile[j, i] = X[rows[start + i], j]
        for j in range(d):
            x, y = tile[j], query[j]
            for i in range(width):
                difference, error = two_sum(x[i], -y)
                square, rest = product(difference, difference)
                high[i], carry = two_sum(high[i], square)
                low[i] += carry + (rest + 2.0 * difference * error)
        for i in range(width):
            high[i] += low[i]
