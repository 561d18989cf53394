"""The conditions of claims, by worked examples and against their definitions in plain Python."""

from itertools import product
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.errors import ConfigError
from labelknn_papers.judge.claims.conditions import (
    beats,
    difference,
    nemenyi,
    places,
    range_over_settings,
    rank_difference,
    ranks,
    ratio,
    wilcoxon,
    within,
)
from labelknn_papers.judge.claims.values import Missing, Place, Values
from labelknn_papers.judge.estimates import Estimate

SETS = ("iris", "wine", "glass", "vowel")
TAU = {"table": "t", "metrics": ["kendall_tau"]}
LOSS = {"table": "t", "metrics": ["hamming_loss"]}


def values(columns, metric="kendall_tau", error=None, gaps=None, **given):
    """A table with a column for each method, a value for each of SETS."""
    numbers = {
        Place("t", name, method, metric): Estimate(value, error)
        for method, column in columns.items()
        for name, value in zip(SETS, column, strict=False)
    }
    return Values(numbers, gaps or {}, **given)


AB = values({"a": [0.9, 0.8, 0.7, 0.5], "b": [0.8, 0.8, 0.6, 0.6], "c": [0.1, 0.2, 0.3, 0.4]})


@pytest.mark.parametrize(
    ("asked", "met"),
    [
        ({}, False),  # 2 of 4
        ({"share": 0.5}, True),
        ({"more_than": 0.5}, False),
        ({"ties": True, "share": 0.75}, True),  # and one tie
        ({"ties": True}, False),
        ({"datasets": ["iris", "glass"]}, True),
        ({"over": ["b", "c"], "share": 0.75}, True),  # 6 of 8
    ],
)
def test_beats_counts_cells(asked, met):
    found = beats(AB, **{**TAU, "methods": ["a"], "over": ["b"], **asked})
    assert found.met is met


def test_a_loss_is_better_the_lower_it_is():
    losses = values({"a": [0.1, 0.2], "b": [0.2, 0.3]}, "hamming_loss")
    assert beats(losses, **LOSS, methods=["a"], over=["b"]) == (
        True,
        "a against b (hamming_loss): 2 of 2 better: iris 0.1 and 0.2; wine 0.2 and 0.3",
    )
    assert not beats(losses, **LOSS, methods=["b"], over=["a"], share=0.5).met


def test_an_advantage_can_have_to_be_beyond_its_errors():
    """The difference of two means with an error of .03 and of .04 has one of .05."""
    numbers = {
        Place("t", "iris", "a", "kendall_tau"): Estimate(0.9, 0.03),
        Place("t", "iris", "b", "kendall_tau"): Estimate(0.79, 0.04),
    }
    for errors, met in ((2, True), (2.3, False)):
        assert beats(Values(numbers), **TAU, methods=["a"], over=["b"], errors=errors).met is met


def test_the_rounding_of_floats_is_no_difference():
    """.198 − .197 is more than .001 in floats."""
    found = values({"a": [0.198], "b": [0.197]})
    assert difference(found, **TAU, of="a", minus="b", at_most=0.001).met
    assert not beats(values({"a": [0.1 + 0.2], "b": [0.3]}), **TAU, methods=["a"], over=["b"]).met


@pytest.mark.parametrize(
    ("statistic", "bounds", "met"),
    [
        (None, {"at_least": -0.1, "at_most": 0.1}, True),
        (None, {"above": -0.1}, False),  # −.1 is not above −.1
        ("mean", {"above": 0.0249, "below": 0.0251}, True),
        ("median", {"at_least": 0.05, "at_most": 0.05}, True),
        ("largest magnitude", {"below": 0.1}, False),
    ],
)
def test_differences_of_cells_and_their_statistics(statistic, bounds, met):
    """.1, 0, .1 and −.1."""
    assert difference(AB, **TAU, of="a", minus="b", statistic=statistic, **bounds).met is met


