"""What a comparison says: each sentence follows from the result of its test."""

import numpy as np
import pytest

from labelknn_papers.judge.advice import best, by_property, by_time, coverage, published_orderings
from labelknn_papers.judge.estimates import ValueTable
from labelknn_papers.judge.outcomes import Coverage, Outcome, Ranked, compare_ranked, coverage_of, coverage_rows
from labelknn_papers.judge.practical import against, best_method
from labelknn_papers.judge.properties import correlations
from labelknn_papers.judge.seconds import Point
from labelknn_papers.plan.comparisons import View

VIEW = View("hamming_loss", "")
NAMES = [f"d{number}" for number in range(12)]


def ranked(values, methods):
    values = np.asarray(values, dtype=float)
    return Ranked(VIEW, ValueTable("hamming_loss", NAMES[: len(values)], list(methods), values), [], [])


def told(of, level=0.05, rope=0.01):
    tests = compare_ranked(of, level)
    practical = list(against(of.table, best_method(of.table), rope))
    return [one.text for one in best(of, tests, practical, level)]


def outcome(method, dataset, mean, note="", metric="hamming_loss"):
    return Outcome(metric, "", dataset, method, method, "", mean, None, None, 1, note)


def test_the_best_is_named_with_those_it_cannot_be_told_from():
    base = np.linspace(0.1, 0.3, 12)
    clear, practical = told(ranked(np.column_stack([base, base + 0.001, base + 0.2, base + 0.3]), ["A", "B", "C", "D"]))
    assert "Of 4 methods".lower() in clear.lower()
    assert "A has the best average rank, 1.0. Nemenyi's test does not tell it apart from B; pair by pair" in clear
    assert clear.endswith("it differs from all 3 others.")
    assert practical == "For practical purposes A is better than all but B, and as good as B."


def test_ranks_by_chance_are_called_so():
    values = np.tile([[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2, 0.3, 0.1]], (4, 1))
    (text,) = told(ranked(values, "ABC"))
    assert text.endswith("but the ranks are no different from chance.")


def test_too_little_to_test():
    one = ranked([[0.1, 0.2]], "AB")
    (sentence,) = best(one, compare_ranked(one, 0.05), [], 0.05)
    assert "nothing can be tested" in sentence.text


def test_who_is_best_where_there_is_more_of_a_property():
    facts = {name: {"instances": 10 + place, "features": 5, "labels": 4} for place, name in enumerate(NAMES)}
    up = np.linspace(0, 0.5, 12)
    of = ranked(np.column_stack([up, 0.5 - up, np.full(12, 0.9)]), ["small", "large", "never"])
    (sentence,) = by_property(of, facts, correlations(of.table, facts), 0.05)
    assert sentence.about == "rows"
    assert "small ranks best on data with few rows, and large on data with many rows" in sentence.text
    assert sentence.text.endswith(". With more rows small ranks worse. With more rows large ranks better.")
    of = ranked(np.column_stack([up, up + 0.01, 0.9 - up, np.full(12, 0.9)]), ["small", "alike", "large", "never"])
    (sentence,) = by_property(of, facts, correlations(of.table, facts), 0.05)
    assert "small ranks best both on data with few rows and on data with many rows" in sentence.text


def test_the_best_in_a_tenth_of_the_time():
    points = [
        Point(*VIEW, *one) for one in (("fast", 0.1, 3.0, True), ("near", 0.5, 2.0, True), ("best", 2, 1.0, True))
    ]
    (sentence,) = by_time(points)
    assert (
        "best has the best average rank, 1.0, and takes 2 s for a split; of the methods that take at most a tenth of "
        "that fast has the best, 3.0, in 0.1 s." in sentence.text
    )
    (sentence,) = by_time(points[1:])
    assert sentence.text.endswith("no method takes a tenth of that.")
    assert by_time(points[:1]) == []


@pytest.mark.parametrize(
    ("gaps", "verdict"),
    [(np.full(10, 0.1), "holds"), (np.full(10, -0.1), "is the other way round"), ([0.1, -0.1] * 5, "cannot be told")],
)
def test_a_published_ordering_is_asked_again_on_other_data(gaps, verdict):
    rows = [outcome("A", name, 0.3) for name in NAMES] + [outcome("B", "d0", 0.9), outcome("B", "d1", None, "error")]
    rows += [outcome("B", name, 0.3 + gap) for name, gap in zip(NAMES[2:], gaps, strict=True)]
    ordering = {"paper": "one2000", "metric": "hamming_loss", "better": "A", "than": ["B", "C"], "except": ["d0"]}
    (sentence,) = published_orderings({"orderings": [ordering]}, rows, 0.05, 0.01)
    wins, losses = (sum(np.sign(gap) == sign for gap in gaps) for sign in (1, -1))
    assert sentence.text == (
        f"one2000: A better than B by Hamming loss. On 10 other data sets this {verdict}: "
        f"better on {wins}, worse on {losses}."
    )


def test_what_has_no_value_is_counted_by_its_reason():
    notes = [
        "",
        "",
        "more than 120 s",
        "more than 4 GB of memory (it ended by SIGKILL)",
        "k = 0",
        "more than 60 s (as the first of 10 splits shows)",
    ]
    rows = [outcome("A", f"d{place}", None if note else 0.1, note) for place, note in enumerate(notes)]
    # By another metric, d1 has no value, and d2 fails by the same.
    rows += [outcome("A", f"d{place}", None, "more than 120 s", "micro_f1") for place in (1, 2)]
    rows.append(outcome("B", "d2", 0.2))
    found = coverage_of(rows)
    assert [one.dataset for one in found] == ["d0", "d1", "d2", "d3", "d4", "d5", "all"]
    assert found[1:3] == [Coverage("d1", 1, 1, 0, 0, 0), Coverage("d2", 2, 1, 1, 0, 0)]
    assert coverage_rows(found)[2] == ("d2", 2, 1, 1, 0, 0, "0.5000")
    assert coverage(found[-1], "hamming_loss", 1).text == (
        "3 of 7 pairs of method and data set have a value (42.9%); 2 took longer than allowed, "
        "1 needed more memory than allowed, 1 gave none or failed."
    )
    assert "pairs of method and data set, each at 2 shares of missing labels, have" in coverage(found[-1], "", 2).text
