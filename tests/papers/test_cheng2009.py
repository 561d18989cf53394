"""cheng2009's figures: what their tables have, and that the pictures show it."""

import numpy as np
import pytest

from labelknn.datasets._container import Dataset
from labelknn.ranking import LRT
from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.judge.reliability import KEPT
from labelknn_papers.judge.reliability import reliability as reliability_of
from labelknn_papers.papers import cheng2009
from labelknn_papers.plan.cells import Published
from labelknn_papers.plan.protocol import Split


@pytest.fixture
def data():
    ranks = np.tile([1, 2, 3], (40, 1))
    return Dataset("toy", "ranking", np.arange(40.0)[:, None], ranks, ("x",), tuple("abc"))


def claims(reliabilities, right):
    """Predictions for all rows: the right ranking, or the reverse."""
    ranks = np.where(np.array(right)[:, None], [1, 2, 3], [3, 2, 1])
    return {(0, 0, "missing=0.0"): {"ranks": ranks, "reliability": np.array(reliabilities, float)}}


def test_honest_claims_correlate_and_the_kept_are_the_best(data):
    split = [Split(0, 0, np.array([], int), np.arange(40))]
    right = np.arange(40) < 10
    found = reliability_of(data, split, claims(np.where(right, 1.0, 0.5), right))
    assert found.correlation == pytest.approx(1)
    assert found.tau_of_kept[0] == 1
    assert found.tau_of_kept[-1] == pytest.approx((10 - 30) / 40)
    assert (np.diff(found.tau_of_kept) <= 0).all()
    assert reliability_of(data, split, claims(np.where(right, 0.5, 1.0), right)).correlation == pytest.approx(-1)


def test_the_table_of_reliabilities_is_of_complete_rankings(data):
    split = {"toy": [Split(0, 0, np.array([], int), np.arange(40))]}
    right = np.arange(40) < 10
    predictions = claims(np.where(right, 1.0, 0.5), right)
    predictions[0, 0, "missing=0.3"] = claims(np.where(right, 0.5, 1.0), right)[0, 0, "missing=0.0"]
    table = cheng2009.reliability({"toy": data}, split, {("toy", "iblr"): predictions})
    assert table.header[:6] == ("dataset", "method", "correlation", "tau", "tau_of_most_reliable", "tau_of_0.05")
    (row,) = table.rows
    assert row[:2] == ("toy", "iblr")
    assert row[2:6] == pytest.approx((1.0, -0.5, 1.0, 1.0)), "ten of 40 are right; the best fifth are among them"
    (axes,) = cheng2009.draw_reliability(table, {"iblr": "IBLR"}).axes
    assert axes.get_title() == "IBLR"
    np.testing.assert_array_equal(axes.lines[0].get_xydata(), np.column_stack([KEPT, row[5:]]))
    assert [text.get_text() for text in axes.texts] == ["toy"]


def test_curves_are_drawn_with_their_bands():
    rates = {(f"missing={rate}", "kendall_tau"): Estimate(0.9 - rate, 0.01) for rate in (0.5, 0.0)}
    table = cheng2009.learning_curves({("toy", "cc"): rates | {("missing=0.0", "spearman"): Estimate(0.1)}})
    assert table.rows == [("toy", "cc", 0.5, 0.4, 0.01), ("toy", "cc", 0.0, 0.9, 0.01)]
    for draw in (cheng2009.draw_learning_curve, cheng2009.draw_learning_curves):
        (axes,) = draw(table, {}).axes
        np.testing.assert_array_equal(axes.lines[0].get_xydata(), [(0, 0.9), (0.5, 0.4)])
        (band,) = axes.collections
        assert band.get_paths()[0].get_extents().y1 == pytest.approx(0.9 + 1.96 * 0.01)


def test_a_picture_of_a_tree_is_that_of_the_model():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    Y = np.argsort(np.argsort(-X @ rng.normal(size=(3, 4)), axis=1), axis=1) + 1
    data = Dataset("toy", "ranking", X, Y, ("u", "v", "w"), tuple("abcd"))
    table = cheng2009.iris_tree({"toy": data}).rounded()
    (axes,) = cheng2009.draw_iris_tree(table, {}).axes
    expected = LRT().fit(X, Y).plot(data.feature_names, data.label_names)
    assert len(table.rows) > 3
    assert [text.get_text() for text in axes.texts] == [text.get_text() for text in expected.texts]