def test_ratios_of_sums_of_each_and_over_the_least():
    numbers = {
        Place("t", "iris", method, metric): Estimate(seconds)
        for (method, metric), seconds in {
            ("crpc", "train_seconds"): 8.0,
            ("crpc", "test_seconds"): 2.0,
            ("knn", "test_seconds"): 2.0,
            ("br", "test_seconds"): 1.0,
        }.items()
    }
    asked = {"table": "t", "metrics": ["test_seconds"]}
    both = [{"method": "crpc", "metric": "train_seconds"}, "crpc"]
    assert ratio(Values(numbers), **asked, of=both, over=["knn"], at_least=5, at_most=5).met
    assert ratio(Values(numbers), **asked, of=["crpc"], over=["knn", "br"], least=True, at_least=2, at_most=2).met
    found = ratio(Values(numbers), **asked, of=["knn", "br"], over=["crpc"], each=True, at_least=1)
    assert found == (False, "knn, br / crpc (test_seconds): 1 of 2 at least 1: knn iris 1; br iris 0.5")


def test_of_many_cells_those_against_the_claim_are_listed():
    column = [i / 100 for i in range(40)]
    numbers = {Place("t", f"d{i}", "a", "kendall_tau"): Estimate(value) for i, value in enumerate(column)}
    found = within(Values(numbers), **TAU, methods=["a"], at_least=0.02, share=0.9)
    assert found == (True, "kendall_tau: 38 of 40 at least 0.02; not a d0 0; a d1 0.01")


def test_a_range_is_over_the_settings_of_a_method():
    numbers = {
        Place("t", "iris", "a", "kendall_tau", setting): Estimate(value)
        for setting, value in {"k=1": 0.1, "k=2": 0.4, "k=3": 0.2}.items()
    }
    for some, wide in ((["k=1", "k=2", "k=3"], 0.3), (["k=1", "k=3"], 0.1)):
        bounds = {"at_least": wide, "at_most": wide}
        assert range_over_settings(Values(numbers), **TAU, methods=["a"], settings=some, **bounds).met
    with pytest.raises(ConfigError, match="name one of its settings: k=1, k=2, k=3"):
        within(Values(numbers), **TAU, methods=["a"], above=0)


@given(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=3, max_size=3))
@settings(deadline=None)
def test_ranks_are_one_more_than_are_better(columns):
    found = values(dict(zip("abc", columns, strict=True)))
    for j, name in enumerate(SETS):
        better = sum(column[j] > columns[0][j] for column in columns)
        exact = {"at_least": better + 1, "at_most": better + 1}
        assert ranks(found, **TAU, methods=["a"], among=["a", "b", "c"], datasets=[name], **exact).met


@given(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=3, max_size=3))
@settings(deadline=None)
def test_statistics_are_over_the_cells(columns):
    found = values(dict(zip("abc", columns, strict=True)))
    middle = median(a - b for a, b in zip(columns[0], columns[1], strict=True))
    assert difference(found, **TAU, of="a", minus="b", statistic="median", at_least=middle, at_most=middle).met
    least = min(value for column in columns for value in column)
    assert within(found, **TAU, methods=["a", "b", "c"], statistic="least", at_least=least, at_most=least).met


def test_places_by_average_rank_and_by_mean():
    """By rank b is first (twice first, once second); by mean a is, thanks to one large value."""
    found = values({"a": [0.9, 0.2, 0.1], "b": [0.5, 0.3, 0.2], "c": [0.1, 0.1, 0.0]})
    asked = {**TAU, "among": ["a", "b", "c"]}
    assert places(found, **asked, methods=["b"], first=1, last=1).met
    assert not places(found, **asked, methods=["b"], first=1, last=1, by=["average rank", "mean"]).met
    assert places(found, **asked, methods=["a", "b"], first=1, last=2, by=["average rank", "mean"]).met
    text = places(found, **asked, methods=["c"], first=3, last=3, by=["mean"]).text
    assert text == "mean (kendall_tau): a 0.4, b 0.3333, c 0.06667"


