"""cheng2009's figures: what they compute, and that they can be drawn with all and with nothing."""

import numpy as np
import pytest

from labelknn.datasets._container import Dataset
from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.judge.reliability import KEPT
from labelknn_papers.judge.reliability import reliability as reliability_of
from labelknn_papers.papers import cheng2009
from labelknn_papers.plan.protocol import Split
from labelknn_papers.show.figures import save_figure


@pytest.fixture
def data():
    ranks = np.tile([1, 2, 3], (40, 1))
    return Dataset("toy", "ranking", np.arange(40.0)[:, None], ranks, ("x",), tuple("abc"))


def claims(reliabilities, right):
    """Predictions for all rows: the right ranking, or the reverse."""
    ranks = np.where(np.array(right)[:, None], [1, 2, 3], [3, 2, 1])
    return {(0, 0, "missing=0.0"): {"ranks": ranks, "reliability": np.array(reliabilities, float)}}


def test_honest_claims_correlate_and_the_kept_are_the_best(data):
    split = [Split(0, 0, np.array([], int), np.arange(40))]
    right = np.arange(40) < 10
    found = reliability_of(data, split, claims(np.where(right, 1.0, 0.5), right))
    assert found.correlation == pytest.approx(1)
    assert found.tau_of_kept[0] == 1
    assert found.tau_of_kept[-1] == pytest.approx((10 - 30) / 40)
    assert (np.diff(found.tau_of_kept) <= 0).all()
    assert reliability_of(data, split, claims(np.where(right, 0.5, 1.0), right)).correlation == pytest.approx(-1)


def test_the_table_of_reliabilities_is_of_complete_rankings(data):
    split = {"toy": [Split(0, 0, np.array([], int), np.arange(40))]}
    right = np.arange(40) < 10
    predictions = claims(np.where(right, 1.0, 0.5), right)
    predictions[0, 0, "missing=0.3"] = claims(np.where(right, 0.5, 1.0), right)[0, 0, "missing=0.0"]
    drawing = cheng2009.reliability({"toy": data}, split, {("toy", "iblr"): predictions})
    assert drawing.header == ("dataset", "method", "correlation", "tau", "tau_of_most_reliable")
    assert drawing.rows == [("toy", "iblr", 1.0, -0.5, 1.0)], "ten of 40 are right; the best fifth are among them"


def test_figures_are_the_same_bytes_and_can_be_empty(data, tmp_path):
    rates = {(f"missing={rate}", "kendall_tau"): Estimate(0.9 - rate, 0.01) for rate in (0.0, 0.5)}
    scores = {("toy", method): rates for method in ("cc", "iblr")}
    splits = {"toy": [Split(0, 0, np.array([], int), np.arange(40))]}
    predictions = {("toy", "iblr"): claims(KEPT.repeat(2), np.arange(40) % 2 == 0)}
    for name, draw in {
        "curves": lambda: cheng2009.learning_curves(scores),
        "no curves": lambda: cheng2009.learning_curve({}),
        "reliability": lambda: cheng2009.reliability({"toy": data}, splits, predictions),
        "no reliability": lambda: cheng2009.reliability({}, {}, {}),
        "no tree": lambda: cheng2009.iris_tree({}),
        "no rankings": lambda: cheng2009.generated_rankings({}, {}),
        "no ingredients": lambda: cheng2009.naive_bayes_ingredients({}, {}),
    }.items():
        paths = [tmp_path / f"{name}-{number}.svg" for number in (1, 2)]
        for path in paths:
            save_figure(draw().figure, [path])
        assert paths[0].read_bytes() == paths[1].read_bytes(), name
        assert paths[0].read_text().lstrip().startswith("<?xml")
