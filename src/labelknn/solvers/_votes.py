"""Votes of neighbours with label sets in CSR form, so that absent labels cost nothing."""

from __future__ import annotations

import numba
import numpy as np

# A share of votes that is one half but for rounding counts as one half.
SLACK = 1e-12


@numba.njit(cache=True)
def count_labels(neighbors, indptr, indices, q):
    """How many of each row's neighbours have each label; the label sets come as CSR, so absent labels cost nothing."""
    counts = np.zeros((neighbors.shape[0], q), np.int32)
    for i in range(neighbors.shape[0]):
        for a in neighbors[i]:
            for position in range(indptr[a], indptr[a + 1]):
                counts[i, indices[position]] += 1
    return counts


@numba.njit(cache=True)
def weighted_votes(neighbors, weights, indptr, indices, q):
    """(n, q): the sum of the weights of each row's neighbours that have a label; the label sets come as CSR."""
    votes = np.zeros((neighbors.shape[0], q))
    for i in range(neighbors.shape[0]):
        for j in range(neighbors.shape[1]):
            for position in range(indptr[neighbors[i, j]], indptr[neighbors[i, j] + 1]):
                votes[i, indices[position]] += weights[i, j]
    return votes


@numba.njit(cache=True)
def hamming_distances(neighbors, sets, truth):
    """(n, k): in how many labels each row's `truth` and the set of each of its neighbours differ."""
    distances = np.zeros(neighbors.shape, np.int32)
    for i in range(neighbors.shape[0]):
        for j in range(neighbors.shape[1]):
            for label in range(sets.shape[1]):
                distances[i, j] += truth[i, label] != sets[neighbors[i, j], label]
    return distances
