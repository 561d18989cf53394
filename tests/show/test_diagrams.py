"""Critical-difference diagrams: which methods share a bar, and that everything drawn can be read."""

from math import nan

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn_papers.judge.significance import compare_methods
from labelknn_papers.plan.cells import LEFT_OUT, Published, Target
from labelknn_papers.show.diagrams import critical_difference_panels, groups, rank_table, why_no_ranks
from labelknn_papers.show.figures import save_figure

# Ranks 1 2 3, 1 3 2, 1 2 3, 2 1 3: their sums are 5, 8 and 11.
SMALL = np.array([[0.9, 0.8, 0.7], [0.8, 0.5, 0.6], [0.7, 0.4, 0.1], [0.5, 0.6, 0.3]])

quickly = settings(max_examples=40, deadline=None)


def test_groups_worked_by_hand():
    def of(ranks, difference):
        return [group.tolist() for group in groups(ranks, difference)]

    assert of([1.5, 2.19, 2.31], 0.7256) == [[0, 1], [1, 2]]
    assert of([2.25, 1.44, 2.31], 0.7256) == [[0, 2]]
    assert of([1, 2, 3], 0.5) == []
    assert of([3, 2, 1], 5) == [[2, 1, 0]]
    assert of([1, 2, 3], 1) == []  # the critical difference itself is a difference


@quickly
@given(st.lists(st.integers(4, 24).map(lambda quarter: quarter / 4), min_size=2, max_size=7), st.floats(0.1, 6))
def test_groups_hold_every_pair_that_does_not_differ_and_no_other(ranks, difference):
    found = [set(group.tolist()) for group in groups(ranks, difference)]
    together = {(i, j) for group in found for i in group for j in group if i < j}
    assert together == {
        (i, j) for i in range(len(ranks)) for j in range(i + 1, len(ranks)) if abs(ranks[i] - ranks[j]) < difference
    }
    assert not any(one < other for one in found for other in found)


def drawn_texts(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts if text.get_text()]


def test_diagram_names_ranks_and_critical_difference(tmp_path):
    def draw():
        return critical_difference_panels({"small": compare_methods(SMALL, ["first", "second", "third"])}, 0.10)

    figure = draw()
    # Three methods on four data sets: 2.052 · √(3 · 4 / (6 · 4)).
    assert {"first  1.25", "second  2.00", "2.75  third", "CD = 1.45"} <= set(drawn_texts(figure))
    assert figure.axes[0].get_title(loc="left") == "small (Friedman: F = 3.86, p = 0.084)"
    save_figure(figure, [tmp_path / "once.svg", tmp_path / "once.png"])
    save_figure(draw(), [tmp_path / "again.svg", tmp_path / "again.png"])
    for suffix in ("svg", "png"):
        assert (tmp_path / f"once.{suffix}").read_bytes() == (tmp_path / f"again.{suffix}").read_bytes()


def test_texts_of_a_crowded_diagram_stay_inside_and_apart():
    values = np.random.default_rng(0).normal(np.linspace(0, 2, 9), size=(20, 9))
    names = [f"a method called {i}" for i in range(9)]
    figure = critical_difference_panels({"": compare_methods(values, names)}, 0.10)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert len(boxes) == 9 + 9 + 1
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)
    assert all(figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1 for box in boxes)
    assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])


def test_panels_show_each_table_and_say_what_is_missing():
    names = ["a", "b", "c"]
    tables = {"full": SMALL, "empty": [[1, 2, nan]]}
    found = {title: compare_methods(values, names) for title, values in tables.items()}
    figure = critical_difference_panels(found, 0.10)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["full (Friedman: F = 3.86, p = 0.084)", "empty"]
    assert [text.get_text() for text in figure.axes[1].texts] == ["too few values to compare"]
    assert "a  1.25" in drawn_texts(figure)


def test_the_table_beside_a_diagram_has_what_it_shows():
    table = rank_table({"small": compare_methods(SMALL, ["a", "b", "c"]), "empty": None}).rounded()
    assert [(row["method"], row["average_rank"]) for row in table.records(diagram="small")] == [
        ("a", 1.25),
        ("b", 2.0),
        ("c", 2.75),
    ]
    shown = {(row["level"], row["friedman_f"], round(row["critical_difference"], 2)) for row in table.records()}
    assert shown == {(0.1, 3.857143, 1.45)}
    assert table.values("diagram") == ["small"]


def of_table(dataset, left_out=False):
    number = Published("table1", "d", "m", "x", "", "1", "")
    return Target(number, "x", None if left_out else dataset, left_out=left_out)


def test_an_empty_diagram_says_why():
    unreached = {"yeast": "source unreachable"}
    assert why_no_ranks([of_table("yeast"), of_table("scene", left_out=True)], "table1", unreached) == LEFT_OUT
    assert why_no_ranks([of_table("yeast"), of_table("scene")], "table1", unreached) == "source unreachable"
    assert why_no_ranks([of_table("scene"), of_table(None)], "table1", unreached) == "too few data sets to compare"
