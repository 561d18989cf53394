"""The machines against scikit-learn's SVC (libsvm) and against the conditions that make a solution one."""

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from labelknn.solvers._smo import solve_path

COSTS = [0.25, 0.5, 2.0, 4.0]


def noisy_problems(seed, n=60, problems=3, degree=2, left_out=0.1):
    """Unit rows, a kernel matrix for them and for some queries, and signs that the features hardly explain."""
    rng = np.random.default_rng(seed)
    X, queries = (
        rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in np.split(rng.normal(size=(n + 40, 5)), [n])
    )
    signs = np.sign(X @ rng.normal(size=(5, problems)) + 0.8 * rng.normal(size=(n, problems))).T
    signs[rng.random(signs.shape) < left_out] = 0
    return (1 + X @ X.T) ** degree, (1 + X @ queries.T) ** degree, signs


def dual_objective(kernel, signs, beta):
    return beta @ signs - beta @ kernel @ beta / 2


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 5]))
@example(6819, 1)  # no vector on the margin
@settings(max_examples=15, deadline=None)
def test_equals_libsvm(seed, degree):
    """Both nearly exact: the same objective and decisions, and so the same predictions, all along the path."""
    kernel, of_queries, signs = noisy_problems(seed, degree=degree)
    coefficients, constants = solve_path(kernel, signs, COSTS, tolerance=1e-6)
    for step, cost in enumerate(COSTS):
        for problem, y in enumerate(signs):
            rows = np.flatnonzero(y)
            theirs = SVC(C=cost, kernel="precomputed", tol=1e-6).fit(kernel[np.ix_(rows, rows)], y[rows])
            beta = np.zeros(len(y))
            beta[rows[theirs.support_]] = theirs.dual_coef_[0]
            ours = coefficients[step, problem]
            assert dual_objective(kernel, y, ours) == pytest.approx(dual_objective(kernel, y, beta), rel=1e-6)
            decisions = ours @ of_queries + constants[step, problem]
            expected = theirs.decision_function(of_queries[rows].T)
            assert np.ptp(decisions - expected) < 2e-4
            if not ((np.abs(ours) > 1e-3 * cost) & (np.abs(ours) < (1 - 1e-3) * cost)).any():
                continue  # without a vector on the margin an interval of constants is optimal
            np.testing.assert_allclose(decisions, expected, atol=2e-4)
            clear = np.abs(expected) > 2e-4
            np.testing.assert_array_equal(decisions[clear] > 0, theirs.predict(of_queries[rows].T)[clear] > 0)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3]))
@settings(max_examples=15, deadline=None)
def test_solutions_are_feasible_and_optimal(seed, degree):
    kernel, _, signs = noisy_problems(seed, degree=degree)
    coefficients, _ = solve_path(kernel, signs, COSTS)
    for step, cost in enumerate(COSTS):
        for y, beta in zip(signs, coefficients[step], strict=True):
            assert (beta * y >= 0).all()
            assert (np.abs(beta) <= cost).all()
            assert (beta[y == 0] == 0).all()
            assert beta.sum() == pytest.approx(0, abs=1e-9)
            errors = y - kernel @ beta
            may_increase = (y != 0) & (beta < np.maximum(y * cost, 0))
            may_decrease = (y != 0) & (beta > np.minimum(y * cost, 0))
            assert errors[may_increase].max() - errors[may_decrease].min() <= 1e-3 + 1e-9


def test_a_path_ends_where_a_single_cost_does():
    kernel, of_queries, signs = noisy_problems(1)
    path, alone = (solve_path(kernel, signs, costs, tolerance=1e-7) for costs in (COSTS, COSTS[-1:]))
    decisions = [found[0][-1] @ of_queries + found[1][-1][:, None] for found in (path, alone)]
    np.testing.assert_allclose(*decisions, atol=1e-5)


def test_by_hand():
    """Rows at -1 and 1: the widest margin has slope 1, so both coefficients are 1/2 if C allows it, else C."""
    X, signs = np.array([[-1.0], [1.0]]), np.array([[-1.0, 1.0], [1.0, -1.0]])
    coefficients, constants = solve_path(X @ X.T, signs, [0.25, 1.0], tolerance=1e-9)
    np.testing.assert_allclose(coefficients[0], [[-0.25, 0.25], [0.25, -0.25]])
    np.testing.assert_allclose(coefficients[1], [[-0.5, 0.5], [0.5, -0.5]])
    np.testing.assert_allclose(constants, 0, atol=1e-12)


def test_one_sign_and_none():
    coefficients, constants = solve_path(np.eye(3), np.array([[1, 1, 0], [0, -1, -1], [0, 0, 0]]), [1.0, 2.0])
    assert not coefficients.any()
    np.testing.assert_array_equal(constants, [[1, -1, 0]] * 2)


def test_equal_rows_with_opposite_signs():
    """Directions in which the dual is flat: the kernel matrix is that of one point."""
    coefficients, constants = solve_path(np.ones((4, 4)), np.array([[1, 1, 1, -1]]), [1.0])
    assert coefficients.sum() == pytest.approx(0)
    assert constants[0, 0] == pytest.approx(1)


def test_threads_change_nothing():
    kernel, _, signs = noisy_problems(2, problems=7)
    here = solve_path(kernel, signs, COSTS)
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        there = solve_path(kernel, signs, COSTS)
    finally:
        numba.set_num_threads(threads)
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other)
