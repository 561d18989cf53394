"""Borda's count against the definition of Proposition 2: mean votes over all consistent completions."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.ranking.stats._borda import ballots, rank_by_votes
from labelknn.utils._kernels import kernel

# A kernel that only kernels call, for Python.
fill_ranks = kernel(rank_by_votes.py_func)


def ranked(votes, total_weight):
    order, ranks = np.empty((2, len(votes)), np.int64)
    fill_ranks(votes, total_weight, order, ranks)
    np.testing.assert_array_equal(order, np.argsort(ranks))
    return ranks


def borda(rankings, weights):
    """The complete ranking that rankings with these weights vote for."""
    return ranked(ballots(rankings, weights).sum(axis=0), weights.sum())


@st.composite
def rankings(draw, largest=5, most=5):
    """Rows of ranks with missing labels; the observed ones have ranks 1..m."""
    q = draw(st.integers(2, largest))
    rows = []
    for _ in range(draw(st.integers(1, most))):
        order = draw(st.permutations(range(q)))[: draw(st.integers(0, q))]
        row = [0] * q
        for rank, label in enumerate(order, start=1):
            row[label] = rank
        rows.append(row)
    return np.array(rows)


def extensions(ranks):
    """All complete rankings that keep the order of the observed labels."""
    q = len(ranks)
    observed = [label for label in range(q) if ranks[label]]
    for sigma in permutations(range(1, q + 1)):
        if all((sigma[i] < sigma[j]) == (ranks[i] < ranks[j]) for i in observed for j in observed if i != j):
            yield sigma


def exact_votes(ranks):
    q, consistent = len(ranks), list(extensions(ranks))
    return [sum(Fraction(q + 1 - sigma[label]) for sigma in consistent) / len(consistent) for label in range(q)]


@given(rankings(most=1))
@settings(max_examples=60, deadline=None)
def test_votes_are_the_mean_over_all_extensions(rows):
    votes = ballots(rows, np.ones(1))
    np.testing.assert_allclose(votes[0], [float(vote) for vote in exact_votes(rows[0])], rtol=1e-14)


@given(rankings(), st.data())
@settings(max_examples=60, deadline=None)
def test_order_of_exact_votes_with_ties_to_the_lower_index(rows, data):
    """Weights with few values, so that ties are common; the slow twin counts in fractions."""
    numerators = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    q, weights = rows.shape[1], [Fraction(numerator, 3) for numerator in numerators]
    ballots = [exact_votes(row) for row in rows]
    total = [sum(weight * ballot[label] for weight, ballot in zip(weights, ballots, strict=True)) for label in range(q)]
    order = sorted(range(q), key=lambda label: (-total[label], label))
    expected = np.empty(q, int)
    expected[order] = range(1, q + 1)
    np.testing.assert_array_equal(borda(rows, np.array(weights, float)), expected)


@given(rankings(largest=4, most=3))
@settings(max_examples=40, deadline=None)
def test_minimises_the_expected_spearman_distance(rows):
    """Proposition 2, over every centre and every completion."""
    completions = [np.array(list(extensions(row))) for row in rows]

    def expected_distance(center):
        return sum(((sigmas - center) ** 2).sum(axis=1).mean() for sigmas in completions)

    best = min(expected_distance(np.array(center)) for center in permutations(range(1, rows.shape[1] + 1)))
    assert expected_distance(borda(rows, np.ones(len(rows)))) == pytest.approx(best)


def test_by_hand():
    """q = 3. (a > b > c) votes 3, 2, 1; (c > b) of two labels votes c 8/3, b 4/3, a 2: together a 5, c 11/3, b 10/3."""
    rows = np.array([[1, 2, 3], [0, 2, 1]])
    np.testing.assert_array_equal(borda(rows, np.ones(2)), [1, 3, 2])
    # With the weight 4 for the second: a 11, b 22/3, c 35/3.
    np.testing.assert_array_equal(borda(rows, np.array([1.0, 4.0])), [2, 3, 1])


def test_fractions_that_round_differently_still_tie():
    """Each label gets .1, .2 and .3 of the same votes, in another order of summation."""
    rows = np.array([[1, 2, 3], [2, 3, 1], [3, 1, 2]] * 3)
    weights = np.array([0.1, 0.2, 0.3, 0.2, 0.3, 0.1, 0.3, 0.1, 0.2])
    np.testing.assert_array_equal(borda(rows, weights), [1, 2, 3])


def test_votes_of_a_large_sample_tie_too():
    rows = np.array([[1, 2, 0, 0], [2, 1, 0, 0]] * 10_000)
    np.testing.assert_array_equal(borda(rows, np.full(len(rows), 0.1)), [1, 2, 3, 4])


@given(rankings(), st.data())
@settings(max_examples=40, deadline=None)
def test_order_of_the_rankings_and_scale_of_the_weights_do_not_matter(rows, data):
    numerators = data.draw(st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows)))
    weights, shuffled = np.array(numerators) / 7, data.draw(st.permutations(range(len(rows))))
    reference = borda(rows, weights)
    np.testing.assert_array_equal(borda(rows[shuffled], weights[shuffled]), reference)
    np.testing.assert_array_equal(borda(rows, 1e-6 * weights), reference)


def test_nothing_voted_gives_the_order_of_the_labels():
    np.testing.assert_array_equal(ranked(np.zeros(4), 0.0), [1, 2, 3, 4])


def test_a_label_that_is_never_ranked_ends_in_the_middle():
    rows = np.array([[1, 0, 2]] * 4)
    np.testing.assert_array_equal(borda(rows, np.ones(4)), [1, 2, 3])
