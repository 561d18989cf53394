"""brinker2007's figures: what their tables have, and that the pictures show it."""

from math import inf

import numpy as np

from labelknn.datasets._container import SPLIT_LABEL, Dataset
from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.papers.brinker2007 import draw_gap, draw_matching, gap, machines, matching, ties
from labelknn_papers.plan.cells import read_published
from labelknn_papers.show.figures import Table

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
    assert ties({"alpha": data}) == Table(("dataset", "share_with_ties"), [("alpha", "0.5")])


def test_crpc_takes_as_many_times_as_long_to_test_as_it_has_machines():
    """In print: within a tenth on all eight tasks, whose numbers of machines are from 10 to 171."""
    table = machines(read_published(ROOT / "config/published/brinker2007.csv"))
    assert table.header == ("dataset", "machines", "test_ratio", "train_ratio")
    rows = {name: [float(number) for number in numbers] for name, *numbers in table.rows}
    assert len(rows) == 8
    assert rows["alpha"][:2] == [9.5, round(145.61 / 15.84, 6)]
    for ratio, test, _ in rows.values():
        assert abs(test / ratio - 1) < 0.11


def test_the_table_has_the_losses_of_the_cells():
    assert gap(SCORES).rows == [
        ("yeast", "gap-k10", 1, 0.22),
        ("yeast", "gap-k10", 60, 0.21),
        ("yeast", "gap-k10", inf, 0.20),
        ("yeast", "mlknn", "", 0.195),
    ]
    assert gap({}).rows == []


def test_a_panel_has_the_curve_its_limit_and_the_reference():
    (panel,) = draw_gap(gap(SCORES), TITLES).axes
    curve, limit, reference = panel.lines[:3]
    assert panel.get_title() == "yeast"
    assert (list(curve.get_xdata()), list(curve.get_ydata())) == ([1, 60], [0.22, 0.21])
    assert set(limit.get_ydata()) == {0.20}
    assert set(reference.get_ydata()) == {0.195}
    assert [text.get_text() for text in panel.texts] == ["k = 10", "ML-kNN"]


def test_the_file_has_infinity_in_words_and_nothing_where_there_is_none(tmp_path):
    gap(SCORES).write(tmp_path / "gap.csv")
    assert (tmp_path / "gap.csv").read_text().splitlines()[3:] == ["yeast,gap-k10,inf,0.2", "yeast,mlknn,,0.195"]


def test_the_matching_says_how_sure_it_is():
    found = Table(("distance", "runner_up"), [(0.0, 10.0), (2.0, 12.0), (4.0, 30.0), (20.0, 24.0)])
    (axes,) = draw_matching(found, {}).axes
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["its match: 75% within 4", "the runner-up: 10 more (median)"]
    assert matching({}) == Table(("distance", "runner_up")), "without all of its data"
