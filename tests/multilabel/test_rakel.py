"""RAkEL against its definition, with scikit-learn's linear support vector machines."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.svm import LinearSVC

from labelknn import RAkEL
from labelknn.errors import DataError
from labelknn.multilabel import _rakel as rakel


def random_data(seed, n=80, q=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X @ rng.normal(size=(3, q)) + 0.5 * rng.normal(size=(n, q)) > 0.5, rng.normal(size=(20, 3))


def votes_by_definition(X, Y, queries, labelsets, C):
    """The share of the models that vote for each label; each a label powerset, one class against the rest."""
    votes, asked = np.zeros((len(queries), Y.shape[1])), np.zeros(Y.shape[1])
    for labels in labelsets:
        classes, of_row = np.unique(Y[:, labels], axis=0, return_inverse=True)
        # A huge scaling of the intercept's feature makes its penalty vanish.
        machines = [
            LinearSVC(C=C, intercept_scaling=1e3, tol=1e-8, dual=False, max_iter=100_000).fit(X, of_row == c)
            for c in range(len(classes))
        ]
        winner = np.argmax([machine.decision_function(queries) for machine in machines], axis=0)
        votes[:, labels] += classes[winner]
        asked[labels] += 1
    return votes / np.maximum(asked, 1)


def test_equals_the_definition(monkeypatch):
    monkeypatch.setattr(rakel, "TOLERANCE", 1e-8)
    X, Y, queries = random_data(1)
    model = RAkEL(k=3, models=4, grid=[0.7], random_state=2).fit(X, Y)
    expected = votes_by_definition(X, Y, queries, model.labelsets_, 0.7)
    np.testing.assert_allclose(model.predict_proba(queries), expected)
    asked = np.bincount(model.labelsets_.ravel(), minlength=5) > 0
    np.testing.assert_array_equal(model.predict(queries), (expected >= 0.5) & asked)


def test_as_many_different_sets_as_asked_for():
    X, Y, _ = random_data(2, q=6)
    drawn = RAkEL(grid=[1.0], random_state=0).fit(X, Y).labelsets_
    assert drawn.shape == (12, 3)  # 2q sets of three
    assert len({tuple(labels) for labels in drawn}) == 12
    every = RAkEL(models=100, grid=[1.0], random_state=0).fit(X, Y).labelsets_
    assert sorted(map(tuple, every.tolist())) == list(combinations(range(6), 3))


def test_sets_of_many_labels_are_drawn_without_listing_all():
    drawn = RAkEL()._draw(100, 3, np.random.default_rng(0))
    assert drawn.shape == (200, 3)
    assert len({tuple(labels) for labels in drawn}) == 200
    assert (np.diff(drawn, axis=1) > 0).all()
    every = RAkEL(models=10**6)._draw(41, 3, np.random.default_rng(0))
    assert len(every) == comb(41, 3), "at most all that there are"


def test_fewer_labels_than_a_set_has():
    X, Y, queries = random_data(3, q=2)
    model = RAkEL(k=3, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.labelsets_, [[0, 1]])
    assert model.predict(queries).shape == (20, 2)


def test_the_chosen_c_is_the_best_in_cross_validation():
    """Two rows of labels at random, one wide margin: errors by C are counted here as in the class."""
    X, Y, _ = random_data(4)
    model = RAkEL(grid=[1e-6, 1.0], folds=2, random_state=5).fit(X, Y)
    assert model.C_ == 1.0  # with next to no weight on the loss, the majority class is all there is
    assert RAkEL(grid=[3.0]).fit(X, Y).C_ == 3.0


def test_the_chosen_size_is_the_best_in_cross_validation():
    """Two labels, each the other's opposite beyond the reach of a linear model; only together they are learned."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(300, 2))
    outer = np.abs(X[:, 0]) > 0.7
    Y = np.column_stack([outer, ~outer, X[:, 1] > 0])
    model = RAkEL(k=[1, 3], grid=[1.0], random_state=0).fit(X, Y)
    errors = {1: 0, 3: 0}
    draws = np.random.default_rng(0)
    labelsets = {k: RAkEL()._draw(3, k, draws) for k in errors}
    fold = draws.permutation(300) % 2
    for k in errors:
        for tested in (0, 1):
            alone = rakel._Ensemble(X[fold != tested], Y[fold != tested], labelsets[k], 1.0)
            errors[k] += (alone.output(X[fold == tested])["sets"] != Y[fold == tested]).sum()
    assert errors[1] != errors[3]
    assert model.k_ == min(errors, key=errors.get)
    assert model.labelsets_.shape[1] == model.k_
    assert RAkEL(k=2, grid=[1.0]).fit(X, Y).k_ == 2


def test_labels_that_never_occur_or_are_never_drawn():
    X, Y, queries = random_data(5)
    Y[:, 0] = False
    model = RAkEL(models=1, grid=[1.0], random_state=1).fit(X, Y)
    undrawn = np.setdiff1d(np.arange(5), model.labelsets_)
    output = model._output(queries)
    assert not output["sets"][:, undrawn].any()
    assert not output["scores"][:, undrawn].any()
    assert not RAkEL(grid=[1.0], random_state=1).fit(X, Y).predict(queries)[:, 0].any()


def test_sparse_rows_and_repeated_runs_agree(monkeypatch):
    monkeypatch.setattr(rakel, "TOLERANCE", 1e-8)
    X, Y, queries = random_data(6)
    first = RAkEL(random_state=3).fit(X, Y)._output(queries)
    again = RAkEL(random_state=3).fit(X, Y)._output(queries)
    from_sparse = RAkEL(random_state=3).fit(sparse.csr_matrix(X), sparse.csr_matrix(Y))._output(queries)
    for key, array in first.items():
        np.testing.assert_array_equal(array, again[key])
        np.testing.assert_array_equal(array, from_sparse[key])


def test_sets_of_too_many_labels_are_refused():
    Y = np.random.default_rng(9).random((30, 70)) < 0.5
    with pytest.raises(DataError, match="at most 62"):
        RAkEL(k=63, grid=[1.0]).fit(np.arange(30.0)[:, None], Y)
    assert RAkEL(k=62, models=1, grid=[1.0]).fit(np.arange(30.0)[:, None], Y).predict([[3.0]]).shape == (1, 70)


def test_scikit_learn_conventions():
    assert clone(RAkEL(models=7)).get_params()["models"] == 7
    with pytest.raises(NotFittedError):
        RAkEL().predict(np.zeros((1, 1)))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"k": 0}, "k = 0 labels"),
        ({"k": [3, 0]}, r"k = \[3, 0\] labels"),
        ({"k": []}, r"k = \[\] labels"),
        ({"models": 0}, "0 models"),
        ({"grid": []}, "grid of C"),
        ({"grid": [0.0, 1.0]}, "grid of C"),
        ({"folds": 1}, "1 folds"),
    ],
)
def test_bad_input(params, message):
    X, Y, _ = random_data(7)
    with pytest.raises(DataError, match=message):
        RAkEL(**params).fit(X, Y)
