"""IBLR whose weights can be left away: with both it is IBLR, and its rounds are those of the iteration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.ranking import IBLR
from labelknn.ranking.stats._completion import center_of
from labelknn.solvers._centers_by_k import rankings_of
from labelknn_papers.run.iblr_forms import IBLRForm, centers_and_rounds

from ..ranking.stats.test_borda import borda
from ..ranking.stats.test_completion import most_probable_extension


def rankings(rng, n, q, missing):
    """Ranks of the labels that are left, 1 is best."""
    ranks = rng.permuted(np.tile(np.arange(1, q + 1), (n, 1)), axis=1)
    ranks[rng.random((n, q)) < missing] = 0
    for row in ranks:
        there = row > 0
        row[there] = np.argsort(np.argsort(row[there])) + 1
    return ranks


@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(2, 6), st.sampled_from([0.0, 0.3, 0.7]))
@settings(max_examples=60, deadline=None)
def test_the_centre_is_that_of_the_library_and_the_rounds_those_of_the_iteration(seed, n, q, missing):
    rng = np.random.default_rng(seed)
    ranks, weights = rankings(rng, n, q, missing), rng.random(n)
    (center,), (rounds,) = centers_and_rounds(rankings_of(ranks), np.arange(n)[None], weights[None])
    np.testing.assert_array_equal(center, center_of(ranks, weights))
    counted, current, before, ordered = 0, borda(ranks, weights), None, ((ranks > 0).sum(axis=1) > 1).any()
    while ordered and ranks.min() == 0 and not np.array_equal(current, before) and counted < 50:
        completed = np.array([most_probable_extension(row, current) for row in ranks])
        before, current, counted = current, borda(completed, weights), counted + 1
    assert rounds == counted


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_with_both_kinds_of_weights_it_is_iblr(missing):
    rng = np.random.default_rng(1)
    X, queries, ranks = rng.random((80, 3)), rng.random((40, 3)), rankings(rng, 80, 5, missing)
    chosen = {"grid": (3, 5, 10, 20), "validation_rows": 80}
    form, method = IBLRForm(**chosen).fit(X, ranks), IBLR(**chosen).fit(X, ranks)
    assert form.k_ == method.k_
    assert form.grid_tau_ == pytest.approx(method.grid_tau_)
    np.testing.assert_array_equal(form.predict(queries), method.predict(queries))


def test_without_distances_the_majority_decides():
    """The nearest neighbour says one thing, two others the other; the last of four has no distance weight."""
    X = np.array([[0.1], [3.0], [3.1], [4.0]])
    ranks = np.array([[1, 2], [2, 1], [2, 1], [2, 1]])
    assert IBLRForm(k=4).fit(X, ranks).predict(np.zeros((1, 1))).tolist() == [[1, 2]]
    assert IBLRForm(k=4, by_distance=False).fit(X, ranks).predict(np.zeros((1, 1))).tolist() == [[2, 1]]


def test_without_shares_an_incomplete_ranking_weighs_as_a_complete_one():
    """Two incomplete rankings have two thirds of a vote each, so that one complete one has less than both."""
    X = np.zeros((3, 1))
    ranks = np.array([[1, 2, 3], [2, 1, 0], [0, 0, 0]])
    form, plain = IBLRForm(k=3).fit(X, ranks), IBLRForm(k=3, by_share=False).fit(X, ranks)
    assert form.predict(X[:1]).tolist() == [[1, 2, 3]]
    assert plain.predict(X[:1]).tolist() == [[1, 2, 3]], "equal votes put the lower index first"
    more = np.array([[1, 2, 3], [2, 1, 0], [2, 1, 0]])
    assert IBLRForm(k=3, by_share=False).fit(X, more).predict(X[:1]).tolist() == [[2, 1, 3]]


def test_rounds_are_counted_where_labels_are_missing():
    rng = np.random.default_rng(2)
    X = rng.random((60, 2))
    complete, incomplete = rankings(rng, 60, 4, 0.0), rankings(rng, 60, 4, 0.5)
    assert IBLRForm(k=10).fit(X, complete)._output(X)["iterated_queries"] == 0
    output = IBLRForm(k=10).fit(X, incomplete)._output(X)
    assert output["iterated_queries"] == 60
    assert output["few_rounds"] + output["many_rounds"] <= 60
