"""Linear SVMs by dual coordinate descent: the optimum of their objective, and the behaviour at the edges."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

from labelknn import BRLinearSVM
from labelknn.errors import DataError


def objective(w, X, targets, C):
    """The bias, last, has no part in the penalty."""
    return w[:-1] @ w[:-1] / 2 + C * np.maximum(0, 1 - targets * (X @ w[:-1] + w[-1])).sum()


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_reaches_the_optimum(C):
    """As good as libsvm, which solves the same problem by SMO."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 4)) + 3, rng.random((60, 3)) < 0.3
    model = BRLinearSVM(C, tolerance=1e-7, max_epochs=100_000).fit(X, Y)
    for label in range(3):
        targets = np.where(Y[:, label], 1.0, -1.0)
        peer = SVC(kernel="linear", C=C, tol=1e-6).fit(X, targets)
        theirs = objective(np.append(peer.coef_[0], peer.intercept_), X, targets, C)
        assert objective(model.coefficients_[label], X, targets, C) <= theirs * (1 + 1e-6)
        np.testing.assert_allclose(model.coefficients_[label, :-1], peer.coef_[0], atol=1e-3)


def test_sparse_and_dense_rows_agree():
    rng = np.random.default_rng(1)
    X, Y = (rng.random((50, 10)) < 0.3).astype(float), rng.random((50, 4)) < 0.3
    dense, from_sparse = BRLinearSVM().fit(X, Y), BRLinearSVM().fit(sparse.csr_matrix(X), sparse.csr_matrix(Y))
    np.testing.assert_array_equal(dense.coefficients_, from_sparse.coefficients_)
    ours, theirs = dense._output(X), from_sparse._output(sparse.csr_matrix(X))
    np.testing.assert_allclose(ours["scores"], theirs["scores"], rtol=1e-12)
    np.testing.assert_array_equal(ours["sets"], ours["scores"] > 0)


def test_a_label_does_not_depend_on_the_others():
    rng = np.random.default_rng(2)
    X, Y = rng.random((40, 5)), rng.random((40, 3)) < 0.5
    together, alone = BRLinearSVM().fit(X, Y), BRLinearSVM().fit(X, Y[:, [2]])
    np.testing.assert_array_equal(together.coefficients_[2], alone.coefficients_[0])


def test_labels_that_never_or_always_occur():
    X = np.random.default_rng(3).random((20, 4))
    Y = np.column_stack([np.zeros(20, int), np.ones(20, int)])
    np.testing.assert_array_equal(BRLinearSVM().fit(X, Y).predict(X), Y == 1)


def test_rows_without_features_get_the_bias():
    X, Y = sparse.csr_matrix((6, 3)), np.array([[1, 0]] * 4 + [[0, 1]] * 2)
    np.testing.assert_array_equal(BRLinearSVM().fit(X, Y).predict(X[:1]), [[True, False]])


def test_conventions_and_bad_input():
    assert clone(BRLinearSVM(C=2.0)).get_params()["C"] == 2.0
    with pytest.raises(NotFittedError):
        BRLinearSVM().predict(np.zeros((1, 1)))
    with pytest.raises(DataError, match="C = 0, expected a positive number"):
        BRLinearSVM(C=0).fit(np.ones((2, 1)), np.ones((2, 1)))
    with pytest.raises(ValueError, match="X has 2 features, but BRLinearSVM is expecting 1"):
        BRLinearSVM().fit(np.ones((2, 1)), np.eye(2)).predict(np.ones((1, 2)))
