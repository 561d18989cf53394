"""Bucket orders: generalised ranks by definition, p virtual labels written out, Theorem 1 by trying all orders."""

from fractions import Fraction
from itertools import permutations
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.errors import DataError
from labelknn.metrics import _ranking as ranking
from labelknn.ranking.stats._buckets import (
    check_virtual_labels,
    from_label_sets,
    gaps,
    generalised_ranks,
    order_by_mean_ranks,
    order_text,
    positions,
    relevant,
    spearman,
    strict_ranks,
)

ORDERS = st.integers(2, 5).flatmap(
    lambda q: st.lists(st.lists(st.integers(1, q), min_size=q, max_size=q), min_size=1, max_size=4)
).map(np.array)  # fmt: skip


def by_definition(order):
    """σ(i) = Σ_{l < j} |B_l| + (|B_j| + 1) / 2 for label i in bucket j (section 4)."""
    buckets = [[label for label in range(len(order)) if order[label] == value] for value in sorted(set(order))]
    ranks = {}
    for j, bucket in enumerate(buckets):
        for label in bucket:
            ranks[label] = sum(map(len, buckets[:j])) + (len(bucket) + 1) / 2
    return [ranks[label] for label in range(len(order))]


@given(ORDERS, st.integers(1, 6))
@settings(max_examples=80, deadline=None)
def test_p_virtual_labels_are_p_columns_at_the_split(orders, p):
    written_out = np.hstack([orders, np.repeat(orders[:, -1:], p - 1, axis=1)])
    expected = np.array([by_definition(order) for order in written_out.tolist()])
    q = orders.shape[1]
    np.testing.assert_array_equal(generalised_ranks(orders, p), expected[:, :q])
    assert (expected[:, q:] == expected[:, q - 1 : q]).all()  # they can be merged again


def test_the_papers_three_voters():
    """Section 5: m0 = 2 and m1 = 2.17 for one virtual label, 2.5 and 2.5 for two, 3 and 2.83 for three."""
    orders = from_label_sets(np.array([[1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0]], bool))
    printed = {1: ("2.00", "2.17"), 2: ("2.50", "2.50"), 3: ("3.00", "2.83")}
    for p, (m0, m1) in printed.items():
        means = generalised_ranks(orders, p).mean(axis=0)
        assert (f"{means[-1]:.2f}", f"{means[0]:.2f}") == (m0, m1)
    sets = {}
    for p in (1, 2, 3, inf):
        ranks = order_by_mean_ranks(positions(orders).mean(axis=0), gaps(orders).mean(axis=0), p)
        sets[p] = relevant(ranks[None])[0].tolist()
    assert sets[1] == [False] * 5
    assert sets[2] == [False] * 5  # equal means: the virtual label first
    assert sets[3] == sets[inf] == [True, False, False, False, False]


@given(ORDERS, st.sampled_from([1, 2, 5]))
@settings(max_examples=60, deadline=None)
def test_mean_ranks_are_optimal_among_all_permutations(orders, p):
    """Theorem 1, with the p virtual labels written out: no strict order of them all is nearer to the voters."""
    q = orders.shape[1]
    if q + p > 7:
        orders = orders[:, -3:]
        q = 3
    sigmas = generalised_ranks(np.hstack([orders, np.repeat(orders[:, -1:], p - 1, axis=1)]))
    found = order_by_mean_ranks(positions(orders).mean(axis=0), gaps(orders).mean(axis=0), p)
    # The virtual labels have equal mean ranks, so they follow each other where the merged one stands.
    split = found[-1]
    spread = [rank if rank < split else rank + p - 1 for rank in found[:-1]] + [split + extra for extra in range(p)]
    distance = {tau: np.square(np.array(tau) - sigmas).sum() for tau in permutations(range(1, q + p))}
    assert distance[tuple(int(rank) for rank in spread)] == pytest.approx(min(distance.values()))


@given(st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=1, max_size=7).map(np.array))
@settings(max_examples=80, deadline=None)
def test_many_virtual_labels_make_a_majority_vote(sets):
    """A whole vote decides at any large p; a half vote is decided by the mean ranks, which p does not change."""
    orders = from_label_sets(sets == 1)
    k, c = sets.shape
    means = positions(orders).mean(axis=0), gaps(orders).mean(axis=0)
    # Votes differ from 1/2 by 1 / (2 k) at least, mean ranks by c at most.
    limit, large = (relevant(order_by_mean_ranks(*means, p)[None])[0] for p in (inf, 2 * k * c + 2))
    np.testing.assert_array_equal(limit, large)
    for label, votes in enumerate(sets.sum(axis=0)):
        if 2 * votes != k:
            assert limit[label] == (2 * votes > k)
        else:
            ranks = [[Fraction(value) for value in by_definition(order)] for order in orders.tolist()]
            assert limit[label] == (sum(rank[label] - rank[-1] for rank in ranks) < 0)


def test_no_and_all_labels():
    orders = from_label_sets(np.array([[False, False], [True, True]]))
    np.testing.assert_array_equal(generalised_ranks(orders, 4), [[5.5, 5.5, 2.5], [1.5, 1.5, 4.5]])
    np.testing.assert_array_equal(relevant(orders), [[False, False], [True, True]])


def test_a_label_in_the_split_bucket_is_not_relevant():
    orders = np.array([[1, 2, 2]])
    np.testing.assert_array_equal(relevant(orders), [[True, False]])
    np.testing.assert_array_equal(relevant(orders), ranking.above_split(orders))
    np.testing.assert_array_equal(gaps(orders), [[0, 1, 1]])


def test_ties_rank_the_virtual_label_first_then_the_lower_index():
    np.testing.assert_array_equal(strict_ranks(np.array([[2.0, 1.0, 2.0, 2.0]])), [[3, 1, 4, 2]])
    thirds = np.array([0.1 + 0.2, 0.3, 0.0])  # equal but for rounding
    np.testing.assert_array_equal(strict_ranks(thirds), [2, 3, 1])
    np.testing.assert_array_equal(strict_ranks(np.array([1.0, 1.0, 2.0]), np.array([2.0, 1.0, 0.0])), [2, 1, 3])


@given(ORDERS, st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_spearman_is_that_of_the_metrics(orders, seed):
    rng = np.random.default_rng(seed)
    predicted = rng.permuted(np.tile(np.arange(1, orders.shape[1] + 1), (len(orders), 1)), axis=1)
    found = spearman(generalised_ranks(orders), predicted)
    assert found.mean() == pytest.approx(ranking.spearman(orders, predicted))


def test_only_the_order_of_the_ranks_counts():
    orders = np.array([[1, 2, 2, 3], [4, 1, 2, 3]])
    np.testing.assert_array_equal(positions(orders), positions(10 * orders - 5))


def test_order_text():
    assert order_text([2, 2, 1], ["a", "b"]) == "| > a b"
    assert order_text([1, 2, 2], ["a", "b"]) == "a > b |"


@pytest.mark.parametrize("p", [0, -1, 0.5, 1.5, float("nan")])
def test_virtual_labels_come_in_whole_numbers(p):
    with pytest.raises(DataError, match=r"virtual labels, expected a whole number from 1 on"):
        check_virtual_labels(p)
