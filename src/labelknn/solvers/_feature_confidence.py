"""Feature kNN (Feremans et al. 2017, section III-B): each feature votes for the labels that occur in the same rows.

A feature's nearest labels are those whose column of the training data is most similar to the feature's, by cosine. The
confidence of a label is a mean of these similarities over the query's features. Which mean is not clear:

=========  ====================================================================================================
mean       confidence of label y for a query with the feature values f_j
=========  ====================================================================================================
matching   Σ f_j sim(j, y) / Σ f_j, both over the features that have y among their k nearest labels
printed    the same numerator, divided by Σ f_j over all features of the query, as the paper prints it
max        the largest sim(j, y) of a feature that has y among its k nearest labels: our own variant
=========  ====================================================================================================

`printed` does not give the numbers of the paper's tables, `matching` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from labelknn.errors import DataError, unknown
from labelknn.neighbors._cosine import nearest_cosine
from labelknn.solvers._confidence import Confidences, Scorer, scored
from labelknn.utils._kernels import inner, kernel

MEANS = {"matching": 0, "printed": 1, "max": 2}

# Similarities that differ by less are equal: leaving a row out is arithmetic on rounded numbers.
TIE = 1e-12


class FeatureNeighbors:
    """The labels nearest to each feature, found once, at the time of training.

    A feature that never occurs in training has no nearest labels and says nothing; a label that never occurs is never
    a candidate. Feature values must not be negative, since they are the weights of a mean.

    To score a training row without itself, no search is repeated. Without row i, the similarities of a feature j to all
    labels that i does not have grow by one common factor, so their order stays; those of i's own labels follow from
    sim(j, y) = o / (|f_j| √n_y) by taking the row out of the overlap o and the count n_y. So the k nearest labels
    without i are among the k + |Y_i| nearest with it. (With real-valued features an own label may in rare cases come
    closer by leaving the row out; then it is looked for among these only.)
    """

    def __init__(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int, mean: str) -> None:
        if mean not in MEANS:
            raise unknown("mean", mean, MEANS, "feature kNN")
        _require_non_negative(X)
        self.mean = MEANS[mean]
        self.X, self.Y = X, Y
        largest = int(np.diff(Y.indptr).max(initial=0))
        found = nearest_cosine(Y.T.tocsr(), min(k + largest, Y.shape[1]), X.T.tocsr())
        self.near, self.similarities = found.indices, found.similarities
        self.squares = np.asarray(X.multiply(X).sum(axis=0)).ravel()
        self.members = np.bincount(Y.indices, minlength=Y.shape[1])

    def scorer(self, queries: sparse.csr_matrix | None) -> Scorer:
        """Scores the queries; without queries, each training row as if it had been left out of the training."""
        if queries is None:
            return lambda ks, rows: self._confidences(self.X[rows], self.Y[rows], ks, left_out=True)
        _require_non_negative(queries)
        nothing = sparse.csr_matrix((queries.shape[0], self.Y.shape[1]), dtype=bool)
        return lambda ks, rows: self._confidences(queries[rows], nothing[rows], ks, left_out=False)

    def _confidences(
        self, X: sparse.csr_matrix, own: sparse.csr_matrix, ks: Sequence[int], left_out: bool
    ) -> Confidences:
        """Confidences for the rows X, from which the features have learnt the labels `own` if they are left out."""
        q = self.Y.shape[1]
        # As far as the lists go: at most q labels are near.
        steps = np.minimum(ks, self.near.shape[1])
        model = _Model(self.near, self.similarities, self.squares, self.members)
        rows = X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(float)
        known = own.indptr.astype(np.int64), own.indices.astype(np.int32), left_out
        widest = int(np.diff(X.indptr).max(initial=0))

        def score(start: int, stop: int, *result: Any) -> int:
            scratch = _scratch(q, widest, int(steps[-1]))
            return _score(start, stop, model, *rows, *known, steps, self.mean, scratch, *result)

        return scored(score, X.shape[0], q, ks)


def _require_non_negative(X: sparse.csr_matrix) -> None:
    if X.data.size and X.data.min() < 0:
        raise DataError(
            f"Negative values in data, {X.data.min()}: feature kNN takes means weighted by feature values; "
            "scikit-learn's MinMaxScaler(clip=True) makes them non-negative, in test rows too"
        )


class _Model(NamedTuple):
    """Labels and similarities by feature and rank, and by how much leaving a row out changes them: the sum of each
    feature's squared values, and how many rows each label has."""

    near: np.ndarray
    similarities: np.ndarray
    squares: np.ndarray
    members: np.ndarray


