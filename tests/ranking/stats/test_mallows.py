"""The Mallows model against sums over all permutations."""

from itertools import permutations
from math import exp, factorial, inf, log

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from labelknn.ranking.stats._mallows import (
    expected_distance,
    log_normalizer,
    log_probability,
    probability,
    sample,
    spread,
)

spreads = st.one_of(st.just(0.0), st.floats(1e-9, 30))


def inversions(sigma, pi):
    q = len(pi)
    return sum((sigma[i] - sigma[j]) * (pi[i] - pi[j]) < 0 for i in range(q) for j in range(i))


def all_rankings(q):
    return np.array(list(permutations(range(1, q + 1))))


@given(spreads, st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_normalizer_and_expectation_are_sums_over_all_permutations(theta, q):
    distances = [inversions(sigma, range(q)) for sigma in permutations(range(q))]
    terms = [exp(-theta * d) for d in distances]
    assert log_normalizer(theta, q) == pytest.approx(log(sum(terms)), abs=1e-12)
    mean = sum(d * term for d, term in zip(distances, terms, strict=True)) / sum(terms)
    assert expected_distance(theta, q) == pytest.approx(mean, rel=1e-11, abs=1e-300)


@given(st.floats(0.05, 5), st.integers(2, 20))
@settings(max_examples=30, deadline=None)
def test_closed_forms_of_the_paper(theta, q):
    numbers = range(1, q + 1)
    normalizer = np.prod([(1 - exp(-j * theta)) / (1 - exp(-theta)) for j in numbers])
    mean = q * exp(-theta) / (1 - exp(-theta)) - sum(j * exp(-j * theta) / (1 - exp(-j * theta)) for j in numbers)
    assert log_normalizer(theta, q) == pytest.approx(log(normalizer), rel=1e-10, abs=1e-10)
    assert expected_distance(theta, q) == pytest.approx(mean, rel=1e-9)


def test_both_ends_of_the_range():
    assert log_normalizer(0.0, 6) == pytest.approx(log(factorial(6)))
    assert expected_distance(0.0, 6) == 6 * 5 / 4
    assert log_normalizer(inf, 6) == 0
    assert expected_distance(inf, 6) == 0


@given(st.floats(0, 1, exclude_min=True, exclude_max=True), st.integers(2, 30))
@settings(max_examples=100, deadline=None)
def test_spread_inverts_the_expected_distance(share, q):
    mean = share * q * (q - 1) / 4
    assert expected_distance(spread(mean, q), q) == pytest.approx(mean, rel=1e-9, abs=1e-300)


@given(st.floats(1e-6, 600), st.integers(2, 12))
@settings(max_examples=100, deadline=None)
def test_spread_recovers_theta(theta, q):
    assert spread(expected_distance(theta, q), q) == pytest.approx(theta, rel=1e-7)


def test_spread_maximises_the_likelihood():
    q, mean = 5, 2.3

    def log_likelihood(theta):
        return -theta * mean - log(sum(exp(-theta * inversions(s, range(q))) for s in permutations(range(q))))

    best = spread(mean, q)
    assert log_likelihood(best) > max(log_likelihood(best - 1e-3), log_likelihood(best + 1e-3))


@pytest.mark.parametrize(
    ("mean", "q", "theta"),
    [(0, 4, inf), (3, 4, 0), (6, 4, 0), (0, 1, inf), (1e9, 3, 0)],
)
def test_spread_at_and_beyond_the_ends(mean, q, theta):
    assert spread(mean, q) == theta


@pytest.mark.parametrize("mean", [5e-324, 1e-300, 1e-16, np.nextafter(2.5, 0)])
def test_spread_near_the_ends_stays_finite(mean):
    theta = spread(mean, 5)
    assert np.isfinite(theta)
    assert theta >= 0


def test_two_labels_by_hand():
    """For q = 2, P(D = 1) = 1 / (1 + e^θ): a mean distance of 1/4 gives θ = log 3."""
    assert spread(0.25, 2) == pytest.approx(log(3))
    assert probability(np.array([2, 1]), np.array([1, 2]), log(3)) == pytest.approx(0.25)


@given(spreads, st.integers(0, 119))
@settings(max_examples=20, deadline=None)
def test_probabilities_sum_to_one(theta, number):
    rankings = all_rankings(5)
    assert sum(probability(ranks, rankings[number], theta) for ranks in rankings) == pytest.approx(1)


def test_infinite_spread_leaves_the_centre_alone():
    center, other = np.array([2, 1, 3]), np.array([2, 3, 1])
    assert probability(center, center, inf) == 1
    assert log_probability(other, center, inf) == -inf


def test_renaming_labels_changes_no_probability():
    rng = np.random.default_rng(0)
    for _ in range(20):
        ranks, center, names = (rng.permutation(7) + 1 for _ in range(3))
        here, there = (log_probability(ranks, center, 0.7), log_probability(ranks[names - 1], center[names - 1], 0.7))
        assert here == there


@pytest.mark.parametrize("theta", [0.0, 0.4, 2.0])
def test_samples_follow_the_model(theta):
    center = np.array([3, 1, 4, 2])
    rankings, size = all_rankings(4), 20_000
    drawn = sample(np.random.default_rng(1), center, theta, size)
    observed = [(drawn == ranks).all(axis=1).sum() for ranks in rankings]
    expected = [size * probability(ranks, center, theta) for ranks in rankings]
    assert chisquare(observed, expected).pvalue > 1e-3


def test_samples_at_infinite_spread_and_reproducibility():
    center = np.array([3, 1, 4, 2])
    np.testing.assert_array_equal(sample(np.random.default_rng(2), center, inf, 5), np.tile(center, (5, 1)))
    first, second = (sample(np.random.default_rng(3), center, 0.5, 50) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    with pytest.raises(ValueError, match="theta = -1"):
        sample(np.random.default_rng(4), center, -1, 1)


def test_callable_from_numba():
    @numba.njit
    def all_at_once(ranks, center):
        theta = spread(1.0, len(center))
        return log_probability(ranks, center, theta) + expected_distance(theta, len(center))

    ranks, center = np.array([1, 3, 2]), np.array([1, 2, 3])
    assert all_at_once(ranks, center) == pytest.approx(all_at_once.py_func(ranks, center))
