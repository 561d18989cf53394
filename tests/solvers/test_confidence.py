"""Thresholds and label sets made of confidences, against their definition (feremans2017, section III-A1)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labelknn.solvers._confidence import Confidences, aligned, cardinality_threshold, no_confidences, thresholded

# A candidate has a positive confidence; eighths make ties likely.
confidences = st.lists(st.integers(1, 8).map(lambda eighths: eighths / 8), min_size=1, max_size=30)


@given(confidences, st.integers(0, 35), st.integers(1, 30))
@settings(max_examples=200, deadline=None)
def test_threshold_is_the_best_of_all(values, total, block):
    """No threshold predicts a number of labels nearer to `total`, and the values may come in pieces."""
    values = np.array(values, np.float32)
    t = cardinality_threshold([values[i : i + block] for i in range(0, len(values), block)], total)

    def distance(threshold):
        return abs(int((values > threshold).sum()) - total)

    assert distance(t) == min(distance(other) for other in [0.0, *values])


@pytest.mark.parametrize(
    ("values", "total", "threshold", "predicted"),
    [
        ([0.5, 0.25, 0.125], 2, 0.125, 2),
        ([0.5, 0.25, 0.25, 0.25], 3, None, 4),  # one too many is nearer than two too few
        ([0.5, 0.25, 0.25, 0.25], 2, 0.25, 1),  # one too few is nearer than two too many
        ([0.5, 0.25], 5, 0.0, 2),  # fewer candidates than labels: all of them
        ([0.5, 0.25], 0, 0.5, 0),
    ],
)
def test_threshold_by_hand(values, total, threshold, predicted):
    t = cardinality_threshold([np.array(values)], total)
    assert threshold is None or t == threshold
    assert (np.array(values) > t).sum() == predicted


def test_top_label_is_predicted_below_the_threshold():
    scores = sparse.csr_matrix(np.array([[0.9, 0.6, 0.0], [0.1, 0.3, 0.3], [0.0, 0.0, 0.0]], np.float32))
    sets = thresholded(scores, 0.5).toarray()
    # Row 1: of two equal top labels the first. Row 2 has no candidate.
    np.testing.assert_array_equal(sets, [[True, True, False], [False, True, False], [False, False, False]])


def random_confidences(rng, n, q, ks):
    dense = rng.random((ks, n, q)).astype(np.float32) * (rng.random((n, q)) < 0.4)
    pattern = sparse.csr_matrix(dense.max(axis=0))
    rows = np.repeat(np.arange(n), np.diff(pattern.indptr))
    shuffled = np.concatenate([rng.permutation(part) for part in np.split(pattern.indices, pattern.indptr[1:-1])])
    values = np.stack([part[rows, shuffled] for part in dense])
    return Confidences(pattern.indptr.astype(np.int64), shuffled.astype(np.int32), values, q), dense


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_aligned_candidates_are_the_union(seed):
    rng = np.random.default_rng(seed)
    (a, dense_a), (b, dense_b) = random_confidences(rng, 6, 7, 2), random_confidences(rng, 6, 7, 3)
    first, second = aligned(a, b)
    np.testing.assert_array_equal(first.indptr, second.indptr)
    np.testing.assert_array_equal(first.labels, second.labels)
    for part, dense in ((first, dense_a), (second, dense_b)):
        for number, matrix in enumerate(dense):
            np.testing.assert_array_equal(part.at(number).toarray(), matrix)
    assert len(first.labels) == np.count_nonzero(dense_a.any(axis=0) | dense_b.any(axis=0))


def test_aligned_with_nothing():
    a, dense = random_confidences(np.random.default_rng(1), 5, 4, 2)
    first, second = aligned(a, no_confidences(5, 4))
    np.testing.assert_array_equal(first.at(1).toarray(), dense[1])
    assert not second.values.any()
