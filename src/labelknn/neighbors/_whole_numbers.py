"""The nearest rows of sparse rows of whole numbers, such as words that are there or not.

Their squared distances |x|² + |q|² − 2 x·q are whole numbers too, exact in integers, and many are equal: products in
floating point would leave thousands of rows open that must be measured again. Here the products of a query with all
rows are sums over the rows that share a feature with it, so that zeros cost nothing.

Cost for m queries: m n, and a step for each pair of a query and a row that share a feature, for each such feature.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from labelknn.utils._kernels import inner, kernel
from labelknn.utils._threads import over_rows
from labelknn.utils._validation import Rows

# Beyond this share of entries that are not 0, products of dense rows are faster.
DENSITY = 0.1
# Squared lengths up to here keep what the kernel computes inside 32 bits.
LONGEST = 2**28


def are_whole_numbers(*matrices: Rows) -> bool:
    """Whether `search_whole_numbers` is for these rows: sparse, each entry stored once, and no large numbers."""
    return all(sparse.issparse(rows) and _is_whole(rows) for rows in matrices)


def _is_whole(rows: sparse.csr_matrix) -> bool:
    if rows.nnz > DENSITY * rows.shape[0] * rows.shape[1] or not rows.has_canonical_format:
        return False
    small = (rows.data == np.floor(rows.data)) & (np.abs(rows.data) < LONGEST**0.5)
    return bool(small.all()) and _squared_lengths(rows).max(initial=0) < LONGEST


def search_whole_numbers(
    X: sparse.csr_matrix, queries: sparse.csr_matrix, excluded: np.ndarray, indices: np.ndarray, squared: np.ndarray
) -> None:
    """Fill in the nearest rows of each query but the excluded one, nearest first, equally near ones by row."""
    columns, asked = X.tocsc(), queries.tocsr()
    of_rows = columns.indptr, columns.indices, columns.data.astype(np.int32), _squared_lengths(X).astype(np.int32)
    of_queries = asked.indptr, asked.indices, asked.data.astype(np.int32), _squared_lengths(queries)
    over_rows(_search_rows, len(indices), *of_rows, *of_queries, excluded, indices, squared)


def _squared_lengths(rows: sparse.csr_matrix) -> np.ndarray:
    return np.asarray(rows.power(2).sum(axis=1)).ravel()


@kernel
def _search_rows(
    start, stop, ends, rows, values, lengths, query_ends, features, weights, query_lengths, excluded, indices, squared
):
    """`rows` and their `values` in each column, the features and their `weights` of each query."""
    products = np.empty(len(lengths), np.int32)
    nearest = np.empty(indices.shape[1], np.int32)
    for query in range(start, stop):
        products[:] = 0
        for place in range(query_ends[query], query_ends[query + 1]):
            column, weight = features[place], weights[place]
            for entry in range(ends[column], ends[column + 1]):
                products[rows[entry]] += weight * values[entry]
        _keep_nearest(products, lengths, excluded[query], indices[query], nearest)
        for rank in range(len(nearest)):
            squared[query, rank] = nearest[rank] + query_lengths[query]


@inner
def _keep_nearest(products, lengths, excluded, indices, nearest):
    """The rows come in their order, so that one goes behind those that are as near. |q|² is the same for all."""
    found = 0
    for row in range(len(lengths)):
        distance = lengths[row] - np.int32(2) * products[row]
        if (found == len(nearest) and distance >= nearest[found - 1]) or row == excluded:
            continue
        place = min(found, len(nearest) - 1)
        while place > 0 and nearest[place - 1] > distance:
            nearest[place], indices[place] = nearest[place - 1], indices[place - 1]
            place -= 1
        nearest[place], indices[place] = distance, row
        found = min(found + 1, len(nearest))
