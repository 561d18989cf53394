"""Accuracy against time: who is unbeaten, by hand."""

import pytest

from labelknn_papers.judge.outcomes import Outcome
from labelknn_papers.show.trade_off import draw_trade_off, table_rows, trade_off


def outcome(method, dataset, mean):
    return Outcome("hamming_loss", dataset, method, method.lower(), "", mean, None, None, 10, "")


LOSSES = {"Fast": (0.4, 0.3), "Best": (0.1, 0.1), "Slow": (0.2, 0.4), "Middle": (0.3, 0.2), "Absent": (0.05, None)}
SECONDS = {"Fast": (1, 1), "Best": (4, 9), "Slow": (100, 100), "Middle": (2, 2), "Absent": (1, 1)}


@pytest.fixture
def points():
    rows = [
        outcome(method, name, mean) for method, means in LOSSES.items() for name, mean in zip("ab", means, strict=True)
    ]
    seconds = {
        (name, method): value for method, both in SECONDS.items() for name, value in zip("ab", both, strict=True)
    }
    return trade_off(rows, "hamming_loss", ["a", "b"], seconds)


def test_ranks_times_and_who_is_unbeaten(points):
    # Ranks on a: Best, Slow, Middle, Fast; on b: Best, Middle, Fast, Slow. A method without a value is not there.
    assert [(p.method, p.average_rank, p.unbeaten) for p in points] == [
        ("Fast", 3.5, True),
        ("Middle", 2.5, True),
        ("Best", 1.0, True),
        ("Slow", 3.0, False),
    ]
    assert points[2].seconds == pytest.approx(6)  # the geometric mean of 4 and 9
    assert table_rows(points)[2] == ("hamming_loss", "Best", "6", "1.000", True)


def test_a_method_without_a_time_is_left_out():
    rows = [outcome(method, "a", mean) for method, mean in (("A", 0.1), ("B", 0.2), ("C", 0.3))]
    assert [p.method for p in trade_off(rows, "hamming_loss", ["a"], {("a", "A"): 1.0, ("a", "C"): 2.0})] == ["A", "C"]
    assert trade_off([], "hamming_loss", ["a"], {}) == []


def test_the_picture_names_every_method(points):
    (axes,) = draw_trade_off({"Hamming loss": points}).axes
    assert {text.get_text() for text in axes.texts} == {"Fast", "Best", "Slow", "Middle"}
    assert axes.get_ylim()[0] > axes.get_ylim()[1], "the best rank is on top"
    assert list(axes.lines[0].get_xdata()) == pytest.approx([1, 2, 6])
