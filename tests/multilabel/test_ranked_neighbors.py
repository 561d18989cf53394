"""Ranked neighbours against Algorithms 1 and 2 as printed, and the rankers against pairs written out one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn.errors import ConfigError, DataError
from labelknn.multilabel._ranked_neighbors import (
    RankedNeighbors,
    corrected_perceptron,
    margin_perceptron,
    ordered_pairs,
    passive_aggressive,
    ranking_svm,
)
from labelknn.neighbors._euclidean import k_nearest


def random_data(seed, n=60, q=3):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3)) * (rng.random((n, 3)) < 0.8)
    return X, X @ rng.normal(size=(3, q)) + 0.3 * rng.normal(size=(n, q)) > 0, rng.random((8, 3))


def random_items(seed, n=12, k=4, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n * k, d)), rng.integers(0, 3, (n, k))


def pair_differences(items, distances):
    """q_a − q_b for all pairs of a query with distance a < distance b, in the order of `ordered_pairs`."""
    n, k = distances.shape
    return np.array(
        [
            items[i * k + a] - items[i * k + b]
            for i in range(n)
            for a in range(k)
            for b in range(k)
            if distances[i, a] < distances[i, b]
        ]
    ).reshape(-1, items.shape[1])


def pair_features(x, neighbor, labels, signed):
    """q_j of Algorithm 2."""
    difference = neighbor - x if signed else np.abs(neighbor - x)
    lengths = np.linalg.norm(x) * np.linalg.norm(neighbor)
    cosine = 1 - x @ neighbor / lengths if lengths else 1.0
    return np.concatenate([difference, [np.linalg.norm(neighbor - x), cosine], labels])


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0]))
@settings(max_examples=15, deadline=None)
def test_ranking_svm_minimises_the_loss_of_all_pairs(seed, C):
    items, distances = random_items(seed)
    differences = pair_differences(items, distances)

    def objective(w):
        return w @ w / 2 + C * (np.maximum(0, 1 - differences @ w) ** 2).sum()

    found = ranking_svm(items, distances, C, 0, np.random.default_rng(0), tolerance=1e-8)
    best = minimize(objective, np.zeros(3), method="BFGS", options={"gtol": 1e-8})
    assert objective(found) <= best.fun + 1e-8
    np.testing.assert_allclose(found, best.x, atol=1e-4)
    from_sparse = ranking_svm(sparse.csr_matrix(items), distances, C, 0, np.random.default_rng(0), tolerance=1e-8)
    np.testing.assert_allclose(from_sparse, found, atol=1e-6)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_online_rankers_step_by_step(seed):
    items, distances = random_items(seed)
    differences = pair_differences(items, distances)
    rng = np.random.default_rng(seed)
    drawn, signs = rng.integers(len(differences), size=50), rng.choice([-1, 1], size=50)
    aggressive, corrected, perceptron = np.zeros((3, 3))
    for t, (x, y) in enumerate(zip(differences[drawn], signs, strict=True), start=1):
        aggressive += max(0, 1 - aggressive @ x) / (x @ x) * x
        corrected += (corrected @ x < 1) * x / (0.1 * t)
        first_minus_second = y * x  # of the pair as it comes; the program's step does not ask which is the better one
        perceptron += (y * (perceptron @ first_minus_second) < 1) * first_minus_second / (0.1 * t)
    for ranker, expected in (
        (passive_aggressive, aggressive),
        (corrected_perceptron, corrected),
        (margin_perceptron, perceptron),
    ):
        found = ranker(items, distances, 0, 50, np.random.default_rng(seed))
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
        of_sparse = ranker(sparse.csr_matrix(items), distances, 0, 50, np.random.default_rng(seed))
        np.testing.assert_array_equal(of_sparse, found)


def test_pairs_by_hand():
    better, worse = ordered_pairs(np.array([[2, 0, 2], [1, 1, 1], [0, 3, 1]]))
    assert list(zip(better.tolist(), worse.tolist(), strict=True)) == [(1, 0), (1, 2), (6, 7), (6, 8), (8, 7)]


@pytest.mark.parametrize("ranker", ["svm", "pa", "pm", "pm-corrected"])
def test_without_ordered_pairs_the_neighbours_keep_their_order(ranker):
    """All label sets are equal, so no neighbour is better than another."""
    X, _, queries = random_data(1)
    Y = np.tile([True, False], (60, 1))
    model = RankedNeighbors(k=4, ranker=ranker, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.ranker_, 0)
    np.testing.assert_array_equal(model.predict(queries), np.tile([True, False], (8, 1)))


@pytest.mark.parametrize("differences", ["absolute", "signed"])
@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_matrix])
def test_prediction_is_algorithm_1(differences, as_matrix):
    X, Y, queries = random_data(2)
    X[0] = 0  # its cosine distance to anything is 1
    model = RankedNeighbors(k=5, differences=differences, random_state=3).fit(as_matrix(X), Y)
    scores = model.output(as_matrix(queries))["scores"]
    for x, found, score in zip(queries, k_nearest(X, 5, queries).indices, scores, strict=True):
        trust = [model.ranker_ @ pair_features(x, X[a], Y[a], differences == "signed") for a in found]
        ranked = found[np.argsort(-np.array(trust), kind="stable")]
        np.testing.assert_allclose(score, model.weights_ @ Y[ranked] / model.weights_.sum())


def test_a_model_learned_from_pairs_puts_trusted_neighbours_first():
    """Feature 0 decides the label, feature 1 is noise of a larger scale that misleads the distance."""
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.random(400), 30 * rng.random(400)])
    Y = np.column_stack([X[:, 0] < 0.5, X[:, 0] >= 0.5])
    plain = RankedNeighbors(ranker=None, random_state=0).fit(X[:300], Y[:300])
    ranked = RankedNeighbors(random_state=0).fit(X[:300], Y[:300])
    errors = [(model.predict(X[300:]) != Y[300:]).mean() for model in (plain, ranked)]
    assert errors[1] < errors[0] / 1.5


def test_signed_differences_cannot_see_the_query():
    """The difference of two neighbours' features is the same for every query, so the query's own place is lost."""
    X, Y, _ = random_data(5)
    model = RankedNeighbors(k=3, differences="signed", random_state=0).fit(X, Y)
    found = k_nearest(X, 3, X[:2])
    here = model._pair_features(X[:2], found)[:, :3]
    there = model._pair_features(X[:2] + 7, found)[:, :3]
    np.testing.assert_allclose(np.diff(here[:3], axis=0), np.diff(there[:3], axis=0))


def test_three_kinds_of_weights():
    X, Y, queries = random_data(6)
    model = RankedNeighbors(k=4, ranker=None, random_state=1).fit(X, Y)
    outputs = model.outputs(queries)
    assert list(outputs) == ["weights=gps", "weights=linear", "weights=logistic"]
    votes = Y[k_nearest(X, 4, queries).indices]
    np.testing.assert_allclose(outputs["weights=linear"]["scores"], np.einsum("j,njq->nq", [0.4, 0.3, 0.2, 0.1], votes))
    np.testing.assert_array_equal(outputs["weights=gps"]["weights"], model.weights_)
    np.testing.assert_array_equal(model.output(queries)["scores"], outputs["weights=gps"]["scores"])
    odds = votes.reshape(8, -1) @ model.coefficients_ + model.intercepts_
    np.testing.assert_array_equal(outputs["weights=logistic"]["sets"], odds >= 0)
    only = RankedNeighbors(k=4, ranker=None, weights=["linear"], random_state=1).fit(X, Y)
    np.testing.assert_array_equal(only.predict(queries), outputs["weights=linear"]["sets"])


def test_all_rankers_hold_out_the_same_rows():
    n, rows = 50, []
    for ranker in ("svm", "pa", None):
        model = RankedNeighbors(ranker=ranker, random_state=9)
        rows.append(model._divide(n, np.random.default_rng(model.random_state)))
    for learned, held in rows:
        np.testing.assert_array_equal(held, rows[0][1])
        np.testing.assert_array_equal(np.sort(np.concatenate([learned, held])), np.arange(n))
        assert len(held) == 10


@pytest.mark.parametrize("ranker", ["svm", "pa", "pm", None])
def test_same_seed_same_result(ranker):
    X, Y, queries = random_data(7)
    first, again = (RankedNeighbors(k=4, ranker=ranker, random_state=5).fit(X, Y).outputs(queries) for _ in range(2))
    shared = RankedNeighbors(k=4, ranker=ranker, random_state=5).fit(X, Y, neighbors=k_nearest(X, 6))
    shared = shared.outputs(queries, neighbors=k_nearest(X, 6, queries))
    for setting, output in first.items():
        for key, array in output.items():
            np.testing.assert_array_equal(array, again[setting][key])
            np.testing.assert_array_equal(array, shared[setting][key])


def test_a_label_that_never_occurs_is_never_predicted():
    X, Y, queries = random_data(8)
    Y[:, 1] = False
    for output in RankedNeighbors(k=4, random_state=0).fit(X, Y).outputs(queries).values():
        assert not output["sets"][:, 1].any()
        assert not output["scores"][:, 1].any()


def test_all_neighbours_equally_far():
    """Copies of one point: distances say nothing, labels still do, and nothing divides by zero."""
    Y = np.arange(40)[:, None] % 2 == 0
    for ranker in ("svm", "pa", "pm", None):
        output = RankedNeighbors(k=4, ranker=ranker, random_state=0).fit(np.ones((40, 2)), Y).output(np.ones((3, 2)))
        assert np.isfinite(output["scores"]).all()


def test_scikit_learn_conventions():
    assert clone(RankedNeighbors(C=3.0)).get_params()["C"] == 3.0
    with pytest.raises(NotFittedError):
        RankedNeighbors().predict(np.zeros((1, 3)))


@pytest.mark.parametrize(
    ("params", "rows", "error", "message"),
    [
        ({"k": 10}, 12, DataError, "more than k = 10 others"),
        ({"k": 10}, 8, DataError, "k = 10 neighbours asked for, 7 rows"),
        ({"ranker": "best"}, 60, ConfigError, "ranker"),
        ({"differences": "squared"}, 60, ConfigError, "differences"),
        ({"weights": ["equal"]}, 60, ConfigError, "weights"),
        ({"weights": []}, 60, DataError, "no kind of weights"),
        ({"held_out": 1.0}, 60, DataError, "no share"),
    ],
)
def test_bad_input(params, rows, error, message):
    X, Y, _ = random_data(9)
    with pytest.raises(error, match=message):
        RankedNeighbors(**params).fit(X[:rows], Y[:rows])
