"""Exact nearest neighbours by cosine similarity on sparse rows: the one search of feremans2017's methods.

It serves the search for similar training rows (leave-one-out), for training rows similar to a test row, and, on
transposed matrices, for the labels similar to a feature: ``nearest_cosine(Y.T, k, X.T)``.

The order. The similarity is the root of the squared cosine, which is exact but for one rounding to float64. Neighbours
come by falling similarity; equal ones by increasing row index. A row of similarity 0 or less is no neighbour, so that a
row without features has none. The result depends on the data alone: not on the memory or the number of threads.

The way there is `cosine_sets` where all values of a row are the same positive number, as in the binary data of the
paper (cosines do not depend on the length of a row), and `cosine_products` otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from labelknn.errors import DataError
from labelknn.neighbors._cosine_products import search_products
from labelknn.neighbors._cosine_sets import search_sets
from labelknn.utils._validation import finite_rows

MEMORY = 512 * 2**20


@dataclass(frozen=True)
class CosineNeighbors:
    """The k most similar rows of each query, most similar first: row numbers (int32) and cosines, both (n_queries, k).

    Only rows of positive similarity are neighbours. Where there are fewer than k, index -1 and similarity 0 follow.
    """

    indices: np.ndarray
    similarities: np.ndarray

    @property
    def k(self) -> int:
        return self.indices.shape[1]

    def nearest(self, k: int) -> CosineNeighbors:
        """The first k of them: a search at the largest k serves all smaller ones."""
        if not 1 <= k <= self.k:
            raise ValueError(f"k = {k} neighbours asked of a search that found {self.k}")
        return CosineNeighbors(self.indices[:, :k], self.similarities[:, :k])

    def arrays(self, queries: slice, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The first k of some queries, without gaps in memory: one layout, one compilation of what uses them."""
        return np.ascontiguousarray(self.indices[queries, :k]), np.ascontiguousarray(self.similarities[queries, :k])


def nearest_cosine(
    rows: sparse.csr_matrix, k: int, queries: sparse.csr_matrix | None = None, *, memory: int = MEMORY
) -> CosineNeighbors:
    """The k rows most similar to each query; without `queries`, to each row among the others.

    memory : bytes that the search may use beside its input (as CSR) and its result. It takes the rows in as many parts
        as this needs, at least one row at a time.

    >>> import numpy as np
    >>> from scipy import sparse
    >>> nearest_cosine(sparse.csr_matrix([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 0, 0]]), k=2).indices
    array([[ 2,  1],
           [ 0,  2],
           [ 0,  1],
           [-1, -1]], dtype=int32)
    """
    leave_one_out = queries is None
    rows = _canonical(rows, "X")
    queries = rows if leave_one_out else _canonical(queries, "the matrix of queries")
    if queries.shape[1] != rows.shape[1]:
        raise DataError(f"the queries have {queries.shape[1]} features, the rows to search {rows.shape[1]}")
    if k < 1:
        raise DataError(f"k = {k} neighbours asked for; expected at least 1")
    m = queries.shape[0]
    excluded = np.arange(m) if leave_one_out else np.full(m, -1)
    indices, similarities = np.full((m, k), -1, np.int32), np.zeros((m, k))
    search = search_sets if _are_sets(rows) and (leave_one_out or _are_sets(queries)) else search_products
    search(rows, queries, excluded, memory, indices, similarities)
    return CosineNeighbors(indices, similarities)


def _canonical(matrix: sparse.csr_matrix, what: str) -> sparse.csr_matrix:
    """The matrix as CSR with finite values, without zeros or repeated entries; the caller's own is left as it is."""
    own = sparse.csr_matrix(matrix)
    if not np.isfinite(own.data).all():
        finite_rows(own, what)  # the error says where
    if not own.has_canonical_format or not own.data.all():
        own = own.copy()
        own.sum_duplicates()
        own.eliminate_zeros()
    return own


def _are_sets(matrix: sparse.csr_matrix) -> bool:
    """Whether the values of each row are one and the same positive number."""
    if matrix.dtype == bool:
        return True
    if not (matrix.data > 0).all():
        return False
    change = matrix.data[1:] != matrix.data[:-1]
    between_rows = matrix.indptr[(matrix.indptr > 0) & (matrix.indptr < matrix.nnz)] - 1
    change[between_rows] = False
    return not change.any()
