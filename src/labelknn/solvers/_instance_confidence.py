"""Instance kNN (Feremans et al. 2017, section III-A): the labels of the most similar training rows, by cosine.

The confidence of a label is the share of the similarity that the neighbours with this label have, equation (2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from labelknn.neighbors._cosine import CosineNeighbors, nearest_cosine
from labelknn.solvers._confidence import Confidences, Scorer, scored
from labelknn.utils._kernels import kernel


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
        neighbors = found.arrays(rows, ks[-1])
        members, q = (self.Y.indptr.astype(np.int64), self.Y.indices.astype(np.int32)), self.Y.shape[1]
        steps = np.asarray(ks)

        def score(start: int, stop: int, *result: Any) -> int:
            scratch = np.zeros(q), np.empty(q, np.int32)
            return _share_similarity(start, stop, *neighbors, *members, steps, *scratch, *result)

        return scored(score, len(neighbors[0]), q, ks)


@kernel
def _share_similarity(
    start, stop, neighbors, weights, indptr, labels, ks, sums, candidates, filled, counts, out_labels, out_values
):
    """Score each row's candidate labels, as `scored` asks for it.

    One walk along the neighbours: after the k-th, the sums so far are the numerators at k. `sums` are zeros.
    """
    room = len(out_labels)
    for i in range(start, stop):
        total, walked, count = 0.0, 0, 0
        for number in range(len(ks)):
            while walked < ks[number] and neighbors[i, walked] >= 0:
                a, weight = neighbors[i, walked], weights[i, walked]
                total += weight
                for e in range(indptr[a], indptr[a + 1]):
                    label = labels[e]
                    if sums[label] == 0:
                        candidates[count] = label
                        count += 1
                    sums[label] += weight
                walked += 1
            if filled + count <= room:
                for c in range(count):
                    out_values[number, filled + c] = sums[candidates[c]] / total
        for c in range(count):
            sums[candidates[c]] = 0.0
        if filled + count > room:
            return i
        for c in range(count):
            out_labels[filled + c] = candidates[c]
        counts[i] = count
        filled += count
    return stop
