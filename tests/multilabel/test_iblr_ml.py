"""IBLR-ML and BR-LR against logistic regressions of scikit-learn on the features that the paper defines."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from labelknn import IBLRML, BRLogistic
from labelknn.errors import DataError
from labelknn.neighbors._euclidean import k_nearest


def noisy_data(seed, n=120, q=3):
    """Labels that depend on the place but not surely, so that no label is separable."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    Y = rng.random((n, q)) < 1 / (1 + np.exp(-X @ rng.normal(size=(2, q))))
    return X, Y, rng.normal(size=(10, 2))


def neighbor_counts(X, Y, k, queries=None):
    """Equation (5), one row at a time; a training row is not its own neighbour."""
    counts = []
    for i, x in enumerate(X if queries is None else queries):
        others = [a for a in range(len(X)) if queries is not None or a != i]
        counts.append(Y[sorted(others, key=lambda a: ((X[a] - x) ** 2).sum())[:k]].sum(axis=0))
    return np.array(counts, float)


def logistic_regressions(features, Y, queries):
    models = [LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(features, labels) for labels in Y.T]
    return np.column_stack([model.predict_proba(queries)[:, 1] for model in models])


@pytest.mark.parametrize(("seed", "k"), [(6, 3), (7, 8)])
def test_iblr_is_logistic_regression_on_neighbour_counts(seed, k):
    X, Y, queries = noisy_data(seed)
    expected = logistic_regressions(neighbor_counts(X, Y, k), Y, neighbor_counts(X, Y, k, queries))
    for model in (IBLRML(k), IBLRML(k, tolerance=1e-9)):
        np.testing.assert_allclose(model.fit(X, Y).predict_proba(queries), expected, atol=1e-4)


def test_br_is_logistic_regression_on_the_features():
    X, Y, queries = noisy_data(1)
    scores = BRLogistic().fit(X, Y).predict_proba(queries)
    np.testing.assert_allclose(scores, logistic_regressions(X, Y, queries), atol=1e-4)


def test_br_takes_sparse_rows():
    X, Y, queries = noisy_data(2)
    X[X < 0.3] = 0
    dense = BRLogistic().fit(X, Y).predict_proba(queries)
    from_sparse = BRLogistic().fit(sparse.csr_matrix(X), sparse.csr_matrix(Y))
    np.testing.assert_allclose(from_sparse.predict_proba(sparse.csr_matrix(queries)), dense, atol=1e-6)


def test_shared_search_changes_nothing():
    X, Y, queries = noisy_data(3)
    alone = IBLRML(5).fit(X, Y)._output(queries)
    shared = IBLRML(5).fit(X, Y, neighbors=k_nearest(X, 9))._output(queries, neighbors=k_nearest(X, 9, queries))
    for key, array in alone.items():
        np.testing.assert_array_equal(array, shared[key])


@pytest.mark.parametrize("model", [IBLRML(4), BRLogistic()])
def test_labels_that_never_or_always_occur(model):
    X, Y, queries = noisy_data(4)
    Y[:, 0], Y[:, 1] = False, True
    output = clone(model).fit(X, Y)._output(queries)
    np.testing.assert_array_equal(output["scores"][:, :2], np.tile([0.0, 1.0], (10, 1)))
    np.testing.assert_array_equal(output["sets"][:, :2], np.tile([False, True], (10, 1)))


@pytest.mark.parametrize("model", [IBLRML(3), BRLogistic()])
def test_separable_labels_have_finite_models(model):
    X = np.concatenate([np.linspace(0, 1, 20), np.linspace(5, 6, 20)])[:, None]
    Y = np.column_stack([X[:, 0] > 3, X[:, 0] < 3])
    fitted = clone(model).fit(X, Y)
    assert np.isfinite(fitted.coefficients_).all()
    np.testing.assert_array_equal(fitted.predict(X), Y)


def test_scikit_learn_conventions():
    assert clone(IBLRML(k=3, ridge=2.0)).get_params() == {"k": 3, "n_jobs": None, "ridge": 2.0, "tolerance": None}
    for model in (IBLRML(3), BRLogistic()):
        with pytest.raises(NotFittedError):
            model.predict(np.zeros((1, 2)))


def test_bad_input():
    X, Y, _ = noisy_data(5)
    with pytest.raises(DataError, match="k = 10 neighbours asked for, 4 rows"):
        IBLRML(10).fit(X[:5], Y[:5])
    with pytest.raises(ValueError, match="X has 3 features, but BRLogistic is expecting 2"):
        BRLogistic().fit(X, Y).predict(np.zeros((1, 3)))
    with pytest.raises(DataError, match="inf"):
        BRLogistic().fit(np.full((2, 1), np.inf), Y[:2])