def test_the_average_rank_of_one_minus_that_of_another():
    found = values({"a": [0.9, 0.8, 0.1], "b": [0.5, 0.5, 0.5]})
    bounds = {"at_least": -1 / 3 - 1e-6, "at_most": -1 / 3 + 1e-6}
    assert rank_difference(found, **TAU, of="a", minus="b", among=["a", "b"], **bounds).met


def test_nemenyi_asks_friedman_first():
    """Demšar's critical difference of three methods on 16 data sets at 10 % is .7256."""
    names = [f"d{i}" for i in range(16)]

    def table(first_by_a):
        order = {True: (3, 2, 1), False: (1, 2, 3)}
        return Values(
            {
                Place("t", name, method, "kendall_tau"): Estimate(order[i < first_by_a]["abc".index(method)])
                for (i, name), method in product(enumerate(names), "abc")
            }
        )

    asked = {**TAU, "better": "a", "worse": "c", "among": ["a", "b", "c"], "level": 0.1}
    assert nemenyi(table(14), **asked, differ=True).met
    assert "critical 0.7256" in nemenyi(table(14), **asked, differ=True).text
    assert nemenyi(table(9), **asked, differ=False).met
    assert not nemenyi(table(9), **asked, differ=True).met
    assert not nemenyi(table(2), **asked, differ=True).met, "c is the better one"


def test_wilcoxon_over_data_sets():
    """All of eight differences in one direction: p = 2 / 2⁸."""
    names = [f"d{i}" for i in range(8)]
    numbers = {
        Place("t", name, method, "kendall_tau"): Estimate(0.5 + (method == "a") * (i + 1) / 100)
        for (i, name), method in product(enumerate(names), "ab")
    }
    found = wilcoxon(Values(numbers), **TAU, methods=["a", "b"], level=0.05, differ=True)
    assert found == (True, "Wilcoxon, a and b: p = 0.007812, rank sums 36 and 0, 8 unequal data sets")


def test_what_is_missing_is_named_once_by_reason():
    gaps = {
        Place("t", name, "b", "kendall_tau"): why
        for name, why in (("wine", "source unreachable"), ("glass", "source unreachable"), ("vowel", "too dear"))
    }
    found = values({"a": [1, 1, 1, 1], "b": [0]}, gaps=gaps)
    with pytest.raises(Missing) as missing:
        beats(found, **TAU, methods=["a"], over=["b"])
    assert str(missing.value) == "t, wine, glass: source unreachable; t, vowel: too dear"


def test_without_what_nobody_can_have():
    gaps = {Place("t", "audio", method, "kendall_tau"): "never published" for method in "ab"}
    gaps |= {Place("t", "wine", "b", "kendall_tau"): "N/A"}
    found = values({"a": [1, 1], "b": [0]}, gaps=gaps, dispensable=("audio",))
    assert beats(found, **TAU, methods=["a"], over=["b"]).met
    assert found.without == {"audio": "never published", "b on wine, kendall_tau": "N/A"}


def test_nothing_at_all_is_no_claim_that_holds():
    nowhere = values({"a": [1]}, gaps={Place("t", "iris", "b", "kendall_tau"): "N/A"})
    with pytest.raises(Missing, match="b on iris, kendall_tau: N/A"):
        beats(nowhere, **TAU, methods=["a"], over=["b"])
    with pytest.raises(Missing, match="elsewhere: not printed"):
        within(AB, table="elsewhere", metrics=["kendall_tau"], methods=["a"], above=0)


def test_the_data_sets_of_a_figure_are_expected():
    """A restricted run that lacks one of them decides nothing."""
    found = values({"a": [1, 1]}, expected={"t": {"iris": "", "wine": "", "glass": "left out of this run"}})
    with pytest.raises(Missing, match="t, glass: left out of this run"):
        within(found, **TAU, methods=["a"], above=0)
