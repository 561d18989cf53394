"""Second-order instance kNN (Feremans et al. 2017, section III-A4): a neighbour speaks with the labels of its circle.

Instead of its labels, a neighbour x contributes the shares rw(x, y) that the labels have among the training rows most
similar to x in features and labels together; x itself is the first of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelknn.neighbors._cosine import CosineNeighbors, nearest_cosine
from labelknn.solvers._confidence import Confidences, Scorer, scored
from labelknn.utils._kernels import inner, kernel


class SecondOrderNeighbors:
    """The neighbours of a query, and around each of them its k nearest training rows, itself included.

    sim_ALL of the paper is the cosine of rows of features and labels side by side. A training row that is scored
    without itself has no part in the circles of its neighbours either.
    """

    def __init__(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> None:
        self.X, self.Y, self.k = X, Y, k
        both = sparse.hstack([X, Y.astype(float)], format="csr")
        self.circles = nearest_cosine(both, k)

    def scorer(self, queries: sparse.csr_matrix | None) -> Scorer:
        """Search the neighbours, of each training row among the others if there are no queries, and score by them."""
        found = nearest_cosine(self.X, self.k, queries)
        left_out = np.arange(self.X.shape[0]) if queries is None else np.full(queries.shape[0], -1)
        return lambda ks, rows: self._confidences(found, left_out[rows], ks, rows)

    def _confidences(self, found: CosineNeighbors, left_out: np.ndarray, ks: Sequence[int], rows: slice) -> Confidences:
        neighbors = found.arrays(rows, ks[-1])
        members, q = (self.Y.indptr.astype(np.int64), self.Y.indices.astype(np.int32)), self.Y.shape[1]
        model = left_out, self.circles.indices, self.circles.similarities, *members
        steps = np.asarray(ks)

        def score(start: int, stop: int, *result: Any) -> int:
            scratch = _Scratch(
                np.zeros(q),
                np.full(q, -1, np.int64),
                np.empty(q, np.int32),
                np.empty(ks[-1], np.int64),
                np.empty(ks[-1]),
            )
            return _share_circles(start, stop, *neighbors, *model, steps, scratch, *result)

        return scored(score, len(neighbors[0]), q, ks)


class _Scratch(NamedTuple):
    """What the kernel needs beside its result.

    sums, slot, candidates : of each label; `sums` are zeros and `slot` are -1 before and after each row.
    members, shares : one circle.
    """

    sums: np.ndarray
    slot: np.ndarray
    candidates: np.ndarray
    members: np.ndarray
    shares: np.ndarray


@kernel
def _share_circles(
    start, stop, neighbors, weights, left_out, circles, closeness, indptr, labels, ks, scratch,
    filled, counts, out_labels, out_values,
):  # fmt: skip
    """conf_INS_2 of each row at each k, as `scored` asks for it."""
    room = len(out_labels)
    sums, slot, candidates = scratch.sums, scratch.slot, scratch.candidates
    members, shares = scratch.members, scratch.shares
    for i in range(start, stop):
        count = 0
        for number in range(len(ks)):
            k = ks[number]
            total = 0.0
            for rank in range(k):
                x = neighbors[i, rank]
                if x < 0:
                    break
                total += weights[i, rank]
                size = _circle(x, left_out[i], k, circles, closeness, members, shares)
                for m in range(size):
                    share = weights[i, rank] * shares[m]
                    for e in range(indptr[members[m]], indptr[members[m] + 1]):
                        label = labels[e]
                        if slot[label] < 0:
                            slot[label] = count
                            candidates[count] = label
                            count += 1
                        sums[label] += share
            if filled + count <= room:
                for c in range(count):
                    out_values[number, filled + c] = sums[candidates[c]] / total
            for c in range(count):
                sums[candidates[c]] = 0.0
        for c in range(count):
            slot[candidates[c]] = -1
        if filled + count > room:
            return i
        for c in range(count):
            out_labels[filled + c] = candidates[c]
        counts[i] = count
        filled += count
    return stop


@inner
def _circle(x, left_out, k, circles, closeness, members, shares):
    """The k training rows around x, x first, and their shares of the similarity; returns how many there are."""
    members[0], shares[0] = x, 1.0
    size, total = 1, 1.0
    for rank in range(circles.shape[1]):
        if size == k or circles[x, rank] < 0:
            break
        if circles[x, rank] != left_out:
            members[size], shares[size] = circles[x, rank], closeness[x, rank]
            total += closeness[x, rank]
            size += 1
    for m in range(size):
        shares[m] /= total
    return size
