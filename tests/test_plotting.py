"""Trees as text and pictures."""

import builtins
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from labelknn.errors import DataError
from labelknn.plotting import plot_ranking_tree, ranking_tree_text
from labelknn.ranking import LRT


@pytest.fixture(scope="module")
def tree():
    """Noisy rankings of four labels that depend on three features."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    utility = X @ rng.normal(size=(3, 4)) + 0.3 * rng.normal(size=(60, 4))
    Y = np.argsort(np.argsort(-utility, axis=1), axis=1) + 1
    return LRT("concordance", min_leaf=8).fit(X, Y).tree_


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


def test_a_ranking_tree_shows_every_node(tree):
    axes = plot_ranking_tree(tree, ["u", "v", "w"], "abcd")
    assert len(axes.texts) == len(tree.feature)
    assert sum("θ" in text.get_text() for text in axes.texts) == len(tree.leaves)
    assert len(axes.lines) == len(tree.feature) - 1
    where = [text.get_position() for text in axes.texts]
    assert len(set(where)) == len(where)
    for node in np.flatnonzero(tree.feature >= 0):
        assert where[tree.left[node]][0] < where[node][0] < where[tree.right[node]][0]


def test_it_is_drawn_where_one_wants_it(tree):
    axes = Figure().add_subplot()
    assert plot_ranking_tree(tree, ax=axes) is axes
    assert len(axes.texts) == len(tree.feature)
    assert plt.get_fignums() == []


def test_names_that_do_not_fit(tree):
    used = int(tree.feature.max()) + 1
    with pytest.raises(DataError, match=f"{used} feature and 2 label names for a tree with {used} and 4 of them"):
        ranking_tree_text(tree, label_names="ab")
    with pytest.raises(DataError, match="0 feature and 4 label names"):
        plot_ranking_tree(tree, [])


def test_pictures_without_matplotlib(tree, monkeypatch):
    real = builtins.__import__

    def refuse(name, *arguments, **options):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *arguments, **options)

    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match="pictures need matplotlib, which is not installed: pip install matplotlib"):
        plot_ranking_tree(tree)
