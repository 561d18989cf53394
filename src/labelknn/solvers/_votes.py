"""Votes of neighbours with label sets in CSR form, so that absent labels cost nothing."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from labelknn.utils._kernels import kernel

# A share of votes that is one half but for rounding counts as one half.
SLACK = 1e-12


def count_labels(neighbors: np.ndarray, labels: sparse.csr_matrix) -> np.ndarray:
    """(n, q): how many of each row's neighbours have each label."""
    counts = np.zeros((len(neighbors), labels.shape[1]), np.int32)
    _count_labels(neighbors, labels.indptr, labels.indices, counts)
    return counts


def weighted_votes(neighbors: np.ndarray, weights: np.ndarray, labels: sparse.csr_matrix) -> np.ndarray:
    """(n, q): the sum of the weights of each row's neighbours that have a label."""
    votes = np.zeros((len(neighbors), labels.shape[1]))
    _add_weights(neighbors, weights, labels.indptr, labels.indices, votes)
    return votes


def hamming_distances(neighbors: np.ndarray, sets: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """(n, k): in how many labels each row's `truth` and the set of each of its neighbours differ."""
    distances = np.zeros(neighbors.shape, np.int32)
    _count_differences(neighbors, sets, truth, distances)
    return distances


@kernel
def _count_labels(neighbors, indptr, indices, counts):
    for i in range(neighbors.shape[0]):
        for j in range(neighbors.shape[1]):
            a = neighbors[i, j]
            for position in range(indptr[a], indptr[a + 1]):
                counts[i, indices[position]] += 1


@kernel
def _add_weights(neighbors, weights, indptr, indices, votes):
    for i in range(neighbors.shape[0]):
        for j in range(neighbors.shape[1]):
            a = neighbors[i, j]
            for position in range(indptr[a], indptr[a + 1]):
                votes[i, indices[position]] += weights[i, j]


@kernel
def _count_differences(neighbors, sets, truth, distances):
    for i in range(neighbors.shape[0]):
        for j in range(neighbors.shape[1]):
            for label in range(sets.shape[1]):
                distances[i, j] += truth[i, label] != sets[neighbors[i, j], label]
