"""Rank-SVM against general-purpose solvers of its primal and dual, and what a duality gap promises."""

import pickle
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import example as example_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from labelknn import RankSVM
from labelknn.errors import DataError
from labelknn.multilabel._rank_svm import _best_thresholds, _fit_threshold


def pairs_of(Y):
    """All (row, label of the row, other label) and the upper bound of its dual variable for C = 1."""
    for i, members in enumerate(Y):
        inside, outside = np.flatnonzero(members), np.flatnonzero(members == 0)
        for k, m in product(inside.tolist(), outside.tolist()):
            yield i, k, m, 1 / (len(inside) * len(outside))


def dual_optimum(X, Y, C, degree):
    """The maximum of the dual and the coefficients there: a variable for each pair, the quadratic form in full."""
    pairs = list(pairs_of(Y))
    K = np.array([[(1 + a @ b) ** degree for b in X] for a in X])
    quadratic = np.empty((len(pairs), len(pairs)))
    for (a, (i, k, m, _)), (b, (j, o, p, _)) in product(enumerate(pairs), repeat=2):
        quadratic[a, b] = K[i, j] * ((k == o) - (k == p) - (m == o) + (m == p))
    alpha, before, loss = np.zeros(len(pairs)), np.inf, 0.0
    while loss < before - 1e-12 * abs(loss):  # a line search that fails for rounding ends it early: it starts again
        before = loss
        found = minimize(
            lambda alpha: (alpha @ quadratic @ alpha / 2 - alpha.sum(), quadratic @ alpha - 1),
            alpha,
            jac=True,
            bounds=[(0, C * bound) for *_, bound in pairs],
            method="L-BFGS-B",
            options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 20000, "maxfun": 20000},
        )
        alpha, loss = found.x, found.fun
    coef = np.zeros(Y.shape)
    for alpha, (i, k, m, _) in zip(found.x, pairs, strict=True):
        coef[i, k] += alpha
        coef[i, m] -= alpha
    return -found.fun, coef


def primal_optimum(X, Y, C):
    """The minimum of the primal for degree 1, whose features are (1, x), with slack variables and constraints."""
    features = np.column_stack([np.ones(len(X)), X])
    d, q = features.shape[1], Y.shape[1]
    pairs = list(pairs_of(Y))
    costs = C * np.array([bound for *_, bound in pairs])
    constraints = np.zeros((len(pairs), d * q + len(pairs)))
    for row, (i, k, m, _) in enumerate(pairs):
        constraints[row, k * d : (k + 1) * d] += features[i]
        constraints[row, m * d : (m + 1) * d] -= features[i]
        constraints[row, d * q + row] = 1
    start = np.concatenate([np.zeros(d * q), np.ones(len(pairs))])
    found = minimize(
        lambda v: v[: d * q] @ v[: d * q] / 2 + costs @ v[d * q :],
        start,
        jac=lambda v: np.concatenate([v[: d * q], costs]),
        bounds=[(None, None)] * (d * q) + [(0, None)] * len(pairs),
        constraints={"type": "ineq", "fun": lambda v: constraints @ v - 1, "jac": lambda v: constraints},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert found.success
    return found.fun


def example(seed, n=8, d=2, q=3):
    rng = np.random.default_rng(seed)
    Y = rng.integers(0, 2, (n, q))
    Y[0] = np.arange(q) == 0  # something to rank
    return rng.normal(size=(n, d)), Y


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 10.0]), st.integers(1, 3))
@example_of(4023, 10.0, 1)  # which a single L-BFGS-B does not solve
@settings(max_examples=15, deadline=None)
def test_the_optimum_lies_between_dual_and_primal(seed, C, degree):
    X, Y = example(seed)
    model = RankSVM(C, degree, tol=1e-6, max_epochs=100_000).fit(X, Y)
    optimum, coef = dual_optimum(X, Y, C, degree)
    slack = 1e-6 * optimum  # of the general-purpose solver
    assert model.dual_ - slack <= optimum <= model.primal_ + slack
    assert 0 <= model.gap_ + 1e-12 <= 1e-6 * model.primal_ + 1e-12
    K = (1 + X @ X.T) ** degree
    # What the module's text promises of every score.
    bound = np.sqrt(2 * (model.gap_ + slack) * np.diag(K))[:, None] + np.sqrt(2 * slack * np.diag(K))[:, None]
    assert (np.abs(K @ coef - model._scores(X)) <= bound).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_primal_is_that_of_the_definition(seed):
    X, Y = example(seed, n=6)
    model = RankSVM(C=2.0, degree=1, tol=1e-7, max_epochs=100_000).fit(X, Y)
    assert model.primal_ == pytest.approx(primal_optimum(X, Y, 2.0), rel=1e-5)


