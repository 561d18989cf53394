"""IBLR against Algorithm 1 in plain Python, by hand, and on real data."""

import pickle
from math import inf, log

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn.datasets._kebi import read_kebi
from labelknn.errors import DataError
from labelknn.neighbors._euclidean import k_nearest
from labelknn.ranking._iblr import GRID, IBLR
from labelknn.ranking.stats._completion import center_of
from labelknn.ranking.stats._kendall import taus
from labelknn.solvers._centers_by_k import centers_by_k, distance_weights, rankings_of, spreads_around
from labelknn.utils._validation import as_rankings

from .stats.test_borda import borda
from .stats.test_completion import most_probable_extension, spread_around
from .stats.test_kendall import distance, tau
from .stats.test_mallows import spread


def algorithm_1(X, ranks, k, query, rows):
    """Algorithm 1 for one query with neighbours among `rows`, from the parts that have their own slow twins."""
    q = ranks.shape[1]
    far = {row: np.sqrt(((X[row] - query) ** 2).sum()) for row in rows}
    nearest = sorted(rows, key=lambda row: (far[row], row))[:k]
    first, last = far[nearest[0]], far[nearest[-1]]
    dudani = np.array([(last - far[row]) / (last - first) if last > first else 1.0 for row in nearest])
    weights = dudani * (ranks[nearest] > 0).sum(axis=1) / q
    if not any(weight > 0 and (ranks[row] > 0).sum() > 1 for weight, row in zip(weights, nearest, strict=True)):
        return None, 0.0
    center, previous = borda(ranks[nearest], weights), None
    while not np.array_equal(center, previous):
        completed = np.array([most_probable_extension(ranks[row], center) for row in nearest])
        previous, center = center, borda(completed, weights)
    return center, spread(np.average([distance(row, center) for row in completed], weights=weights), q)


def random_problem(seed, n=14, q=4, missing=0.4):
    """Few distinct points, so that equal distances and duplicates are common."""
    rng = np.random.default_rng(seed)
    ranks = rng.permuted(np.tile(np.arange(1, q + 1), (n, 1)), axis=1)
    ranks[rng.random((n, q)) < missing] = 0
    ranks[0] = np.arange(1, q + 1)
    return rng.integers(0, 4, (n, 2)).astype(float), ranks, rng.integers(0, 4, (4, 2)).astype(float)


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.sampled_from([0.0, 0.4, 0.7]))
@settings(max_examples=40, deadline=None)
def test_equals_algorithm_1(seed, k, missing):
    X, ranks, queries = random_problem(seed, missing=missing)
    model = IBLR(k).fit(X, ranks)
    output = model._output(queries)
    for i, query in enumerate(queries):
        center, theta = algorithm_1(X, as_rankings(ranks, len(X)), k, query, range(len(X)))
        np.testing.assert_array_equal(output["ranks"][i], model.rankings_.default if center is None else center)
        assert output["reliability"][i] == pytest.approx(theta)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.4]), st.sampled_from([100, 2]))
@settings(max_examples=20, deadline=None)
def test_k_is_chosen_by_leave_one_out(seed, missing, validation_rows):
    X, ranks, _ = random_problem(seed, missing=missing)
    model = IBLR(grid=(2, 3, 5, 9, 100), validation_rows=validation_rows).fit(X, ranks)
    dense = as_rankings(ranks, len(X))
    validated = [i for i in range(len(X)) if (dense[i] > 0).sum() > 1]
    if validation_rows == 2:
        validated = [validated[0], validated[-1]]
    assert list(model.grid_tau_) == [2, 3, 5, 9]
    for k, found in model.grid_tau_.items():
        scores = []
        for i in validated:
            center, _ = algorithm_1(X, dense, k, X[i], [row for row in range(len(X)) if row != i])
            scores.append(tau(dense[i], model.rankings_.default if center is None else center))
        assert found == pytest.approx(np.mean(scores))
    best = max(model.grid_tau_.values())
    assert model.k_ == min(k for k, score in model.grid_tau_.items() if score == best)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.4, 0.8]), st.sampled_from([1, 32]))
@settings(max_examples=30, deadline=None)
def test_all_k_at_once_equal_each_k_alone(seed, missing, distinct):
    """`centers_by_k` and `spreads_around` against `center_of` and `spread_around`.

    All k from 1 to 60 meet more centres than are remembered.
    """
    X, ranks, queries = random_problem(seed, n=70, q=7, missing=missing)
    X += distinct * np.random.default_rng(seed).random(X.shape).round(3)
    ranks = as_rankings(ranks, len(X))
    rankings, found = rankings_of(ranks), k_nearest(X, 60, queries)
    centers = centers_by_k(rankings, found, range(1, 61))
    for k in range(1, 61):
        nearest = found.nearest(k)
        spreads = spreads_around(centers[:, k - 1], rankings, nearest)
        for rows, far, center, theta in zip(
            nearest.indices, nearest.distances, centers[:, k - 1], spreads, strict=True
        ):
            weights = distance_weights(rankings.observed[rows], 7, far)
            if ((weights > 0) & (rankings.observed[rows] > 1)).any():
                np.testing.assert_array_equal(center, center_of(ranks[rows], weights))
                assert theta == spread_around(center, ranks, rows, weights)
            else:
                np.testing.assert_array_equal(center, rankings.default)
                assert theta == 0.0


