"""Ranked neighbours against Algorithms 1 and 2 as printed."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn import RankedNeighbors
from labelknn.errors import ConfigError, DataError
from labelknn.neighbors._euclidean import k_nearest


def random_data(seed, n=60, q=3):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3)) * (rng.random((n, 3)) < 0.8)
    return X, X @ rng.normal(size=(3, q)) + 0.3 * rng.normal(size=(n, q)) > 0, rng.random((8, 3))


def together(*weights, **parameters):
    """One model that learns several kinds of weights side by side, as the reproduction has it."""
    model = RankedNeighbors(**parameters)
    model._values = weights
    return model


def pair_features(x, neighbor, labels, signed):
    """q_j of Algorithm 2."""
    difference = neighbor - x if signed else np.abs(neighbor - x)
    lengths = np.linalg.norm(x) * np.linalg.norm(neighbor)
    cosine = 1 - x @ neighbor / lengths if lengths else 1.0
    return np.concatenate([difference, [np.linalg.norm(neighbor - x), cosine], labels])


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
    scores = model._output(as_matrix(queries))["scores"]
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
    model = together("gps", "linear", "logistic", k=4, ranker=None, random_state=1).fit(X, Y)
    outputs = model._outputs(queries)
    assert list(outputs) == ["gps", "linear", "logistic"]
    votes = Y[k_nearest(X, 4, queries).indices]
    np.testing.assert_allclose(outputs["linear"]["scores"], np.einsum("j,njq->nq", [0.4, 0.3, 0.2, 0.1], votes))
    np.testing.assert_array_equal(outputs["gps"]["weights"], model.weights_)
    odds = votes.reshape(8, -1) @ model.coefficients_ + model.intercepts_
    np.testing.assert_array_equal(outputs["logistic"]["sets"], odds >= 0)
    for weights, output in outputs.items():
        only = RankedNeighbors(k=4, ranker=None, weights=weights, random_state=1).fit(X, Y)
        np.testing.assert_array_equal(only.predict(queries), output["sets"])
        np.testing.assert_array_equal(only.predict_proba(queries), output["scores"])


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
    models = [together("gps", "linear", "logistic", k=4, ranker=ranker, random_state=5) for _ in range(3)]
    first, again = (model.fit(X, Y)._outputs(queries) for model in models[:2])
    shared = models[2].fit(X, Y, neighbors=k_nearest(X, 6))._outputs(queries, neighbors=k_nearest(X, 6, queries))
    for setting, output in first.items():
        for key, array in output.items():
            np.testing.assert_array_equal(array, again[setting][key])
            np.testing.assert_array_equal(array, shared[setting][key])


def test_a_label_that_never_occurs_is_never_predicted():
    X, Y, queries = random_data(8)
    Y[:, 1] = False
    model = together("gps", "linear", "logistic", k=4, random_state=0)
    for output in model.fit(X, Y)._outputs(queries).values():
        assert not output["sets"][:, 1].any()
        assert not output["scores"][:, 1].any()


def test_all_neighbours_equally_far():
    """Copies of one point: distances say nothing, labels still do, and nothing divides by zero."""
    Y = np.arange(40)[:, None] % 2 == 0
    for ranker in ("svm", "pa", "pm", None):
        output = RankedNeighbors(k=4, ranker=ranker, random_state=0).fit(np.ones((40, 2)), Y)._output(np.ones((3, 2)))
        assert np.isfinite(output["scores"]).all()


@pytest.mark.parametrize("handed_in", [4, 7, 30])
def test_how_many_neighbours_are_handed_in_does_not_matter(handed_in):
    """More than k spare a search, and that is all: coarse features make many of them equally far."""
    X, Y, queries = random_data(10)
    X = X.round(1)
    expected = RankedNeighbors(k=4, random_state=1).fit(X, Y)._output(queries)
    found = RankedNeighbors(k=4, random_state=1).fit(X, Y, neighbors=k_nearest(X, handed_in))._output(queries)
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values)


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
        ({"weights": "equal"}, 60, ConfigError, "weights"),
        ({"held_out": 1.0}, 60, DataError, "no share"),
    ],
)
def test_bad_input(params, rows, error, message):
    X, Y, _ = random_data(9)
    with pytest.raises(error, match=message):
        RankedNeighbors(**params).fit(X[:rows], Y[:rows])
