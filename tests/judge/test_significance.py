"""Ranks and tests: hand-worked tables, slow twins, invariances, and what cheng2009 says of its own table."""

import csv
from itertools import product
from math import exp, inf, isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from labelknn.errors import ConfigError, DataError
from labelknn_papers.judge.significance import (
    average_ranks,
    compare_methods,
    complete_part,
    corrected_interval,
    corrected_resampled_t,
    count_complete,
    friedman,
    holm,
    nemenyi,
    paired_t,
    wilcoxon_holm,
)
from tests.conftest import ROOT

# Ranks 1 2 3, 1 3 2, 1 2 3, 2 1 3: their sums are 5, 8 and 11.
SMALL = np.array([[0.9, 0.8, 0.7], [0.8, 0.5, 0.6], [0.7, 0.4, 0.1], [0.5, 0.6, 0.3]])

# AUC of C4.5 and of three tuned variants (m, cf, both) on 14 data sets: Demšar (2006), Table 6.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],  # printed as .975 twice, with the ranks 2 and 3
        [0.957, 0.978, 0.946, 0.970],
    ]
)

# Small integers, so that ties are common and sums exact.
tables = st.tuples(st.integers(2, 7), st.integers(2, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(-4, 4).map(float))
)
quickly = settings(max_examples=40, deadline=None)


def ranks_from_the_definition(values, lower_is_better):
    """One more than the methods that are better, and half of the others that are equal."""
    table = [row for row in values if not any(isnan(value) for value in row)]
    sums = [0.0] * len(table[0])
    for row in table:
        for method, value in enumerate(row):
            better = sum(other < value if lower_is_better else other > value for other in row)
            sums[method] += 1 + better + (sum(other == value for other in row) - 1) / 2
    return [total / len(table) for total in sums]


def holm_rejects(p_values, level):
    """The procedure itself: from the smallest p on, against level / hypotheses left, until one is not rejected."""
    rejected = set()
    for step, hypothesis in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if p_values[hypothesis] > level / (len(p_values) - step):
            break
        rejected.add(hypothesis)
    return rejected


def signed_rank_p_by_enumeration(differences):
    """The share of all assignments of signs whose smaller rank sum is at most the one found."""
    unequal = [d for d in differences if d != 0]
    ranks = stats.rankdata(np.abs(unequal))

    def statistic(positive):
        return min(ranks[positive].sum(), ranks[~positive].sum())

    found = statistic(np.array(unequal) > 0)
    outcomes = [statistic(np.array(signs)) for signs in product([True, False], repeat=len(unequal))]
    return np.mean([outcome <= found for outcome in outcomes])


def test_average_ranks_worked_by_hand():
    assert average_ranks(SMALL).tolist() == [1.25, 2, 2.75]
    assert average_ranks(SMALL, lower_is_better=True).tolist() == [2.75, 2, 1.25]


@quickly
@given(tables, st.booleans())
def test_average_ranks_against_the_definition(values, lower_is_better):
    assert average_ranks(values, lower_is_better) == pytest.approx(ranks_from_the_definition(values, lower_is_better))


def test_a_data_set_with_a_missing_value_is_left_out_for_all():
    values = np.vstack([SMALL, [nan, 0.1, 0.9]])
    assert average_ranks(values).tolist() == average_ranks(SMALL).tolist()
    assert friedman(values) == friedman(SMALL)
    assert nemenyi(values).critical_difference == nemenyi(SMALL).critical_difference
    assert wilcoxon_holm(values) == wilcoxon_holm(SMALL)
    assert count_complete(values) == 4


