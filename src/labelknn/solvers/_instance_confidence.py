"""Instance kNN (Feremans et al. 2017, section III-A): the labels of the most similar training rows, by cosine.

The confidence of a label is the share of the similarity that the neighbours with this label have, equation (2).
"""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np
from scipy import sparse

from labelknn.neighbors._cosine import CosineNeighbors, nearest_cosine
from labelknn.solvers._confidence import Confidences, Scorer
from labelknn.utils._threads import over_rows


class InstanceNeighbors:
    """Training rows whose labels speak for a query.

    Rows without a feature in common with the query are no neighbours; where there are fewer than k others, all count.
    A neighbour's weight is its cosine, which is positive: with negative feature values, rows that point away from the
    query are no neighbours either.
    """

    def __init__(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> None:
        self.X, self.Y, self.k = X, Y, k

    def scorer(self, queries: sparse.csr_matrix | None) -> Scorer:
        """Search the neighbours, of each training row among the others if there are no queries, and score by them."""
        found = nearest_cosine(self.X, self.k, queries)
        return lambda ks, rows: self._confidences(found, ks, rows)

    def _confidences(self, found: CosineNeighbors, ks: Sequence[int], rows: slice) -> Confidences:
        """Equation (2) for the first k of the neighbours found."""
        indices, weights = found.arrays(rows, ks[-1])
        members = self.Y.indptr.astype(np.int64), self.Y.indices.astype(np.int32)
        q, n = self.Y.shape[1], len(indices)
        counts = np.zeros(n, np.int64)
        over_rows(_count_candidates, n, indices, *members, q, counts)
        indptr = np.concatenate(([0], np.cumsum(counts)))
        labels = np.empty(indptr[-1], np.int32)
        values = np.zeros((len(ks), indptr[-1]), np.float32)
        over_rows(_share_similarity, n, indices, weights, *members, q, np.asarray(ks), indptr, labels, values)
        return Confidences(indptr, labels, values, q)


@numba.njit(nogil=True, cache=True)
def _count_candidates(start, stop, neighbors, indptr, labels, q, counts):
    seen = np.full(q, -1, np.int64)
    for i in range(start, stop):
        for a in neighbors[i]:
            if a < 0:
                break
            for e in range(indptr[a], indptr[a + 1]):
                if seen[labels[e]] != i:
                    seen[labels[e]] = i
                    counts[i] += 1


@numba.njit(nogil=True, cache=True)
def _share_similarity(start, stop, neighbors, weights, indptr, labels, q, ks, out_indptr, out_labels, out_values):
    """One walk along the neighbours: after the k-th, the sums so far are the numerators at k."""
    sums = np.zeros(q)
    for i in range(start, stop):
        first, end = out_indptr[i], out_indptr[i]
        total, walked = 0.0, 0
        for number in range(len(ks)):
            while walked < ks[number] and neighbors[i, walked] >= 0:
                a, weight = neighbors[i, walked], weights[i, walked]
                total += weight
                for e in range(indptr[a], indptr[a + 1]):
                    label = labels[e]
                    if sums[label] == 0:
                        out_labels[end] = label
                        end += 1
                    sums[label] += weight
                walked += 1
            for e in range(first, end):
                out_values[number, e] = sums[out_labels[e]] / total
        for e in range(first, end):
            sums[out_labels[e]] = 0
