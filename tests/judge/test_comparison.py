"""Published numbers beside ours, on a paper of five numbers."""

import csv
from dataclasses import replace

import pytest

from labelknn.errors import DataError
from labelknn_papers.judge.comparison import compare, decimal, read_comparison, summarise, write_comparison
from labelknn_papers.judge.overview import scorecard
from labelknn_papers.plan.cells import Cell, Published, Target
from labelknn_papers.plan.protocol import Protocol
from labelknn_papers.run.score import Score
from labelknn_papers.show.tables import lay_out, write_tables

CELL = Cell(Protocol("cross-validation", 1, 2), "yeast", "mlknn")


def number(metric, printed, method="mlknn", dataset="yeast", setting="k=6", note=""):
    return Published("table1", dataset, method, metric, setting, printed, note)


TARGETS = [
    Target(number("hamming_loss", "0.197"), "hamming_loss", "yeast", CELL, "k=6"),
    Target(number("one_error", "0.500", note="a misprint"), "one_error", "yeast", CELL, "k=6"),
    Target(number("ranking_loss", ""), "ranking_loss", "yeast", CELL, "k=6"),
    Target(number("hamming_loss", "0.1", method="svm"), "hamming_loss", "yeast"),
    Target(number("hamming_loss", "0.1", dataset="audio"), "hamming_loss", "audio", CELL),
    Target(number("features", "103", method=""), "features", "yeast"),
]
SCORES = [
    Score("cv-1x2", "yeast", "mlknn", "k=6", 0, fold, metric, value)
    for metric, values in {"hamming_loss": (0.19, 0.21), "one_error": (0.2, 0.2), "ranking_loss": (0.1, 0.3)}.items()
    for fold, value in enumerate(values)
]
FACTS = {"yeast": {"features": 103}}
LAYOUT = {"rows": ["metric"], "columns": ["dataset", "method"]}


@pytest.fixture
def compared():
    return compare(TARGETS, SCORES, FACTS, {"audio": "never published"})


def test_each_number_gets_its_verdict(compared):
    assert [(one.verdict, one.reason) for one in compared] == [
        ("matches", ""),
        ("differs", ""),
        ("", ""),  # the paper prints N/A: ours is shown, there is nothing to judge
        ("not run", "not implemented yet"),
        ("not run", "never published"),
        ("matches", ""),
    ]
    assert compared[2].ours.mean == pytest.approx(0.2)


def shortened(values, first=5, **changes):
    """The comparison of the paper's numbers by the first of 50 splits, with the values of the Hamming loss there."""
    cell = replace(CELL, protocol=Protocol("cross-validation", 5, 10, first=first))
    scores = [
        Score(cell.protocol.id, "yeast", "mlknn", "k=6", 0, fold, "hamming_loss", value)
        for fold, value in enumerate(values)
    ]
    targets = [replace(TARGETS[0], cell=cell, **changes)]
    rank = Target(number("average_rank", "1.5", dataset="AVG", setting=""), "average_rank", None)
    return compare([*targets, rank], scores, FACTS, {})


def test_fewer_splits_than_the_papers_are_judged_by_their_own_error():
    """Five values with a standard error of .01: Student's t makes it .0142, so that a match may be off by .0283."""
    values = [0.2 + 0.01 * 5**0.5 * deviation for deviation in (-1.2649111, -0.6324555, 0, 0.6324555, 1.2649111)]
    one, rank = shortened(values, published=number("hamming_loss", "0.172"))
    assert one.ours.se == pytest.approx(0.01)
    assert one.tolerance == pytest.approx(2 * 0.01 * 2.7764 / 1.95996, rel=1e-4)
    assert (one.verdict, one.reason) == ("matches", "5 of 50 splits")
    assert (rank.ours, rank.verdict) == (None, "not run")
    (off, _) = shortened(values, published=number("hamming_loss", "0.120"))
    assert (off.verdict, off.reason) == ("differs", "5 of 50 splits")
    whole = compare([replace(TARGETS[0], published=number("hamming_loss", "0.172"))], SCORES, FACTS, {})
    assert whole[0].tolerance == pytest.approx(0.02), "of the paper's own protocol two standard errors, however few"


def test_one_random_split_of_the_papers_is_as_far_from_ours_as_two_of_ours():
    """Two folds of .19 and .21: standard error .01, standard deviation .01 · √2."""
    targets = [replace(TARGETS[0], published=number("hamming_loss", "0.225"))]
    (mean,) = compare(targets, SCORES, FACTS, {})
    (single,) = compare(targets, SCORES, FACTS, {}, one_split=True)
    assert (mean.verdict, single.verdict) == ("close", "matches")
    assert single.tolerance == pytest.approx(2 * 0.01 * 2**0.5)
    assert single.ours.se == pytest.approx(0.01)


def ranked_target(name, dataset, printed):
    published = number("hamming_loss", printed, name, dataset, "")
    return Target(published, "hamming_loss", dataset, replace(CELL, dataset=dataset, method=name))


RANKED = [
    *(ranked_target(name, *row) for row in (("yeast", "0.2"), ("audio", "0.3")) for name in ("mlknn", "svm")),
    Target(number("average_rank", "1.25", dataset="AVG", setting=""), "average_rank", None),
]


