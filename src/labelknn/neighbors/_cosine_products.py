"""The search of `labelknn.neighbors` for any values, negative ones included.

All cosines are first computed in float32 from rows of length 1: features that are in many rows as dense blocks through
BLAS, the others through an inverted index. An a-priori bound on the rounding says which rows could be among the k most
similar, and only these are measured again, exactly but for one rounding at the end (`labelknn.neighbors`). So the
result depends on the data alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np

from labelknn.neighbors._cosine_measure import cosine, squared_norms
from labelknn.neighbors._cosine_sets import CSR, Array, exceeded_by, insert
from labelknn.utils._threads import over_rows

# A feature goes through BLAS if it is in more than this share of the rows (geometric mean over rows and queries).
DENSE_SHARE = 0.2
# The share of the rows below which a query looks only at the rows that it meets.
FEW_ROWS = 0.05
TILE_BYTES = 32 * 2**20
BISECTIONS = 16
# Smaller coordinates of rows of length 1 are taken as this, so that no product of two vanishes in float32.
TINY = 1e-18


class Rows(NamedTuple):
    """A CSR matrix and the squared lengths of its rows, each an unevaluated sum of two float64, for the kernels."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    norms: np.ndarray


class Index(NamedTuple):
    """Some of the rows, counted from `offset`: those with feature f and their coordinates are at ends[f] : ends[f + 1].

    column : the place of each feature in the dense blocks, or -1.
    """

    ends: np.ndarray
    lists: np.ndarray
    values: np.ndarray
    column: np.ndarray
    offset: int


