"""The Mallows model against sums over all permutations."""

from itertools import permutations
from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.ranking.stats._mallows import expected_distance, spreads

thetas = st.one_of(st.just(0.0), st.floats(1e-9, 30))


def spread(mean_distance, q):
    return spreads(np.array([mean_distance], float), q)[0]


def inversions(sigma, pi):
    q = len(pi)
    return sum((sigma[i] - sigma[j]) * (pi[i] - pi[j]) < 0 for i in range(q) for j in range(i))


@given(thetas, st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_expectation_is_a_sum_over_all_permutations(theta, q):
    distances = [inversions(sigma, range(q)) for sigma in permutations(range(q))]
    terms = [exp(-theta * d) for d in distances]
    mean = sum(d * term for d, term in zip(distances, terms, strict=True)) / sum(terms)
    assert expected_distance(theta, q) == pytest.approx(mean, rel=1e-11, abs=1e-300)


@given(st.floats(0.05, 5), st.integers(2, 20))
@settings(max_examples=30, deadline=None)
def test_closed_form_of_the_paper(theta, q):
    numbers = range(1, q + 1)
    mean = q * exp(-theta) / (1 - exp(-theta)) - sum(j * exp(-j * theta) / (1 - exp(-j * theta)) for j in numbers)
    assert expected_distance(theta, q) == pytest.approx(mean, rel=1e-9)


def test_both_ends_of_the_range():
    assert expected_distance(0.0, 6) == 6 * 5 / 4
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


def test_many_at_once_with_labels_of_their_own():
    means, labels = np.array([0.0, 0.25, 2.3, 2.3]), np.array([4, 2, 5, 7])
    np.testing.assert_array_equal(spreads(means, labels), [spread(*pair) for pair in zip(means, labels, strict=True)])
