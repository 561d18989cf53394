"""Weka's logistic regression: the maximum where there is one, the path of its BFGS method where there is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from labelknn.solvers._weka_line_search import ZERO, line_search
from labelknn.solvers._weka_logistic import LARGEST, fit_logistic


def problem(seed, n=60, d=4, m=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * [1, 10, 100, 0.1] + 5
    return X, rng.random((n, m)) < expit((X - 5) / [1, 10, 100, 0.1] @ rng.normal(size=(d, m)))


def separable(seed, n=20, d=40):
    rng = np.random.default_rng(seed)
    return (rng.random((n, d)) < 0.15).astype(float), rng.random((n, 1)) < 0.4


def explicit(X, positive, ridge=1e-8):
    """The method of weka.core.Optimization with standardised columns and the Hessian as a matrix."""
    varies = X.std(axis=0) > 0
    scale = np.where(varies, X.std(axis=0, ddof=1), 1)
    Z = np.column_stack([np.ones(len(X)), (X - X.mean(axis=0)) / scale * varies])
    signs, penalty = np.where(positive, 1.0, -1.0), np.append(0, np.full(X.shape[1], ridge))
    w = np.zeros(Z.shape[1])
    w[0] = np.log((positive.sum() + 1) / ((~positive).sum() + 1))

    def gradient_at(w):
        return Z.T @ (-signs * expit(-signs * (Z @ w))) + 2 * penalty * w

    g, hessian = gradient_at(w), np.eye(len(w))
    longest = LARGEST * max(np.linalg.norm(g), len(w))
    for _ in range(200):
        step = -np.linalg.solve(hessian, g)
        along = np.array([penalty @ w**2, 2 * (penalty * w) @ step, penalty @ step**2])
        relative = (np.abs(step) / np.maximum(np.abs(w), 1)).max()
        margins, change = signs * (Z @ w), signs * (Z @ step)
        losses, upper = np.logaddexp(0, -margins), longest / np.linalg.norm(step)
        length, value = line_search(
            margins, change, along, g @ step, relative, upper, signs, losses, np.empty_like(losses)
        )
        move = length * step
        w, before = w + move, g
        g = gradient_at(w)
        turn = g - before
        if min((np.abs(g) * np.maximum(np.abs(step), 1)).max() / max(value, 1), move @ turn) < ZERO:
            break
        hessian += np.outer(turn, turn) / (move @ turn) + np.outer(before, before) / (before @ step)
    return Z @ w


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_the_maximum_where_there_is_one(seed):
    X, targets = problem(seed, n=200)
    coefficients, intercepts = fit_logistic(X, targets)
    for column, positive in enumerate(targets.T):
        standard = (X - X.mean(axis=0)) / X.std(axis=0)
        peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(standard, positive)
        found = expit(X @ coefficients[:, column] + intercepts[column])
        np.testing.assert_allclose(found, peer.predict_proba(standard)[:, 1], atol=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_the_end_of_the_path_where_there_is_none(seed):
    X, positive = separable(seed)
    coefficients, intercepts = fit_logistic(X, positive)
    decisions = (X @ coefficients + intercepts)[:, 0]
    np.testing.assert_array_equal(decisions > 0, positive[:, 0])
    np.testing.assert_allclose(decisions, explicit(X, positive[:, 0]), rtol=1e-4)


def test_units_of_the_features_do_not_matter():
    """Weka standardises; with the plain gradient, features of other units would lead a separable label elsewhere."""
    X, positive = separable(1)
    units = np.random.default_rng(0).integers(1, 1000, X.shape[1]) / 8.0
    (plain, start), (scaled, moved) = fit_logistic(X, positive), fit_logistic(X * units, positive)
    np.testing.assert_allclose(X * units @ scaled + moved, X @ plain + start, rtol=1e-6)


def test_sparse_rows_and_other_labels_change_nothing():
    X, positive = separable(2, n=30)
    dense, _ = fit_logistic(X, positive)
    from_sparse, _ = fit_logistic(sparse.csr_matrix(X), np.hstack([~positive, positive, positive & (X[:, [0]] > 0)]))
    np.testing.assert_allclose(from_sparse[:, [1]], dense, atol=1e-6)


def test_a_constant_feature_has_no_weight():
    X, targets = problem(3)
    X[:, 1] = 0.1
    coefficients, _ = fit_logistic(X, targets)
    np.testing.assert_array_equal(coefficients[1], 0)
    assert (coefficients[[0, 2, 3]] != 0).all()


def test_nothing_to_learn_from():
    """Constant features, and as many rows of the one class as of the other: the search has nowhere to go."""
    coefficients, intercepts = fit_logistic(np.ones((4, 2)), np.array([[True], [True], [False], [False]]))
    np.testing.assert_array_equal(coefficients, 0)
    np.testing.assert_allclose(intercepts, 0)


def test_a_single_class_is_certain():
    coefficients, intercepts = fit_logistic(np.random.default_rng(0).random((6, 2)), np.tile([True, False], (6, 1)))
    np.testing.assert_array_equal(intercepts, [np.inf, -np.inf])
    np.testing.assert_array_equal(coefficients, 0)


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0, 1000.0])
def test_line_search_ends_low_and_flat_enough(scale):
    rng = np.random.default_rng(5)
    margins, change = rng.normal(size=50), scale * rng.normal(loc=0.3, size=50)

    def objective(length):
        return np.logaddexp(0, -(margins + length * change)).sum()

    def slope(length):
        return -(change * expit(-(margins + length * change))).sum()

    losses, pulls = np.logaddexp(0, -margins), np.empty(50)
    signs, relative = rng.choice([-1.0, 1.0], 50), np.abs(change).max()
    length, value = line_search(margins, change, np.zeros(3), slope(0), relative, 1e6, signs, losses, pulls)
    moved = margins + length * change
    np.testing.assert_allclose(losses, np.logaddexp(0, -moved), atol=1e-12)
    np.testing.assert_allclose(pulls, -signs * expit(-moved))
    assert length > 0
    np.testing.assert_allclose(value, objective(length))
    assert value <= objective(0) + 1e-4 * length * slope(0)
    assert slope(length) >= 0.9 * slope(0)
