"""Exact Euclidean nearest neighbours on dense rows, with one written order for all methods.

The order. The squared distance of two rows is the sum of their squared differences, evaluated in twice the working
precision and rounded once to float64. Neighbours come by increasing squared distance; equal ones by increasing row
index. Leave-one-out search leaves out the row itself and nothing else: its duplicates are neighbours at distance 0.

The way there. One BLAS product per block of queries gives all squared distances as |x|² + |q|² − 2 x·q, which is fast
and off by rounding. An a-priori bound on that rounding says which rows could be among the k nearest; only these few are
measured again in the order's own arithmetic. So the result depends on the data alone, not on the block size, the BLAS
or the number of threads.

Cost: 2 n m d flops in BLAS, one pass over the n m products, and about 30 d flops for each of the n k rows kept.
Memory: `block_bytes` for a block of products, beside the data and the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np

from labelknn.errors import DataError

BLOCK_BYTES = 64 * 2**20


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


def k_nearest(X: np.ndarray, k: int, queries: np.ndarray | None = None, block_bytes: int = BLOCK_BYTES) -> Neighbors:
    """The k rows of X nearest to each query; without `queries`, nearest to each row of X among the others.

    >>> import numpy as np
    >>> k_nearest(np.array([[0.0], [1.0], [3.0], [1.0]]), k=2).indices
    array([[1, 3],
           [3, 0],
           [1, 3],
           [1, 0]])
    """
    X = _finite_rows(X, "the rows to search")
    leave_one_out = queries is None
    queries = X if leave_one_out else _finite_rows(queries, "the queries")
    if queries.shape[1] != X.shape[1]:
        raise DataError(f"the queries have {queries.shape[1]} features, the rows to search {X.shape[1]}")
    candidates = len(X) - leave_one_out
    if not 1 <= k <= candidates:
        raise DataError(f"k = {k} neighbours asked for, {candidates} rows to choose from")

    norms = np.einsum("ij,ij->i", X, X)
    query_norms = norms if leave_one_out else np.einsum("ij,ij->i", queries, queries)
    largest_norm = norms.max()
    if not np.isfinite(2 * (largest_norm + query_norms.max(initial=0))):
        raise DataError("feature values are too large: squared distances overflow; scale the features")
    indices = np.empty((len(queries), k), np.intp)
    squared = np.empty((len(queries), k))
    rows = max(1, int(block_bytes // (8 * len(X))))
    for start in range(0, len(queries), rows):
        block = slice(start, min(start + rows, len(queries)))
        products = queries[block] @ X.T
        excluded = np.arange(block.start, block.stop) if leave_one_out else np.full(len(products), -1)
        # |fl(|x|² + |q|² − 2 x·q) − exact| ≤ 2 γ (|x|² + |q|²) with γ = (d + 3) ε (Higham 2002, section 3.1), since
        # 2 |x|·|q| ≤ |x|² + |q|²; a factor 2 on top covers the higher-order terms.
        slack = 4 * (X.shape[1] + 3) * np.finfo(float).eps * (largest_norm + query_norms[block])
        _select(X, queries[block], norms, query_norms[block], products, slack, excluded, indices[block], squared[block])
    return Neighbors(indices, np.sqrt(squared))


def _finite_rows(X: np.ndarray, what: str) -> np.ndarray:
    X = np.ascontiguousarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise DataError(f"{what} must be a matrix, got {X.ndim} dimension(s)")
    if not np.isfinite(X).all():
        row, column = np.argwhere(~np.isfinite(X))[0]
        raise DataError(f"{what} contain {X[row, column]} (row {row}, column {column}); impute or drop it first")
    return X


@numba.njit(parallel=True, cache=True)
def _select(X, queries, norms, query_norms, products, slack, excluded, indices, squared):
    n, k = X.shape[0], indices.shape[1]
    for i in numba.prange(queries.shape[0]):
        approximate = products[i]
        heap = np.full(k, np.inf)
        for j in range(n):
            approximate[j] = norms[j] + query_norms[i] - 2.0 * approximate[j]
            if approximate[j] < heap[0] and j != excluded[i]:
                _replace_largest(heap, approximate[j])
        # A row beyond this bound is farther than k others whatever the rounding was.
        bound = heap[0] + 2.0 * slack[i]
        count = 0
        for j in range(n):
            if approximate[j] <= bound and j != excluded[i]:
                count += 1
        rows = np.empty(count, np.intp)
        distances = np.empty(count)
        count = 0
        for j in range(n):
            if approximate[j] <= bound and j != excluded[i]:
                rows[count] = j
                distances[count] = _squared_distance(X[j], queries[i])
                count += 1
        # The rows are in increasing order, so a stable sort breaks ties by the lower row index.
        order = np.argsort(distances, kind="mergesort")
        for rank in range(k):
            indices[i, rank] = rows[order[rank]]
            squared[i, rank] = distances[order[rank]]


@numba.njit(cache=True)
def _replace_largest(heap, value):
    """Put `value` in the place of the root of a max-heap."""
    k, parent = len(heap), 0
    while True:
        child = 2 * parent + 1
        if child >= k:
            break
        if child + 1 < k and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[parent] = heap[child]
        parent = child
    heap[parent] = value


@numba.njit(cache=True)
def _squared_distance(x, y):
    """Σ (x − y)² in double-double arithmetic (Dekker 1971; Knuth's two-sum), rounded to float64 at the end."""
    high, low = 0.0, 0.0
    for j in range(len(x)):
        # difference + error = x − y exactly
        difference = x[j] - y[j]
        back = difference - x[j]
        error = (x[j] - (difference - back)) - (y[j] + back)
        # square + rest = difference² exactly (Veltkamp splitting; no fused multiply-add is assumed)
        square = difference * difference
        scaled = 134217729.0 * difference  # 2^27 + 1
        head = scaled - (scaled - difference)
        tail = difference - head
        rest = ((head * head - square) + 2.0 * head * tail) + tail * tail
        rest += 2.0 * difference * error
        total = high + square
        carried = total - high
        low += ((high - (total - carried)) + (square - carried)) + rest
        high = total
    return high + low
