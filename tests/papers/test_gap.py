"""Figure 1 of brinker2007: which scores it takes, and that it can be drawn with all and with nothing."""

from math import inf

from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.papers.gap import draw_gap, losses
from labelknn_papers.plan.cells import Cell
from labelknn_papers.plan.protocol import Protocol
from labelknn_papers.show.figures import save_figure

PROTOCOL = Protocol("public-split")
CELLS = {
    ("yeast", "k = 10"): Cell(PROTOCOL, "yeast", "gap-k10"),
    ("yeast", "ML-kNN"): Cell(PROTOCOL, "yeast", "mlknn"),
    ("scene", "k = 10"): Cell(PROTOCOL, "scene", "gap-k10"),
}
ESTIMATES = {
    ("public-split", "yeast", "gap-k10", "p=1", "hamming_loss"): Estimate(0.22),
    ("public-split", "yeast", "gap-k10", "p=60", "hamming_loss"): Estimate(0.21),
    ("public-split", "yeast", "gap-k10", "p=inf", "hamming_loss"): Estimate(0.20),
    ("public-split", "yeast", "gap-k10", "p=1", "one_error"): Estimate(0.3),
    ("public-split", "yeast", "mlknn", "", "hamming_loss"): Estimate(0.195),
    ("cv-1x10", "yeast", "gap-k10", "p=1", "hamming_loss"): Estimate(0.9),
    ("public-split", "yeast", "brknn", "", "hamming_loss"): Estimate(0.9),
}


def test_curves_and_references_are_the_losses_of_the_cells():
    curves, references = losses(CELLS, ESTIMATES)
    assert curves == {("yeast", "k = 10"): {1: 0.22, 60: 0.21, inf: 0.20}}
    assert references == {("yeast", "ML-kNN"): 0.195}


def test_a_panel_has_the_curve_its_limit_and_the_reference():
    figure = draw_gap(*losses(CELLS, ESTIMATES))
    (panel,) = figure.axes
    curve, limit, reference = panel.lines
    assert panel.get_title() == "yeast"
    assert (list(curve.get_xdata()), list(curve.get_ydata())) == ([1, 60], [0.22, 0.21])
    assert set(limit.get_ydata()) == {0.20}
    assert set(reference.get_ydata()) == {0.195}
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["k = 10", "ML-kNN"]


def test_the_figure_is_the_same_bytes_and_can_be_empty(tmp_path):
    for name, estimates in {"all": ESTIMATES, "nothing": {}}.items():
        paths = [tmp_path / f"{name}-{number}.svg" for number in (1, 2)]
        for path in paths:
            save_figure(draw_gap(*losses(CELLS, estimates)), [path])
        assert paths[0].read_bytes() == paths[1].read_bytes()
        assert ("not run" in paths[0].read_text()) == (not estimates)
