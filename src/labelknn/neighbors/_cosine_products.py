"""The search of `labelknn.neighbors` for any values, negative ones included.

All cosines are first computed in float32 from rows of length 1: features that are in many rows as dense blocks through
BLAS, the others through an inverted index. An a-priori bound on the rounding says which rows could be among the k most
similar, and only these are measured again, exactly but for one rounding at the end (`labelknn.neighbors`). So the
result depends on the data alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from labelknn.neighbors._cosine_measure import cosine, exact_cosine, room_for_sums
from labelknn.neighbors._cosine_sets import CSR, Array, exceeded_by, insert
from labelknn.neighbors._exact import add_product, two_sum
from labelknn.utils._kernels import inner, kernel
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


class Search(NamedTuple):
    """What is asked, and the result so far: `excluded` has a row number or -1 for each query."""

    rows: Rows
    queries: Rows
    excluded: np.ndarray
    signed: bool
    found: np.ndarray
    similarities: np.ndarray


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
    n = rows.shape[0]
    column = _dense_columns(rows, queries)
    width = int(column.max(initial=-1)) + 1
    matrix, wanted = _scaled(rows), _scaled(queries)
    signed = bool(min(matrix.data.min(initial=0), wanted.data.min(initial=0)) < 0)
    search = Search(matrix, wanted, excluded.astype(np.int64), signed, found, similarities)
    # Index and dense block of some rows take half of the memory, products with some queries the other half.
    needed = 8 * rows.indptr.astype(np.float64) + 4 * width * np.arange(n + 1)
    start = 0
    while start < n:
        fitting = int(np.searchsorted(needed, needed[start] + memory / 2, side="right")) - 1
        stop = min(max(fitting, start + 1), n)
        index = _inverted(matrix, start, stop, column)
        meets_few = _steps(wanted, index) <= int(FEW_ROWS * (stop - start))
        few, many = np.flatnonzero(meets_few), np.flatnonzero(~meets_few)
        over_rows(_search_tile, len(few), search, index, few, stop - start, None)
        dense = _dense(matrix, np.arange(start, stop), column, width)
        step = int(max(1, min(memory / 2, TILE_BYTES) // (4 * (stop - start + width))))
        for first in range(0, len(many), step):
            tile = many[first : first + step]
            products = _dense(wanted, tile, column, width) @ dense.T
            over_rows(_search_tile, len(tile), search, index, tile, stop - start, products)
        start = stop


def _scaled(matrix: CSR) -> Rows:
    """Each row times a power of 2, so that its largest value is near 1: the cosines stay, and no square overflows."""
    indptr, indices = matrix.indptr.astype(np.int64), np.asarray(matrix.indices, np.int32)
    data, norms = matrix.data.astype(np.float64), np.empty((matrix.shape[0], 2))
    _scale(indptr, data, norms)
    return Rows(indptr, indices, data, norms)


@kernel
def _scale(indptr, data, norms):
    for i in range(len(indptr) - 1):
        largest, high, low = 0.0, 0.0, 0.0
        for p in range(indptr[i], indptr[i + 1]):
            if abs(data[p]) > largest:
                largest = abs(data[p])
        exponent = math.frexp(largest)[1]
        half = exponent // 2  # in two steps: one of 2^-exponent could overflow for subnormal values
        for p in range(indptr[i], indptr[i + 1]):
            data[p] = math.ldexp(math.ldexp(data[p], -half), half - exponent)
            high, low = add_product(high, low, data[p], data[p])
        norms[i, 0], norms[i, 1] = two_sum(high, low)


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


@kernel
def _fill(start, stop, rows, chosen, column, dense):
    for i in range(start, stop):
        row = chosen[i]
        for p in range(rows.indptr[row], rows.indptr[row + 1]):
            place = column[rows.indices[p]]
            if place >= 0:
                dense[i, place] = _coordinate(rows.data[p], rows.norms[row, 0])


@inner
def _coordinate(value, squared_norm):
    value /= np.sqrt(squared_norm)
    return value if abs(value) > TINY else math.copysign(TINY, value)


def _inverted(rows: Rows, start: int, stop: int, column: Array) -> Index:
    """The index of the rows from `start` to `stop`."""
    ends, entries = np.zeros(len(column) + 2, np.int64), int(rows.indptr[stop] - rows.indptr[start])
    index = Index(ends, np.empty(entries, np.int32), np.empty(entries, np.float32), column, start)
    _invert(rows, stop, index)
    return index


@kernel
def _invert(rows, stop, index):
    start, ends = index.offset, index.ends
    for p in range(rows.indptr[start], rows.indptr[stop]):
        ends[rows.indices[p] + 2] += 1
    for f in range(2, len(ends)):
        ends[f] += ends[f - 1]
    # ends[f + 1] is where the list of f begins, and moves to where it ends.
    for i in range(start, stop):
        for p in range(rows.indptr[i], rows.indptr[i + 1]):
            f = rows.indices[p]
            place = ends[f + 1]
            index.lists[place] = i - start
            index.values[place] = _coordinate(rows.data[p], rows.norms[i, 0])
            ends[f + 1] += 1


def _steps(queries: Rows, index: Index) -> Array:
    """The number of entries of the index that each query meets."""
    steps = np.zeros(len(queries.indices) + 1, np.int64)
    np.cumsum(np.diff(index.ends)[queries.indices], out=steps[1:])
    return np.diff(steps[queries.indptr])


class _Scratch(NamedTuple):
    """What the kernel needs beside its result, for one query after the other.

    met : numbers of rows, counted from the index's first; all of them in order at first.
    cosines : of these rows.
    number_of : where each row is in `met`, or -1.
    spread : a query over all features, otherwise zeros.
    sums : see `exact_cosine`.
    """

    met: np.ndarray
    cosines: np.ndarray
    number_of: np.ndarray
    spread: np.ndarray
    sums: np.ndarray


def _search_tile(
    start: int, stop: int, search: Search, index: Index, tile: Array, n: int, products: Array | None
) -> None:
    """Offer the index's n rows to queries that meet few of them, or to those for which BLAS computed `products`."""
    few = products is None
    scratch = _Scratch(
        np.arange(n),
        np.empty(n if few else 0, np.float32),
        np.full(n if few else 0, -1),
        np.zeros(len(index.column)),
        room_for_sums(),
    )
    _offer(start, stop, search, index, tile, np.empty((0, 0), np.float32) if few else products, scratch)


