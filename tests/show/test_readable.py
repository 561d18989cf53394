"""In every figure all texts lie apart and inside, also with many methods, long names and values that nearly agree."""

from itertools import pairwise
from math import inf

import matplotlib.pyplot as plt
import numpy as np
import pytest

from labelknn_papers.judge.growth import COLUMNS, MEASURED, growths_of, scale_rows
from labelknn_papers.judge.overview import KINDS, Pair
from labelknn_papers.judge.significance import compare_methods
from labelknn_papers.judge.verdict import VERDICTS
from labelknn_papers.papers import brinker2007, cheng2009, chiang2012, feremans2017, zhang2005
from labelknn_papers.show.contents import PICTURES
from labelknn_papers.show.diagrams import draw_ranks, rank_table
from labelknn_papers.show.draw import figure_function
from labelknn_papers.show.figures import Table, empty_figure, new_figure, save_figure
from labelknn_papers.show.overview import draw_agreement
from labelknn_papers.show.scorecard import draw_scorecard
from labelknn_papers.show.style import COLOURS, SIGNS

from ..judge.test_growth import measurement
from .readable import faults

SETS = [f"a data set of many words, {number}" for number in range(18)]
SOME = SETS[:5]
METHODS = [f"a method with a long name {number}" for number in range(6)]
NAMES = {"brknn": "Binary relevance of nearest neighbours"}
RNG = np.random.default_rng(0)


def many(*values):
    """Curves that end at nearly the same height."""
    return [value + 1e-4 * place for place, value in enumerate(values)]


