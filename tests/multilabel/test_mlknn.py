"""ML-kNN against its pseudo-code (zhang2005, Figure 1), step by step, and against the paper's own table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn import MLkNN
from labelknn.errors import DataError
from labelknn.neighbors._euclidean import k_nearest


def figure_1(X, Y, k, t, s):
    """The pseudo-code as printed, one test instance at a time; returns y_t and r_t."""
    m, q = Y.shape

    def neighbors(x, among):
        return sorted(among, key=lambda a: (((X[a] - x) ** 2).sum(), a))[:k]

    y, r = [], []
    for label in range(q):
        prior = (s + sum(Y[i, label] for i in range(m))) / (s * 2 + m)
        c, c_not = [0] * (k + 1), [0] * (k + 1)
        for i in range(m):
            delta = sum(Y[a, label] for a in neighbors(X[i], [j for j in range(m) if j != i]))
            if Y[i, label]:
                c[delta] += 1
            else:
                c_not[delta] += 1
        j = sum(Y[a, label] for a in neighbors(t, range(m)))
        relevant = prior * (s + c[j]) / (s * (k + 1) + sum(c))
        irrelevant = (1 - prior) * (s + c_not[j]) / (s * (k + 1) + sum(c_not))
        y.append(relevant > irrelevant)
        r.append(relevant / (relevant + irrelevant))
    return y, r


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from([0.5, 1.0, 3.0]))
@settings(max_examples=25, deadline=None)
def test_equals_the_pseudo_code(seed, k, s):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, (12, 2)).astype(float), rng.integers(0, 2, (12, 3))
    queries = rng.integers(0, 3, (3, 2)).astype(float)
    output = MLkNN(k, s).fit(X, Y)._output(queries)
    for i, t in enumerate(queries):
        y, r = figure_1(X, Y, k, t, s)
        np.testing.assert_allclose(output["scores"][i], r, rtol=1e-12)
        decided = ~np.isclose(r, 0.5, rtol=0, atol=1e-12)  # equal products may differ in their last bit
        np.testing.assert_array_equal(output["sets"][i][decided], np.array(y)[decided])


def test_by_hand():
    """Six points on a line in two groups of three, k = 2, one label carried by the left group.

    P(H1) = (1 + 3) / (2 + 6) = 1/2. Left rows see 2 carriers, right rows none: c = [0, 0, 3], c' = [3, 0, 0], so
    P(E_2 | H1) = 4/6, P(E_2 | H0) = 1/6, and a query on the left has the posterior 4 / (4 + 1).
    """
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    Y = np.array([[1], [1], [1], [0], [0], [0]])
    model = MLkNN(k=2).fit(X, Y)
    output = model._output(np.array([[1.1], [11.1]]))
    np.testing.assert_allclose(output["scores"], [[0.8], [0.2]])
    np.testing.assert_array_equal(output["sets"], [[True], [False]])


def test_equal_posteriors_predict_nothing():
    """k = 1 and c = c' = [1, 1]: whatever a query's neighbour is, both products are 1/2 · 2/4."""
    Y = np.array([[1], [1], [0], [0]])
    X = np.array([[0.0], [1.0], [1.4], [2.4]])  # nearest: 0-1, 1-2, 2-1, 3-2
    output = MLkNN(k=1).fit(X, Y)._output(X)
    np.testing.assert_array_equal(output["scores"], np.full((4, 1), 0.5))
    assert not output["sets"].any()


def test_shared_search_changes_nothing():
    rng = np.random.default_rng(5)
    X, Y, queries = rng.normal(size=(80, 4)), rng.random((80, 6)) < 0.3, rng.normal(size=(20, 4))
    training, testing = k_nearest(X, 12), k_nearest(X, 12, queries)
    for k in (3, 12):
        alone = MLkNN(k).fit(X, Y)._output(queries)
        shared = MLkNN(k).fit(X, Y, neighbors=training)._output(queries, neighbors=testing)
        for key, array in alone.items():
            np.testing.assert_array_equal(array, shared[key])


def test_sparse_and_dense_label_sets_agree():
    rng = np.random.default_rng(6)
    X, Y = rng.normal(size=(50, 3)), rng.random((50, 5)) < 0.2
    dense, from_sparse = MLkNN(5).fit(X, Y), MLkNN(5).fit(X, sparse.csr_matrix(Y))
    np.testing.assert_array_equal(dense.posterior_, from_sparse.posterior_)


def test_labels_that_never_or_always_occur():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(30, 3))
    Y = np.column_stack([np.zeros(30, int), np.ones(30, int)])
    output = MLkNN(4).fit(X, Y)._output(X)
    np.testing.assert_array_equal(output["sets"], Y == 1)
    assert np.isfinite(output["scores"]).all()


def test_moving_all_points_changes_nothing():
    rng = np.random.default_rng(8)
    X, Y = rng.integers(0, 50, (60, 4)).astype(float), rng.random((60, 3)) < 0.4
    here = MLkNN(6).fit(X, Y)._output(X[:10])["scores"]
    there = MLkNN(6).fit(X + 1024.0, Y)._output(X[:10] + 1024.0)["scores"]
    np.testing.assert_array_equal(here, there)


def test_scikit_learn_conventions():
    model = MLkNN(k=3, s=2.0)
    assert clone(model).get_params() == {"k": 3, "n_jobs": None, "s": 2.0}
    with pytest.raises(NotFittedError):
        model.predict(np.zeros((1, 1)))


@pytest.mark.parametrize(
    ("params", "Y", "message"),
    [
        ({"k": 4}, np.ones((4, 1)), "k = 4 neighbours asked for, 3 rows"),
        ({"k": 1, "s": 0}, np.ones((4, 1)), "s = .*, expected a positive number"),
        ({"k": 1}, np.full((4, 1), 2), "0 and 1 only"),
        ({"k": 1}, np.ones(4), "indicator matrix"),
        ({"k": 1}, np.ones((3, 1)), "4 rows of features but 3 label sets"),
    ],
)
def test_bad_input(params, Y, message):
    with pytest.raises(DataError, match=message):
        MLkNN(**params).fit(np.arange(4.0)[:, None], Y)
