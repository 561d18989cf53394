"""The figure of feremans2017 shows what was measured, and what follows from it."""

import numpy as np
import pytest

from labelknn.datasets._container import TEST, TRAIN, Dataset
from labelknn_papers.judge.growth import COLUMNS, fit_growth
from labelknn_papers.papers.feremans2017 import candidates, draw_scale, duration, one_prediction, scale
from labelknn_papers.plan.cells import Published
from labelknn_papers.plan.protocol import Split

from ..judge.test_growth import MEASURED, SCALES, measurement

SWEEPS = {
    "wiki-lshtc": {"title": "Wiki-LSHTC's shape", "fit_from": 0.01},
    "wiki-10": {"title": "Wiki-10's shape", "fit_from": 0.25},
}


TITLES = {shape: sweep["title"] for shape, sweep in SWEEPS.items()}


def test_candidates_share_a_feature():
    """Of three training rows the first query shares a feature with two, the second with none."""
    X = np.array([[1, 0, 0, 0], [2, 1, 0, 0], [0, 0, 1, 0], [3, 0, 0, 0], [0, 0, 0, 1]], float)
    data = Dataset("toy", "multilabel", X, np.ones((5, 1), bool), tuple("abcd"), ("y",))
    table = candidates({"Toy": data}, {"Toy": [Split(0, 0, np.arange(3), np.array([3, 4]))]})
    assert table.rows == [("Toy", 3, 2, 4, "1", "1.333333")]


def test_rows_that_can_be_one_prediction_and_rows_that_cannot():
    """On the two test rows, of one label each, one method may be right on one; the other has an F1 without hits. A
    method that lacks a number is left out."""
    values = {
        "mlknn": {"hamming_loss": "0.500", "micro_f1": "0.500", "example_accuracy": "0.500", "example_f1": "0.500"},
        "br-smo": {"hamming_loss": "0.500", "micro_f1": "0.000", "example_accuracy": "0.500", "example_f1": "0.500"},
        "iblr-ml": {"hamming_loss": "0.500", "micro_f1": "0.500", "example_accuracy": "0.500", "example_f1": ""},
    }
    published = [
        Published("table2", "Toy", method, metric, "", value, "")
        for method, row in values.items()
        for metric, value in row.items()
    ]
    part = np.array([TRAIN, TEST, TEST])
    data = Dataset("toy", "multilabel", np.eye(3), np.eye(3, 2) > 0, tuple("abc"), ("y", "z"), part=part)
    data.Y[2, 0] = True
    table = one_prediction({"toy": data}, published)
    found = {row[1]: (row[2], row[-1]) for row in table.rows}
    assert found == {"mlknn": ("0.5", 1), "br-smo": ("0", 0)}


def test_the_figure_has_points_lines_and_the_extrapolated():
    table = scale(MEASURED, SWEEPS)
    figure, growth = draw_scale(table, TITLES), fit_growth(MEASURED[:4], 0.01)
    assert (table.header, len(table.rows)) == (COLUMNS, 4 + 2 + 3), "what is measured, and twice what is not"
    seconds, memory = figure.axes
    filled = [line for line in seconds.lines if line.get_linestyle() == "None" and line.get_fillstyle() == "full"]
    hollow = [line for line in seconds.lines if line.get_fillstyle() == "none"]
    np.testing.assert_allclose(filled[0].get_xydata(), [(s, 100 * s**2 + 5 * s) for s in (0.001, *SCALES)])
    assert len(filled) == 2
    assert [line.get_ydata()[0] for line in hollow] == pytest.approx([growth.total.full, 105])
    fitted = [line for line in memory.lines if line.get_linestyle() == "--"]
    assert fitted[0].get_ydata()[-1] == pytest.approx(4.2), "the line ends at the full shape"
    assert [text.get_text() for text in memory.texts] == ["4.2 GB", "4.2 GB"], "of both, one of them measured"
    assert "3 measured scales from 0.01 to 0.16; hollow: extrapolated" in figure.get_suptitle()


def test_a_measured_full_shape_is_a_filled_point_at_the_end_of_a_dashed_line():
    whole = measurement(1, instance_search=300.0)
    sweeps = {**SWEEPS, "wiki-lshtc": {**SWEEPS["wiki-lshtc"], "fit_to": 0.5}}
    table = scale([*MEASURED, whole], sweeps)
    figure, growth = draw_scale(table, TITLES), fit_growth(MEASURED[:4], 0.01)
    assert len(table.rows) == 5 + 2 + 3
    for axes, measured, law in zip(figure.axes, (305, 4.2), (growth.total.full, 4.2), strict=True):
        assert not [line for line in axes.lines if line.get_fillstyle() == "none"]
        points, dashed = axes.lines[0], next(line for line in axes.lines if line.get_linestyle() == "--")
        np.testing.assert_allclose(points.get_xydata()[-1], (1, measured))
        np.testing.assert_allclose(dashed.get_xydata()[-1], (1, law))
    assert figure.axes[0].texts[0].get_text() == "5.1 min"
    assert "3 measured scales from 0.01 to 0.16; dashed: extrapolated" in figure.get_suptitle()


@pytest.mark.parametrize(("seconds", "text"), [(3.04, "3 s"), (89, "89 s"), (91, "1.5 min"), (5400, "1.5 h")])
def test_durations_are_readable(seconds, text):
    assert duration(seconds) == text
