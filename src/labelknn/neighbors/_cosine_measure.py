"""Cosines without rounding errors, for the searches of `labelknn.neighbors`.

The square of a cosine is computed in twice the working precision and rounded once. Where the error bound of that leaves
two float64 to choose from, or the sign of the inner product open, it is computed again from exact sums. That is rare
but on data of few distinct values.
"""

from __future__ import annotations

import numba
import numpy as np

from labelknn.neighbors._exact import add_product, all_products, exact_sum, inner_product, leading, product, two_sum

# Exact sums give the square of a cosine, before it is rounded, with this relative error at most.
OF_EXACT_SUMS = 2.0**-96


@numba.njit(cache=True)
def squared_norms(indptr, data):
    """The squared lengths of a CSR matrix's rows, each an unevaluated sum of two float64."""
    norms = np.zeros((len(indptr) - 1, 2))
    for i in range(len(norms)):
        high, low = 0.0, 0.0
        for p in range(indptr[i], indptr[i + 1]):
            high, low = add_product(high, low, data[p], data[p])
        norms[i] = two_sum(high, low)
    return norms


@numba.njit(cache=True)
def cosine(rows, row, queries, query, spread):
    """The root of the squared cosine, rounded once, of a row and a query; 0 where the cosine is not positive.

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
    terms = 4 + max(rows.indptr[row + 1] - rows.indptr[row], queries.indptr[query + 1] - queries.indptr[query])
    share = 8.0 * terms**2 * 2.0**-106
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
    start, stop = rows.indptr[row], rows.indptr[row + 1]
    of_query = queries.data[queries.indptr[query] : queries.indptr[query + 1]]
    return np.sqrt(_exact_square(rows.data[start:stop], spread[rows.indices[start:stop]], of_query))


@numba.njit(cache=True)
def _quotient(a, a_low, b, b_low, doubt):
    """The two float64 that (a + a_low) / (b + b_low) may round to if it is off by the share `doubt`; often one."""
    ratio = a / b
    back, back_low = product(ratio, b)
    correction = ((a - back) - back_low + a_low - ratio * b_low) / b
    return ratio + (correction - doubt * ratio), ratio + (correction + doubt * ratio)


@numba.njit(cache=True)
def _exact_square(values, others, of_query):
    """(values · others)² / (|values|² |of_query|²), rounded once; 0 where the inner product is not positive."""
    dot = inner_product(values, others)
    if not len(dot) or dot[-1] < 0.0:
        return 0.0
    square = all_products(dot, dot)
    scale = all_products(inner_product(values, values), inner_product(of_query, of_query))
    a, a_low = leading(square)
    b, b_low = leading(scale)
    lower, upper = _quotient(a, a_low, b, b_low, OF_EXACT_SUMS)
    if lower == upper:
        return lower
    # Two neighbours among the float64: their mean decides, 2 · square against (lower + upper) · scale.
    gap = exact_sum(np.concatenate((2 * square, -all_products(scale, np.array([lower, upper])))))
    if not len(gap):
        return lower + (upper - lower) / 2  # half way, to the even one
    return upper if gap[-1] > 0.0 else lower
