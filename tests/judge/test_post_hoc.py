"""What choices change that were made with a look at printed values."""

import csv

import pytest

from labelknn.errors import ConfigError
from labelknn_papers.judge.claims.values import Place, Ref, Values
from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.judge.post_hoc import Choice, choice_rows, figures_of, read_choices, write_choices
from labelknn_papers.plan.plan import Plan
from labelknn_papers.show.post_hoc import choices_report

from ..checkout import CONFIG, checkout
from ..conftest import ROOT

WORDS = ("Weights", "1 − d", "1/d")


def places(numbers):
    return {Place("table2", name, method, "spearman"): Estimate(value) for (name, method), value in numbers.items()}


def values(**ours):
    """knn-star and a variant of it on two tasks, and what is printed of knn-star there."""
    numbers = {("elu", "knn-star"): 0.2, ("elu", "other"): 0.3, ("spo", "knn-star"): 0.4, ("spo", "other"): 0.3}
    printed = {("elu", "knn-star"): 0.2, ("spo", "knn-star"): 0.38, ("cold", "knn-star"): 0.3}
    return Values(places(numbers), printed=Values(places(printed)), **ours)


def test_the_change_and_both_distances_by_hand():
    choice = Choice(*WORDS, "table2", [(Ref("knn-star"), Ref("other"))], ["spearman"])
    (row,) = choice_rows("brinker2007", [choice], values())
    assert row[:6] == ("brinker2007", *WORDS, "spearman", 2)
    means = (row.mean_chosen, row.mean_instead, row.change, row.distance_chosen, row.distance_instead)
    assert means == pytest.approx((0.3, 0.3, 0.1, 0.01, 0.09)), "the mean alone would hide the change"


def test_what_was_not_run_says_so(tmp_path):
    rows = choice_rows(
        "brinker2007",
        [
            Choice(*WORDS, "table2", [(Ref("knn-star"), Ref("another"))], ["spearman"]),
            Choice(*WORDS, "table2", [(Ref("knn-star"), Ref("other"))], ["spearman"], datasets=["dtc"]),
            Choice(*WORDS, not_run="it takes a day"),
        ],
        values(),
    )
    assert [row.note for row in rows] == [
        "not run: table2, elu, spo: not run",
        "not run: table2, dtc: not printed",
        "it takes a day",
    ]
    write_choices(tmp_path / "post_hoc.csv", rows)
    with (tmp_path / "post_hoc.csv").open(newline="") as file:
        report = choices_report(csv.DictReader(file))
    assert [row[5:11] for row in report.rows] == [[None] * 6] * 3
    assert all(len(row) == len(report.columns) for row in report.rows)


def test_data_that_nobody_has_are_left_out():
    choice = Choice(*WORDS, "table2", [(Ref("knn-star"), Ref("other"))], ["spearman"], ["elu", "cold"])
    assert choice_rows("brinker2007", [choice], values(dispensable=["cold"]))[0].numbers == 1


def edited(folder, **changes):
    entry = {
        "choice": "Weights",
        "chosen": "1 − d",
        "instead": "1/d",
        "table": "table2",
        "pairs": [["knn-star", "case-based-inverse"]],
        "metrics": ["spearman"],
    }
    entry = {name: value for name, value in {**entry, **changes}.items() if value is not None}
    root = checkout(folder, {"config/papers/brinker2007.yaml": {"post_hoc": [entry]}})
    return read_choices(Plan(CONFIG | {"papers": ["brinker2007"]}, root), "brinker2007")


def test_a_choice_as_it_should_be(tmp_path):
    (choice,) = edited(tmp_path, pairs=[["knn-star", {"table": "ties", "method": ""}]])
    assert choice.pairs == [(Ref("knn-star"), Ref("", "ties"))]
    assert figures_of([choice]) == {"table2", "ties"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pairs": [["knn-star", "case-based-invers"]]}, "post_hoc, Weights: unknown method 'case-based-invers'"),
        ({"metrics": ["spearmann"]}, "unknown metric 'spearmann'. Did you mean 'spearman'"),
        ({"table": "table3"}, "unknown table 'table3'"),
        ({"datasets": ["dct"]}, "unknown data set 'dct'. Did you mean 'dtc'"),
        ({"pairs": [["knn-star"]]}, "too short"),
        ({"pairs": None}, "post_hoc, 0"),
        ({"not_run": "it takes a day"}, "post_hoc, 0"),
    ],
)
def test_a_choice_that_names_what_is_not_there_is_refused(tmp_path, changes, message):
    with pytest.raises(ConfigError, match=message):
        edited(tmp_path, **changes)


def test_every_choice_of_the_papers_can_be_read():
    plan = Plan(CONFIG, ROOT)
    assert all(read_choices(plan, paper) for paper in plan.papers)
