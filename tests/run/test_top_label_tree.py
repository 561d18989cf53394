"""The tree whose size that of a label ranking tree is compared with."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn.datasets._container import Dataset
from labelknn.errors import DataError
from labelknn.solvers._c45 import c45
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.cell import run_cell
from labelknn_papers.run.top_label_tree import TopLabelTree, top_labels


def leaves(X, ranks):
    return TopLabelTree().fit(X, ranks)._output(X)["leaves"]


def test_the_top_label_is_the_first_of_those_observed():
    assert top_labels(np.array([[2, 1, 3], [0, 2, 1], [1, 0, 0]])).tolist() == [1, 2, 0]


def test_all_labels_are_classes_and_empty_rankings_are_left_out():
    # Label 0 is first in 20 of 1,200 rows, label 1 in the others. Where these are all labels, 25 examples are asked for
    # on each side and the first split misses the boundary; ten more labels that are never first allow it.
    X = np.arange(1200.0)[:, None]
    ranks = np.tile(np.arange(1, 13), (1200, 1))
    ranks[20:, :2] = [2, 1]
    assert leaves(X, ranks[:, :2]) == 3
    assert leaves(X, ranks) == 2
    shuffled = np.random.default_rng(6).permutation(1200)
    ranks[::3] = 0
    assert leaves(X[shuffled], ranks[shuffled]) == 2
    with pytest.raises(DataError, match="no ranking has any label"):
        leaves(X, np.zeros_like(ranks))


def test_its_only_output_is_the_number_of_leaves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    ranks = np.argsort(np.argsort(-(X + 0.5 * rng.normal(size=X.shape)), axis=1), axis=1) + 1
    model = TopLabelTree(confidence=0.4, min_leaf=5)
    assert clone(model).get_params() == {"confidence": 0.4, "min_leaf": 5}
    with pytest.raises(NotFittedError):
        model._output(X)
    output = model.fit(X, ranks)._output(X)
    assert {key: value.shape for key, value in output.items()} == {"leaves": ()}
    assert output["leaves"] == model.n_leaves_ == c45(X, ranks.argmin(axis=1), 3, 0.4, 5).n_leaves > 3


def test_a_cell_of_the_reproduction():
    X = np.arange(40.0)[:, None]
    ranks = np.where(X < 20, [1, 2, 3], [3, 1, 2])
    data = Dataset("toy", "ranking", X, ranks, ("x",), tuple("abc"))
    reference = {"class": "labelknn_papers.run.top_label_tree:TopLabelTree"}
    predictions, _ = run_cell(data, [Split(0, 0, np.arange(30), np.arange(30, 40))], reference, 1, missing=(0.0,))
    assert [(key, output["leaves"]) for key, output in predictions.items()] == [((0, 0, "missing=0.0"), 2)]
