"""Completion against a search of all consistent extensions, and Algorithm 1 against its text."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.ranking.stats._completion import MAX_ROUNDS, best_first, center_of, extend_into
from labelknn.ranking.stats._mallows import spreads
from labelknn.utils._kernels import kernel

from .test_borda import borda
from .test_kendall import distance

# A kernel that only kernels call, for Python.
extend_into = kernel(extend_into.py_func)


def most_probable_extension(ranks, center):
    """Labels that both lack stay missing."""
    completed, q = np.zeros(len(ranks), np.int64), len(ranks)
    order, center_order = best_first(np.array([ranks, center]))
    counts, scratch = (np.count_nonzero(ranks), np.count_nonzero(center)), np.empty((2, q), np.int64)
    extend_into(completed, ranks, order, counts[0], center, center_order, counts[1], *scratch)
    return completed


def random_rankings(rng, count, q, missing):
    """Rankings with labels deleted at random; the rest have ranks 1..m."""
    ranks = rng.permuted(np.tile(np.arange(1, q + 1), (count, 1)), axis=1)
    ranks[rng.random((count, q)) < missing] = 0
    return np.array([[sum(0 < other <= rank for other in row) if rank else 0 for rank in row] for row in ranks])


def keeps_order(completed, ranks):
    observed = np.flatnonzero(ranks)
    return np.array_equal(np.argsort(completed[observed]), np.argsort(ranks[observed]))


def proposition_1(ranks, center):
    """The paper's wording for one missing label after the other; `center` is complete."""
    labels = range(len(ranks))
    m = sum(rank > 0 for rank in ranks)
    places = [[] for _ in range(m + 1)]
    for i in labels:
        if ranks[i] == 0:
            costs = [
                sum(0 < ranks[k] <= j and center[k] > center[i] for k in labels)
                + sum(ranks[k] > j and center[k] < center[i] for k in labels)
                for j in range(m + 1)
            ]
            places[costs.index(min(costs))].append(i)
    order = sorted(places[0], key=lambda i: center[i])
    for rank in range(1, m + 1):
        order += [list(ranks).index(rank), *sorted(places[rank], key=lambda i: center[i])]
    result = np.empty(len(ranks), int)
    result[order] = range(1, len(ranks) + 1)
    return result


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.sampled_from([0.3, 0.6, 1.0]))
@settings(max_examples=50, deadline=None)
def test_completion_is_the_nearest_extension(seed, q, missing):
    rng = np.random.default_rng(seed)
    ranks, center = random_rankings(rng, 1, q, missing)[0], rng.permutation(q) + 1
    completed = most_probable_extension(ranks, center)
    assert sorted(completed) == list(range(1, q + 1))
    assert keeps_order(completed, ranks)
    candidates = (np.array(sigma) for sigma in permutations(range(1, q + 1)))
    assert distance(completed, center) == min(distance(s, center) for s in candidates if keeps_order(s, ranks))
    np.testing.assert_array_equal(completed, proposition_1(ranks, center))


def test_completion_by_hand():
    """c > a, to be completed from a > b > c > d.

    b before both is at odds with the centre about a, between them about a and c, behind both about c: the first of the
    cheapest places is before both. d goes behind both at no cost. So b > c > a > d; only b > a and c > a are at odds.
    """
    completed = most_probable_extension(np.array([2, 0, 1, 0]), np.array([1, 2, 3, 4]))
    np.testing.assert_array_equal(completed, [3, 1, 2, 4])
    assert distance(completed, np.array([1, 2, 3, 4])) == 2


def test_complete_rankings_and_empty_ones():
    ranks, center = np.array([3, 1, 2]), np.array([1, 2, 3])
    np.testing.assert_array_equal(most_probable_extension(ranks, center), ranks)
    np.testing.assert_array_equal(most_probable_extension(np.zeros(3, int), center), center)


