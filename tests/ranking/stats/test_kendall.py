"""Kendall's tau from its definition, and against scipy on complete rankings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import kendalltau

from labelknn.ranking.stats._kendall import taus

# Ranks with missing labels, gaps and ties.
pairs_of_rows = hnp.arrays(np.int64, st.tuples(st.just(2), st.integers(1, 7)), elements=st.integers(0, 5))


def tau(a, b):
    return taus(np.array([a]), np.array([b]))[0]


def slow_counts(a, b):
    """Concordant, discordant and all comparable pairs."""
    labels = [i for i in range(len(a)) if a[i] and b[i]]
    pairs = [(i, j) for i in labels for j in labels if i < j]
    signs = [np.sign(a[i] - a[j]) * np.sign(b[i] - b[j]) for i, j in pairs]
    return signs.count(1), signs.count(-1), len(pairs)


def distance(a, b):
    """D(a, b): the number of label pairs that the two rankings order differently."""
    return slow_counts(a, b)[1]


@given(pairs_of_rows)
@settings(max_examples=100, deadline=None)
def test_equals_the_definition(rows):
    concordant, discordant, compared = slow_counts(*rows)
    if compared:
        assert tau(*rows) == (concordant - discordant) / compared
    else:
        assert np.isnan(tau(*rows))


@given(st.integers(2, 9), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_complete_rankings_agree_with_scipy(q, random):
    a, b = (np.array(random.sample(range(1, q + 1), q)) for _ in range(2))
    assert tau(a, b) == pytest.approx(kendalltau(a, b).statistic)
    assert tau(a, b) == pytest.approx(1 - 4 * distance(a, b) / (q * (q - 1)))


def test_by_hand():
    """b > a > c against a > c > b: of the three pairs only (a, c) agrees."""
    a, b = np.array([2, 1, 3]), np.array([1, 3, 2])
    assert tau(a, b) == pytest.approx(-1 / 3)
    # Without label b, that pair is all there is.
    assert tau(np.array([2, 0, 3]), b) == 1


@given(pairs_of_rows)
@settings(max_examples=40, deadline=None)
def test_symmetry_and_reversal(rows):
    a, b = rows
    reversed_a = np.where(a == 0, 0, 6 - a)
    assert tau(a, b) == pytest.approx(tau(b, a), abs=0, nan_ok=True)
    assert tau(reversed_a, b) == pytest.approx(-tau(a, b), abs=0, nan_ok=True)


def test_many_rows_are_each_alone():
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 6, (2, 30, 5))
    np.testing.assert_array_equal(taus(first, second), [tau(a, b) for a, b in zip(first, second, strict=True)])
