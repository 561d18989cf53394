"""Exact Euclidean nearest neighbours on dense rows, with one written order for all methods.

The order. The squared distance of two rows is the sum of their squared differences, evaluated in twice the working
precision and rounded once to float64. Neighbours come by increasing squared distance; equal ones by increasing row
index. Leave-one-out search leaves out the row itself and nothing else: its duplicates are neighbours at distance 0.

The way there. One BLAS product per block of queries gives all squared distances as |x|² + |q|² − 2 x·q, which is fast
and off by rounding. Counting them bounds the k-th smallest, an a-priori bound on the rounding says which rows
could be among the k nearest, and only these few are measured again in the order's own arithmetic. The products are in
single precision; queries for which that leaves too many rows open go through them once more in double precision. So the
result depends on the data alone, not on the block size, the BLAS or the number of threads. Each thread does whole
blocks, with BLAS held to one thread: its others would keep the cores busy, waiting for the next product.

Where features are few, a k-d tree finds slightly more than the k nearest first, and those are measured again. Only if
the farthest of them is clearly beyond the k-th, whatever the rounding was, are they known to contain all candidates;
a query for which ties leave that open goes through the products. Sparse rows of whole numbers have a way of their own
(`labelknn.neighbors._whole_numbers`). All ways give the same result.

Cost for m queries: 2 n m d flops in BLAS, some ten passes over the n m products, and 15 d flops for each of the
m k rows kept, if they are to be ordered. For ten neighbours among n = 20,000 rows the tree takes less than half of that
time with 4 features, and more than all of it with 9. Memory: `block_bytes` of products for each thread (at least one
query's), and a copy of rows and queries, beside the data and the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from threadpoolctl import ThreadpoolController

from labelknn.errors import DataError
from labelknn.neighbors._measure import TILE, squared_distances
from labelknn.neighbors._order import stable_order
from labelknn.neighbors._tree import tree_candidates, tree_pays
from labelknn.neighbors._whole_numbers import are_whole_numbers, search_whole_numbers
from labelknn.utils._kernels import inner, kernel
from labelknn.utils._threads import over_rows
from labelknn.utils._validation import Rows, dense_rows, finite_rows

BLOCK_BYTES = 16 * 2**20


@dataclass(frozen=True)
class Neighbors:
    """The k nearest rows of each query, nearest first: row numbers and Euclidean distances, both (n_queries, k)."""

    indices: np.ndarray
    distances: np.ndarray

    @property
    def k(self) -> int:
        return self.indices.shape[1]

    def nearest(self, k: int) -> Neighbors:
        """The first k of them: a search at the largest k serves all smaller ones."""
        if not 1 <= k <= self.k:
            raise ValueError(f"k = {k} neighbours asked of a search that found {self.k}")
        return Neighbors(self.indices[:, :k], self.distances[:, :k])


def k_nearest(X: Rows, k: int, queries: Rows | None = None, block_bytes: int = BLOCK_BYTES) -> Neighbors:
    """The k rows of X nearest to each query; without `queries`, nearest to each row of X among the others.

    >>> import numpy as np
    >>> k_nearest(np.array([[0.0], [1.0], [3.0], [1.0]]), k=2).indices
    array([[1, 3],
           [3, 0],
           [1, 3],
           [1, 0]])
    """
    indices, squared = _search(X, k, queries, True, block_bytes)
    return Neighbors(indices, np.sqrt(squared))


def nearest_sets(X: Rows, k: int, queries: Rows | None = None, block_bytes: int = BLOCK_BYTES) -> np.ndarray:
    """The rows that `k_nearest` finds, without distances and in increasing order: about twice as fast.

    For methods in which neighbours count alike, so that only those about as far as the k-th need to be measured.

    >>> import numpy as np
    >>> nearest_sets(np.array([[0.0], [1.0], [3.0], [1.0]]), k=2)
    array([[1, 3],
           [0, 3],
           [1, 3],
           [0, 1]])
    """
    return _search(X, k, queries, False, block_bytes)[0]


def _search(X: Rows, k: int, queries: Rows | None, ordered: bool, block_bytes: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers and, if they are to be ordered, squared distances."""
    X = finite_rows(X, "X")
    leave_one_out = queries is None
    queries = X if queries is None else finite_rows(queries, "the matrix of queries")
    if queries.shape[1] != X.shape[1]:
        raise DataError(f"the queries have {queries.shape[1]} features, the rows to search {X.shape[1]}")
    (n, d), m = X.shape, queries.shape[0]
    others = n - leave_one_out
    if not 1 <= k <= others:
        raise DataError(f"k = {k} neighbours asked for, {others} rows to choose from (n_samples = {n})")
    indices, squared = np.empty((m, k), np.intp), np.empty((m, k))
    excluded = np.arange(n) if leave_one_out else np.full(m, -1)
    if are_whole_numbers(X, queries):
        search_whole_numbers(X, queries, excluded, indices, squared)
        if not ordered:
            indices.sort(axis=1)
        return indices, squared
    X = dense_rows(X)
    queries = X if leave_one_out else dense_rows(queries)
    if max(np.abs(X).max(), np.abs(queries).max(initial=0)) > np.sqrt(np.finfo(float).max / (8 * X.shape[1])):
        raise DataError("feature values are too large: squared distances overflow; scale the features")

    asked = np.arange(len(queries))
    if tree_pays(n, d, k):
        decided, candidates = tree_candidates(X, queries, k, leave_one_out)
        asked = np.flatnonzero(decided)
        over_rows(_measure, len(asked), X, queries, asked, candidates, excluded, indices, squared)
        asked = np.flatnonzero(~decided)
        if not ordered:
            indices.sort(axis=1)
    found = excluded, ordered, indices, squared
    for precision, most in ((np.float32, 4 * k + 64), (np.float64, len(X))):
        if len(asked):
            asked = _search_products(X, queries, asked, precision, most, block_bytes, *found)
    return indices, squared


