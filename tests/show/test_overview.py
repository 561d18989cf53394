"""Figures over all papers: what goes into which panel, and that the scorecard has a mark for every printed number."""

import numpy as np
import pytest
from matplotlib.patches import PathPatch

from labelknn_papers.judge.comparison import Comparison
from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.judge.overview import COUNTS, PROBABILITIES, SCORES, SIZES, Pair, pairs
from labelknn_papers.papers.cheng2009 import spread
from labelknn_papers.plan.cells import Published, Target
from labelknn_papers.show.contents import PICTURES, as_rst
from labelknn_papers.show.figures import save_figure
from labelknn_papers.show.overview import draw_agreement
from labelknn_papers.show.scorecard import draw_scorecard


def number(metric, printed="0.5", ours=0.4, verdict="differs", method="knn", table="table1"):
    target = Target(Published(table, "yeast", method, metric, "", printed, ""), metric, "yeast")
    return Comparison(target, None if ours is None else Estimate(ours), verdict=verdict)


@pytest.fixture
def papers():
    scores = [number("hamming_loss", verdict=verdict) for verdict in ("matches", "close", "differs", "close")]
    return {
        "first": [
            *scores,
            number("one_error", ours=None, verdict="not run"),
            number("one_error", printed="", verdict=""),
        ],
        "second": [
            number("labels", "14", 14.0, "matches", method=""),
            number("average_rank", "1.5", 2.0, table="table2"),
            number("p_value", "0.05", 0.03, "matches", table="table2"),
            number("runtime_seconds", "12", None, "close", table="table2"),
        ],
    }


TITLES = {("first", "table1"): "Table 1", ("second", "table1"): "Table 1", ("second", "table2"): "Table 2"}


def test_numbers_of_one_scale_share_a_panel_and_what_has_no_value_is_left_out(papers):
    assert pairs(papers) == {
        SCORES: [Pair("first", 0.5, 0.4)] * 4,
        PROBABILITIES: [Pair("second", 0.05, 0.03)],
        SIZES: [Pair("second", 1.5, 2.0)],
        COUNTS: [Pair("second", 14.0, 14.0)],
    }


def test_every_panel_shows_the_line_of_equal_values_across_all_of_it(papers):
    figure = draw_agreement(papers)
    assert [axes.get_title() for axes in figure.axes] == [
        f"{kind} ({len(found)})" for kind, found in pairs(papers).items()
    ]
    for axes in figure.axes:
        identity = axes.lines[0].get_xydata()
        assert (identity[:, 0] == identity[:, 1]).all()
        assert tuple(identity[:, 0]) == axes.get_xlim() == axes.get_ylim()


def test_the_scorecard_has_one_square_for_each_printed_number(papers):
    (axes,) = draw_scorecard(papers, TITLES).axes
    outlines = [patch for patch in axes.patches if isinstance(patch, PathPatch) and not patch.get_fill()]
    squares = sum(len(patch.get_path().to_polygons(closed_only=True)) for patch in outlines)
    legend = 5
    assert squares == 9 + legend
    texts = [text.get_text() for text in axes.texts]
    assert texts[:4] == ["3 matches", "3 close", "0 explained", "2 differs"]
    assert "first   3 of 4 numbers match or are close, 1 not run" in texts


@pytest.mark.parametrize("content", ["all", "nothing"])
def test_the_same_numbers_give_the_same_bytes_in_every_format(papers, tmp_path, content):
    shown = papers if content == "all" else {}
    for draw in (draw_agreement, lambda numbers: draw_scorecard(numbers, TITLES)):
        for suffix in PICTURES:
            paths = [tmp_path / f"{turn}.{suffix}" for turn in (1, 2)]
            for path in paths:
                save_figure(draw(shown), [path])
            assert paths[0].read_bytes() == paths[1].read_bytes(), suffix


def test_labels_are_spread_as_little_as_need_be():
    assert spread([0.9, 0.1], 0.2) == [0.9, 0.1]
    assert spread([0.5, 0.5], 0.2) == pytest.approx([0.4, 0.6])
    assert spread([0.0, 0.3, 0.31, 0.32], 0.1) == pytest.approx([0.0, 0.21, 0.31, 0.41])
    assert spread([], 0.1) == []
    heights = np.random.default_rng(0).random(30)
    places = np.array(spread(list(heights), 0.02))
    order = np.argsort(heights)
    assert (np.diff(places[order]) >= 0.02 - 1e-12).all()
    assert places.mean() == pytest.approx(heights.mean())


def test_captions_are_plain_text():
    assert (
        as_rst("Table 1", "a_b *c* {{ d }} `e`\n")
        == "{% raw %}**Table 1.** a\\_b \\*c\\* {{ d }} \\`e\\`{% endraw %}\n"
    )