def ranked(targets=RANKED, first=0.19):
    values = {"mlknn": first, "svm": 0.2}
    scores = [Score("cv-1x2", "yeast", name, "", 0, 0, "hamming_loss", value) for name, value in values.items()]
    (*_, rank) = compare(targets, scores, {}, {"audio": "never published"})
    return rank


def test_an_average_without_what_nobody_has_is_compared_with_the_papers_own():
    """The printed values are equal, so that the paper's ranks without audio are 1.5."""
    assert (ranked().ours.mean, ranked().compared_with, ranked().verdict) == (1.0, 1.5, "differs")
    assert ranked().difference == -0.5
    assert ranked(first=0.2).verdict == "matches"
    assert ranked().reason == "An average without audio: by the paper's own values it is 1.50."
    left_out = [replace(one, left_out=one.published.dataset == "audio") for one in RANKED]
    assert (ranked(left_out).verdict, ranked(left_out).ours) == ("not run", None), "audio could be run"
    left_out[-1] = replace(left_out[-1], left_out=True)
    without = "without audio it is 1.00, and by the paper's own values 1.50"
    assert ranked(left_out).reason == without, "also where a filter of data sets leaves the average out"


def test_what_has_no_error_is_not_judged_by_fewer_splits():
    (one, _) = shortened([0.2])
    assert (one.ours, one.verdict, one.reason) == (None, "not run", "5 of 50 splits are too few to judge it")


def test_mean_and_standard_error_by_hand():
    """Two folds of .19 and .21: mean .2, standard deviation .01·√2, standard error .01."""
    estimate = summarise(SCORES)["cv-1x2", "yeast", "mlknn", "k=6", "hamming_loss"]
    assert estimate.mean == pytest.approx(0.2)
    assert estimate.se == pytest.approx(0.01)
    (single,) = summarise(SCORES[:1]).values()
    assert single.se is None


def test_a_split_without_a_value_is_left_out():
    scores = [*SCORES[:2], SCORES[0]._replace(fold=2, value=float("nan"))]
    assert summarise(scores) == summarise(SCORES[:2])
    assert summarise(scores[2:]) == {}


def test_the_file_has_one_row_per_place_of_the_tables(compared, tmp_path):
    write_comparison(tmp_path / "comparison.csv", compared)
    with (tmp_path / "comparison.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    header = "table dataset method metric setting published compared_with ours se difference tolerance verdict reason"
    assert rows[0] == header.split()
    assert len(rows) == 1 + 6
    assert rows[1][5:12] == ["0.197", "", "0.2", "0.01", "0.003", "0.02", "matches"]
    assert rows[3][5:] == ["", "", "0.2", "0.1", "", "", "", ""], "the paper prints N/A"
    assert rows[4][5:] == ["0.1", "", "", "", "", "", "not run", "not implemented yet"]


def test_what_was_written_is_read_again(compared, tmp_path):
    """To six decimals, which all of these numbers have."""
    write_comparison(tmp_path / "comparison.csv", compared)
    found = read_comparison(tmp_path / "comparison.csv", TARGETS)
    assert [one.row() for one in found] == [one.row() for one in compared]
    assert [one.target for one in found] == TARGETS
    assert [one.ours is None for one in found] == [one.ours is None for one in compared]
    assert found[5].ours.se is None


@pytest.mark.parametrize(
    "targets",
    [TARGETS[:-1], [*TARGETS[1:], TARGETS[0]], [*TARGETS[:-1], replace(TARGETS[-1], published=number("labels", "14"))]],
    ids=["fewer", "in another order", "another number"],
)
def test_a_file_of_other_tables_is_refused(compared, tmp_path, targets):
    write_comparison(tmp_path / "comparison.csv", compared)
    with pytest.raises(DataError, match="cannot be read as the comparison of these tables"):
        read_comparison(tmp_path / "comparison.csv", targets)


def test_scorecard_counts_printed_numbers(compared):
    header, rows = scorecard({"paper": compared})
    assert header == ("paper", "table", "cells", "matches", "close", "explained", "differs", "not_run")
    assert rows == [("paper", "table1", 5, 2, 0, 0, 1, 2)]


def test_a_missing_score_is_not_run_even_if_its_cell_is_planned():
    (one,) = compare(TARGETS[:1], [], {}, {})
    assert (one.verdict, one.reason) == ("not run", "not implemented yet")


def test_layout_puts_the_paper_beside_ours(compared):
    frame = lay_out(compared, LAYOUT)
    assert list(frame.columns[:3]) == ["metric", "yeast mlknn paper", "yeast mlknn ours"]
    first = frame.set_index("metric").loc["Hamming loss"]
    assert (first["yeast mlknn paper"], first["yeast mlknn ours"]) == ("0.197", "0.200")
    assert first["audio mlknn ours"] == "not run: never published"
    assert frame.set_index("metric").loc["Ranking loss", "yeast mlknn paper"] == "N/A"


def test_tables_come_in_three_formats(compared, tmp_path):
    write_tables(tmp_path, "table1", "A caption", compared, LAYOUT)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table_1.csv", "table_1.md", "table_1.tex"]
    assert "A caption" in (tmp_path / "table_1.md").read_text()
    assert r"\caption{A caption}" in (tmp_path / "table_1.tex").read_text()


@pytest.mark.parametrize(("value", "text"), [(None, ""), (0.1968381, "0.196838"), (1778352.0, "1778352"), (-1e-9, "0")])
def test_decimals(value, text):
    assert decimal(value) == text