MATCHING = Table(("distance", "runner_up"), [(float(one), float(one + 20 + one % 7)) for one in range(0, 300, 3)])
GAP = Table(
    ("dataset", "method", "p", "hamming_loss"),
    [
        (dataset, method, p, loss)
        for dataset in SOME
        for place, method in enumerate(METHODS)
        for p, loss in zip((1.0, 60.0, inf), many(0.123456 + 1e-5 * place, 0.1234, 0.12), strict=True)
    ]
    + [(dataset, "brknn", "", 0.1234) for dataset in SOME],
)
CURVES = Table(
    ("dataset", "method", "missing", "kendall_tau", "se"),
    [
        (dataset, method, rate, 0.9 - rate**3 + 1e-3 * place, 0.02)
        for dataset in SETS
        for place, method in enumerate(METHODS)
        for rate in (0.0, 0.3, 0.6, 0.9)
    ],
)
CURVE = Table(CURVES.header, CURVES.rows[: 4 * len(METHODS)])
RELIABILITY = Table(
    ("dataset", "method", "correlation", "tau", "tau_of_most_reliable", *cheng2009.KEPT_COLUMNS),
    [
        (dataset, method, 0.5, 0.9 + 1e-4 * place, 0.95, *np.linspace(1, 0.9 + 1e-4 * place, 20))
        for method in METHODS[:3]
        for place, dataset in enumerate(SETS)
    ],
)
RANKINGS = Table(
    ("dataset", "type", "rows", "exact", "tau"),
    [(name, "AB"[place % 2], 10**place, 0.9, 0.95) for place, name in enumerate(SETS)],
)
INGREDIENTS = Table(
    ("dataset", "without", "exact", "tau"),
    [
        (dataset, name, 0.1 * place, 0.5)
        for place, name in enumerate(cheng2009.INGREDIENTS.values())
        for dataset in SETS
        if (dataset, place) != (SETS[0], 3)
    ],
)
TREE = Table(
    ("node", "left", "right", "feature", "threshold", "examples", "theta", "ranking"),
    [
        (0, 1, 2, "a long feature", -12345.678, 100, 0.1, "a > b > c > d > e"),
        (1, 3, 4, "another feature", 0.000012, 50, 0.2, "a > b > c > d > e"),
        *((node, "", "", "", "", 10, 12.5, "e > d > c > b > a") for node in (2, 3, 4)),
    ],
)
VOTES = Table(
    ("node", "above", "feature", "sign", "threshold", *(f"label {place}" for place in range(18))),
    [
        (0, "", "", "", "", *np.linspace(-3, 3, 18)),
        *((node, 0, "a long feature", sign, 0.123456, *np.linspace(-1, 1, 18)) for node, sign in ((1, "<="), (2, ">"))),
        *((node, 1, "another feature", sign, -0.5, *np.linspace(-1, 1, 18)) for node, sign in ((3, "<="), (4, ">"))),
    ],
)
ORACLES = Table(
    ("dataset", "method", "ratio", "half_width"),
    [
        (dataset, method, ratio * 10**place, 0.1)
        for place, dataset in enumerate(SOME)
        for method, ratio in zip(["oracle-1", "oracle-5", "brknn", *METHODS], np.linspace(1, 2, 9), strict=True)
    ],
)
WEIGHTS = Table(
    ("dataset", "order", "rank", "mean", "low", "high"),
    [
        (dataset, order, rank, 1 / rank, 0.9 / rank, 1.1 / rank)
        for dataset in SETS[:7]
        for order in ("re-ranked", "by distance", chiang2012.LINEAR)
        for rank in range(1, 31)
    ],
)
ROUNDS = Table(
    ("metric", "source", "rounds", "value"),
    [
        (metric, zhang2005.OURS, rounds, 0.123456 + 1e-6 * rounds)
        for metric in zhang2005.MEASURES
        for rounds in (1, 10, 1000, 10_000)
    ]
    + [(metric, zhang2005.PRINTED, "", 0.1234) for metric in zhang2005.MEASURES],
)
ITERATIONS = Table(
    ("metric", "source", "iterations", "value"),
    [(metric, zhang2005.OURS, number, 1 / number) for metric in zhang2005.MEASURES for number in (5, 10, 20, 35, 50)]
    + [(metric, zhang2005.PRINTED, "", 0.1234) for metric in zhang2005.MEASURES],
)
GROWTH = Table(COLUMNS, scale_rows(growths_of(
    dict(zip(COLUMNS, row, strict=True))
    for shape, last in (("wiki-lshtc", 0.16), ("wiki-10", 1))
    for row in feremans2017.measured_rows([measurement(scale, shape) for scale in (0.0001, 0.04, 0.05, last)], 0.04)
)))  # fmt: skip
DRAWN = {
    "brinker2007/matching": MATCHING,
    "brinker2007/gap": GAP,
    "cheng2009/learning_curve": CURVE,
    "cheng2009/learning_curves": CURVES,
    "cheng2009/reliability": RELIABILITY,
    "cheng2009/iris_tree": TREE,
    "cheng2009/generated_rankings": RANKINGS,
    "cheng2009/naive_bayes_ingredients": INGREDIENTS,
    "chiang2012/oracle_gap": ORACLES,
    "chiang2012/learned_weights": WEIGHTS,
    "feremans2017/scale": GROWTH,
    "zhang2005/rounds": ROUNDS,
    "zhang2005/iterations": ITERATIONS,
    "zhang2005/adtree": VOTES,
}


def first_rows(table):
    """Of the same figure with as little as it can have: one data set, and one method."""
    column = next((name for name in ("dataset", "metric") if name in table.header), None)
    if column is None:
        return table
    rows = [row for row in table.rows if row[list(table.header).index(column)] == table.values(column)[0]]
    return Table(table.header, rows)


def drawn(place, table):
    paper, _, figure = place.partition("/")
    return figure_function(paper, f"draw_{figure}")(table, NAMES)


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    plt.close("all")


def test_all_pictures_of_papers_are_looked_at():
    functions = {
        f"{module.__name__.rpartition('.')[2]}/{name.removeprefix('draw_')}"
        for module in (brinker2007, cheng2009, chiang2012, feremans2017, zhang2005)
        for name, one in vars(module).items()
        if name.startswith("draw_") and one.__module__ == module.__name__
    }
    assert functions == DRAWN.keys()


