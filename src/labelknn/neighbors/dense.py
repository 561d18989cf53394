"""Exact Euclidean nearest neighbours on dense rows, with one written order for all methods.

The order. The squared distance of two rows is the sum of their squared differences, evaluated in twice the working
precision and rounded once to float64. Neighbours come by increasing squared distance; equal ones by increasing row
index. Leave-one-out search leaves out the row itself and nothing else: its duplicates are neighbours at distance 0.

The way there. One BLAS product per block of queries gives all squared distances as |x|² + |q|² − 2 x·q, which is fast
and off by rounding. Counting them bounds the k-th smallest, an a-priori bound on the rounding says which rows
could be among the k nearest, and only these few are measured again in the order's own arithmetic. So the result depends
on the data alone, not on the block size, the BLAS or the number of threads. Each thread does whole blocks, with BLAS
held to one thread: its others would keep the cores busy, waiting for the next product.

Where features are few, a k-d tree finds slightly more than the k nearest first, and those are measured again. Only if
the farthest of them is clearly beyond the k-th, whatever the rounding was, are they known to contain all candidates;
a query for which ties leave that open goes through the products. Both ways give the same result.

Cost for m queries: 2 n m d flops in BLAS, some ten passes over the n m products, and 15 d flops for each of the
m k rows kept. The tree takes a tenth (4 features) to a half (9 features) of that time for n = 20,000.
Memory: `block_bytes` of products for each thread (at least one query's), beside the data and the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic
from scipy import sparse
from threadpoolctl import ThreadpoolController

from labelknn.errors import DataError
from labelknn.threads import over_rows

BLOCK_BYTES = 16 * 2**20

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
        open_queries = _search_tree(X, queries, excluded, indices, squared)
    if len(open_queries):
        # |fl(|x|² + |q|² − 2 x·q) − exact| ≤ 2 γ (|x|² + |q|²) with γ = (d + 3) ε (Higham 2002, section 3.1), since
        # 2 |x|·|q| ≤ |x|² + |q|²; a factor 2 on top covers the higher-order terms.
        slack = 4 * (X.shape[1] + 3) * np.finfo(float).eps * (norms.max() + query_norms)
        rows = max(1, int(block_bytes // (8 * len(X))))
        with _blas().limit(limits=1, user_api="blas"):
            asked = queries, query_norms, open_queries, rows, slack, excluded
            over_rows(_search_products, len(open_queries), X, norms, *asked, indices, squared)
    return Neighbors(indices, np.sqrt(squared))


def _search_tree(
    X: np.ndarray,
    queries: np.ndarray,
    excluded: np.ndarray,
    indices: np.ndarray,
    squared: np.ndarray,
) -> np.ndarray:
    """Fill in the neighbours of all queries that a k-d tree decides, and return the numbers of the others."""
    from scipy.spatial import cKDTree  # here, since it takes a quarter of a second, and few searches need it

    tree = cKDTree(X)
    k = indices.shape[1]
    last = k + (excluded >= 0).any() - 1  # the excluded row itself is found too
    count = min(last + 1 + TREE_EXTRA, len(X))
    distances, found = tree.query(queries, count, workers=numba.get_num_threads())
    distances, found = distances.reshape(-1, count), found.reshape(-1, count)
    # The tree sums squared differences, so its rounding is relative, some (d + depth) ε; 1e-9 is far beyond that,
    # and 1e-290 covers squares that underflow.
    decided = distances[:, -1] ** 2 * (1 - 1e-9) > distances[:, last] ** 2 * (1 + 1e-9) + 1e-290
    decided |= count == len(X)
    found.sort(axis=1)
    asked = np.flatnonzero(decided)
    over_rows(_measure, len(asked), X, queries, asked, found, excluded, indices, squared)
    return np.flatnonzero(~decided)


@cache
def _blas() -> ThreadpoolController:
    """All BLAS libraries in use: numpy's, and scipy's, which numba's products come from."""
    return ThreadpoolController()


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


# Loops over numbers where others would write arrays: those take long to compile.
@numba.njit(nogil=True, cache=True)
def _search_products(start, stop, X, norms, queries, query_norms, asked, rows, slack, excluded, indices, squared):
    """Fill in the neighbours of the queries `asked`, `rows` of them at a time."""
    for first in range(start, stop, rows):
        part = asked[first : min(first + rows, stop)]
        _search_block(X, norms, queries, query_norms, part, slack, excluded, indices, squared)


@numba.njit(cache=True)
def _search_block(X, norms, queries, query_norms, part, slack, excluded, indices, squared):
    block = np.empty((len(part), queries.shape[1]))
    for i in range(len(part)):
        for feature in range(queries.shape[1]):
            block[i, feature] = queries[part[i], feature]
    products = np.dot(block, X.T)
    for i in range(len(part)):
        query = part[i]
        away = 2.0 * slack[query]
        candidates = _candidates(products[i], norms, query_norms[query], excluded[query], indices.shape[1], away)
        _keep_nearest(X, queries[query], candidates, indices[query], squared[query])


