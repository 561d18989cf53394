"""CRPC and binary relevance: votes and decision values of the machines of scikit-learn's SVC, and bad input."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

from labelknn.errors import LabelknnError
from labelknn.metrics._ranking import above_split, spearman
from labelknn.ranking._br_ranking import BinaryRelevanceRanking
from labelknn.ranking._crpc import CRPC
from labelknn.solvers._hold_out import hold_out

METHODS = [CRPC, BinaryRelevanceRanking]


@pytest.fixture(scope="module")
def problem():
    """Unit rows and noisy rankings of three labels and a split point, some with ties."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    levels = np.round(X @ rng.normal(size=(4, 3)) + 0.3 * rng.normal(size=(90, 3)), 1)
    levels = np.column_stack([levels, np.zeros(90)])
    return X, 1 + (levels[:, None, :] > levels[:, :, None]).sum(axis=2)


def machine(X, orders, first, second, C, degree, queries):
    """Decisions of libsvm on which of two labels comes first, learned from the rows that order them."""
    told = orders[:, first] != orders[:, second]
    svc = SVC(C=C, kernel="poly", degree=degree, gamma=1.0, coef0=1.0, tol=1e-6)
    svc.fit(X[told], orders[told, first] < orders[told, second])
    return svc.decision_function(queries)


def ranked(scores):
    """Ranks by decreasing score, the split point first among equal ones."""
    best_first = [sorted(range(4), key=lambda label: (-row[label], label != 3, label)) for row in scores]
    return [[order.index(label) + 1 for label in range(4)] for order in best_first]


@pytest.mark.parametrize(("kernel", "degree"), [("linear", 1), ("poly", 3)])
def test_crpc_counts_the_votes_of_libsvms_machines(problem, kernel, degree):
    X, orders = problem
    train, test = slice(0, 60), slice(60, None)
    votes = np.zeros((30, 4))
    for first in range(4):
        for second in range(first + 1, 4):
            wins = machine(X[train], orders[train], first, second, 2.0, degree, X[test]) > 0
            votes[:, first] += wins
            votes[:, second] += ~wins
    output = CRPC(kernel, degree, C=2.0).fit(X[train], orders[train])._output(X[test])
    assert output["ranks"].tolist() == ranked(votes)
    np.testing.assert_array_equal(output["split"], above_split(output["ranks"]))


@pytest.mark.parametrize(("kernel", "degree"), [("linear", 1), ("poly", 3)])
def test_binary_relevance_orders_by_decision_values(problem, kernel, degree):
    X, orders = problem
    train, test = slice(0, 60), slice(60, None)
    scores = [machine(X[train], orders[train], label, 3, 2.0, degree, X[test]) for label in range(3)]
    output = BinaryRelevanceRanking(kernel, degree, C=2.0).fit(X[train], orders[train])._output(X[test])
    assert output["ranks"].tolist() == ranked(np.column_stack([*scores, np.zeros(30)]))
    np.testing.assert_array_equal(output["split"], np.column_stack(scores) > 0)


@pytest.mark.parametrize("method", METHODS)
def test_the_setting_is_chosen_on_held_out_training_rows(problem, method):
    X, orders = problem
    model = method("poly", random_state=3).fit(X, orders)
    assert list(model.grid_spearman_) == [(degree, 2.0**power) for degree in range(1, 6) for power in range(-2, 3)]
    learned, held_out = hold_out(len(X), 0.7, 3)
    for (degree, cost), found in list(model.grid_spearman_.items())[::6]:
        alone = method("poly", degree, cost).fit(X[learned], orders[learned])
        assert found == pytest.approx(spearman(orders[held_out], alone.predict(X[held_out])), abs=0.02)
    assert model.grid_spearman_[model.degree_, model.C_] == max(model.grid_spearman_.values())
    refitted = method("poly", model.degree_, model.C_).fit(X, orders)
    np.testing.assert_array_equal(model.predict(X), refitted.predict(X))


@pytest.mark.parametrize("method", METHODS)
def test_the_linear_kernel_has_nine_costs(problem, method):
    model = method().fit(*problem)
    assert list(model.grid_spearman_) == [(1, 2.0**power) for power in range(-4, 5)]


@pytest.mark.parametrize("method", METHODS)
def test_labels_that_are_always_on_one_side(method):
    """No machine has two signs: a is always relevant, b never, and the order is the one that was seen."""
    X, orders = np.eye(4), np.tile([1, 3, 2], (4, 1))
    output = method(C=1.0).fit(X, orders)._output(X)
    np.testing.assert_array_equal(output["ranks"], orders)


def test_labels_that_always_tie_share_a_vote():
    """a and b tie in all rows, so each has half a vote of their machine, and one against the split."""
    X, orders = np.eye(4), np.tile([1, 1, 2], (4, 1))
    model = CRPC(C=1.0).fit(X, orders)
    np.testing.assert_array_equal(model.decisions(X)[:, 0], np.zeros(4))
    np.testing.assert_array_equal(model.predict(X), np.tile([1, 2, 3], (4, 1)))


@pytest.mark.parametrize("method", METHODS)
def test_only_the_order_of_the_ranks_counts(problem, method):
    X, orders = problem
    here, there = (method(C=1.0).fit(X, each).predict(X) for each in (orders, 10 * orders - 3))
    np.testing.assert_array_equal(here, there)


@pytest.mark.parametrize("method", METHODS)
def test_scikit_learn_conventions(problem, method):
    X, orders = problem
    model = method(C=1.0)
    expected = {"kernel": "linear", "degree": None, "C": 1.0, "random_state": 0, "n_jobs": None}
    assert clone(model).get_params() == expected
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.fit(X, orders)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("params", "Y", "message"),
    [
        ({"kernel": "rbf"}, [[1, 2], [2, 1]], "linear, poly"),
        ({"degree": 2}, [[1, 2], [2, 1]], "degree = 2 with a linear kernel"),
        ({"kernel": "poly", "degree": 0}, [[1, 2], [2, 1]], "degree = 0"),
        ({"C": 0}, [[1, 2], [2, 1]], "C = 0, expected a positive number"),
        ({"C": 1.0}, [[1, 2], [2, 0]], "row 1 has no split point"),
        ({"C": 1.0}, [[0, 1], [1, 0]], "ranks start at 1, the best, so add 1"),
        ({"C": 1.0}, [[1, 2]], "2 rows of features but 1 rankings"),
    ],
)
def test_bad_input(params, Y, message):
    with pytest.raises(LabelknnError, match=message):
        CRPC(**params).fit(np.eye(2), np.array(Y))


def test_bad_queries(problem):
    with pytest.raises(ValueError, match="X has 3 features, but CRPC is expecting 4"):
        CRPC(C=1.0).fit(*problem).predict(np.zeros((1, 3)))
