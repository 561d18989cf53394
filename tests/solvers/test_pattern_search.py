"""The fast pattern search against Algorithm 3 as printed, which looks at every cell anew for every point."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.errors import DataError
from labelknn.solvers._pattern_search import count_patterns, feasible_points, find_weights


def hamming_errors(weights, votes, truth):
    """Equations (8) to (11): errors of the weighted vote, cell by cell; infinite where the constraints are broken."""
    ordered = [1.0, *weights, 0.0]
    if any(a < b for a, b in pairwise(ordered)) or sum(weights) <= 0:
        return np.inf
    shares = np.einsum("j,njq->nq", weights, votes) / sum(weights)
    return int(((shares >= 0.5 - 1e-12) != truth).sum())


def algorithm_3(f, start, mesh, tolerance):
    point = np.array(start)
    while True:
        for direction in range(2 * len(point)):
            moved = point.copy()
            moved[direction // 2] += mesh if direction % 2 == 0 else -mesh
            if f(moved) < f(point):
                point = moved
                break
        else:
            mesh /= 2
            if mesh < tolerance:
                return point


def random_votes(rng, n, k, q):
    truth = rng.random((n, q)) < 0.4
    trust = np.linspace(0.9, 0.55, k)[:, None]
    votes = np.where(rng.random((n, k, q)) < trust, truth[:, None], ~truth[:, None])
    return votes, truth


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_same_weights_as_the_printed_algorithm(seed, k, starts):
    votes, truth = random_votes(np.random.default_rng(seed), 12, k, 3)
    found = find_weights(votes, truth, np.random.default_rng(seed), starts, last_mesh=1e-3)

    def f(weights):
        return hamming_errors(weights, votes, truth)

    points = [algorithm_3(f, s, 1.0, 1e-3) for s in feasible_points(starts, k, np.random.default_rng(seed))]
    best = min(points, key=f)  # the first of the best
    np.testing.assert_array_equal(found, best)


def test_ten_neighbours_at_the_papers_meshes():
    votes, truth = random_votes(np.random.default_rng(1), 40, 10, 4)
    found = find_weights(votes, truth, np.random.default_rng(2), starts=2)

    def f(weights):
        return hamming_errors(weights, votes, truth)

    points = [algorithm_3(f, s, 1.0, 1e-6) for s in feasible_points(2, 10, np.random.default_rng(2))]
    np.testing.assert_array_equal(found, min(points, key=f))


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_weights_are_feasible_and_no_worse_than_any_start(seed, k):
    votes, truth = random_votes(np.random.default_rng(seed), 10, k, 3)
    weights = find_weights(votes, truth, np.random.default_rng(seed), starts=5)
    assert weights[0] <= 1
    assert (np.diff(weights) <= 0).all()
    assert weights[-1] >= 0
    assert weights.sum() > 0
    reached = hamming_errors(weights, votes, truth)
    starts = feasible_points(5, k, np.random.default_rng(seed))
    assert reached <= min(hamming_errors(start, votes, truth) for start in starts)


def test_never_ends_at_no_weights_at_all():
    """Every vote is wrong, so the smaller the weights the better, but their sum must stay positive."""
    truth = np.zeros((5, 2), bool)
    weights = find_weights(~np.stack([truth] * 3, axis=1), truth, np.random.default_rng(0))
    assert weights.sum() > 0


def test_one_half_counts_as_a_majority():
    """Two neighbours of equal weight, one of them right: 1/2 predicts the label."""
    votes = np.array([[[True], [False]]])
    truth = np.array([[True]])
    assert hamming_errors(np.array([0.3, 0.3]), votes, truth) == 0
    patterns, gains = count_patterns(votes, truth)
    np.testing.assert_array_equal(patterns, [[True, False]])
    np.testing.assert_array_equal(gains, [1])


def test_patterns_by_hand():
    """Labels of one row: voted by (1), (2), (1, 2), nobody; true, false, true, false. (1) is also false once."""
    votes = np.array([[[1, 0, 1, 0, 1], [0, 1, 1, 0, 0]]]) == 1
    truth = np.array([[1, 0, 1, 0, 0]]) == 1
    patterns, gains = count_patterns(votes, truth)
    np.testing.assert_array_equal(patterns, [[False, False], [False, True], [True, True]])
    np.testing.assert_array_equal(gains, [-1, -1, 1])


def test_all_starts_are_feasible():
    points = feasible_points(50, 7, np.random.default_rng(3))
    assert (np.diff(points, axis=1) <= 0).all()
    assert points.min() >= 0
    assert points.max() <= 1


@pytest.mark.parametrize(
    ("votes", "truth", "options", "message"),
    [
        (np.ones((2, 0, 3)), np.ones((2, 3)), {}, "0 neighbours"),
        (np.ones((2, 3, 3)), np.ones((2, 2)), {}, "the truth has the shape"),
        (np.ones((2, 3, 3)), np.ones((2, 3)), {"starts": 0}, "expected one start"),
        (np.ones((2, 3, 3)), np.ones((2, 3)), {"last_mesh": 0.0}, "expected one start"),
    ],
)
def test_bad_input(votes, truth, options, message):
    with pytest.raises(DataError, match=message):
        find_weights(votes, truth, np.random.default_rng(0), **options)
