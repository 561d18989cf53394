"""What every method of the registry keeps to: scikit-learn's contract, and outputs as base.py describes them."""

import inspect
import pickle

import numpy as np
import pytest
import yaml
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn.errors import LabelknnError
from labelknn_papers.run.cell import settings_of
from labelknn_papers.run.provenance import load_class

from ..conftest import ROOT

REGISTRY = yaml.safe_load((ROOT / "config/methods.yaml").read_text())
N, D, Q = 60, 6, 5


def _variants():
    """One entry for each class and choice of words and switches: another number takes no other way through the code."""
    seen = {}
    for name, entry in REGISTRY.items():
        params = next(iter(settings_of(entry).values()))
        words = tuple(sorted((key, value) for key, value in params.items() if isinstance(value, str | bool)))
        seen.setdefault((entry["class"], words), name)
    return list(seen.values())


def build(name):
    entry = REGISTRY[name]
    params = dict(next(iter(settings_of(entry).values())))
    known = inspect.signature(load_class(entry["class"])).parameters
    small = {"k": 3, "rounds": 4, "steps": 4, "starts": 5, "max_epochs": 5}
    params |= {key: value for key, value in small.items() if isinstance(params.get(key), int) and key in known}
    if "random_state" in known:
        params["random_state"] = 1
    return load_class(entry["class"])(**params)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    X = (rng.random((N, D)) < 0.4).astype(float) * rng.integers(1, 4, (N, D))
    X[:, 0] += 1  # no row is empty
    utility = X @ rng.normal(size=(D, Q)) + rng.normal(size=(N, Q))
    sets = sparse.csr_matrix(utility > np.quantile(utility, 0.6))
    ranks = np.argsort(np.argsort(-utility, axis=1), axis=1) + 1
    return {"X": X, "multilabel": sets, "ranking": ranks}


def ask(method, X, Y):
    """Everything that the method says about X; an oracle is given the truth."""
    return method.output(X, truth=Y) if getattr(method, "sees_truth", False) else method.output(X)


def dense(array):
    return array.toarray() if sparse.issparse(array) else np.asarray(array)


@pytest.mark.parametrize("name", _variants())
class TestContract:
    def test_parameters_are_stored_as_given(self, name):
        method = build(name)
        assert clone(method).get_params() == method.get_params()
        assert not [key for key in vars(method) if key.endswith("_")]

    def test_asked_before_it_has_learnt(self, name, rows):
        method = build(name)
        with pytest.raises(NotFittedError):
            ask(method, rows["X"], rows[method.task])

    def test_outputs_are_what_the_task_is_about(self, name, rows):
        method = build(name)
        Y = rows[method.task]
        said = ask(method.fit(rows["X"], Y), rows["X"][:7], Y[:7])
        if all(array.ndim == 0 for array in said.values()):
            return  # it measures its model and predicts nothing
        if method.task == "ranking":
            np.testing.assert_array_equal(np.sort(said["ranks"], axis=1), np.tile(np.arange(1, Q + 1), (7, 1)))
        else:
            assert dense(said["sets"]).shape == (7, Q)
            assert said["sets"].dtype == bool
            if "scores" in said:
                assert dense(said["scores"]).shape == (7, Q)
                assert np.isfinite(dense(said["scores"])).all()

    def test_same_rows_same_answer(self, name, rows):
        """Fitted twice, cloned, and through pickle; what it was given stays as it was."""
        method = build(name)
        X, Y = rows["X"].copy(), rows[method.task].copy()
        first = ask(method.fit(X, Y), X, Y)
        np.testing.assert_array_equal(X, rows["X"])
        np.testing.assert_array_equal(dense(Y), dense(rows[method.task]))
        for other in (clone(method).fit(X, Y), pickle.loads(pickle.dumps(method)), method.fit(X, Y)):
            again = ask(other, X, Y)
            assert again.keys() == first.keys()
            for what, array in first.items():
                np.testing.assert_array_equal(dense(again[what]), dense(array), err_msg=what)

    def test_what_is_not_a_number_is_refused(self, name, rows):
        method = build(name)
        X = rows["X"].copy()
        X[3, 2] = np.nan
        with pytest.raises((LabelknnError, ValueError)):
            method.fit(X, rows[method.task])

    def test_targets_for_other_rows_are_refused(self, name, rows):
        method = build(name)
        with pytest.raises((LabelknnError, ValueError)):
            method.fit(rows["X"], rows[method.task][:-1])

    def test_queries_with_other_features_are_refused(self, name, rows):
        method = build(name)
        method.fit(rows["X"], rows[method.task])
        assert method.n_features_in_ == D
        if name != "c45":  # which says the same of all queries, and does not look at them
            with pytest.raises(ValueError, match="features"):
                ask(method, rows["X"][:, 1:], rows[method.task])
