"""Cosines without rounding errors, for the searches of `labelknn.neighbors`.

The square of a cosine is computed in twice the working precision and rounded once. Where the error bound of that leaves
two float64 to choose from, or the sign of the inner product open, it must be computed again from exact sums. That is
rare but on data of few distinct values.
"""

from __future__ import annotations

import numpy as np

from labelknn.neighbors._exact import (
    SUM_ROOM,
    add_product,
    add_product_exactly,
    leading,
    multiply_exactly,
    product,
    two_sum,
)
from labelknn.utils._kernels import inner

# Exact sums give the square of a cosine, before it is rounded, with this relative error at most.
OF_EXACT_SUMS = 2.0**-78


@inner
def cosine(rows, row, queries, query, spread):
    """The root of the squared cosine, rounded once, of a row and a query; 0 where the cosine is not positive; -1 where
    only `exact_cosine` can tell.

    rows, queries : `labelknn.neighbors._cosine_products.Rows`.
    spread : the query over all features.

    The order of these numbers is that of the exact cosines, up to pairs that agree in 52 bits.
    """
    high, low, size = 0.0, 0.0, 0.0
    for p in range(rows.indptr[row], rows.indptr[row + 1]):
        other = spread[rows.indices[p]]
        if other != 0.0:
            high, low = add_product(high, low, rows.data[p], other)
            size += abs(rows.data[p] * other)
    # A sum of m products in twice the working precision is off by at most (m ε)² Σ |x||q|, ε = 2^-53, before its last
    # rounding (Ogita, Rump & Oishi 2005, section 4); a factor 8 covers the steps after it.
    length, query_length = rows.indptr[row + 1] - rows.indptr[row], queries.indptr[query + 1] - queries.indptr[query]
    terms = 4.0 + (length if length > query_length else query_length)
    share = 8.0 * terms * terms * 2.0**-106
    dot, low = two_sum(high, low)
    if dot <= -share * size or size == 0.0:
        return 0.0
    if dot > share * size:
        square, square_low = product(dot, dot)
        scale, scale_low = product(rows.norms[row, 0], queries.norms[query, 0])
        scale_low += rows.norms[row, 0] * queries.norms[query, 1] + rows.norms[row, 1] * queries.norms[query, 0]
        doubt = share * (1.0 + size / dot)
        lower, upper = _quotient(square, square_low + 2 * dot * low, scale, scale_low, doubt)
        if lower == upper:
            return np.sqrt(lower)
    return -1.0


@inner
def _quotient(a, a_low, b, b_low, doubt):
    """The two float64 that (a + a_low) / (b + b_low) may round to if it is off by the share `doubt`; often one."""
    ratio = a / b
    back, back_low = product(ratio, b)
    correction = ((a - back) - back_low + a_low - ratio * b_low) / b
    return ratio + (correction - doubt * ratio), ratio + (correction + doubt * ratio)


def room_for_sums() -> np.ndarray:
    """Scratch space of `exact_cosine`."""
    return np.empty((5, SUM_ROOM))


@inner
def exact_cosine(rows, row, queries, query, spread, sums):
    """The same from exact sums, slowly."""
    dot, norm, query_norm, square, scale = sums[0], sums[1], sums[2], sums[3], sums[4]
    dot[0] = norm[0] = query_norm[0] = 0.0
    for p in range(rows.indptr[row], rows.indptr[row + 1]):
        add_product_exactly(dot, rows.data[p], spread[rows.indices[p]])
        add_product_exactly(norm, rows.data[p], rows.data[p])
    if _last(dot) <= 0.0:
        return 0.0
    for p in range(queries.indptr[query], queries.indptr[query + 1]):
        add_product_exactly(query_norm, queries.data[p], queries.data[p])
    multiply_exactly(square, dot, dot)
    multiply_exactly(scale, norm, query_norm)
    a, a_low = leading(square)
    b, b_low = leading(scale)
    lower, upper = _quotient(a, a_low, b, b_low, OF_EXACT_SUMS)
    if lower == upper:
        return np.sqrt(lower)
    # Two neighbours among the float64: their mean decides, (lower + upper) · scale against 2 · square.
    gap, place = square, 0
    while gap[place] != 0.0:
        gap[place] *= -2.0
        place += 1
    place = 0
    while scale[place] != 0.0:
        add_product_exactly(gap, scale[place], lower)
        add_product_exactly(gap, scale[place], upper)
        place += 1
    if gap[0] == 0.0:
        return np.sqrt(lower + (upper - lower) / 2)  # half way, to the even one
    return np.sqrt(lower if _last(gap) > 0.0 else upper)


@inner
def _last(parts):
    """The largest part of an exact sum, which has its sign; 0 if it has none."""
    place = 0
    while parts[place] != 0.0:
        place += 1
    return parts[place - 1] if place > 0 else 0.0