def test_the_reported_objectives_follow_from_the_coefficients():
    X, Y = example(11, n=30, d=3, q=4)
    model = RankSVM(C=3.0, degree=4).fit(X, Y)
    scores = model._scores(X)
    norm = (model.coef_ * scores).sum()
    loss = sum(3.0 * bound * max(0, 1 - scores[i, k] + scores[i, m]) for i, k, m, bound in pairs_of(Y))
    assert model.primal_ == pytest.approx(norm / 2 + loss)
    # Each pair puts its α on a label of the set and takes it from another, so the positive coefficients sum to Σ α.
    assert model.dual_ == pytest.approx(np.where(Y, model.coef_, 0).sum() - norm / 2)
    assert model.gap_ <= 1e-4 * model.primal_


def test_coefficients_keep_the_constraints():
    X, Y = example(12, n=40, d=3, q=4)
    coef = RankSVM(C=0.5, degree=2).fit(X, Y).coef_
    np.testing.assert_allclose(coef.sum(axis=1), 0, atol=1e-12)
    for members, row in zip(Y, coef, strict=True):
        inside, outside = members.sum(), (1 - members).sum()
        if inside == 0 or outside == 0:
            assert not row.any()
        else:  # sums of variables between 0 and C / (inside · outside)
            assert (row[members == 1] >= -1e-12).all()
            assert (row[members == 1] <= 0.5 / inside + 1e-12).all()
            assert (row[members == 0] <= 1e-12).all()
            assert (row[members == 0] >= -0.5 / outside - 1e-12).all()


def test_the_order_of_the_rows_matters_no_more_than_the_gap():
    X, Y = example(13, n=60, d=3, q=5)
    order = np.random.default_rng(1).permutation(60)
    one, other = RankSVM(degree=3).fit(X, Y), RankSVM(degree=3).fit(X[order], Y[order])
    norms = np.sqrt((1 + (X**2).sum(axis=1)) ** 3)[:, None]
    bound = (np.sqrt(2 * one.gap_) + np.sqrt(2 * other.gap_)) * norms
    difference = np.abs(one._scores(X) - other._scores(X))
    assert difference.max() > 0
    assert (difference <= bound).all()


def test_a_margin_worked_by_hand():
    """One row x = 1 with the first of two labels, degree 1: K = 2, so α = min(C, 1 / (2 K)) = 1/4 and f = (½, −½).

    The best threshold of the row is 0. The shortest solution of t · (½, −½, 1) = 0 is 0.
    """
    model = RankSVM(degree=1, tol=1e-9).fit(np.array([[1.0]]), np.array([[1, 0]]))
    np.testing.assert_allclose(model.coef_, [[0.25, -0.25]])
    assert model.primal_ == pytest.approx(0.125)  # ½ (|w_1|² + |w_2|²), each 2/16
    assert model.dual_ == pytest.approx(0.125)  # ¼ − ⅛
    output = model._output(np.array([[1.0], [-3.0]]))
    np.testing.assert_allclose(output["scores"], [[0.5, -0.5], [-0.5, 0.5]])
    np.testing.assert_array_equal(output["sets"], [[True, False], [False, True]])


def test_best_thresholds_are_the_middle_of_the_best_interval():
    scores = np.array([[1.0, 2.0, 4.0], [1.0, 2.0, 4.0], [1.0, 2.0, 4.0], [1.0, 2.0, 4.0], [1.0, 1.0, 4.0]])
    members = np.array([[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 0, 1], [1, 0, 1]], dtype=bool)
    # The third errs nowhere above all scores, the fourth once below 1 and once between 2 and 4: the lower is taken.
    # In the last no threshold separates the two equal scores, so one error is the least.
    np.testing.assert_allclose(_best_thresholds(scores, members), [3.0, 0.5, 4.5, 0.5, 0.5])


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_no_threshold_errs_less(seed):
    rng = np.random.default_rng(seed)
    scores, members = rng.integers(0, 6, (10, 4)) / 2.0, rng.random((10, 4)) < 0.5
    for row, inside, found in zip(scores, members, _best_thresholds(scores, members), strict=True):
        wrong = [((row > t) != inside).sum() for t in [found, *np.arange(-1, 5, 0.25)]]
        assert wrong[0] == min(wrong)


