"""What all ranking methods have in common: containers, names, missing labels, seeds and threads."""

import numba
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils import get_tags

from labelknn.errors import DataError
from labelknn.metrics._ranking import kendall_tau
from labelknn.ranking import CRPC, IBLR, LRT, BinaryRelevanceRanking, CaseBasedRanking, ConstraintClassification

INCOMPLETE = [IBLR(), LRT(), ConstraintClassification(alpha=20)]
METHODS = [*INCOMPLETE, CaseBasedRanking(), CRPC(C=1.0), BinaryRelevanceRanking(C=1.0)]


def name(model):
    return type(model).__name__


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 4)) * (rng.random((60, 4)) < 0.7)
    utility = X @ rng.normal(size=(4, 4)) + 0.2 * rng.normal(size=(60, 4))
    return X, np.argsort(np.argsort(-utility, axis=1), axis=1) + 1


@pytest.mark.parametrize("model", METHODS, ids=name)
@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csc_matrix, np.asfortranarray, pd.DataFrame])
def test_any_container_of_the_rows(problem, model, container):
    X, Y = problem
    assert get_tags(model).input_tags.sparse
    expected = clone(model).fit(X, Y).predict(X)
    np.testing.assert_array_equal(clone(model).fit(container(X), Y).predict(container(X)), expected)


@pytest.mark.parametrize("model", METHODS, ids=name)
def test_columns_in_another_order_are_refused(problem, model):
    X, Y = pd.DataFrame(problem[0], columns=list("abcd")), pd.DataFrame(problem[1], columns=list("uvwx"))
    model = clone(model).fit(X, Y)
    assert model.label_names_.tolist() == list("uvwx")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X[["b", "a", "c", "d"]])


@pytest.mark.parametrize("model", METHODS, ids=name)
def test_ranks_from_0_are_refused(problem, model):
    with pytest.raises(DataError, match="ranks start at 1, the best, so add 1"):
        clone(model).fit(problem[0], problem[1] - 1)


@pytest.mark.parametrize("model", INCOMPLETE, ids=name)
def test_nan_is_a_missing_label_as_0_is(problem, model):
    X, Y = problem
    Y = np.where(np.random.default_rng(3).random(Y.shape) < 0.3, 0, Y)
    zero, nan = (clone(model).fit(X, ranks) for ranks in (Y, np.where(Y == 0, np.nan, Y)))
    np.testing.assert_array_equal(zero.predict(X), nan.predict(X))
    assert zero.score(X, Y) == pytest.approx(kendall_tau(Y, zero.predict(X)))


@pytest.mark.parametrize("model", METHODS, ids=name)
def test_models_are_chosen_by_kendalls_tau(problem, model):
    assert cross_val_score(model, *problem, cv=3).mean() > 0.3


@pytest.mark.parametrize(
    "model", [CaseBasedRanking(), CRPC(), BinaryRelevanceRanking(), ConstraintClassification(alpha=5)], ids=name
)
def test_no_seed(problem, model):
    assert clone(model).set_params(random_state=None).fit(*problem).predict(problem[0]).shape == (60, 4)


@pytest.mark.parametrize("model", [one for one in METHODS if hasattr(one, "n_jobs")], ids=name)
def test_threads_change_nothing_and_are_given_back(problem, model):
    before = numba.get_num_threads()
    expected = clone(model).fit(*problem)._output(problem[0])
    found = clone(model).set_params(n_jobs=1).fit(*problem)._output(problem[0])
    assert numba.get_num_threads() == before
    for key, array in expected.items():
        np.testing.assert_array_equal(found[key], array)
