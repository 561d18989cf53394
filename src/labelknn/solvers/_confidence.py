"""Confidences of candidate labels, and the label sets that one threshold makes of them (feremans2017, section III).

With thousands of labels, most have nothing to do with a given instance. So the methods of feremans2017 score only its
*candidates*: the labels that some neighbour brings up. All other labels have confidence 0 and are not stored.

The threshold is the one that makes the training rows, scored without themselves, receive as many labels as they have
(section III-A1). It is found exactly, as a quantile, where the paper walks over a grid of steps of .01. The label of
the highest confidence is predicted even if it lies below the threshold; an instance without a candidate gets no label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import sparse

from labelknn.utils._kernels import kernel
from labelknn.utils._threads import over_rows

# Room for so many candidates of a row, before it is known how many there are.
FIRST_ROOM = 64


@dataclass(frozen=True)
class Confidences:
    """Confidences of the candidate labels of n rows, for several numbers k of neighbours at once.

    The candidates of row i are ``labels[indptr[i]:indptr[i + 1]]``: those at the largest k. ``values[j]`` are their
    confidences at the j-th k, float32 in [0, 1], 0 for a label that is no candidate yet.
    """

    indptr: np.ndarray
    labels: np.ndarray
    values: np.ndarray
    q: int

    @property
    def n(self) -> int:
        return len(self.indptr) - 1

    def at(self, number: int) -> sparse.csr_matrix:
        """The confidences at one k as an (n, q) matrix that holds the candidates only."""
        matrix = sparse.csr_matrix((self.values[number], self.labels, self.indptr), (self.n, self.q), copy=True)
        matrix.eliminate_zeros()
        matrix.sort_indices()
        return matrix


# What a kind of neighbours says of the queries it was asked about: their confidences at each of some increasing k, for
# a range of the queries.
Scorer: TypeAlias = Callable[[Sequence[int], slice], Confidences]


def no_confidences(n: int, q: int) -> Confidences:
    """No candidates at all, at one k: what a missing part contributes to a linear combination."""
    return Confidences(np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty((1, 0), np.float32), q)


def scored(score: Callable[..., int], n: int, q: int, ks: Sequence[int]) -> Confidences:
    """What ``score(start, stop, filled, counts, labels, values)`` says of the rows from `start` to `stop`.

    It writes each row's candidates behind the `filled` ones of the rows before it. Where it meets a row for which there
    is no room, it returns its number, and is called again from there with more room; else it returns `stop`.
    """
    counts = np.empty(n, np.int64)
    parts: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def fill(start: int, stop: int) -> None:
        filled, room = 0, FIRST_ROOM * (stop - start)
        labels, values = np.empty(room, np.int32), np.zeros((len(ks), room), np.float32)
        row = score(start, stop, filled, counts, labels, values)
        while row < stop:
            filled, room = int(counts[start:row].sum()), 2 * room
            more = np.empty(room, np.int32), np.zeros((len(ks), room), np.float32)
            more[0][:filled], more[1][:, :filled] = labels[:filled], values[:, :filled]
            labels, values = more
            row = score(row, stop, filled, counts, labels, values)
        filled = int(counts[start:stop].sum())
        parts[start] = labels[:filled], values[:, :filled]

    over_rows(fill, n)
    none = np.empty(0, np.int32), np.empty((len(ks), 0), np.float32)
    all_labels, all_values = zip(none, *(parts[start] for start in sorted(parts)), strict=True)
    return Confidences(_ends(counts), np.concatenate(all_labels), np.concatenate(all_values, axis=1), q)


def _ends(counts: np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(counts)))


def aligned(first: Confidences, second: Confidences) -> tuple[Confidences, Confidences]:
    """The same confidences over the union of both candidate lists, so that entries can be added."""
    counts, place = np.empty(first.n, np.int64), np.full(first.q, -1, np.int64)
    _count_union(first.indptr, first.labels, second.indptr, second.labels, place, counts)
    indptr = _ends(counts)
    labels = np.empty(indptr[-1], np.int32)
    values = [np.zeros((len(part.values), indptr[-1]), np.float32) for part in (first, second)]
    _merge(
        first.indptr, first.labels, first.values, second.indptr, second.labels, second.values, place, indptr, labels,
        *values,
    )  # fmt: skip
    return tuple(Confidences(indptr, labels, value, first.q) for value in values)  # type: ignore[return-value]


def cardinality_threshold(blocks: Iterable[np.ndarray], total: int) -> float:
    """The t for which the number of confidences above t is nearest to `total`; of two such, the one with fewer above.

    Only the `total` + 1 largest confidences matter, so the blocks come one by one, and what is smaller is forgotten.

    >>> import numpy as np
    >>> cardinality_threshold([np.array([0.1, 0.9]), np.array([0.5, 0.2])], total=2)
    0.20000000298023224
    """
    largest = [np.empty(0, np.float32)]
    for block in blocks:
        largest.append(block.astype(np.float32))
        if sum(map(len, largest)) > 2 * total + 1:  # so that each number is looked at a few times only
            largest = [_largest(largest, total)]
    values = _largest(largest, total)
    if len(values) <= total:
        return 0.0
    cut = values.min()
    above, reached = np.count_nonzero(values > cut), len(values)
    if total - above <= reached - total:
        return float(cut)
    return float(np.nextafter(cut, np.float32(0)))


def _largest(blocks: Sequence[np.ndarray], total: int) -> np.ndarray:
    """The `total` + 1 largest values, with all that are equal to the last of them; all values if they are fewer."""
    values = np.concatenate(blocks)
    if len(values) <= total:
        return values
    place = len(values) - total - 1
    return values[values >= np.partition(values, place)[place]]


def thresholded(confidences: sparse.csr_matrix, threshold: float) -> sparse.csr_matrix:
    """The label sets: what lies above the threshold, and each row's top label (of equal ones the first) in any case."""
    values, indptr = confidences.data, confidences.indptr
    chosen = values > np.float32(threshold)
    scored = np.flatnonzero(np.diff(indptr))
    highest = np.maximum.reduceat(values, indptr[scored])
    for row in scored[highest <= np.float32(threshold)]:
        chosen[indptr[row] + values[indptr[row] : indptr[row + 1]].argmax()] = True
    rows = np.repeat(np.arange(confidences.shape[0]), np.diff(indptr))[chosen]
    ends = _ends(np.bincount(rows, minlength=confidences.shape[0]))
    return sparse.csr_matrix((np.ones(len(rows), bool), confidences.indices[chosen], ends), confidences.shape)