@quickly
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_data_sets_does_not_matter_and_that_of_methods_goes_along(values, random):
    rows, columns = list(range(values.shape[0])), list(range(values.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    shuffled = values[rows][:, columns]
    assert average_ranks(shuffled) == pytest.approx(average_ranks(values)[columns])
    assert friedman(shuffled).chi_square == pytest.approx(friedman(values).chi_square)
    assert nemenyi(shuffled).p_values == pytest.approx(nemenyi(values).p_values[np.ix_(columns, columns)])
    before = {frozenset((one.first, one.second)): one.p for one in wilcoxon_holm(values)}
    for one in wilcoxon_holm(shuffled):
        assert one.p == pytest.approx(before[frozenset((columns[one.first], columns[one.second]))])


@quickly
@given(tables)
def test_only_the_order_within_a_data_set_counts_for_ranks(values):
    stretched = np.exp(values) * np.arange(1, len(values) + 1)[:, None]
    assert average_ranks(stretched).tolist() == average_ranks(values).tolist()
    assert friedman(stretched) == friedman(values)


@quickly
@given(tables)
def test_the_direction_swaps_the_winners_and_nothing_else(values):
    higher, lower = nemenyi(values), nemenyi(values, lower_is_better=True)
    assert lower.ranks == pytest.approx(values.shape[1] + 1 - higher.ranks)
    assert lower.p_values.tolist() == higher.p_values.tolist()
    for one, other in zip(wilcoxon_holm(values), wilcoxon_holm(values, lower_is_better=True), strict=True):
        assert (one.in_favour_of_first, one.p) == (other.in_favour_of_second, other.p)


def test_friedman_worked_by_hand():
    found = friedman(SMALL)
    assert (found.n, found.k) == (4, 3)
    assert found.chi_square == pytest.approx(12 / (4 * 3 * 4) * (5**2 + 8**2 + 11**2) - 3 * 4 * 4)  # 4.5
    assert found.p == pytest.approx(exp(-4.5 / 2))  # two degrees of freedom
    assert found.f == pytest.approx(3 * 4.5 / (4 * 2 - 4.5))  # 27 / 7
    assert found.f_p == pytest.approx((7 / 16) ** 3)  # (1 + 2 F / 6)^-3 for (2, 6) degrees of freedom


@quickly
@given(tables.filter(lambda values: values.shape[1] > 2 and np.ptp(values, axis=1).any()))
def test_friedman_against_scipy(values):
    expected = stats.friedmanchisquare(*values.T)
    found = friedman(values)
    assert found.chi_square == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-9)


@quickly
@given(tables.filter(lambda values: np.ptp(values, axis=1).any()))
def test_f_is_the_analysis_of_variance_of_the_ranks(values):
    ranks = stats.rankdata(values, axis=1)
    n, k = ranks.shape
    methods = n * ((ranks.mean(axis=0) - ranks.mean()) ** 2).sum()
    residual = ((ranks - ranks.mean(axis=0)) ** 2).sum()  # all data sets have the same mean rank
    if residual > 1e-9:
        assert friedman(values).f == pytest.approx((methods / (k - 1)) / (residual / ((n - 1) * (k - 1))))
    else:
        assert friedman(values).f == inf


def test_demsars_example():
    """Table 6 and section 3.2.2 of Demšar (2006), whose chi-square ignores ties."""
    ranks = average_ranks(DEMSAR)
    assert ranks.round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    n, k = DEMSAR.shape
    ties = sum((count**3 - count) for row in DEMSAR for count in np.unique(row, return_counts=True)[1])
    uncorrected = friedman(DEMSAR).chi_square * (1 - ties / (n * k * (k**2 - 1)))
    assert uncorrected == pytest.approx(9.28, abs=0.005)
    assert (n - 1) * uncorrected / (n * (k - 1) - uncorrected) == pytest.approx(3.69, abs=0.005)
    assert nemenyi(DEMSAR, 0.05).critical_difference == pytest.approx(1.25, abs=0.005)
    assert nemenyi(DEMSAR, 0.10).critical_difference == pytest.approx(1.12, abs=0.005)


def test_methods_that_always_tie_do_not_differ():
    values = np.ones((5, 3))
    assert average_ranks(values).tolist() == [2, 2, 2]
    found = friedman(values)
    assert (found.chi_square, found.p, found.f, found.f_p) == (0, 1, 0, 1)
    assert not nemenyi(values).differ.any()
    assert [(one.n, one.statistic, one.p, one.adjusted_p) for one in wilcoxon_holm(values)] == [(0, 0, 1, 1)] * 3


def test_data_sets_that_all_agree_make_f_infinite():
    found = friedman([[3, 2, 1]] * 7)
    assert found.chi_square == pytest.approx(14)
    assert (found.f, found.f_p) == (inf, 0)


@pytest.mark.parametrize(
    ("methods", "level", "quantile"),
    [(2, 0.05, 1.960), (3, 0.05, 2.343), (10, 0.05, 3.164), (2, 0.10, 1.645), (3, 0.10, 2.052), (10, 0.10, 2.920)],
)
def test_critical_values_of_demsars_table_5(methods, level, quantile):
    values = np.random.default_rng(3).normal(size=(6, methods))
    found = nemenyi(values, level).critical_difference
    assert found / sqrt(methods * (methods + 1) / (6 * 6)) == pytest.approx(quantile, abs=0.001)


def test_with_two_methods_nemenyi_is_the_normal_test_of_the_rank_difference():
    values = np.array([[1, 0]] * 9 + [[0, 1]] * 3)
    z = (9 - 3) / 12 / sqrt(2 * 3 / (6 * 12))
    assert nemenyi(values).p_values[0, 1] == pytest.approx(2 * stats.norm.sf(z))


@quickly
@given(tables, st.sampled_from([0.01, 0.05, 0.10, 0.30]))
def test_a_pair_differs_exactly_if_its_p_value_is_at_most_the_level(values, level):
    found = nemenyi(values, level)
    assert found.differ.tolist() == (found.p_values <= level).tolist()


def test_wilcoxon_worked_by_hand():
    """Differences 1, 2, 3 and -4: the negative rank sum 4, reached or undercut by 0, 1, 2, 3, 1+2, 4, 1+3."""
    (found,) = wilcoxon_holm([[1, 0], [2, 0], [3, 0], [0, 4], [5, 5]])
    assert (found.in_favour_of_first, found.in_favour_of_second, found.statistic, found.n) == (6, 4, 4, 4)
    assert found.p == found.adjusted_p == 2 * 7 / 16


@quickly
@given(arrays(np.float64, st.integers(2, 8), elements=st.integers(-5, 5).map(float)).filter(np.any))
def test_signed_ranks_against_all_signs(differences):
    (found,) = wilcoxon_holm(np.column_stack([differences, np.zeros_like(differences)]))
    assert found.p == pytest.approx(signed_rank_p_by_enumeration(differences))


def test_signed_ranks_against_scipy():
    values = np.random.default_rng(5).normal([0, 0.3, 0.6, 0.7], size=(40, 4))
    for one in wilcoxon_holm(values):
        expected = stats.wilcoxon(values[:, one.first], values[:, one.second], method="exact")
        assert (one.statistic, one.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_differences_that_are_equal_on_paper_are_ties():
    (found,) = wilcoxon_holm([[0.9, 0.8], [0.8, 0.7], [0.3, 0.2], [0.1, 0.2]])
    assert (found.in_favour_of_first, found.in_favour_of_second) == (7.5, 2.5)


@quickly
@given(st.lists(st.integers(0, 100).map(lambda percent: percent / 100), min_size=1, max_size=6))
def test_holm_against_the_procedure(p_values):
    adjusted = holm(p_values)
    for level in (0.005, 0.033, 0.052, 0.103, 0.247, 0.501, 0.997):
        assert {i for i, p in enumerate(adjusted) if p <= level} == holm_rejects(p_values, level)
    assert (adjusted >= p_values).all()
    assert (adjusted <= 1).all()


def test_holm_worked_by_hand():
    assert holm([0.03, 0.01, 0.02, 0.9]).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.9])


