"""The comparison of all methods: intervals, ranks, and a reason wherever there is no value."""

from math import nan, sqrt

import numpy as np
import pytest
from scipy import stats

from labelknn_papers.judge.outcomes import (
    as_markdown,
    compare_ranked,
    diagram_title,
    outcomes,
    rank,
    significance_rows,
    table_rows,
)
from labelknn_papers.plan.cells import Cell, Entry
from labelknn_papers.plan.comparisons import View
from labelknn_papers.plan.protocol import Protocol
from labelknn_papers.run.score import Score
from labelknn_papers.show.diagrams import critical_difference_panels

FOLDS = Protocol("cross-validation", folds=10)
COMPARISON = {"datasets": ["a", "b", "c"], "metrics": ["hamming_loss", "ranking_loss"], "level": 0.05}
LOSS, RANKING = View("hamming_loss", ""), View("ranking_loss", "")


def entry(method, dataset, setting="", condition=""):
    return Entry(method, Cell(FOLDS, dataset, method), setting, condition)


def scores(method, dataset, values, metric="hamming_loss", setting=""):
    return [Score(FOLDS.id, dataset, method, setting, 0, fold, metric, value) for fold, value in enumerate(values)]


@pytest.fixture
def rows():
    entries = [entry(method, dataset) for method in ("first", "second") for dataset in "ab"]
    entries += [entry("first", "c"), entry("second", "c")]
    entries += [entry("third", "a"), entry("third", "b", setting="k=2"), entry("third", "c")]
    found = [
        *scores("first", "a", np.arange(10) / 100),
        *scores("first", "b", [0.2] * 9 + [nan]),
        *scores("second", "a", [0.01, 0.02]),
        *scores("second", "b", [0.3]),
        *scores("third", "b", [0.5, 0.6], setting="k=1"),
        *scores("third", "b", [0.1, 0.2], setting="k=2"),
        *scores("first", "a", [0.4, 0.4], metric="ranking_loss"),
    ]
    stopped = {f"{FOLDS.id}/a/third": "a: too few rows"}
    return outcomes(entries, COMPARISON, found, stopped, {"c": "source unreachable"})


def test_a_method_with_several_outputs_says_so():
    found = scores("third", "a", [0.5, 0.6], setting="k=1") + scores("third", "a", [0.5, 0.6], setting="k=2")
    (one,) = outcomes([entry("third", "a")], COMPARISON | {"metrics": ["hamming_loss"]}, found, {}, {})
    assert one.note == "the method has several outputs: k=1, k=2"


def find(rows, metric, dataset, method):
    return next(one for one in rows if (one.metric, one.dataset, one.method) == (metric, dataset, method))


def test_every_place_has_a_value_or_a_reason(rows):
    assert len(rows) == 2 * 3 * 3
    for one in rows:
        assert (one.mean is None) == bool(one.note)
    assert find(rows, "hamming_loss", "a", "third").note == "a: too few rows"
    assert {find(rows, "hamming_loss", "c", name).note for name in ("first", "second")} == {"source unreachable"}
    assert find(rows, "ranking_loss", "b", "first").note == "the method gives no scores"
    assert find(rows, "hamming_loss", "b", "third").mean == pytest.approx(0.15), "the setting that was asked for"


def test_what_was_stopped_says_by_what():
    stopped = {f"{FOLDS.id}/a/slow": "more than 120 s"}
    row = outcomes([entry("slow", "a")], COMPARISON, [], stopped, {})[0]
    assert (row.mean, row.note) == (None, "more than 120 s")