@kernel
def _count_union(indptr_a, labels_a, indptr_b, labels_b, place, counts):
    """Count the labels of both. `place` has -1 for each label before and after."""
    for i in range(len(counts)):
        count = indptr_a[i + 1] - indptr_a[i]
        for e in range(indptr_a[i], indptr_a[i + 1]):
            place[labels_a[e]] = e
        for e in range(indptr_b[i], indptr_b[i + 1]):
            count += place[labels_b[e]] < 0
        for e in range(indptr_a[i], indptr_a[i + 1]):
            place[labels_a[e]] = -1
        counts[i] = count


@kernel
def _merge(indptr_a, labels_a, values_a, indptr_b, labels_b, values_b, place, indptr, labels, merged_a, merged_b):
    """Fill in the labels of both, those of the first as they come, and the values of each at its labels."""
    for i in range(len(indptr) - 1):
        end = indptr[i]
        for e in range(indptr_a[i], indptr_a[i + 1]):
            labels[end], place[labels_a[e]] = labels_a[e], end
            for number in range(len(values_a)):
                merged_a[number, end] = values_a[number, e]
            end += 1
        for e in range(indptr_b[i], indptr_b[i + 1]):
            spot = place[labels_b[e]]
            if spot < 0:
                spot = end
                labels[end] = labels_b[e]
                end += 1
            for number in range(len(values_b)):
                merged_b[number, spot] = values_b[number, e]
        for e in range(indptr_a[i], indptr_a[i + 1]):
            place[labels_a[e]] = -1
