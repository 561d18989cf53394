"""Exact Euclidean nearest neighbours on dense rows, with one written order for all methods.

The order. The squared distance of two rows is the sum of their squared differences, evaluated in twice the working
precision and rounded once to float64. Neighbours come by increasing squared distance; equal ones by increasing row
index. Leave-one-out search leaves out the row itself and nothing else: its duplicates are neighbours at distance 0.

The way there. One BLAS product per block of queries gives all squared distances as |x|² + |q|² − 2 x·q, which is fast
and off by rounding. An a-priori bound on that rounding says which rows could be among the k nearest; only these few are
measured again in the order's own arithmetic. So the result depends on the data alone, not on the block size, the BLAS
or the number of threads.

Where features are few, a k-d tree finds slightly more than the k nearest first, and those are measured again. Only if
the farthest of them is clearly beyond the k-th, whatever the rounding was, are they known to contain all candidates;
a query for which ties leave that open goes through the products. Both ways give the same result.

Cost for m queries: 2 n m d flops in BLAS, one pass over the n m products, and about 30 d flops for each of the m k rows
kept. The tree takes a tenth (4 features) to a half (9 features) of that time for n = 20,000.
Memory: `block_bytes` for a block of products, beside the data and the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from labelknn.errors import DataError

BLOCK_BYTES = 64 * 2**20

# A tree pays from about this many rows and up to this many features (measured on the label-ranking data).
TREE_ROWS, TREE_FEATURES = 1000, 10
# How many more than k it is asked for: enough to see past the usual duplicates and ties.
TREE_EXTRA = 4


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
    X = finite_rows(X, "the rows to search")
    leave_one_out = queries is None
    queries = X if queries is None else finite_rows(queries, "the queries")
    if queries.shape[1] != X.shape[1]:
        raise DataError(f"the queries have {queries.shape[1]} features, the rows to search {X.shape[1]}")
    candidates = len(X) - leave_one_out
    if not 1 <= k <= candidates:
        raise DataError(f"k = {k} neighbours asked for, {candidates} rows to choose from")

    norms = np.einsum("ij,ij->i", X, X)
    query_norms = norms if leave_one_out else np.einsum("ij,ij->i", queries, queries)
    if not np.isfinite(2 * (norms.max() + query_norms.max(initial=0))):
        raise DataError("feature values are too large: squared distances overflow; scale the features")
    indices = np.empty((len(queries), k), np.intp)
    squared = np.empty((len(queries), k))
    excluded = np.arange(len(X)) if leave_one_out else np.full(len(queries), -1)
    open_queries = np.arange(len(queries))
    if len(X) >= TREE_ROWS and X.shape[1] <= TREE_FEATURES:
        open_queries = _search_tree(X, queries, excluded, block_bytes, indices, squared)
    rows = max(1, int(block_bytes // (8 * len(X))))
    for start in range(0, len(open_queries), rows):
        block = open_queries[start : start + rows]
        products = queries[block] @ X.T
        # |fl(|x|² + |q|² − 2 x·q) − exact| ≤ 2 γ (|x|² + |q|²) with γ = (d + 3) ε (Higham 2002, section 3.1), since
        # 2 |x|·|q| ≤ |x|² + |q|²; a factor 2 on top covers the higher-order terms.
        slack = 4 * (X.shape[1] + 3) * np.finfo(float).eps * (norms.max() + query_norms[block])
        _select(X, queries, block, norms, query_norms, products, slack, excluded, indices, squared)
    return Neighbors(indices, np.sqrt(squared))


def _search_tree(
    X: np.ndarray,
    queries: np.ndarray,
    excluded: np.ndarray,
    block_bytes: int,
    indices: np.ndarray,
    squared: np.ndarray,
) -> np.ndarray:
    """Fill in the neighbours of all queries that a k-d tree decides, and return the numbers of the others."""
    tree = cKDTree(X)
    k = indices.shape[1]
    last = k + (excluded >= 0).any() - 1  # the excluded row itself is found too
    count = min(last + 1 + TREE_EXTRA, len(X))
    undecided = []
    rows = max(1, int(block_bytes // (16 * count)))
    for start in range(0, len(queries), rows):
        block = np.arange(start, min(start + rows, len(queries)))
        distances, found = tree.query(queries[block], count, workers=numba.get_num_threads())
        distances, found = distances.reshape(-1, count), found.reshape(-1, count)
        # The tree sums squared differences, so its rounding is relative, some (d + depth) ε; 1e-9 is far beyond that,
        # and 1e-290 covers squares that underflow.
        decided = distances[:, -1] ** 2 * (1 - 1e-9) > distances[:, last] ** 2 * (1 + 1e-9) + 1e-290
        decided |= count == len(X)
        found.sort(axis=1)
        _measure(X, queries, block[decided], found[decided], excluded, indices, squared)
        undecided.append(block[~decided])
    return np.concatenate(undecided) if undecided else np.arange(0)


def finite_rows(X: np.ndarray, what: str) -> np.ndarray:
    """A matrix of finite float64, or an error that names `what` and the first entry that is not."""
    if sparse.issparse(X):
        raise DataError(f"{what} are a sparse matrix, and sparse input is not supported here; make it dense first")
    X = np.asarray(X)
    if np.iscomplexobj(X):
        raise DataError(f"Complex data not supported: {what} must be real numbers")
    # Writeable and of no subclass, so that each kernel is compiled for one type of array only.
    X = np.require(X, np.float64, ["C", "W", "E"])
    if X.ndim != 2:
        raise DataError(f"{what} must be a matrix, got {X.ndim} dimension(s). Reshape your data: one row a query")
    if X.shape[1] == 0:
        raise DataError(f"{what} have 0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
    if not np.isfinite(X).all():
        row, column = np.argwhere(~np.isfinite(X))[0]
        value = "NaN" if np.isnan(X[row, column]) else X[row, column]
        raise DataError(f"{what} contain {value} (row {row}, column {column}); impute or drop it first")
    return X


@numba.njit(parallel=True, cache=True)
def _select(X, queries, block, norms, query_norms, products, slack, excluded, indices, squared):
    n, k = X.shape[0], indices.shape[1]
    for i in numba.prange(len(block)):
        query = block[i]
        approximate = products[i]
        heap = np.full(k, np.inf)
        for j in range(n):
            approximate[j] = norms[j] + query_norms[query] - 2.0 * approximate[j]
            if approximate[j] < heap[0] and j != excluded[query]:
                _replace_largest(heap, approximate[j])
        # A row beyond this bound is farther than k others whatever the rounding was.
        bound = heap[0] + 2.0 * slack[i]
        count = 0
        for j in range(n):
            if approximate[j] <= bound:
                count += 1
        rows = np.empty(count, np.intp)
        count = 0
        for j in range(n):
            if approximate[j] <= bound:
                rows[count] = j
                count += 1
        _keep_nearest(X, queries[query], rows, excluded[query], indices[query], squared[query])


@numba.njit(parallel=True, cache=True)
def _measure(X, queries, block, candidates, excluded, indices, squared):
    for i in numba.prange(len(block)):
        query = block[i]
        _keep_nearest(X, queries[query], candidates[i], excluded[query], indices[query], squared[query])


@numba.njit(cache=True)
def _keep_nearest(X, query, rows, excluded, indices, squared):
    """The nearest of the candidate `rows`. These are in increasing order, so a stable sort puts the lower row first."""
    distances = np.empty(len(rows))
    for i in range(len(rows)):
        distances[i] = np.inf if rows[i] == excluded else _squared_distance(X[rows[i]], query)
    order = np.argsort(distances, kind="mergesort")
    for rank in range(len(indices)):
        indices[rank] = rows[order[rank]]
        squared[rank] = distances[order[rank]]


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
