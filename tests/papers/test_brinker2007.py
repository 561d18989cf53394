"""Figure 1 of brinker2007: which scores it takes, and that it can be drawn with all and with nothing."""

from math import inf

import numpy as np

from labelknn.datasets._container import SPLIT_LABEL, Dataset
from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.papers.brinker2007 import gap, losses, machines, matching, ties
from labelknn_papers.plan.cells import read_published
from labelknn_papers.show.figures import save_figure

from ..conftest import ROOT

SCORES = {
    ("yeast", "gap-k10"): {
        ("p=1", "hamming_loss"): Estimate(0.22),
        ("p=60", "hamming_loss"): Estimate(0.21),
        ("p=inf", "hamming_loss"): Estimate(0.20),
        ("p=1", "one_error"): Estimate(0.3),
    },
    ("yeast", "mlknn"): {("", "hamming_loss"): Estimate(0.195)},
}
RANKS = np.array([[1, 2, 3, 4], [1, 2, 2, 3], [1, 2, 3, 2], [3, 3, 3, 1]])
TITLES = {"gap-k10": "k = 10", "mlknn": "ML-kNN", "brknn": "BR-kNN"}


def test_ties_are_between_labels_not_with_the_split_point():
    """The last label is the split point: the third gene ties with it only."""
    data = Dataset("alpha", "ranking", np.zeros((4, 1)), RANKS, ("x",), ("a", "b", "c", SPLIT_LABEL))
    drawing = ties({"alpha": data})
    assert (drawing.figure, drawing.header, drawing.rows) == (None, ("dataset", "share_with_ties"), [("alpha", "0.5")])


def test_crpc_takes_as_many_times_as_long_to_test_as_it_has_machines():
    """In print: within a tenth on all eight tasks, whose numbers of machines are from 10 to 171."""
    drawing = machines(read_published(ROOT / "config/published/brinker2007.csv"))
    assert drawing.header == ("dataset", "machines", "test_ratio", "train_ratio")
    rows = {name: [float(number) for number in numbers] for name, *numbers in drawing.rows}
    assert len(rows) == 8
    assert rows["alpha"][:2] == [9.5, round(145.61 / 15.84, 6)]
    for ratio, test, _ in rows.values():
        assert abs(test / ratio - 1) < 0.11


def test_curves_and_references_are_the_losses_of_the_cells():
    curves, references = losses(SCORES)
    assert curves == {("yeast", "gap-k10"): {1: 0.22, 60: 0.21, inf: 0.20}}
    assert references == {("yeast", "mlknn"): 0.195}


def test_a_panel_has_the_curve_its_limit_and_the_reference():
    figure = gap(SCORES, TITLES).figure
    (panel,) = figure.axes
    curve, limit, reference = panel.lines
    assert panel.get_title() == "yeast"
    assert (list(curve.get_xdata()), list(curve.get_ydata())) == ([1, 60], [0.22, 0.21])
    assert set(limit.get_ydata()) == {0.20}
    assert set(reference.get_ydata()) == {0.195}
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["k = 10", "ML-kNN"]


def test_the_figure_is_the_same_bytes_and_can_be_empty(tmp_path):
    for name, scores in {"all": SCORES, "nothing": {}}.items():
        paths = [tmp_path / f"{name}-{number}.svg" for number in (1, 2)]
        for path in paths:
            save_figure(gap(scores, TITLES).figure, [path])
        assert paths[0].read_bytes() == paths[1].read_bytes()
        assert ("not run" in paths[0].read_text()) == (not scores)


def test_without_all_of_its_data_the_matching_is_empty():
    drawing = matching({})
    assert drawing.header[0] == "genes"
    assert drawing.rows == ()
    assert drawing.figure.axes[0].texts[0].get_text().startswith("not run")
