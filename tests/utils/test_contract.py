"""What every public estimator keeps to: scikit-learn's contract, and the arrays that `utils._base` describes."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn.errors import ConfigError, DataError
from labelknn.utils import all_estimators

from ..small import ALL, WORDS, variants

N, D, Q = 60, 6, 5

every = pytest.mark.parametrize("method", variants(), ids=repr)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    X = (rng.random((N, D)) < 0.4).astype(float) * rng.integers(1, 4, (N, D))
    X[:, 0] += 1  # no row is empty
    utility = X @ rng.normal(size=(D, Q)) + rng.normal(size=(N, Q))
    sets = sparse.csr_matrix(utility > np.quantile(utility, 0.6))
    ranks = np.argsort(np.argsort(-utility, axis=1), axis=1) + 1
    return {"X": X, "multilabel": sets, "ranking": ranks}


def dense(array):
    return array.toarray() if sparse.issparse(array) else np.asarray(array)


def test_every_estimator_is_found_by_its_name():
    assert {"MLkNN", "LCIF", "LRT", "IBLR"} <= ALL.keys()
    assert WORDS.keys() <= ALL.keys()
    assert list(ALL) == sorted(ALL)
    by_task = [dict(all_estimators(task)) for task in ("multilabel", "ranking")]
    assert by_task[0] | by_task[1] == ALL
    assert not by_task[0].keys() & by_task[1].keys()
    assert all(
        cls.__name__ == name and cls._task == task
        for task, found in zip(("multilabel", "ranking"), by_task, strict=True)
        for name, cls in found.items()
    )
    with pytest.raises(ConfigError, match="Did you mean 'ranking'"):
        all_estimators("rankings")


@every
class TestContract:
    def test_parameters_are_stored_as_given(self, method):
        assert repr(clone(method).get_params()) == repr(method.get_params())
        assert not [key for key in vars(clone(method)) if key.endswith("_")]

    def test_asked_before_it_has_learnt(self, method, rows):
        with pytest.raises(NotFittedError):
            clone(method).predict(rows["X"])

    def test_outputs_are_what_the_task_is_about(self, method, rows):
        method = clone(method).fit(rows["X"], rows[method._task])
        said, predicted = method._output(rows["X"][:7]), method.predict(rows["X"][:7])
        if method._task == "ranking":
            np.testing.assert_array_equal(np.sort(said["ranks"], axis=1), np.tile(np.arange(1, Q + 1), (7, 1)))
            np.testing.assert_array_equal(predicted, said["ranks"])
        else:
            assert said["sets"].shape == said["scores"].shape == (7, Q)
            assert said["sets"].dtype == bool
            assert np.isfinite(dense(said["scores"])).all()
            np.testing.assert_array_equal(dense(predicted), dense(said["sets"]))

    def test_same_rows_same_answer(self, method, rows):
        """Fitted twice, cloned, and through pickle; what it was given stays as it was."""
        method = clone(method)
        X, Y = rows["X"].copy(), rows[method._task].copy()
        first = method.fit(X, Y)._output(X)
        np.testing.assert_array_equal(X, rows["X"])
        np.testing.assert_array_equal(dense(Y), dense(rows[method._task]))
        for other in (clone(method).fit(X, Y), pickle.loads(pickle.dumps(method)), method.fit(X, Y)):
            again = other._output(X)
            assert again.keys() == first.keys()
            for what, array in first.items():
                np.testing.assert_array_equal(dense(again[what]), dense(array), err_msg=what)

    @pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csr_array, sparse.coo_array])
    def test_what_is_not_a_number_is_refused(self, method, container, rows):
        """In `fit` and in `predict`, dense or sparse, by one message."""
        X = rows["X"].copy()
        X[3, 2] = np.nan
        Y = rows[method._task]
        with pytest.raises(DataError, match="X holds NaN in row 3, column 2"):
            clone(method).fit(container(X), Y)
        with pytest.raises(DataError, match="X holds NaN in row 3, column 2"):
            clone(method).fit(rows["X"], Y).predict(container(X))

    def test_targets_for_other_rows_are_refused(self, method, rows):
        with pytest.raises(DataError, match="60 rows of features but 59"):
            clone(method).fit(rows["X"], rows[method._task][:-1])

    def test_queries_with_other_features_are_refused(self, method, rows):
        method = clone(method).fit(rows["X"], rows[method._task])
        assert method.n_features_in_ == D
        assert method.n_labels_ == Q
        with pytest.raises(ValueError, match=f"X has {D - 1} features, but {type(method).__name__} is expecting {D}"):
            method.predict(rows["X"][:, 1:])