def test_neighbours_of_hardly_any_weight_are_still_counted():
    """The nearest ranks nothing and the second is nearly as far as the third, whose weight is 0: b > a decides alone.

    Its weight is 2⁻⁴⁰, and labels that it does not rank tie, however little that is.
    """
    X = np.array([[0.0], [1 - 2.0**-40], [1.0], [5.0], [6.0]])
    ranks = np.array([[0, 0, 0, 0, 0], [2, 1, 0, 0, 0], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]])
    np.testing.assert_array_equal(IBLR(k=3).fit(X, ranks).predict(np.zeros((1, 1))), [[5, 1, 2, 3, 4]])


def test_by_hand():
    """A query at 0, neighbours at 0, 1 and 3 with k = 3: Dudani's weights are 1, 2/3 and 0.

    a > b has the weight 1 and b > a has 2/3, so a is first; the weighted mean distance is (2/3) / (5/3) = 2/5, and for
    two labels P(b > a) = 1 / (1 + e^θ) = 2/5 gives θ = log(3/2).
    """
    X, ranks = np.array([[0.0], [1.0], [3.0]]), np.array([[1, 2], [2, 1], [2, 1]])
    output = IBLR(k=3).fit(X, ranks)._output(np.array([[0.0]]))
    np.testing.assert_array_equal(output["ranks"], [[1, 2]])
    assert output["reliability"][0] == pytest.approx(log(1.5))


def test_incomplete_rankings_weigh_less():
    """Three labels, all neighbours equally far: c > a of weight 2/3 and c > b of 2/3 against a > b > c of weight 1."""
    X, ranks = np.zeros((3, 1)), np.array([[1, 2, 3], [2, 0, 1], [0, 2, 1]])
    # Generalised votes: a 3 + (2/3)(4/3 + 2), b 2 + (2/3)(2 + 4/3), c 1 + (2/3)(8/3 + 8/3): a 5.22, b 4.22, c 4.56.
    # From a > c > b: c > a > b and a > c > b (b behind both, a first) complete them, so a 3 + (2/3)(2 + 3) wins.
    np.testing.assert_array_equal(IBLR(k=3).fit(X, ranks).predict(np.zeros((1, 1))), [[1, 3, 2]])


def test_the_kth_neighbour_has_no_weight():
    rng = np.random.default_rng(0)
    X, ranks = rng.normal(size=(40, 2)), rng.permuted(np.tile([1, 2, 3], (40, 1)), axis=1)
    queries = rng.normal(size=(10, 2))
    np.testing.assert_array_equal(IBLR(k=1).fit(X, ranks).predict(queries), IBLR(k=2).fit(X, ranks).predict(queries))


def test_neighbours_of_one_mind_have_infinite_theta():
    X, ranks = np.arange(6.0)[:, None], np.tile([2, 1, 3], (6, 1))
    assert (IBLR(k=4).fit(X, ranks).predict_reliability(X) == inf).all()


def test_constant_features_give_all_neighbours_the_same_weight():
    """The k lowest rows are the neighbours, since equal distances go by row."""
    ranks = np.array([[1, 2, 3], [1, 2, 3], [3, 2, 1], [3, 2, 1], [3, 2, 1]])
    model = IBLR(k=3).fit(np.ones((5, 2)), ranks)
    np.testing.assert_array_equal(model.predict(np.ones((1, 2))), [[1, 2, 3]])
    assert 0 < model.predict_reliability(np.ones((1, 2)))[0] < inf


def test_a_label_that_is_never_ranked_ends_in_the_middle():
    X, ranks = np.arange(8.0)[:, None], np.tile([1, np.nan, 2], (8, 1))
    np.testing.assert_array_equal(IBLR(k=4).fit(X, ranks).predict(X), np.tile([1, 2, 3], (8, 1)))


def test_neighbours_without_order_fall_back_to_the_whole_training_part():
    X, ranks = np.arange(8.0)[:, None], np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0], *[[3, 1, 2]] * 5])
    output = IBLR(k=2).fit(X, ranks)._output(np.array([[0.2]]))
    np.testing.assert_array_equal(output["ranks"], [[3, 1, 2]])
    assert output["reliability"][0] == 0


def test_only_the_order_of_the_ranks_counts():
    X, ranks, queries = random_problem(3)
    stretched = np.where(ranks > 0, 10 * ranks + 5, 0)
    np.testing.assert_array_equal(IBLR(5).fit(X, ranks).predict(queries), IBLR(5).fit(X, stretched).predict(queries))


