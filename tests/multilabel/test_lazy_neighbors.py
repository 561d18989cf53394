"""BR-kNN, feature-kNN and the neighbour oracles against their definitions, row by row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn import BRkNN, FeatureKNN, RankedNeighbors
from labelknn.errors import ConfigError, DataError
from labelknn.neighbors._euclidean import k_nearest
from labelknn_papers.run.neighbor_oracle import NeighborOracle

METHODS = [BRkNN(k=3), FeatureKNN(k=3), FeatureKNN(k=3, weights="linear"), NeighborOracle(k=3, best=2)]


def random_data(seed, n=15, q=4):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, 2)).astype(float)
    return X, rng.random((n, q)) < 0.4, rng.integers(0, 4, (5, 2)).astype(float), rng.random((5, q)) < 0.4


def nearest(X, x, k):
    return sorted(range(len(X)), key=lambda a: (((X[a] - x) ** 2).sum(), a))[:k]


def output_of(method, queries, truth, **options):
    return method._output(queries, **options, **({"truth": truth} if isinstance(method, NeighborOracle) else {}))


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_brknn_is_a_vote(seed, k):
    X, Y, queries, _ = random_data(seed)
    output = BRkNN(k).fit(X, Y)._output(queries)
    for x, scores, labels in zip(queries, output["scores"], output["sets"], strict=True):
        share = Y[nearest(X, x, k)].mean(axis=0)
        np.testing.assert_allclose(scores, share)
        np.testing.assert_array_equal(labels, share >= 0.5)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_feature_knn_votes_by_inverse_distance(seed, k):
    X, Y, queries, _ = random_data(seed)
    output = FeatureKNN(k).fit(X, Y)._output(queries)
    for x, scores in zip(queries, output["scores"], strict=True):
        rows = nearest(X, x, k)
        distances = np.sqrt(((X[rows] - x) ** 2).sum(axis=1))
        weights = 1 / distances if distances[0] > 0 else (distances == 0) * 1.0
        np.testing.assert_allclose(scores, weights @ Y[rows] / weights.sum(), atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_feature_knn_votes_by_order(seed, k):
    X, Y, queries, _ = random_data(seed)
    output = FeatureKNN(k, "linear").fit(X, Y)._output(queries)
    for x, scores in zip(queries, output["scores"], strict=True):
        weights = [k - place for place in range(k)]
        np.testing.assert_allclose(scores, weights @ Y[nearest(X, x, k)] / sum(weights), atol=1e-12)
    unranked = RankedNeighbors(k, ranker=None, weights="linear", random_state=0).fit(X, Y)._output(queries)
    np.testing.assert_array_equal(output["sets"], unranked["sets"])


def test_unknown_weights():
    with pytest.raises(ConfigError, match="Did you mean 'linear'"):
        FeatureKNN(1, "linar").fit([[1.0]], [[1]])._output([[1.0]])


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_oracle_picks_the_closest_label_sets(seed, k, best):
    X, Y, queries, truth = random_data(seed)
    best = min(best, k)
    output = NeighborOracle(k, best).fit(X, Y)._output(queries, truth=truth)
    for x, labels, scores in zip(queries, truth, output["scores"], strict=True):
        trusted = sorted(nearest(X, x, k), key=lambda a: (Y[a] != labels).sum())[:best]
        np.testing.assert_allclose(scores, Y[trusted].mean(axis=0))


def test_no_single_neighbour_beats_the_first_oracle():
    X, Y, queries, truth = random_data(1, n=60)
    found = k_nearest(X, 5, queries)
    oracle = NeighborOracle(5, best=1).fit(X, Y)._output(queries, truth=truth)["sets"]
    errors = (oracle != truth).sum(axis=1)
    for rank in range(5):
        assert (errors <= (Y[found.indices[:, rank]] != truth).sum(axis=1)).all()


def test_one_neighbour_gives_its_label_set():
    X, Y, queries, _ = random_data(2)
    first = k_nearest(X, 1, queries).indices[:, 0]
    for method in (BRkNN(1), FeatureKNN(1)):
        np.testing.assert_array_equal(method.fit(X, Y).predict(queries), Y[first])


def test_all_neighbours_equally_far_vote_alike():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    Y = np.array([[1, 0], [1, 0], [0, 0], [0, 1]])
    for method in (BRkNN(4), FeatureKNN(4)):
        output = method.fit(X, Y)._output(np.zeros((1, 2)))
        np.testing.assert_allclose(output["scores"], [[0.5, 0.25]])
        np.testing.assert_array_equal(output["sets"], [[True, False]])  # one half is enough


def test_tiny_distances_do_not_overflow():
    X = np.array([[0.0], [1e-200], [1.0]])
    scores = FeatureKNN(3).fit(X, np.eye(3)).predict_proba(np.array([[2e-160]]))
    assert np.isfinite(scores).all()
    np.testing.assert_allclose(scores.sum(), 1)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_shared_search_and_sparse_rows_change_nothing(method):
    X, Y, queries, truth = random_data(3, n=40)
    alone = output_of(clone(method).fit(X, Y), queries, truth)
    shared = output_of(clone(method).fit(X, Y), queries, truth, neighbors=k_nearest(X, 8, queries))
    from_sparse = output_of(clone(method).fit(sparse.csr_matrix(X), sparse.csr_matrix(Y)), queries, truth)
    for key, array in alone.items():
        np.testing.assert_array_equal(array, shared[key])
        np.testing.assert_array_equal(array, from_sparse[key])


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_a_label_that_never_occurs_is_never_predicted(method):
    X, Y, queries, truth = random_data(4)
    Y[:, 1] = False
    output = output_of(clone(method).fit(X, Y), queries, truth)
    assert not output["sets"][:, 1].any()
    assert not output["scores"][:, 1].any()


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_bad_input(method):
    X, Y, queries, truth = random_data(5)
    with pytest.raises(DataError, match="k = 3 neighbours asked for, 2 rows"):
        clone(method).fit(X[:2], Y[:2])
    with pytest.raises(DataError, match="14 label sets"):
        clone(method).fit(X, Y[:14])
    with pytest.raises(NotFittedError):
        output_of(clone(method), queries, truth)


def test_an_oracle_needs_the_truth():
    X, Y, queries, truth = random_data(6)
    oracle = NeighborOracle(3).fit(X, Y)
    assert oracle.sees_truth
    with pytest.raises(DataError, match="truth="):
        oracle.predict(queries)
    with pytest.raises(DataError, match="3 labels, the training rows 4"):
        oracle._output(queries, truth=truth[:, :3])
    with pytest.raises(DataError, match="best = 4 of k = 3"):
        NeighborOracle(3, best=4).fit(X, Y)._output(queries, truth=truth)