def _search_products(
    X: np.ndarray,
    queries: np.ndarray,
    asked: np.ndarray,
    precision: type[np.floating],
    most: int,
    block_bytes: int,
    excluded: np.ndarray,
    ordered: bool,
    indices: np.ndarray,
    squared: np.ndarray,
) -> np.ndarray:
    """Fill in the neighbours of the queries `asked` that have at most `most` candidates, and return the others.

    The products are those of all rows moved by the same vector, so that they lie around the origin, and multiplied by a
    power of two, so that none is too large for the precision.
    """
    center = X.mean(axis=0)
    rows, moved = X - center, queries[asked] - center
    scale = 2.0 ** min(1000, -int(np.frexp(max(np.abs(rows).max(), np.abs(moved).max()))[1]))
    rows, moved = (rows * scale).astype(precision), (moved * scale).astype(precision)
    norms, moved_norms = np.einsum("ij,ij->i", rows, rows), np.einsum("ij,ij->i", moved, moved)
    # |fl(|x|² + |q|² − 2 x·q) − exact| ≤ 2 (d + 3) u (|x|² + |q|²), u the unit roundoff (Higham 2002, section 3.1),
    # since 2 |x|·|q| ≤ |x|² + |q|². That x and q are rounded first adds 4 u (|x|² + |q|²). A factor of 4 on top (eps is
    # 2 u) covers higher-order terms and the rounding of bounds, `tiny` what underflows.
    limits = np.finfo(precision)
    slack = 4 * (X.shape[1] + 5) * (limits.eps * (norms.max() + moved_norms) + limits.tiny)
    height = max(1, int(block_bytes // (rows.itemsize * len(X))))
    with _blas().limit(limits=1, user_api="blas"):
        products = rows, norms, moved, moved_norms, slack, height, most
        over_rows(_search_rows, len(asked), X, queries, asked, *products, excluded, ordered, indices, squared)
    return asked[indices[asked, 0] < 0]


@cache
def _blas() -> ThreadpoolController:
    """All BLAS libraries in use."""
    return ThreadpoolController()


class _Scratch(NamedTuple):
    """What a kernel needs beside its result, for one query after the other.

    rows, open_rows, places, order, ends : room for the numbers of all rows, and two more.
    distances : of as many rows.
    tile : see `squared_distances`.
    """

    rows: np.ndarray
    open_rows: np.ndarray
    places: np.ndarray
    order: np.ndarray
    ends: np.ndarray
    distances: np.ndarray
    tile: np.ndarray


def _scratch(n: int, d: int) -> _Scratch:
    return _Scratch._make([*np.empty((5, n + 2), np.int64), np.empty(n + 1), np.empty((d + 1, TILE))])


def _search_rows(
    start: int, stop: int, X: np.ndarray, queries: np.ndarray, asked: np.ndarray, rows: np.ndarray, norms: np.ndarray,
    moved: np.ndarray, moved_norms: np.ndarray, slack: np.ndarray, height: int, most: int, excluded: np.ndarray,
    ordered: bool, indices: np.ndarray, squared: np.ndarray,
) -> None:  # fmt: skip
    """Fill in the neighbours of queries that have at most `most` candidates, and -1 for those of the others."""
    keep, scratch = _keep_nearest if ordered else _keep_set, _scratch(*X.shape)
    for first in range(start, stop, height):
        last = min(first + height, stop)
        products = moved[first:last] @ rows.T
        bounds = norms, moved_norms, slack, most, excluded
        keep(first, last, X, queries, asked, products, *bounds, indices, squared, scratch)


def _measure(
    start: int, stop: int, X: np.ndarray, queries: np.ndarray, asked: np.ndarray, found: np.ndarray,
    excluded: np.ndarray, indices: np.ndarray, squared: np.ndarray,
) -> None:  # fmt: skip
    scratch = _scratch(found.shape[1], X.shape[1])
    _keep_nearest_found(start, stop, X, queries, asked, found, excluded, indices, squared, scratch)


@kernel
def _keep_nearest(
    start, stop, X, queries, asked, products, norms, moved_norms, slack, most, excluded, indices, squared, scratch
):
    """Fill in the neighbours of the queries asked[start:stop], nearest first, from their `products` with all rows."""
    k = indices.shape[1]
    for i in range(start, stop):
        query, values = asked[i], products[i - start]
        count, _, _ = _candidates(values, norms, moved_norms[i], excluded[query], k, 2.0 * slack[i], scratch.rows)
        if count > most:
            indices[query, 0] = -1
        else:
            _nearest_first(X, queries[query], scratch, count, indices[query], squared[query])


@kernel
def _keep_nearest_found(start, stop, X, queries, asked, found, excluded, indices, squared, scratch):
    """The same for the queries `asked` from the rows `found` for each of all queries."""
    for i in range(start, stop):
        query, count = asked[i], 0
        for place in range(found.shape[1]):
            scratch.rows[count] = found[query, place]
            count += found[query, place] != excluded[query]
        _nearest_first(X, queries[query], scratch, count, indices[query], squared[query])


@inner
def _nearest_first(X, query, scratch, count, indices, squared):
    """The nearest of the candidate rows, which are in increasing order, so that a stable order settles ties."""
    rows, distances, order = scratch.rows, scratch.distances, scratch.order
    squared_distances(X, query, rows, count, scratch.tile, distances)
    stable_order(distances, count, scratch.ends, order)
    for rank in range(len(indices)):
        indices[rank] = rows[order[rank]]
        squared[rank] = distances[order[rank]]


@kernel
def _keep_set(
    start, stop, X, queries, asked, products, norms, moved_norms, slack, most, excluded, indices, squared, scratch
):
    """Fill in the neighbours of the queries asked[start:stop], in the order of the rows; leave `squared` as it is."""
    k, rows = indices.shape[1], scratch.rows
    for i in range(start, stop):
        query, values, away = asked[i], products[i - start], 2.0 * slack[i]
        count, low, high = _candidates(values, norms, moved_norms[i], excluded[query], k, away, rows)
        if count > most:
            indices[query, 0] = -1
            continue
        for place in range(count):
            values[place] = values[rows[place]]  # rows[place] ≥ place
        near = values[:count]
        while high - low > away:
            middle = values.dtype.type(low + (high - low) / 2.0)
            if _count_up_to(near, middle) < k:
                low = middle
            else:
                high = middle
        # Below `low` by the slack is nearer than the k-th, above `high` by it is farther, whatever the rounding was.
        # What lies between is measured. A row number's complement says that the row is not kept.
        sure, opened = 0, 0
        for place in range(count):
            if near[place] <= low - away:
                sure += 1
                continue
            if near[place] <= high + away:
                scratch.open_rows[opened] = rows[place]
                scratch.places[opened] = place
                opened += 1
            rows[place] = ~rows[place]
        squared_distances(X, queries[query], scratch.open_rows, opened, scratch.tile, scratch.distances)
        stable_order(scratch.distances, opened, scratch.ends, scratch.order)
        for rank in range(k - sure):
            place = scratch.places[scratch.order[rank]]
            rows[place] = ~rows[place]
        kept = 0
        for place in range(count):
            if rows[place] >= 0:
                indices[query, kept] = rows[place]
                kept += 1


@inner
def _candidates(values, norms, query_norm, excluded, k, slack, rows):
    """Find all rows but `excluded` that may be among the k nearest if each squared distance may be off by slack / 2.

    Returns their number and two bounds on the k-th smallest value. `values` are the products with the query, and become
    |x|² − 2 x·q. (|q|² is the same for all.)
    """
    for j in range(len(values)):
        values[j] = norms[j] - (values[j] + values[j])
    if excluded >= 0:
        values[excluded] = np.inf
    # The k-th smallest is in [low, high]: any k values have one that is not smaller. Halve that until not many more
    # than k values are up to `high`.
    low, high = -query_norm - slack, -np.inf
    for j in range(k + (0 <= excluded < k)):
        if j != excluded and values[j] > high:
            high = values[j]
    enough = k + k // 8 + 8
    count = len(values)
    while count > enough and high - low > slack:
        middle = values.dtype.type(low + (high - low) / 2.0)
        up_to_middle = _count_up_to(values, middle)
        if up_to_middle < k:
            low = middle
        else:
            high, count = middle, up_to_middle
    bound = values.dtype.type(high + slack)
    count = 0
    for j in range(len(values)):
        rows[count] = j
        count += values[j] <= bound
    return count, low, high


@inner
def _count_up_to(values, bound):
    count = np.int32(0)
    for j in range(len(values)):
        count = np.int32(count + np.int32(values[j] <= bound))  # in this form several in one instruction
    return count