def test_labels_that_both_lack_stay_missing():
    """b > a completed from a > c > b (label d in neither): c fits before or behind both alike, so it comes first."""
    np.testing.assert_array_equal(most_probable_extension(np.array([2, 1, 0, 0]), np.array([1, 3, 2, 0])), [3, 2, 1, 0])


def test_labels_that_only_the_centre_lacks_do_not_pull():
    """b > a completed from a > c: c belongs behind a, wherever b is."""
    np.testing.assert_array_equal(most_probable_extension(np.array([2, 1, 0]), np.array([1, 0, 2])), [2, 1, 3])


def test_best_first():
    orders = best_first(np.array([[2, 0, 3, 1], [0, 0, 0, 0]]))
    np.testing.assert_array_equal(orders[0], [3, 0, 2, 1])
    assert sorted(orders[1]) == [0, 1, 2, 3]


def algorithm_1(rankings, weights):
    """Lines 3 to 13 of Algorithm 1 with the slow completion."""
    center = borda(rankings, weights)
    for _ in range(MAX_ROUNDS):
        completed = np.array([proposition_1(row, center) for row in rankings])
        previous, center = center, borda(completed, weights)
        if np.array_equal(previous, center):
            break
    return center


def spread_around(center, rankings, rows, weights):
    """Line 14 of Algorithm 1: θ from the weighted mean distance of the completed rankings; 0 if there are none."""
    total = mean = 0.0
    for row, weight in zip(rows, weights, strict=True):
        if weight > 0:
            mean += weight * distance(most_probable_extension(rankings[row], center), center)
            total += weight
    return spreads(np.array([mean / total]), len(center))[0] if total > 0 else 0.0


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.sampled_from([0.0, 0.4, 0.7]))
@settings(max_examples=50, deadline=None)
def test_centre_and_spread_follow_algorithm_1(seed, q, missing):
    rng = np.random.default_rng(seed)
    rankings, weights = random_rankings(rng, 9, q, missing), rng.integers(0, 4, 6) / 3
    weights[0] = 1
    rows = rng.choice(9, 6)
    center = center_of(rankings[rows], weights)
    np.testing.assert_array_equal(center, algorithm_1(rankings[rows], weights))
    completed = np.array([proposition_1(row, center) for row in rankings[rows]])
    mean = np.average([distance(row, center) for row in completed], weights=weights)
    assert spread_around(center, rankings, rows, weights) == pytest.approx(spreads(np.array([mean]), q)[0])


def test_no_weight_is_no_information():
    np.testing.assert_array_equal(center_of(np.array([[1, 2], [2, 1]]), np.zeros(2)), [1, 2])


def sample(rng, center, theta, size):
    """Random rankings by the Mallows model: the centre's labels are put in one by one, best first.

    The j-th of them jumps over r = 0..j−1 others from the end on with probabilities ∝ exp(−θ r).
    """
    rankings = []
    for _ in range(size):
        order = []
        for label in np.argsort(center):
            weights = np.exp(-theta * np.arange(len(order) + 1))
            order.insert(len(order) - rng.choice(len(weights), p=weights / weights.sum()), label)
        rankings.append(np.argsort(order) + 1)
    return np.array(rankings)


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.6])
def test_recovers_the_model_behind_a_sample(missing):
    rng = np.random.default_rng(7)
    center, theta, size = np.array([4, 2, 6, 1, 5, 3]), 0.8, 4000
    rankings = sample(rng, center, theta, size)
    rankings[rng.random(rankings.shape) < missing] = 0
    rankings = np.array([np.where(row > 0, np.searchsorted(np.sort(row[row > 0]), row) + 1, 0) for row in rankings])
    found = center_of(rankings, np.ones(size))
    np.testing.assert_array_equal(found, center)
    estimate = spread_around(found, rankings, np.arange(size), np.ones(size))
    if missing == 0:
        assert estimate == pytest.approx(theta, rel=0.05)
    else:
        # Completions are the nearest ones, so the sample looks more peaked than it is.
        assert estimate > theta