@pytest.mark.parametrize("place", DRAWN)
def test_a_papers_figure_can_be_read(place):
    assert faults(drawn(place, DRAWN[place])) == []
    assert faults(drawn(place, first_rows(DRAWN[place]))) == []


@pytest.mark.long
@pytest.mark.parametrize("place", DRAWN)
def test_a_papers_figure_is_the_same_bytes(place, tmp_path):
    for suffix in PICTURES:
        for turn in (1, 2):
            save_figure(drawn(place, first_rows(DRAWN[place])), [tmp_path / f"{turn}.{suffix}"])
        assert (tmp_path / f"1.{suffix}").read_bytes() == (tmp_path / f"2.{suffix}").read_bytes()


def agreement(spans):
    """Numbers of each kind between the ends of its span."""
    papers = [f"a paper of year {number}" for number in range(8)]
    rows = [
        Pair(kind, paper, "table1", "", "", "", "", low + (high - low) * share, low + (high - low) * share**1.1)
        for kind, (low, high) in spans.items()
        for paper in papers
        for share in (0.0, 0.3, 1.0)
    ]
    return draw_agreement(Table(Pair._fields, rows), {})


@pytest.mark.parametrize(
    "span", [(0.17, 7.2), (1e-4, 2e6), (1.2, 1.9), (0.00012, 0.00013), (0.9, 11), (1e3, 1e5), (-1.0, 1.0), (5.0, 5.0)]
)
def test_published_against_reproduced_can_be_read(span):
    assert faults(agreement(dict.fromkeys(KINDS, span))) == []
    assert faults(agreement({KINDS[2]: span})) == []


def test_the_scorecard_can_be_read():
    header = ("paper", "table", "cells", *(verdict.replace(" ", "_") for verdict in VERDICTS))
    rows = [(paper, table, 0, *[1234] * len(VERDICTS)) for paper in ("first", "second") for table in ("t1", "t2")]
    titles = {(paper, table): f"Table {table} with a long title" for paper, table, *_ in rows}
    assert faults(draw_scorecard(Table(header, rows), titles)) == []


@pytest.mark.parametrize("methods", [2, 3, 12, 45])
def test_a_diagram_of_ranks_can_be_read(methods):
    values = RNG.normal(np.linspace(0, 1, methods), size=(20, methods))
    names = [f"a method called {number}" for number in range(methods)]
    tests = {"Average ranks of all the methods there are": compare_methods(values, names), "second": None}
    assert faults(draw_ranks(rank_table(tests), {names[0]: "the first of all methods"}, list(tests), 0.1)) == []


def test_texts_that_overlap_or_are_cut_off_are_found():
    with new_figure(3, 2) as (figure, axes):
        axes.set_axis_off()
        axes.text(0.5, 0.5, "one")
        axes.text(0.51, 0.51, "another")
        axes.text(1.2, -0.5, "too far away")
    found = faults(figure)
    assert any("'one' and 'another' overlap" in one for one in found)
    assert "'too far away' is cut off" in found
    assert faults(empty_figure("left out of this run")) == []


def lightness(colour):
    """CIE L* of a colour."""
    linear = [
        one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4
        for one in plt.matplotlib.colors.to_rgb(colour)
    ]
    luminance = float(np.dot([0.2126, 0.7152, 0.0722], linear))
    return 116 * luminance ** (1 / 3) - 16


def test_colours_that_are_used_side_by_side_differ_in_grey():
    assert min(abs(lightness(one) - lightness(other)) for one, other in pairwise(COLOURS)) > 7


def test_every_verdict_has_a_sign_of_its_own():
    assert set(VERDICTS) <= SIGNS.keys()
    assert len({sign.fill for sign in SIGNS.values()}) == len(SIGNS)


def test_what_is_measured_is_marked_in_the_table_of_growth():
    assert {row["fitted"] for row in GROWTH.records(kind=MEASURED)} == {"yes", ""}