@numba.njit(nogil=True, cache=True)
def _measure(start, stop, X, queries, asked, found, excluded, indices, squared):
    """Fill in the neighbours of the queries `asked` from the rows `found` for each of all queries."""
    for i in range(start, stop):
        query = asked[i]
        candidates = _without(found[query], excluded[query])
        _keep_nearest(X, queries[query], candidates, indices[query], squared[query])


@numba.njit(cache=True)
def _without(rows, excluded):
    kept, count = np.empty(len(rows), np.int64), 0
    for row in rows:
        kept[count] = row
        count += row != excluded
    return kept[:count]


@numba.njit(cache=True)
def _candidates(values, norms, query_norm, excluded, k, slack):
    """All rows but `excluded` that may be among the k nearest if each squared distance may be off by slack / 2.

    `values` are the products with the query, and become |x|² − 2 x·q. (|q|² is the same for all.)
    """
    for j in range(len(values)):
        values[j] = norms[j] - 2.0 * values[j]
    if excluded >= 0:
        values[excluded] = np.inf
    # The k-th smallest is in [low, high]: any k values have one that is not smaller. Halve that until not many more
    # than k values are up to `high`.
    low, high = -query_norm - slack, -np.inf
    for j in range(k + (0 <= excluded < k)):
        if j != excluded:
            high = max(high, values[j])
    enough = k + k // 8 + 8
    count = len(values)
    while count > enough and high - low > 1e-9 * (abs(low) + abs(high)) + 1e-290:
        middle = low + (high - low) / 2.0
        up_to_middle = _count_up_to(values, middle)
        if up_to_middle < k:
            low = middle
        else:
            high, count = middle, up_to_middle
    bound = high + slack
    rows, count = np.empty(len(values) + 1, np.int64), 0
    for j in range(len(values)):
        rows[count] = j
        count += values[j] <= bound
    return rows[:count]


@numba.njit(cache=True)
def _count_up_to(values, bound):
    count = np.int64(0)
    for j in range(len(values)):
        count += np.int64(values[j] <= bound)  # in this form several in one instruction
    return count


@numba.njit(cache=True)
def _keep_nearest(X, query, rows, indices, squared):
    """The nearest of the candidate `rows`, which are in increasing order, so that a stable order settles ties."""
    distances = _squared_distances(X, query, rows)
    order = _stable_order(distances)
    for rank in range(len(indices)):
        indices[rank] = rows[order[rank]]
        squared[rank] = distances[order[rank]]


@numba.njit(cache=True)
def _stable_order(values):
    """What np.argsort(kind="stable") gives, some four times as fast: into bins, then the few that stand wrong."""
    n, low, high = len(values), np.inf, -np.inf
    for value in values:
        low, high = min(low, value), max(high, value)
    scale = n / (high - low) if high - low > 1e-290 else 0.0
    ends = np.zeros(n + 2, np.int64)
    for value in values:
        ends[int((value - low) * scale) + 1] += 1
    fullest = 0
    for place in range(n + 1):
        fullest = max(fullest, ends[place + 1])
        ends[place + 1] += ends[place]
    order = np.empty(n, np.int64)
    for i in range(n):
        place = int((values[i] - low) * scale)
        order[ends[place]] = i
        ends[place] += 1
    # Insertion sort, and where bins are full Shell's. Numbers decide between equal values, so it need not be stable.
    gap = 1 if fullest <= 32 else n // 2
    while gap > 0:
        for i in range(gap, n):
            moved, place = order[i], i
            while place >= gap:
                other = order[place - gap]
                if values[other] < values[moved] or (values[other] == values[moved] and other < moved):
                    break
                order[place] = other
                place -= gap
            order[place] = moved
        gap //= 2
    return order


@intrinsic
def _fused(typing_context, a, b, c):
    """a b + c, rounded once: one instruction of the processor, for which numba has no name."""

    def generate(context, builder, signature, arguments):
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


@numba.njit(cache=True)
def _squared_distances(X, query, rows):
    """Σ (x − y)² in double-double arithmetic (Knuth's two-sum, a fused product), rounded to float64 at the end.

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
            # difference + error = x − y exactly
            difference = x[i] - y
            back = difference - x[i]
            error = (x[i] - (difference - back)) - (y + back)
            # square + rest = difference² exactly
            square = difference * difference
            rest = _fused(difference, difference, -square) + 2.0 * difference * error
            total = high[i] + square
            carried = total - high[i]
            low[i] += ((high[i] - (total - carried)) + (square - carried)) + rest
            high[i] = total
    for i in range(len(rows)):
        high[i] += low[i]
    return high