def test_each_rate_of_missing_labels_is_apart():
    rates = ("missing=0.0", "missing=0.3")
    entries = [entry(name, dataset, rate, rate) for name in ("one", "two") for dataset in "ab" for rate in rates]
    found = [
        line
        for dataset in "ab"
        for line in [
            *scores("one", dataset, [0.1], setting=rates[0]),
            *scores("one", dataset, [0.4], setting=rates[1]),
            *scores("two", dataset, [0.2], setting=rates[0]),
            *scores("two", dataset, [0.3], setting=rates[1]),
        ]
    ]
    rows = outcomes(entries, COMPARISON, found, {}, {})
    complete, incomplete = (rank(rows, View("hamming_loss", rate)) for rate in rates)
    assert complete.table.values.tolist() == [[0.1, 0.2]] * 2
    assert incomplete.table.values.tolist() == [[0.4, 0.3]] * 2
    assert diagram_title(incomplete) == "Hamming loss, 30% of the labels missing, 2 data sets"


def test_the_interval_is_corrected_for_overlapping_training_sets(rows):
    one = find(rows, "hamming_loss", "a", "first")
    values = np.arange(10) / 100
    reach = stats.t.ppf(0.975, 9) * values.std(ddof=1) * sqrt(1 / 10 + 1 / 9)
    assert (one.mean, one.low, one.high) == pytest.approx((0.045, 0.045 - reach, 0.045 + reach))
    constant = find(rows, "hamming_loss", "b", "first")
    assert (constant.low, constant.high, constant.splits) == (pytest.approx(0.2), pytest.approx(0.2), 9)
    single = find(rows, "hamming_loss", "b", "second")
    assert (single.mean, single.low, single.high) == (0.3, None, None), "one split tells nothing about the spread"


def test_only_methods_and_data_sets_with_all_values_are_ranked(rows):
    ranked = rank(rows, LOSS)
    assert ranked.table.datasets == ["a", "b"]
    assert ranked.datasets_without == ["c"], "which nobody has"
    assert ranked.table.methods == ["first", "second"]
    assert ranked.table.values == pytest.approx(np.array([[0.045, 0.015], [0.2, 0.3]]))
    assert ranked.methods_without == ["third"]
    found = compare_ranked(ranked, 0.05)
    tests = significance_rows(ranked, found)
    assert ("hamming_loss", "", "average rank", 1.5, None, "first") in tests
    assert tests[-2:] == [
        ("hamming_loss", "", "not ranked", "", "", "third"),
        ("hamming_loss", "", "without the data set", "", "", "c"),
    ]
    diagram = critical_difference_panels({"": found}, 0.05)
    drawn = " ".join(text.get_text() for text in diagram.axes[0].texts)
    assert "first" in drawn
    assert "third" not in drawn


def test_lower_is_better_for_a_loss():
    entries = [entry(method, dataset) for method in ("good", "bad") for dataset in "ab"]
    found = [line for dataset in "ab" for line in scores("good", dataset, [0.1]) + scores("bad", dataset, [0.2])]
    rows = outcomes(entries, COMPARISON, found, {}, {})
    ranked = rank(rows, LOSS)
    tests = significance_rows(ranked, compare_ranked(ranked, 0.05))
    assert ("hamming_loss", "", "average rank", 1.0, None, "good") in tests


def test_a_metric_that_one_method_alone_has_leaves_its_place_empty(rows):
    ranked = rank(rows, RANKING)
    found = compare_ranked(ranked, 0.05)
    assert (ranked.table.methods, ranked.table.datasets) == (["first"], ["a"]), "the only value"
    tests = significance_rows(ranked, found)
    assert [line[2] for line in tests] == ["not ranked"] * 2 + ["without the data set"] * 2
    (axes,) = critical_difference_panels({diagram_title(ranked): found}, 0.05).axes
    assert "Ranking loss" in axes.get_title(loc="left")


def test_tables_show_the_best_and_what_is_missing(rows):
    text = as_markdown("Label sets", rows, 0.05)
    line = next(line for line in text.splitlines() if line.startswith("| second"))
    assert [cell.strip() for cell in line.split("|")[2:-1]][1:] == ["0.3000", "–"]
    assert "**0.0150**" in line
    assert "- third on a: a: too few rows" in text.splitlines()
    first = table_rows(rows)[0]
    assert first[:7] == ("hamming_loss", "", "a", "first", "first", "", "0.045000")
    assert len(first) == 11
