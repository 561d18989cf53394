"""The batched solver against a general-purpose minimiser of the objective as written, one model at a time."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from labelknn.solvers._newton_cg import LOGISTIC, SQUARED_HINGE, fit_linear


def objective(weights, X, positive, loss, ridge):
    margins = np.where(positive, 1, -1) * (X @ weights[:-1] + weights[-1])
    losses = np.log(1 + np.exp(-margins)) if loss is LOGISTIC else np.maximum(0, 1 - margins) ** 2
    return losses.sum() + ridge / 2 * (weights[:-1] ** 2).sum()


def problem(seed, n=40, d=3, m=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, rng.random((n, m)) < 1 / (1 + np.exp(-X @ rng.normal(size=(d, m))))


@given(st.integers(0, 2**32 - 1), st.sampled_from([LOGISTIC, SQUARED_HINGE]), st.sampled_from([0.1, 1.0, 10.0]))
@settings(max_examples=20, deadline=None)
def test_every_model_reaches_the_minimum(seed, loss, ridge):
    X, targets = problem(seed)
    coefficients, intercepts = fit_linear(X, targets, loss, ridge, tolerance=1e-9)
    for column, positive in enumerate(targets.T):
        if positive.all() or not positive.any():
            continue
        found = np.append(coefficients[:, column], intercepts[column])
        best = minimize(objective, np.zeros(4), (X, positive, loss, ridge), method="BFGS", options={"gtol": 1e-8})
        assert objective(found, X, positive, loss, ridge) <= best.fun + 1e-7
        np.testing.assert_allclose(found, best.x, atol=1e-3)


def test_a_model_does_not_depend_on_its_company():
    X, targets = problem(3, n=200, d=8, m=6)
    together, _ = fit_linear(X, targets, LOGISTIC, 1e-8, tolerance=1e-9)
    for column in range(6):
        alone, _ = fit_linear(X, targets[:, [column]], LOGISTIC, 1e-8, tolerance=1e-9)
        np.testing.assert_allclose(together[:, [column]], alone, atol=1e-6)


def test_sparse_and_dense_rows_agree():
    X, targets = problem(4, n=100, d=6)
    X[np.abs(X) < 0.8] = 0
    dense = fit_linear(X, targets, LOGISTIC, 0.1, tolerance=1e-9)
    from_sparse = fit_linear(sparse.csr_matrix(X), targets, LOGISTIC, 0.1, tolerance=1e-9)
    for one, other in zip(dense, from_sparse, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-7)


def test_a_single_class_is_certain():
    X, _ = problem(5)
    coefficients, intercepts = fit_linear(X, np.tile([True, False], (40, 1)), LOGISTIC, 1e-8, 1e-3)
    np.testing.assert_array_equal(intercepts, [np.inf, -np.inf])
    np.testing.assert_array_equal(coefficients, 0)


def test_separable_classes_end_with_finite_weights_that_separate():
    X = np.array([[0.0], [1.0], [3.0], [4.0]])
    positive = X > 2
    coefficients, intercepts = fit_linear(X, positive, LOGISTIC, 1e-8, 1e-3)
    assert np.isfinite(coefficients).all()
    np.testing.assert_array_equal(X @ coefficients + intercepts > 0, positive)


def test_a_constant_feature_changes_no_prediction():
    X, targets = problem(6, n=100)
    plain, start = fit_linear(X, targets, LOGISTIC, 1e-8, tolerance=1e-10)
    padded, moved = fit_linear(np.hstack([X, np.ones((100, 1))]), targets, LOGISTIC, 1e-8, tolerance=1e-10)
    np.testing.assert_allclose(X @ plain + start, np.hstack([X, np.ones((100, 1))]) @ padded + moved, atol=1e-5)
