"""Accuracy against time, as a picture; who is unbeaten is tested beside `judge.seconds`."""

from itertools import combinations

import pytest

from labelknn_papers.judge.seconds import Point
from labelknn_papers.show.trade_off import draw_trade_off

POINTS = [
    Point("hamming_loss", "", *one)
    for one in (
        ("Fast", 1.0, 3.5, True),
        ("Middle", 2.0, 2.5, True),
        ("Best", 6.0, 1.0, True),
        ("Slow", 90.0, 3.0, False),
    )
]


def test_the_picture_names_every_method():
    (axes,) = draw_trade_off("Hamming loss", POINTS).axes
    assert {text.get_text() for text in axes.texts} == {"Fast", "Best", "Slow", "Middle"}
    assert axes.get_ylim()[0] > axes.get_ylim()[1], "the best rank is on top"
    assert list(axes.lines[0].get_xdata()) == pytest.approx([1, 2, 6])


def test_names_at_the_same_place_are_moved_apart():
    alike = [POINTS[0]._replace(method=f"method {number}") for number in range(4)]
    figure = draw_trade_off("Hamming loss", alike)
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    for first, second in combinations(boxes, 2):
        # A letter's height has room above and below it.
        height = min(first.y1, second.y1) - max(first.y0, second.y0)
        width = min(first.x1, second.x1) - max(first.x0, second.x0)
        assert width <= 0 or height <= 3 * figure.dpi / 72
    edge = figure.axes[0].get_window_extent().x0
    assert all(box.x0 > edge for box in boxes), "not over the axis"


def test_nothing_to_compare():
    (axes,) = draw_trade_off("Hamming loss", POINTS[:1]).axes
    assert [text.get_text() for text in axes.texts] == ["too few values to compare"]
