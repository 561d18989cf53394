"""LRT that splits for a larger gain: what is cut is what the definitions say, and one fit serves all gains."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.datasets._container import Dataset
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.cell import run_cell
from labelknn_papers.run.lrt_forms import LRTByGain

from ..ranking.test_lrt import closed_up, nodes_with_rows, random_rankings, summary, worth


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.sampled_from([0.0, 0.4]), st.sampled_from([0.05, 0.2]))
@settings(max_examples=40, deadline=None)
def test_a_split_gains_more_or_is_cut_off(seed, q, missing, least):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 6, (30, 2)).astype(float), closed_up(random_rankings(rng, 30, q, missing))
    Y[0] = np.arange(q) + 1  # something to learn from
    model = LRTByGain(least).fit(X, Y)
    tree, ordering = model.tree_, (Y > 0).sum(axis=1) > 1
    X, Y = X[ordering], Y[ordering]
    rows, own = dict(nodes_with_rows(tree, X)), {}
    for node, some in rows.items():
        own[node] = worth(Y[some], np.argsort(tree.ranks[node]).tolist(), "concordance", 0)

    def leaves(node):
        if tree.feature[node] < 0:
            return {node}
        left, right = tree.left[node], tree.right[node]
        gain = (own[left] + own[right] - own[node]) / summary(Y[rows[node]], range(q))[1]
        assert model.gains_[node] == pytest.approx(gain, abs=1e-12)
        return leaves(left) | leaves(right) if gain > least else {node}

    kept, output = leaves(0), model._output(X)
    assert output["leaves"] == len(kept)
    for leaf in kept:
        assert (output["ranks"][rows[leaf]] == tree.ranks[leaf]).all()


def test_the_smallest_gain_is_that_of_lrt_and_all_gains_come_from_one_tree():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3))
    ranks = np.argsort(np.argsort(-(X + 0.5 * rng.normal(size=X.shape)), axis=1), axis=1) + 1
    data = Dataset("toy", "ranking", X, ranks, tuple("xyz"), tuple("abc"))
    split = [Split(0, 0, np.arange(200), np.arange(200, 300))]
    entry = {"class": "labelknn_papers.run.lrt_forms:LRTByGain", "sweep": {"least_gain": [1e-6, 0.05]}}
    predictions, _ = run_cell(data, split, entry, 1, missing=(0.3,))
    assert [setting for _, _, setting in predictions] == ["missing=0.3;gain=1e-06", "missing=0.3;gain=0.05"]
    plain, _ = run_cell(
        data, split, {"class": "labelknn.ranking:LRT", "params": {"criterion": "concordance"}}, 1, missing=(0.3,)
    )
    grown, (first, second) = plain[0, 0, "missing=0.3"], predictions.values()
    np.testing.assert_array_equal(first["ranks"], grown["ranks"])
    assert first["leaves"] == grown["leaves"] > second["leaves"] > 1
