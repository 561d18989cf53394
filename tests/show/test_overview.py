"""Figures over all papers: what goes into which panel, and that the scorecard has a mark for every printed number."""

import numpy as np
import pytest
from matplotlib.patches import PathPatch

from labelknn_papers.judge.comparison import Comparison
from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.judge.overview import COUNTS, KINDS, PROBABILITIES, SCORES, SIZES, Pair, pairs
from labelknn_papers.judge.verdict import VERDICTS
from labelknn_papers.plan.cells import Published, Target
from labelknn_papers.show.contents import PICTURES, as_rst
from labelknn_papers.show.figures import picture_of, save_figure, spread
from labelknn_papers.show.overview import agreement_table, draw_agreement
from labelknn_papers.show.scorecard import draw_scorecard, scorecard_table


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
    def pair(kind, *place):
        *where, published, ours = place
        return Pair(kind, *where, "", published, ours)

    assert pairs(papers) == [
        *[pair(SCORES, "first", "table1", "yeast", "knn", "hamming_loss", 0.5, 0.4)] * 4,
        pair(COUNTS, "second", "table1", "yeast", "", "labels", 14.0, 14.0),
        pair(SIZES, "second", "table2", "yeast", "knn", "average_rank", 1.5, 2.0),
        pair(PROBABILITIES, "second", "table2", "yeast", "knn", "p_value", 0.05, 0.03),
    ]


def test_every_panel_shows_the_line_of_equal_values_across_all_of_it(papers):
    figure = draw_agreement(agreement_table(papers), {})
    assert [axes.get_title() for axes in figure.axes] == [
        f"{kind} ({len(agreement_table(papers).records(kind=kind))})" for kind in KINDS
    ]
    for axes in figure.axes:
        identity = axes.lines[0].get_xydata()
        assert (identity[:, 0] == identity[:, 1]).all()
        assert tuple(identity[:, 0]) == axes.get_xlim() == axes.get_ylim()


def test_the_scorecard_has_one_square_for_each_printed_number(papers):
    (axes,) = draw_scorecard(scorecard_table(papers), TITLES).axes
    outlines = [patch for patch in axes.patches if isinstance(patch, PathPatch) and not patch.get_fill()]
    squares = sum(len(patch.get_path().to_polygons(closed_only=True)) for patch in outlines)
    legend = len(VERDICTS)
    assert squares == 9 + legend
    texts = [text.get_text() for text in axes.texts]
    assert texts[:4] == ["3 matches", "3 close", "0 explained", "2 differs"]
    assert "first   3 of 4 numbers match or are close, 1 not run" in texts


def test_the_table_is_the_scorecard_and_the_verdicts_stand_in_their_order(papers):
    table = scorecard_table(papers)
    assert table.header == ("paper", "table", "cells", *(verdict.replace(" ", "_") for verdict in VERDICTS))
    assert table.records(paper="first")[0]["close"] == 2


@pytest.mark.parametrize("content", ["all", "nothing"])
def test_the_same_numbers_give_the_same_bytes_in_every_format(papers, tmp_path, content):
    shown = papers if content == "all" else {}
    for draw in (
        lambda: picture_of(agreement_table(shown), lambda table: draw_agreement(table, {}), "nothing"),
        lambda: draw_scorecard(scorecard_table(shown), TITLES),
    ):
        for suffix in PICTURES:
            paths = [tmp_path / f"{turn}.{suffix}" for turn in (1, 2)]
            for path in paths:
                save_figure(draw(), [path])
            assert paths[0].read_bytes() == paths[1].read_bytes(), suffix


def test_labels_are_spread_as_little_as_need_be():
    assert spread([0.9, 0.1], 0.2) == [0.9, 0.1]
    assert spread([0.5, 0.5], 0.2) == pytest.approx([0.4, 0.6])
    assert spread([0.0, 0.3, 0.31, 0.32], 0.1) == pytest.approx([0.0, 0.21, 0.31, 0.41])
    assert spread([], 0.1) == []
    assert spread([0.95, 0.99, 0.1], 0.2, 0, 1) == pytest.approx([0.8, 1.0, 0.1])
    assert spread([0.02, 0.99, 0.01], 0.2, 0, 1) == pytest.approx([0.2, 0.99, 0.0])
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
