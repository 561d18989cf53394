"""Classification trees of several kinds: each on its own classes, and those of incomplete rankings apart."""

import numpy as np

from labelknn.datasets._container import Dataset
from labelknn.solvers._c45 import c45
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.cell import run_cell
from labelknn_papers.run.top_label_tree import TopLabelTree
from labelknn_papers.run.tree_sizes import ClassificationTrees

RNG = np.random.default_rng(4)
X = RNG.normal(size=(300, 3))
RANKS = np.argsort(np.argsort(-(X + 0.4 * RNG.normal(size=X.shape)), axis=1), axis=1) + 1


def test_each_tree_has_its_own_classes():
    found = ClassificationTrees().fit(X, RANKS)._output(X)
    for least in (1, 2, 3, 4, 5):
        assert found[f"top_label_{least}"] == TopLabelTree(min_leaf=least).fit(X, RANKS).n_leaves_
    last, first = [list(row).index(3) for row in RANKS], RANKS[:, 0] - 1
    assert found["bottom_label"] == c45(X, np.array(last), 3).n_leaves
    assert found["first_label"] == c45(X, first, 3).n_leaves
    assert len(found) == 7
    assert len({int(leaves) for leaves in found.values()}) > 3


def test_where_labels_are_missing_the_first_that_is_left_is_the_class():
    data = Dataset("toy", "ranking", X, RANKS, tuple("xyz"), tuple("abc"))
    entry = {"class": "labelknn_papers.run.tree_sizes:ClassificationTrees"}
    split = [Split(0, 0, np.arange(250), np.arange(250, 300))]
    predictions, _ = run_cell(data, split, entry, 1, missing=(0.0, 0.6))
    top, _ = run_cell(data, split, {"class": "labelknn_papers.run.top_label_tree:TopLabelTree"}, 1, missing=(0.0, 0.6))
    incomplete = predictions[0, 0, "missing=0.6"]
    assert incomplete == {"incomplete_top_label": top[0, 0, "missing=0.6"]["leaves"]}
    assert predictions[0, 0, "missing=0.0"]["top_label_2"] == top[0, 0, "missing=0.0"]["leaves"]