@kernel
def _offer(start, stop, search, index, tile, products, scratch):
    """Measure the rows that could be among the k best, and put those that are into the result."""
    rows, queries, spread = search.rows, search.queries, scratch.spread
    for i in range(start, stop):
        query = tile[i]
        first, last = queries.indptr[query], queries.indptr[query + 1]
        found, similarities = search.found[query], search.similarities[query]
        if len(products) > 0:
            cosines = products[i]
            _add_lists(queries, query, index, cosines)
        else:
            cosines = scratch.cosines[: _meet(queries, query, index, scratch)]
        slack = _slack(last - first)
        # The (k + 1)-th largest in float32 is off by one slack, and the row to be compared with it by another. At most
        # one of them is left out. Without negative values, rows with a cosine of 0 in float32 are at 0 exactly.
        lowest = exceeded_by(cosines, len(found) + 1, 1.0, BISECTIONS) - 2 * slack
        if lowest < similarities[-1] - slack:
            lowest = similarities[-1] - slack
        if lowest < (-slack if search.signed else 0.0):
            lowest = -slack if search.signed else 0.0
        for p in range(first, last):
            spread[queries.indices[p]] = queries.data[p]
        for number in range(len(cosines)):
            row = scratch.met[number] + index.offset
            if cosines[number] > lowest and row != search.excluded[query]:
                similarity = cosine(rows, row, queries, query, spread)
                if similarity < 0.0:
                    similarity = exact_cosine(rows, row, queries, query, spread, scratch.sums)
                insert(similarity, row, found, similarities)
                if lowest < similarities[-1] - slack:
                    lowest = similarities[-1] - slack
        for p in range(first, last):
            spread[queries.indices[p]] = 0.0


@inner
def _add_lists(queries, query, index, cosines):
    """Add what the features of the index contribute to the products with all rows."""
    for p in range(queries.indptr[query], queries.indptr[query + 1]):
        f = queries.indices[p]
        if index.column[f] < 0:
            value = np.float32(_coordinate(queries.data[p], queries.norms[query, 0]))
            for place in range(index.ends[f], index.ends[f + 1]):
                cosines[index.lists[place]] += value * index.values[place]


@inner
def _meet(queries, query, index, scratch):
    """Fill in the rows that have a feature of the query, and their cosines; returns how many there are."""
    met, number_of, number = scratch.met, scratch.number_of, 0
    for p in range(queries.indptr[query], queries.indptr[query + 1]):
        f = queries.indices[p]
        value = np.float32(_coordinate(queries.data[p], queries.norms[query, 0]))
        for place in range(index.ends[f], index.ends[f + 1]):
            row = index.lists[place]
            if number_of[row] < 0:
                number_of[row], met[number], scratch.cosines[number] = number, row, 0.0
                number += 1
            scratch.cosines[number_of[row]] += value * index.values[place]
    for place in range(number):
        number_of[met[place]] = -1
    return number


@inner
def _slack(terms):
    """How far a cosine in float32 can be off. A sum of m products, in whatever order, is off by at most γ Σ |x||q| ≤ γ
    with γ = m ε (Higham 2002, section 3.1; the zeros of dense blocks add no error), and rounded coordinates add 2 ε; a
    factor 2 covers the higher-order terms and what TINY adds."""
    return 2 * (terms + 4) * 2.0**-24
