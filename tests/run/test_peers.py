"""Why two libraries differ in the same method: ours, made to do the same, predicts every label as the other does."""

import numpy as np
import pytest

from labelknn.datasets import load
from labelknn.datasets._container import Dataset
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.cell import run_cell
from labelknn_papers.run.peers import CountingItself, HalfIsNone, differing

pytest.importorskip("skmultilearn", reason="needs scikit-multilearn-ng")

PAIRS = {
    "ML-kNN": ("labelknn.multilabel:MLkNN", "skmultilearn.adapt:MLkNN", "CountingItself"),
    "BR-kNN": ("labelknn.multilabel:BRkNN", "skmultilearn.adapt:BRkNNaClassifier", "HalfIsNone"),
}


def counted(name, data, k=10, alike=None):
    ours, theirs, own = PAIRS[name]
    rows = np.random.default_rng(0).permutation(data.n)
    splits = [
        Split(0, fold, np.sort(np.delete(rows, part)), np.sort(rows[part]))
        for fold, part in enumerate(np.array_split(np.arange(data.n), 3))
    ]
    entry = {"class": ours, "params": {"k": k}}
    predicted = tuple(run_cell(data, splits, entry | {"class": one}, 0, shared=False)[0] for one in (ours, theirs))
    found = differing(data, splits, entry, alike or f"labelknn_papers.run.peers:{own}", predicted)
    assert found.labels == data.Y.shape[0] * data.Y.shape[1]
    return found


@pytest.fixture
def untied():
    """No two rows are equally far from a third."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 6))
    Y = (X[:, :4] + rng.normal(size=(150, 4)) > 0).astype(np.int64)
    return Dataset("untied", "multilabel", X, Y, tuple("abcdef"), tuple("pqrs"))


@pytest.mark.parametrize("k", [1, 4, 10])
@pytest.mark.parametrize("name", PAIRS)
def test_the_reason_explains_every_label_where_no_neighbours_are_equally_far(untied, name, k):
    found = counted(name, untied, k)
    assert found.ours > 0 or k == 1, "one neighbour has no halves"
    assert (found.made_alike, found.same_neighbors) == (0, 0)


def test_another_reason_would_not(untied):
    assert counted("ML-kNN", untied, alike="labelknn.multilabel:MLkNN").made_alike > 0
    assert counted("BR-kNN", untied, alike="labelknn.multilabel:BRkNN").made_alike > 0


@pytest.mark.mirror
@pytest.mark.parametrize("dataset", ["flags", "emotions"])
@pytest.mark.parametrize("name", PAIRS)
def test_on_real_data_the_order_of_neighbours_is_all_that_is_left(mirror, name, dataset):
    found = counted(name, load(dataset, mirror=mirror))
    assert found.ours > 10 * found.made_alike
    assert found.same_neighbors == 0


def test_a_row_is_the_first_of_its_neighbours():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    found = CountingItself(k=2).fit(X, np.eye(4, dtype=int))._training_neighbors(None)
    assert found.indices.tolist() == [[0, 1], [1, 0], [2, 1], [3, 2]]
    assert found.distances.tolist() == [[0, 1], [0, 1], [0, 2], [0, 4]]


def test_one_half_is_none():
    X, Y = np.array([[0.0], [1.0], [9.0]]), np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]])
    found = HalfIsNone(k=2).fit(X, Y)._output(np.array([[0.2]]))
    assert found["sets"].tolist() == [[True, False, False]]
    assert found["scores"].tolist() == [[1.0, 0.5, 0.0]]