def test_the_threshold_is_a_least_squares_fit():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(50, 4))
    scores -= scores.mean(axis=1, keepdims=True)
    thresholds = rng.normal(size=50)
    design = np.column_stack([scores, np.ones(50)])
    expected = np.linalg.lstsq(design, thresholds, rcond=1e-10)[0]
    np.testing.assert_allclose(_fit_threshold(scores, thresholds), expected, rtol=1e-9, atol=1e-12)


def test_labels_that_never_or_always_occur():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2)) / 2
    Y = np.column_stack([np.zeros(40, int), np.ones(40, int), X[:, 0] > 0])
    output = RankSVM(degree=3).fit(X, Y)._output(X)
    assert not output["sets"][:, 0].any()
    assert output["sets"][:, 1].all()
    assert (output["scores"][:, 0] < output["scores"][:, 1]).all()


def test_constant_features_rank_the_labels_alike_for_all():
    Y = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 0], [1, 0, 1]])
    scores = RankSVM(degree=2).fit(np.full((4, 2), 0.3), Y)._scores(np.full((3, 2), 0.3))
    assert (scores == scores[0]).all()
    assert scores[0].argmax() == 0


def test_rows_without_or_with_all_labels_change_no_score():
    X, Y = example(14, n=20)
    Y = Y[(Y.sum(axis=1) > 0) & (Y.sum(axis=1) < 3)]
    X = X[: len(Y)]
    more = np.random.default_rng(4).normal(size=(2, 2))
    alone = RankSVM(degree=2).fit(X, Y)
    together = RankSVM(degree=2).fit(np.vstack([X, more]), np.vstack([Y, [[0, 0, 0], [1, 1, 1]]]))
    np.testing.assert_allclose(alone._scores(more), together._scores(more), rtol=1e-12)


def test_sparse_and_dense_input_agree():
    X, Y = example(15, n=30)
    X[X < 0] = 0
    dense, from_sparse = RankSVM(degree=2).fit(X, Y), RankSVM(degree=2).fit(sparse.csr_matrix(X), sparse.csr_matrix(Y))
    np.testing.assert_array_equal(dense._scores(X), from_sparse._scores(sparse.csr_matrix(X)))


def test_warns_when_it_must_stop_early():
    X, Y = example(16, n=40, d=3)
    with pytest.warns(ConvergenceWarning, match="after 1 epochs"):
        model = RankSVM(C=100.0, degree=3, tol=1e-9, max_epochs=1).fit(X, Y)
    assert model.gap_ > 1e-9 * model.primal_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RankSVM(degree=1).fit(X, Y)


def test_scikit_learn_conventions():
    X, Y = example(17)
    model = RankSVM(C=2.0, degree=3)
    assert clone(model).get_params() == {"C": 2.0, "degree": 3, "tol": 1e-4, "max_epochs": 1000}
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model))._scores(X), model._scores(X))


@pytest.mark.parametrize(
    ("params", "X", "Y", "message"),
    [
        ({"C": 0}, np.eye(3), np.eye(3), "C must be positive and finite, got 0"),
        ({"C": -1.0}, np.eye(3), np.eye(3), "C must be positive and finite, got -1.0"),
        ({"C": np.nan}, np.eye(3), np.eye(3), "C must be positive and finite, got nan"),
        ({"tol": 0}, np.eye(3), np.eye(3), "tol must be positive"),
        ({}, np.array([[1.0], [np.nan]]), np.eye(2), "X holds NaN in row 1, column 0"),
        ({}, np.eye(3), np.ones((3, 1)), "none of the 3 training rows has some of the 1 label.s. and not others"),
        ({}, np.eye(3), np.zeros((3, 4)), "nothing to rank"),
        ({}, np.eye(3), np.eye(2), "3 rows of features but 2 label sets"),
        ({}, 1e200 * np.eye(3), np.eye(3), "too large for a kernel of degree 8; scale"),
    ],
)
def test_bad_input(params, X, Y, message):
    with pytest.raises(DataError, match=message):
        RankSVM(**params).fit(X, Y)


def test_bad_queries():
    model = RankSVM(degree=1).fit(np.eye(3), np.eye(3))
    with pytest.raises(ValueError, match="X has 2 features, but RankSVM is expecting 3"):
        model.predict(np.zeros((1, 2)))
    with pytest.raises(DataError, match="X holds NaN in row 0, column 0"):
        model.predict(np.full((1, 3), np.nan))