class _Scratch(NamedTuple):
    """What the kernel needs beside its result.

    sums, weights, has, candidates : of each label; all but `candidates` are zeros before and after each row.
    labels, sims, lengths : the nearest labels of each feature of a row, and how many they are.
    """

    sums: np.ndarray
    weights: np.ndarray
    has: np.ndarray
    candidates: np.ndarray
    labels: np.ndarray
    sims: np.ndarray
    lengths: np.ndarray


def _scratch(q: int, widest: int, k: int) -> _Scratch:
    by_label = np.zeros(q), np.zeros(q), np.zeros(q, bool), np.empty(q, np.int32)
    return _Scratch(*by_label, np.empty((widest, k), np.int32), np.empty((widest, k)), np.empty(widest, np.int64))


@inner
def _nearest_without(model, feature, value, has, k, labels, sims):
    """The k labels nearest to a feature when a row with this feature value and the labels `has` is left out.

    Fills `labels` and `sims`, and returns how many there are.
    """
    near, similarities, squares, members = model
    remaining = squares[feature] - value * value
    if remaining <= TIE * squares[feature]:  # the feature occurs in this row only
        return 0
    growth = np.sqrt(squares[feature] / remaining)
    count = 0
    for rank in range(near.shape[1]):
        label = near[feature, rank]
        if label < 0:
            break
        sim = similarities[feature, rank]
        if has[label]:
            overlap = sim * np.sqrt(squares[feature] * members[label]) - value
            if overlap <= TIE * squares[feature] or members[label] == 1:
                continue
            sim = overlap / np.sqrt(remaining * (members[label] - 1))
        else:
            sim *= growth
        # Insertion sort: the list is in order but for the row's own labels. Equal ones go by label.
        place = count
        while place > 0 and (
            sim > sims[place - 1] + TIE or (sim > sims[place - 1] - TIE and label < labels[place - 1])
        ):
            if place < k:
                sims[place], labels[place] = sims[place - 1], labels[place - 1]
            place -= 1
        if place < k:
            sims[place], labels[place] = sim, label
            count += count < k
    return count


@kernel
def _score(
    first, last, model, indptr, features, feature_values, own_indptr, own, leave_out, ks, mean, scratch,
    filled, counts, out_labels, out_values,
):  # fmt: skip
    """Score each row's candidate labels, as `scored` asks for it.

    One walk along the ranks: after the k-th nearest labels of all features of the row, the sums so far are those at k.
    """
    k, room = ks[-1], len(out_labels)
    sums, weights, has, candidates = scratch.sums, scratch.weights, scratch.has, scratch.candidates
    row_labels, row_sims, lengths = scratch.labels, scratch.sims, scratch.lengths
    for i in range(first, last):
        start, width = indptr[i], indptr[i + 1] - indptr[i]
        if leave_out:
            for e in range(own_indptr[i], own_indptr[i + 1]):
                has[own[e]] = True
        total = 0.0
        for j in range(width):
            feature, value = features[start + j], feature_values[start + j]
            total += value
            if leave_out:
                lengths[j] = _nearest_without(model, feature, value, has, k, row_labels[j], row_sims[j])
            else:
                lengths[j] = k
                for rank in range(k):
                    row_labels[j, rank] = model.near[feature, rank]
                    row_sims[j, rank] = model.similarities[feature, rank]
        count, rank = 0, 0
        for number in range(len(ks)):
            while rank < ks[number]:
                for j in range(width):
                    value = feature_values[start + j]
                    if rank >= lengths[j] or row_labels[j, rank] < 0 or value == 0:
                        continue
                    label, sim = row_labels[j, rank], row_sims[j, rank]
                    if weights[label] == 0:
                        candidates[count] = label
                        count += 1
                    weights[label] += value
                    if mean != 2:
                        sums[label] += value * sim
                    elif sim > sums[label]:
                        sums[label] = sim
                rank += 1
            if filled + count <= room:
                for c in range(count):
                    label = candidates[c]
                    divisor = weights[label] if mean == 0 else total if mean == 1 else 1.0
                    out_values[number, filled + c] = sums[label] / divisor
        for c in range(count):
            label = candidates[c]
            sums[label], weights[label] = 0.0, 0.0
        if leave_out:
            for e in range(own_indptr[i], own_indptr[i + 1]):
                has[own[e]] = False
        if filled + count > room:
            return i
        for c in range(count):
            out_labels[filled + c] = candidates[c]
        counts[i] = count
        filled += count
    return last
