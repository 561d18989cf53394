"""Estimators that were not written for this project, and the example to copy."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.neighbors import KNeighborsClassifier

from labelknn.algorithms.example import MeanRankKNN
from labelknn.algorithms.mlknn import MLkNN
from labelknn.algorithms.plain import with_output
from labelknn.errors import DataError


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3))
    Y = X @ rng.normal(size=(3, 4)) > 0
    Y[:, 3] = False  # a label that nobody has is a single class
    return X, Y


def test_methods_of_the_package_stay_as_they_are():
    assert with_output(MLkNN) is MLkNN


@pytest.mark.parametrize("cls", [KNeighborsClassifier, RandomForestClassifier])
def test_label_sets_and_probabilities(cls, rows):
    X, Y = rows
    said = with_output(cls)().fit(X, sparse.csr_matrix(Y)).output(X[:5])
    plain = cls().fit(X, Y.astype(int))
    assert said["sets"].dtype == bool
    assert said["scores"].shape == (5, 4)
    assert (said["scores"][:, 3] == 0).all()
    if cls is KNeighborsClassifier:
        np.testing.assert_array_equal(said["sets"], plain.predict(X[:5]))
        np.testing.assert_array_equal(said["scores"][:, 0], plain.predict_proba(X[:5])[0][:, 1])


def test_scores_from_a_decision_function(rows):
    X, Y = rows
    said = with_output(RidgeClassifier)().fit(X, sparse.csr_matrix(Y[:, :3])).output(X)
    np.testing.assert_array_equal(said["sets"], said["scores"] > 0)


def test_a_regression_on_ranks_gives_places(rows):
    X, _ = rows
    ranks = np.argsort(np.argsort(X, axis=1), axis=1) + 1
    said = with_output(LinearRegression)().fit(X, ranks).output(X)["ranks"]
    np.testing.assert_array_equal(np.sort(said, axis=1), np.tile([1, 2, 3], (40, 1)))


def test_parameters_and_copies(rows):
    X, Y = rows
    method = with_output(KNeighborsClassifier)(n_neighbors=2)
    assert "n_neighbors" in type(method)._get_param_names()
    again = clone(method).fit(X, sparse.csr_matrix(Y))
    assert again.get_params()["n_neighbors"] == 2
    assert "chain_method" in with_output(ClassifierChain)._get_param_names()


def test_one_column_for_several_labels_is_refused(rows):
    class Flat(LinearRegression):
        def predict(self, X):
            return np.zeros(len(X))

    X, Y = rows
    with pytest.raises(DataError, match=r"Flat\.predict gave 1 dimension"):
        with_output(Flat)().fit(X, sparse.csr_matrix(Y)).output(X)


def test_the_example_by_hand():
    X = np.array([[0.0], [1.0], [3.0]])
    Y = np.array([[1, 2, 3], [2, 1, 3], [3, 0, 1]])
    # The neighbours of 0 are rows 0 and 1, with the weights 1 and 1/2: means 4/3, 5/3 and 3.
    said = MeanRankKNN(k=2).fit(X, Y).output(np.array([[0.0]]))
    np.testing.assert_allclose(said["mean_ranks"], [[4 / 3, 5 / 3, 3]])
    assert said["ranks"].tolist() == [[1, 2, 3]]
    # The last row ranks labels 0 and 2 only: label 1 counts as in the middle, 1.5 of ranks 1 and 2.
    np.testing.assert_allclose(MeanRankKNN(k=1).fit(X, Y).output(np.array([[3.0]]))["mean_ranks"], [[2, 1.5, 1]])


def test_the_example_refuses_what_makes_no_sense():
    with pytest.raises(DataError, match="at least 1"):
        MeanRankKNN(k=0).fit(np.zeros((2, 1)), np.ones((2, 1)))