def search_products(rows: CSR, queries: CSR, excluded: Array, memory: int, found: Array, similarities: Array) -> None:
    """Fill in `found` and `similarities`, which hold -1 and 0; `excluded` has a row number or -1 for each query."""
    n, d = rows.shape
    column = _dense_columns(rows, queries)
    width = int(column.max(initial=-1)) + 1
    matrix, wanted = _scaled(rows), _scaled(queries)
    signed = bool(min(matrix.data.min(initial=0), wanted.data.min(initial=0)) < 0)
    result = (excluded, signed, found, similarities)
    # Index and dense block of some rows take half of the memory, products with some queries the other half.
    needed = 8 * rows.indptr.astype(np.float64) + 4 * width * np.arange(n + 1)
    start = 0
    while start < n:
        fitting = int(np.searchsorted(needed, needed[start] + memory / 2, side="right")) - 1
        stop = min(max(fitting, start + 1), n)
        ends, lists, values = _invert(matrix, start, stop, d)
        index = Index(ends, lists, values, column, start)
        dense = _dense(matrix, np.arange(start, stop), column, width)
        meets_few = _meets_few(wanted, index.ends, int(FEW_ROWS * (stop - start)))
        few, many = np.flatnonzero(meets_few), np.flatnonzero(~meets_few)
        over_rows(_search_few, len(few), matrix, wanted, index, few, stop - start, *result)
        step = int(max(1, min(memory / 2, TILE_BYTES) // (4 * (stop - start + width))))
        for first in range(0, len(many), step):
            tile = many[first : first + step]
            products = _dense(wanted, tile, column, width) @ dense.T
            over_rows(_search_many, len(tile), matrix, wanted, index, tile, products, *result)
        start = stop


def _scaled(matrix: CSR) -> Rows:
    """Each row times a power of 2, so that its largest value is near 1: the cosines stay, and no square overflows."""
    data = matrix.data.astype(np.float64)
    _scale(matrix.indptr, data)
    return Rows(matrix.indptr, matrix.indices, data, squared_norms(matrix.indptr, data))


@numba.njit(cache=True)
def _scale(indptr, data):
    for i in range(len(indptr) - 1):
        values = data[indptr[i] : indptr[i + 1]]
        if len(values):
            exponent = math.frexp(np.abs(values).max())[1]
            half = exponent // 2  # in two steps: one of 2^-exponent could overflow for subnormal values
            for p in range(len(values)):
                values[p] = math.ldexp(math.ldexp(values[p], -half), half - exponent)


def _dense_columns(rows: CSR, queries: CSR) -> Array:
    """The column of each feature in the dense blocks, or -1."""
    (n, d), m = rows.shape, queries.shape[0]
    pairs = np.bincount(rows.indices, minlength=d) * np.bincount(queries.indices, minlength=d).astype(np.float64)
    frequent = np.flatnonzero(pairs > DENSE_SHARE**2 * n * m)
    column = np.full(d, -1, np.int32)
    column[frequent] = np.arange(len(frequent))
    return column


def _dense(rows: Rows, chosen: Array, column: Array, width: int) -> Array:
    dense = np.zeros((len(chosen), width), np.float32)
    if width:
        over_rows(_fill, len(chosen), rows, chosen, column, dense)
    return dense


@numba.njit(nogil=True, cache=True)
def _fill(start, stop, rows, chosen, column, dense):
    for i in range(start, stop):
        row = chosen[i]
        for p in range(rows.indptr[row], rows.indptr[row + 1]):
            place = column[rows.indices[p]]
            if place >= 0:
                dense[i, place] = _coordinate(rows.data[p], rows.norms[row, 0])


@numba.njit(cache=True)
def _coordinate(value, squared_norm):
    value /= np.sqrt(squared_norm)
    return np.copysign(max(abs(value), TINY), value)


@numba.njit(cache=True)
def _invert(rows, start, stop, d):
    """`ends`, `lists` and `values` of the index of the rows from `start` to `stop`."""
    ends = np.zeros(d + 1, np.int64)
    for p in range(rows.indptr[start], rows.indptr[stop]):
        ends[rows.indices[p] + 1] += 1
    ends = np.cumsum(ends)
    lists = np.empty(rows.indptr[stop] - rows.indptr[start], np.int32)
    values = np.empty(len(lists), np.float32)
    free = ends[:-1].copy()
    for i in range(start, stop):
        for p in range(rows.indptr[i], rows.indptr[i + 1]):
            f = rows.indices[p]
            lists[free[f]] = i - start
            values[free[f]] = _coordinate(rows.data[p], rows.norms[i, 0])
            free[f] += 1
    return ends, lists, values


@numba.njit(cache=True)
def _meets_few(queries, ends, limit):
    few = np.empty(len(queries.indptr) - 1, np.bool_)
    for i in range(len(few)):
        steps = 0
        for f in queries.indices[queries.indptr[i] : queries.indptr[i + 1]]:
            steps += ends[f + 1] - ends[f]
        few[i] = steps <= limit
    return few


@numba.njit(nogil=True, cache=True)
def _search_many(start, stop, rows, queries, index, tile, products, excluded, signed, found, similarities):
    """Queries that meet many rows: `products` holds what BLAS computed for them."""
    everything, scratch = np.arange(products.shape[1]), np.zeros(len(index.column))
    for i in range(start, stop):
        query, cosines = tile[i], products[i]
        for p in range(queries.indptr[query], queries.indptr[query + 1]):
            f = queries.indices[p]
            if index.column[f] < 0:
                value = np.float32(_coordinate(queries.data[p], queries.norms[query, 0]))
                for place in range(index.ends[f], index.ends[f + 1]):
                    cosines[index.lists[place]] += value * index.values[place]
        _offer(
            rows,
            queries,
            query,
            everything,
            cosines,
            index.offset,
            excluded[query],
            signed,
            scratch,
            found[query],
            similarities[query],
        )


@numba.njit(nogil=True, cache=True)
def _search_few(start, stop, rows, queries, index, tile, n, excluded, signed, found, similarities):
    """Queries that meet few of the n rows, and look at no others."""
    met, cosines, scratch = np.empty(n, np.int64), np.empty(n, np.float32), np.zeros(len(index.column))
    number_of = np.full(n, -1)
    for i in range(start, stop):
        query, number = tile[i], 0
        for p in range(queries.indptr[query], queries.indptr[query + 1]):
            f = queries.indices[p]
            value = np.float32(_coordinate(queries.data[p], queries.norms[query, 0]))
            for place in range(index.ends[f], index.ends[f + 1]):
                row = index.lists[place]
                if number_of[row] < 0:
                    number_of[row], met[number], cosines[number] = number, row, 0
                    number += 1
                cosines[number_of[row]] += value * index.values[place]
        for place in range(number):
            number_of[met[place]] = -1
        _offer(
            rows,
            queries,
            query,
            met[:number],
            cosines[:number],
            index.offset,
            excluded[query],
            signed,
            scratch,
            found[query],
            similarities[query],
        )


@numba.njit(cache=True)
def _offer(rows, queries, query, met, cosines, offset, without, signed, scratch, found, similarities):
    """Measure the rows that could be among the k best, and put those that are into the result; `scratch` is zeros."""
    first, last = queries.indptr[query], queries.indptr[query + 1]
    slack = _slack(last - first)
    # The (k + 1)-th largest in float32 is off by one slack, and the row to be compared with it by another. At most one
    # of them is left out. Without negative values, rows with a cosine of 0 in float32 are at 0 exactly.
    reached_by_k = exceeded_by(cosines, len(found) + 1, 1.0, BISECTIONS)
    lowest = max(reached_by_k - 2 * slack, similarities[-1] - slack, -slack if signed else 0.0)
    for p in range(first, last):
        scratch[queries.indices[p]] = queries.data[p]
    for i in range(len(met)):
        row = met[i] + offset
        if cosines[i] > lowest and row != without:
            insert(cosine(rows, row, queries, query, scratch), row, found, similarities)
            lowest = max(lowest, similarities[-1] - slack)
    for p in range(first, last):
        scratch[queries.indices[p]] = 0.0


@numba.njit(cache=True)
def _slack(terms):
    """How far a cosine in float32 can be off. A sum of m products, in whatever order, is off by at most γ Σ |x||q| ≤ γ
    with γ = m ε (Higham 2002, section 3.1; the zeros of dense blocks add no error), and rounded coordinates add 2 ε; a
    factor 2 covers the higher-order terms and what TINY adds."""
    return 2 * (terms + 4) * 2.0**-24
