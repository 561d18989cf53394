"""The verdict rule, at its edges."""

import pytest

from labelknn_papers.judge.verdict import judge
from labelknn_papers.plan.cells import Published


def published(printed, metric="hamming_loss"):
    return Published("table1", "yeast", "mlknn", metric, "", printed, "")


@pytest.mark.parametrize(
    ("printed", "ours", "se", "verdict"),
    [
        ("0.197", 0.198, None, "matches"),  # one unit of the last digit, although .198 - .197 > .001 in floats
        ("0.197", 0.1981, None, "close"),
        ("0.197", 0.2068, None, "close"),  # 5 % of .197
        ("0.197", 0.2069, None, "differs"),
        ("0.007", 0.0010, None, "differs"),  # by six units of the last digit, although both are small
        ("0.007", 0.0040, None, "close"),  # 3 u
        ("0.197", 0.2171, 0.0101, "matches"),  # 2 s
        ("0.197", 0.2571, 0.0151, "close"),  # 4 s
        ("0.800", 0.8390, None, "close"),
        ("0.800", 0.8401, None, "differs"),
        ("0.2", 0.29, None, "matches"),  # printed with one decimal
    ],
)
def test_scores(printed, ours, se, verdict):
    assert judge(published(printed), "hamming_loss", ours, se).verdict == verdict


def test_the_rule_is_the_same_for_all_measures():
    assert judge(published("6.374"), "coverage", 6.375, None).verdict == "matches"
    assert judge(published("6.374"), "coverage", 6.692, None).verdict == "close"  # 5 %
    assert judge(published("6.374"), "coverage", 6.694, None).verdict == "differs"


def test_an_average_of_fewer_data_sets_is_compared_with_the_papers_own():
    number = Published("table3", "AVG", "rs", "average_rank", "", "1.67", "")
    judgement = judge(number, "average_rank", 1.95, None, compared_with=1.9)
    assert (judgement.difference, judgement.verdict) == (pytest.approx(0.05), "close")
    assert judge(number, "average_rank", 1.95, None).verdict == "differs"


def test_counts_match_only_if_equal():
    assert judge(published("1500", "instances"), "instances", 1500, None).verdict == "matches"
    assert judge(published("1500", "instances"), "instances", 1501, None).verdict == "close"
    assert judge(published("270", "instances"), "instances", 150, None).verdict == "differs"
    assert judge(published("4.2", "cardinality"), "cardinality", 4.228, None).verdict == "matches"


def test_difference_and_tolerance_are_reported():
    judgement = judge(published("0.197"), "hamming_loss", 0.2, 0.004)
    assert judgement.difference == pytest.approx(0.003)
    assert judgement.tolerance == pytest.approx(0.008)


@pytest.mark.parametrize(("printed", "ours", "verdict"), [("0.05", 0.001, "matches"), ("0.11", 0.04, "differs")])
def test_p_values_are_compared_by_what_they_decide(printed, ours, verdict):
    number = Published("table3", "yeast", "rs", "p_value", "", printed, "")
    assert judge(number, "p_value", ours, None).verdict == verdict
