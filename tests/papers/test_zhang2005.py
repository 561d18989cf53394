"""zhang2005's figures: what their tables have, and that the pictures show it."""

import numpy as np

from labelknn.datasets._container import TEST, TRAIN, Dataset
from labelknn.multilabel import ADTBoostMH
from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.papers.zhang2005 import (
    MEASURES,
    adtree,
    curves_of,
    draw_adtree,
    draw_iterations,
    draw_rounds,
    iterations,
    rounds,
    row_tests,
)
from labelknn_papers.plan.cells import Published
from labelknn_papers.plan.protocol import Split

NUMBERS = (1000, 1, 30)
SCORES = {
    ("yeast", "boostexter"): {
        (f"rounds={number}", metric): Estimate(1 / number) for number in NUMBERS for metric in (*MEASURES, "rmse")
    }
}
PUBLISHED = [
    Published("table2", "yeast", "boostexter", "hamming_loss", "", "0.237", ""),
    Published("table2", "yeast", "boostexter", "coverage", "", "", "N/A"),
    Published("table2", "yeast", "rank-svm", "one_error", "", "0.1", ""),
]


def test_curves_are_by_measure_and_number():
    curves = curves_of(SCORES)
    assert list(curves) == list(MEASURES)
    assert curves["coverage"] == [(1, 1.0), (30, 1 / 30), (1000, 1 / 1000)]


def test_panels_have_the_curve_and_the_printed_number():
    table = rounds(SCORES, PUBLISHED)
    assert [row for row in table.rows if row[1] != "ours"] == [("hamming_loss", "as printed", "", 0.237)]
    panels = draw_rounds(table, {}).axes
    assert len(panels) == 5
    np.testing.assert_allclose(panels[0].lines[0].get_xydata(), [[1, 1], [30, 1 / 30], [1000, 1 / 1000]])
    assert list(panels[0].lines[1].get_ydata()) == [0.237, 0.237]
    assert all(len(axes.lines) == 1 for axes in panels[1:]), "nothing is printed for these"
    assert [axes.get_title()[-1] for axes in panels] == list("↓↓↓↓↑")


def test_iterations_are_drawn_beside_rank_svm():
    scores = {
        ("yeast", "rank-svm-frank-wolfe"): {
            (f"iterations={number}", metric): Estimate(1 / number) for number in (50, 5) for metric in MEASURES
        }
    }
    table = iterations(scores, PUBLISHED)
    assert table.header == ("metric", "source", "iterations", "value")
    panels = draw_iterations(table, {}).axes
    np.testing.assert_allclose(panels[1].lines[0].get_xydata(), [[5, 1 / 5], [50, 1 / 50]])
    assert list(panels[1].lines[1].get_ydata()) == [0.1, 0.1]
    assert all(len(axes.lines) == 1 for number, axes in enumerate(panels) if number != 1)


def test_the_tree_is_that_of_the_training_rows():
    """On the training rows the first feature tells everything, on all rows the second does."""
    part = np.repeat([TRAIN, TEST], [20, 60])
    Y = np.tile([0, 1], 40)[:, None]
    noise = np.random.default_rng(0).random(80)
    first, second = np.where(part == TRAIN, Y[:, 0], noise), np.where(part == TEST, Y[:, 0], noise)
    data = Dataset("toy", "multilabel", np.column_stack([first, second]), Y == 1, ("a", "b"), ("label",), part=part)
    table = adtree({"toy": data})
    assert table.header == ("node", "above", "feature", "sign", "threshold", "label")
    assert table.rows[1][:5] == (1, 0, "a", "<=", 0.5)
    questions = [text.get_text() for text in draw_adtree(table, {}).axes[0].texts]
    assert questions[:2] == ["root", "(1) a ≤ 0.5"]


def test_rows_are_tested_one_way_for_each_pair_of_settings():
    """On every row ML-kNN with k = 7 is right and Rank-SVM is wrong; BoosTexter counts after 1,000 rounds only."""
    truth = np.tile([[1, 0], [0, 1]], (10, 1)) == 1
    data = Dataset("yeast", "multilabel", np.zeros((20, 1)), truth, ("x",), ("a", "b"))
    right, wrong = ({"sets": sets, "scores": sets.astype(float)} for sets in (truth, ~truth))
    predictions = {
        ("yeast", "mlknn-k6-9"): {(0, 0, "k=6"): wrong, (0, 0, "k=7"): right},
        ("yeast", "rank-svm"): {(0, 0, ""): wrong},
        ("yeast", "boostexter"): {(0, 0, "rounds=10"): right, (0, 0, "rounds=1000"): wrong},
    }
    splits = {"yeast": [Split(0, 0, np.array([], int), np.arange(20))]}
    table = row_tests({"yeast": data}, splits, predictions)
    found = {(method, setting): list(map(float, ps)) for _, method, setting, *ps in table.rows}
    assert len(found) == 4 * 3
    assert max(found["mlknn-k6-9", "k=7 against rank-svm"]) < 1e-4
    assert found["mlknn-k6-9", "k=7 against k=6"] == found["mlknn-k6-9", "k=7 against boostexter"]
    assert min(found["rank-svm", "against k=7"]) > 0.999
    assert found["rank-svm", "against boostexter"] == [0.5] * 5


def test_a_picture_of_a_tree_is_that_of_the_model():
    """All questions and votes are in the table."""
    X = np.random.default_rng(2).normal(size=(60, 3))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] * X[:, 2] > 0])
    names = ("u", "v", "w"), ("a", "b")
    data = Dataset("toy", "multilabel", X, Y, *names, part=np.full(60, TRAIN))
    drawn = draw_adtree(adtree({"toy": data}).rounded(), {})
    model = ADTBoostMH().fit(X, Y).plot(*names)
    texts, expected = ([text.get_text() for text in one.axes[0].texts] for one in (drawn, model))
    assert texts == expected
    votes, of_model = (np.asarray(one.axes[1].images[0].get_array()) for one in (drawn, model))
    np.testing.assert_allclose(votes, of_model, atol=1e-6)


def test_without_data_there_are_no_rows():
    assert [rounds({}, PUBLISHED).rows, iterations({}, PUBLISHED).rows, adtree({}).rows] == [[], [], ()]
