"""IBLR validated on complete rankings: with nothing missing it is IBLR, else it judges by what was deleted."""

import numpy as np
import pytest

from labelknn.datasets._container import Dataset
from labelknn.errors import DataError
from labelknn.metrics._ranking import kendall_tau
from labelknn.ranking import IBLR
from labelknn_papers.data.generate import mask_labels
from labelknn_papers.plan.protocol import Protocol, make_splits
from labelknn_papers.run.cell import run_cell
from labelknn_papers.run.iblr_validation import CompleteValidation

GRID = (2, 4, 8, 16, 32)
RNG = np.random.default_rng(5)
X = RNG.normal(size=(90, 3))
COMPLETE = np.argsort(np.argsort(-(X @ RNG.normal(size=(3, 4)) + RNG.normal(size=(90, 4))), axis=1), axis=1) + 1
INCOMPLETE = mask_labels(COMPLETE, 0.5, RNG)


def left_out(ranks, k, row):
    """What the k nearest other rows say of a row."""
    others = np.arange(len(X)) != row
    return IBLR(k=k).fit(X[others], ranks[others]).predict(X[row : row + 1])[0]


def test_rows_are_left_out_in_turn_and_judged_by_their_complete_rankings():
    model = CompleteValidation(grid=GRID).fit(X, COMPLETE).fit(X, INCOMPLETE)
    for k in GRID[2:]:  # of fewer rows some order nothing, and then the row itself is in the mean of all
        predicted = np.array([left_out(INCOMPLETE, k, row) for row in range(len(X))])
        assert model.grid_tau_[k] == pytest.approx(kendall_tau(COMPLETE, predicted))
    assert model.grid_tau_[model.k_] == max(model.grid_tau_.values())


def test_what_it_predicts_comes_from_incomplete_rankings():
    model = CompleteValidation(grid=GRID).fit(X, COMPLETE).fit(X, INCOMPLETE)
    same = IBLR(k=model.k_).fit(X, INCOMPLETE)
    np.testing.assert_array_equal(model.predict(X + 0.1), same.predict(X + 0.1))


def test_complete_rankings_are_those_of_the_same_rows():
    with pytest.raises(DataError, match="fit these first"):
        CompleteValidation().fit(X, INCOMPLETE)
    model = CompleteValidation(grid=GRID).fit(X[:60], COMPLETE[:60])
    with pytest.raises(DataError, match="fit these first"):
        model.fit(X[30:], INCOMPLETE[30:])


def test_a_cell_deletes_the_same_labels_as_that_of_iblr():
    """At 0 they are the same method; at .6 they have the same neighbours and the same rankings, but another k."""
    data = Dataset("toy", "ranking", X, COMPLETE, tuple("xyz"), tuple("abcd"))
    splits = make_splits(Protocol("cross-validation", 2, 3), data, 1)
    names = {"complete": "labelknn_papers.run.iblr_validation:CompleteValidation", "masked": "labelknn.ranking:IBLR"}
    found = {
        name: run_cell(data, splits, {"class": path, "params": {"grid": list(GRID)}}, 1, missing=(0.0, 0.6))[0]
        for name, path in names.items()
    }
    same = {
        setting: all(
            np.array_equal(found["complete"][key]["ranks"], found["masked"][key]["ranks"])
            for key in found["masked"]
            if key[2] == setting
        )
        for setting in ("missing=0.0", "missing=0.6")
    }
    assert same == {"missing=0.0": True, "missing=0.6": False}
