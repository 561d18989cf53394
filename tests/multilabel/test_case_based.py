"""Case-based multilabel ranking on label sets against section 5 of brinker2007, by hand, and on real data."""

import pickle
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn.datasets._container import TEST, TRAIN
from labelknn.datasets._mulan import read_mulan
from labelknn.errors import DataError
from labelknn.metrics._multilabel import hamming_loss
from labelknn.metrics._ranking import above_split
from labelknn.multilabel._case_based import CaseBasedMultilabel
from labelknn.neighbors._euclidean import k_nearest
from labelknn.ranking._case_based import CaseBasedRanking

pytestmark = pytest.mark.filterwarnings("ignore:.* labels have no training row")


def test_label_sets_are_bucket_orders():
    """Both faces agree: a ranking learned from bipartitions, and the label sets of these."""
    rng = np.random.default_rng(5)  # few distinct points, so that equal distances are common
    X, orders, queries = (
        rng.integers(0, 4, (30, 2)),
        rng.integers(1, 5, (30, 4)),
        rng.integers(0, 5, (5, 2)),
    )
    sets = above_split(orders)
    for p in (1, 3, inf):
        ranked = CaseBasedRanking(5, targets="bipartition", p=p).fit(X, orders)._output(queries)
        for Y in (sets, sparse.csr_matrix(sets)):
            output = CaseBasedMultilabel(5, p).fit(X, Y)._output(queries)
            np.testing.assert_array_equal(output["sets"], ranked["split"])
            np.testing.assert_array_equal(output["sets"], output["scores"] > 0)
            np.testing.assert_array_equal(np.argsort(-output["scores"]), np.argsort(ranked["ranks"][:, :-1]))


@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_many_virtual_labels_are_the_majority_vote(seed, k):
    rng = np.random.default_rng(seed)
    X, Y, queries = rng.normal(size=(20, 2)), rng.random((20, 5)) < rng.random(), rng.normal(size=(6, 2))
    share = Y[k_nearest(X, k, queries).indices].mean(axis=1)
    for p in (2 * 5 * k + 2, 10**6, inf):
        sets = CaseBasedMultilabel(k, p).fit(X, Y).predict(queries)
        np.testing.assert_array_equal(sets[share != 0.5], (share > 0.5)[share != 0.5])


def test_a_vote_of_one_half_goes_by_the_size_of_the_sets():
    """One of two has label a. It is relevant if those with it have more labels than those without it lack."""
    X = np.zeros((2, 1))
    for Y, is_relevant in (
        ([[1, 0, 0], [0, 0, 0]], False),
        ([[1, 1, 1], [0, 1, 1]], True),
        ([[1, 1, 0], [0, 1, 0]], False),  # two against two: equal mean ranks, and the split comes first
    ):
        assert CaseBasedMultilabel(2, inf).fit(X, np.array(Y)).predict(X[:1])[0, 0] == is_relevant
        assert CaseBasedMultilabel(2, 10**6).fit(X, np.array(Y)).predict(X[:1])[0, 0] == is_relevant


def test_no_and_all_labels():
    X = np.zeros((3, 1))
    assert not CaseBasedMultilabel(3).fit(X, np.zeros((3, 4))).predict(X).any()
    assert CaseBasedMultilabel(3).fit(X, np.ones((3, 4))).predict(X).all()


@pytest.mark.parametrize(
    ("k", "p", "Y", "message"),
    [(3, 1, [[1], [0]], "k = 3"), (1, 0, [[1], [0]], "p = 0"), (1, 1, [[2], [0]], "0 and 1 only")],
)
def test_bad_label_sets(k, p, Y, message):
    with pytest.raises(DataError, match=message):
        CaseBasedMultilabel(k, p).fit(np.arange(2.0)[:, None], np.array(Y))


@pytest.mark.mirror
def test_gap_amplification_on_yeast(mirror):
    """Figure 1 on the public split with k = 10, and its limit, the majority vote."""
    files = {"train": "yeast-train.arff", "test": "yeast-test.arff"}
    data = read_mulan("yeast", mirror / "multilabel" / "yeast", files=files, xml="yeast.xml")
    train, test = (data.part == part for part in (TRAIN, TEST))
    neighbors = k_nearest(data.X[train], 10, data.X[test])
    losses = []
    for p in (1, 20, inf):
        model = CaseBasedMultilabel(10, p).fit(data.X[train], data.Y[train])
        losses.append(hamming_loss(data.Y[test], model._output(data.X[test], neighbors)["sets"]))
    assert losses == pytest.approx([0.219, 0.205, 0.205], abs=0.001)


def test_scikit_learn_conventions():
    X, Y = np.arange(4.0)[:, None], np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
    model = CaseBasedMultilabel(k=2)
    with pytest.raises(NotFittedError):
        model.predict(X)
    model = clone(model).fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    np.testing.assert_array_equal(model.decision_function(X) > 0, model.predict(X) == 1)


def test_sparse_rows_and_sets_give_the_same():
    rng = np.random.default_rng(7)
    X, Y = rng.normal(size=(30, 4)) * (rng.random((30, 4)) < 0.5), rng.random((30, 3)) < 0.4
    here, there = CaseBasedMultilabel(5).fit(X, Y), CaseBasedMultilabel(5).fit(sparse.csr_array(X), sparse.csr_array(Y))
    np.testing.assert_array_equal(here.decision_function(X), there.decision_function(sparse.csr_array(X)))
    assert sparse.issparse(there.predict(X))
    np.testing.assert_array_equal(here.predict(X), there.predict(X).toarray())