def test_renaming_labels_renames_the_predictions():
    """Distances without ties and weights without equal votes, where the label index does not decide."""
    rng = np.random.default_rng(4)
    X, queries, names = rng.normal(size=(60, 3)), rng.normal(size=(20, 3)), np.array([3, 0, 4, 1, 2])
    ranks = rng.permuted(np.tile(np.arange(1, 6), (60, 1)), axis=1)
    here, there = (IBLR(9).fit(X, each)._output(queries) for each in (ranks, ranks[:, names]))
    np.testing.assert_array_equal(here["ranks"][:, names], there["ranks"])
    np.testing.assert_allclose(here["reliability"], there["reliability"])


def test_shared_search_and_threads_change_nothing():
    rng = np.random.default_rng(5)
    X, queries = rng.normal(size=(90, 3)), rng.normal(size=(30, 3))
    ranks = rng.permuted(np.tile(np.arange(1, 5), (90, 1)), axis=1) * (rng.random((90, 4)) < 0.7)
    needed = IBLR()._neighbors_needed(len(X))
    assert needed == 80
    alone = IBLR().fit(X, ranks)
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        shared = IBLR().fit(X, ranks, neighbors=k_nearest(X, needed))
        output = shared._output(queries, neighbors=k_nearest(X, needed, queries))
    finally:
        numba.set_num_threads(threads)
    assert shared.k_ == alone.k_
    for key, array in alone._output(queries).items():
        np.testing.assert_array_equal(array, output[key])


def test_scikit_learn_conventions():
    X, ranks, queries = random_problem(6)
    model = IBLR(k=4)
    assert clone(model).get_params() == {"k": 4, "grid": GRID, "validation_rows": 3000, "n_jobs": None}
    with pytest.raises(NotFittedError):
        model.predict(queries)
    model.fit(X, ranks)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(queries), model.predict(queries))


@pytest.mark.parametrize(
    ("ranks", "message"),
    [
        ([[1, 1], [1, 2], [1, 2]], "rank 1 occurs twice in row 0"),
        ([[1, 2], [1, 2], [-1, 1]], "rank -1 of label 0 in row 2"),
        ([[1, 2], [1, 1.5], [1, 2]], r"rank 1\.5 of label 1 in row 1"),
        ([[1, np.inf], [1, 2], [1, 2]], "rank inf of label 1 in row 0"),
        ([[0, 1], [1, 0], [0, 1]], "ranks start at 1, the best, so add 1"),
        ([["a", "b"]] * 3, "whole numbers"),
        ([1, 2, 3], "rows of ranks"),
        ([[1, 2], [2, 1]], "3 rows of features but 2 rankings"),
        (np.zeros((3, 2), int), "no training ranking orders any two labels"),
        ([[1, 0], [0, 0], [1, 0]], "no training ranking orders any two labels"),
    ],
)
def test_ranks_that_are_no_rankings(ranks, message):
    with pytest.raises(DataError, match=message):
        IBLR(k=1).fit(np.arange(3.0)[:, None], np.array(ranks))


@pytest.mark.parametrize(
    ("params", "X", "message"),
    [
        ({"k": 4}, [[0.0], [1.0], [2.0]], "k = 4 neighbours asked for, 3 rows"),
        ({"k": 0}, [[0.0], [1.0], [2.0]], "k = 0"),
        ({"grid": (3, 10)}, [[0.0], [1.0], [2.0]], "below the 3 rows"),
        ({"grid": (0, 1)}, [[0.0], [1.0], [2.0]], "must be positive"),
        ({"validation_rows": 0}, [[0.0], [1.0], [2.0]], "validation_rows = 0"),
        ({"k": 1}, [[0.0], [np.nan], [2.0]], "X holds NaN in row 1, column 0"),
        ({}, [[0.0], [np.inf], [2.0]], "X holds inf in row 1, column 0"),
    ],
)
def test_bad_parameters_and_features(params, X, message):
    with pytest.raises(DataError, match=message):
        IBLR(**params).fit(np.array(X), np.tile([1, 2], (3, 1)))


@pytest.mark.parametrize(
    ("query", "message"), [([[np.nan]], "X holds NaN in row 0, column 0"), ([[0.0, 1.0]], "X has 2 features")]
)
def test_bad_queries(query, message):
    with pytest.raises(ValueError, match=message):
        IBLR(k=1).fit(np.arange(3.0)[:, None], np.tile([1, 2], (3, 1))).predict(np.array(query))


@pytest.mark.mirror
@pytest.mark.parametrize(("name", "published"), [("housing", 0.745), ("stock", 0.927), ("vehicle", 0.862)])
def test_reproduces_table_2_on_complete_rankings(mirror, name, published):
    """One 10-fold run; the standard deviation between runs is below .01."""
    data = read_kebi(name, mirror / "label-ranking" / "published", file=f"{name}.txt")
    fold = np.random.default_rng(1).permutation(data.n) % 10
    scores = np.empty(data.n)
    for number in range(10):
        test = fold == number
        model = IBLR().fit(data.X[~test], data.Y[~test])
        scores[test] = taus(data.Y[test], model.predict(data.X[test]))
    assert scores.mean() == pytest.approx(published, abs=0.02)