def test_t_tests_worked_by_hand():
    """Mean 2 and variance 1; with two degrees of freedom p = 1 - t / √(2 + t²)."""
    plain = paired_t([1, 2, 3])
    assert (plain.mean, plain.degrees_of_freedom) == (2, 2)
    assert plain.t == pytest.approx(2 / sqrt(1 / 3))
    assert plain.p == pytest.approx(1 - sqrt(12 / 14))
    corrected = corrected_resampled_t([1, 2, 3], test_share=0.25)  # n_test / n_train = 1/3
    assert corrected.t == pytest.approx(2 / sqrt(2 / 3))
    assert corrected.p == pytest.approx(1 - sqrt(6 / 8))


def test_paired_t_against_scipy():
    differences = np.random.default_rng(1).normal(0.1, 1, 50)
    expected = stats.ttest_1samp(differences, 0)
    found = paired_t(differences)
    assert (found.t, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    # Five times ten folds: the correction multiplies the variance of the mean by 1 + 50 / 9.
    assert corrected_resampled_t(differences, 0.1).t == pytest.approx(found.t / sqrt(1 + 50 / 9))


@pytest.mark.parametrize(("differences", "t", "p"), [([0, 0, 0], 0, 1), ([2, 2], inf, 0), ([-0.1] * 3, -inf, 0)])
def test_constant_differences(differences, t, p):
    for found in (paired_t(differences), corrected_resampled_t(differences, 0.1)):
        assert (found.t, found.p) == (t, p)


@pytest.mark.parametrize("values", [[[1.0], [2.0]], [1.0, 2.0, 3.0], np.ones((2, 2, 2)), [[1.0, inf], [0.0, 1.0]]])
@pytest.mark.parametrize("function", [average_ranks, friedman, nemenyi, wilcoxon_holm, count_complete])
def test_what_is_no_table_of_methods_is_refused(function, values):
    with pytest.raises(DataError, match="A comparison needs"):
        function(values)


@pytest.mark.parametrize("values", [[[1.0, 2.0, 3.0]], [[1.0, 2.0], [nan, 1.0], [3.0, nan]], np.empty((0, 3))])
@pytest.mark.parametrize("function", [friedman, nemenyi, wilcoxon_holm])
def test_tests_need_two_complete_data_sets(function, values):
    with pytest.raises(DataError, match=r"at least 2 data set\(s\) .* found [01] among"):
        function(values)


def test_one_data_set_has_ranks_and_none_has_not():
    assert average_ranks([[3, 1, 2]]).tolist() == [1, 3, 2]
    with pytest.raises(DataError, match="found 0 among 1"):
        average_ranks([[3, nan, 2]])


@pytest.mark.parametrize("level", [0, 1, -0.1, nan])
def test_a_level_that_is_none(level):
    with pytest.raises(ConfigError, match="strictly between 0 and 1"):
        nemenyi(SMALL, level)


@pytest.mark.parametrize("differences", [[], [1.0], [1.0, nan], [[1.0, 2.0]]])
def test_differences_that_are_none(differences):
    with pytest.raises(DataError, match="at least two finite differences"):
        paired_t(differences)


@pytest.mark.parametrize("share", [0, 1, 1.5])
def test_a_share_that_is_none(share):
    with pytest.raises(DataError, match="strictly between 0 and 1"):
        corrected_resampled_t([1, 2, 3], share)


def test_names_must_fit_the_table():
    with pytest.raises(DataError, match="3 methods needs as many names; found 2: a, b"):
        compare_methods(SMALL, ["a", "b"])
    with pytest.raises(DataError, match="as many names"):
        compare_methods([[1, 2, nan]], ["a", "b"])


@pytest.fixture(scope="module")
def printed():
    """Table 2 of cheng2009 by missing rate: the taus as printed, and the average ranks in its last line."""
    taus, averages, methods = {}, {}, ("cc", "iblr", "lrt")
    with open(ROOT / "config" / "published" / "cheng2009.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["metric"] == "kendall_tau":
                taus.setdefault(row["setting"], {}).setdefault(row["dataset"], {})[row["method"]] = float(row["value"])
            elif row["metric"] == "average_rank":
                averages.setdefault(row["setting"], {})[row["method"]] = float(row["value"])
    return {
        setting: (
            np.array([[row[method] for method in methods] for row in by_dataset.values()]),
            [averages[setting][method] for method in methods],
        )
        for setting, by_dataset in taus.items()
    }


@pytest.mark.parametrize(
    ("setting", "rejected", "claims"),
    [
        ("missing=0.0", True, {"IBLR better than CC", "IBLR better than LRT"}),
        ("missing=0.3", True, {"IBLR better than LRT"}),
        ("missing=0.6", False, set()),
    ],
)
def test_cheng2009_says_so_about_its_own_table(printed, setting, rejected, claims):
    """Section 6.2, at a level of 10 %: the differences it names, and no other."""
    values, _ = printed[setting]
    assert values.shape == (16, 3)
    overall = friedman(values)
    assert (overall.p <= 0.10) == (overall.f_p <= 0.10) == rejected
    rows = compare_methods(values, ["CC", "IBLR", "LRT"], 0.10).rows()
    assert {row.detail for row in rows if row.test == "Nemenyi" and "better" in row.detail} == claims


def test_cheng2009_average_ranks(printed):
    """Its last line, but for the tie on segment at 60 % missing, which the unprinted decimals broke in favour of CC."""
    for setting in ("missing=0.0", "missing=0.3"):
        values, averages = printed[setting]
        assert average_ranks(values) == pytest.approx(averages, abs=0.005)
    values, averages = printed["missing=0.6"]
    tied = [row for row in values if row[0] == row[1]]
    assert len(tied) == 1
    assert average_ranks(values) == pytest.approx(np.add(averages, [0.5 / 16, -0.5 / 16, 0]), abs=0.0051)


def test_rows_for_a_file():
    rows = compare_methods(SMALL, ["a", "b", "c"]).rows()
    assert [row.test for row in rows] == (
        ["average rank"] * 3
        + ["Friedman", "Iman-Davenport", "Nemenyi critical difference"]
        + ["Nemenyi"] * 3
        + ["Wilcoxon-Holm"] * 3
    )
    assert rows[0] == ("average rank", 1.25, None, "a")
    assert rows[3] == ("Friedman", 4.5, round(exp(-2.25), 6), "4 data sets, 3 methods")
    assert rows[4] == ("Iman-Davenport", round(27 / 7, 6), round((7 / 16) ** 3, 6), "F(2, 6)")
    assert rows[7][1:] == (1.5, round(float(nemenyi(SMALL).p_values[0, 2]), 6), "a better than c")
    assert rows[8].detail == "no difference between b and c"
    # a beats c by .2, .2, .6 and .2: one of 16 assignments of signs, twice, and then times three.
    assert rows[10] == (
        "Wilcoxon-Holm",
        0,
        0.375,
        "no difference between a and c (p = 0.1250 before the correction, 4 unequal data sets)",
    )


def test_rows_name_the_winner_in_either_direction():
    values = np.arange(20).reshape(10, 2)
    for lower_is_better, claim in ((False, "b better than a"), (True, "a better than b")):
        rows = compare_methods(values, ["a", "b"], lower_is_better=lower_is_better).rows()
        assert all(row.detail.startswith(claim) for row in rows if row.test in ("Nemenyi", "Wilcoxon-Holm"))


def test_nemenyi_claims_nothing_where_friedman_does_not_reject():
    """One pair of six is apart by the critical difference (p = .087), but all six together are not (p = .19)."""
    values = [[3, 4, 0, 2, 5, 1], [5, 4, 2, 1, 3, 0], [1, 4, 3, 5, 2, 0], [2, 4, 5, 3, 0, 1]]
    assert nemenyi(values).differ.any()
    assert friedman(values).f_p > 0.10
    rows = compare_methods(values, list("abcdef")).rows()
    assert all(row.detail.startswith("no difference") for row in rows if row.test == "Nemenyi")


def test_no_tests_without_two_complete_data_sets():
    assert compare_methods([[1, 2], [nan, 3]], ["a", "b"]) is None


@settings(max_examples=50, deadline=None)
@given(arrays(float, st.integers(2, 12), elements=st.floats(-1, 1, width=16)), st.floats(0.05, 0.9))
def test_an_interval_holds_the_means_that_the_test_does_not_reject(values, test_share):
    """A t interval and a t-test of the same variance are two views of one statement."""
    if np.ptp(values) < 1e-3:
        return
    low, high = corrected_interval(values, test_share, 0.9)
    assert low + high == pytest.approx(2 * values.mean(), abs=1e-9)
    for end in (low, high):
        assert corrected_resampled_t(values - end, test_share).p == pytest.approx(0.1)


@pytest.mark.parametrize("values", [[0.5], [0.5, nan], [[0.5, 0.6]]])
def test_an_interval_needs_two_finite_values(values):
    with pytest.raises(DataError, match="at least two finite values"):
        corrected_interval(values, 0.1)
    with pytest.raises(DataError, match="strictly between 0 and 1"):
        corrected_interval([0.1, 0.2], 1.0)


@settings(max_examples=100, deadline=None)
@given(arrays(bool, st.tuples(st.integers(1, 7), st.integers(1, 7))))
def test_what_is_left_of_a_table_is_complete_and_no_value_is_left_out_without_need(there):
    values = np.where(there, 1.0, nan)
    rows, columns = complete_part(values)
    assert there[np.ix_(rows, columns)].all()
    for row in set(range(len(there))) - set(rows):
        assert not there[row].all(), "what lacks nothing stays"
    for column in set(range(there.shape[1])) - set(columns):
        assert not there[:, column].all()


def test_whatever_lacks_the_most_is_left_out_first():
    values = np.ones((5, 4))
    values[4] = nan  # a data set that nobody finished
    values[0, 3] = nan  # a method that lacks one of the others
    assert complete_part(values) == ([0, 1, 2, 3], [0, 1, 2])
    values[:, 3] = [nan, 1, 1, 1, 1]
    assert complete_part(values) == ([0, 1, 2, 3], [0, 1, 2])