def test_without_data_there_are_no_rows():
    tables = [
        cheng2009.learning_curve({}),
        cheng2009.reliability({}, {}, {}),
        cheng2009.iris_tree({}),
        cheng2009.generated_rankings({}, {}),
        cheng2009.naive_bayes_ingredients({}, {}),
    ]
    assert [list(table.rows) for table in tables] == [[]] * 5
    assert all(table.header for table in tables)


def printed(method, metric, values):
    """Numbers of Table 2, by data set and share of missing labels."""
    return [
        Published("table2", dataset, method, metric, f"missing={rate}", text, "")
        for (dataset, rate), text in values.items()
    ]


def taus(**means):
    return {(f"missing={rate[1]}.{rate[2]}", "kendall_tau"): Estimate(mean, 0.01) for rate, mean in means.items()}


def test_of_two_validations_the_nearer_is_counted():
    published = printed("iblr", "kendall_tau", {("one", 0.0): "0.9", ("one", 0.6): "0.8", ("two", 0.6): "0.5"})
    scores = {
        ("one", "iblr"): taus(r00=0.9, r06=0.7),
        ("one", "iblr-complete-k"): taus(r00=0.9, r06=0.75),
        ("two", "iblr"): taus(r06=0.51),
        ("two", "iblr-complete-k"): taus(r06=0.53),
    }
    table = cheng2009.validation(scores, published)
    assert table.rows == [
        ("one", "missing=0.6", "0.8", "0.7", "0.75", 1),
        ("two", "missing=0.6", "0.5", "0.51", "0.53", 0),
        ("all", "missing=0.6", "", "0.055", "0.04", 1),
    ]


def test_the_nearest_tree_sizes_come_first():
    """Ten and six leaves; C4.5 has 5 on the top label, 2 on the bottom one, 3 on incomplete rankings."""
    published = printed("lrt", "relative_tree_size", {("one", 0.0): "2.0", ("one", 0.6): "2.0"})
    complete, incomplete = ((f"missing={rate}", "leaves") for rate in (0.0, 0.6))
    scores = {
        ("one", "lrt"): {complete: Estimate(10, 0.1), incomplete: Estimate(6, 0.1)},
        ("one", "classification-trees"): {
            ("missing=0.0", "top_label_2"): Estimate(5),
            ("missing=0.0", "bottom_label"): Estimate(2),
            ("missing=0.6", "incomplete_top_label"): Estimate(3),
        },
    }
    rows = {row[2]: row[3:] for row in cheng2009.tree_sizes(scores, published).rows}
    assert next(iter(rows)) == "incomplete_top_label;leaves", "10 / 5 and 6 / 3 are what is printed"
    assert rows["incomplete_top_label;leaves"] == ("0", 2, 0)
    assert rows["top_label_2;leaves"] == (f"{np.log(2 / 1.2) / 2:.6f}".rstrip("0"), 1, 0)
    # Of inner nodes there are 9 and 5 against 4 and 4: 2.25 and 1.25 times as many.
    assert float(rows["top_label_2;inner nodes"][0]) == pytest.approx(np.log(2.25 / 2 * 2 / 1.25) / 2, abs=1e-6)


def test_data_sets_on_which_methods_change_places():
    values = {"one": ("0.9", "0.8", "0.7"), "two": ("0.5", "0.6", "0.4")}
    published, scores = [], {}
    for dataset, texts in values.items():
        for method, form, text, ours in zip(
            ("cc", "iblr", "lrt"), ("cc", "our-iblr", "lrt"), texts, (0.9, 0.8, 0.7), strict=True
        ):
            published += printed(method, "kendall_tau", {(dataset, 0.0): text})
            scores[dataset, form] = taus(r00=ours)
    assert cheng2009.places(scores, published).rows == [
        ("two", "missing=0.0", "2", "1", "3", "1", "2", "3", 1),
        ("all", "missing=0.0", "1.5", "1.5", "3", "1", "2", "3", 1),
    ]


def test_without_scores_the_tables_are_empty():
    for function in (cheng2009.validation, cheng2009.tree_sizes, cheng2009.places):
        assert function({}, printed("iblr", "kendall_tau", {("one", 0.6): "0.8"})).rows == []
