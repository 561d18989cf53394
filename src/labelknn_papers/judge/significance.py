"""Which methods differ, over several data sets or over the splits of one: ranks and tests.

A table of values has a row for each data set and a column for each method; NaN marks a value that could not be had.
The tests follow Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7:1-30: first
Friedman's, then Nemenyi's, with pairwise Wilcoxon tests under Holm's correction beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy  # its parts are imported when they are used: most scripts test nothing
from numpy.typing import ArrayLike, NDArray

from labelknn.errors import ConfigError, DataError

# Differences of scores that are equal on paper (.9 - .8 and .8 - .7) are equal to this many decimals in floats.
_DECIMALS = 12


@dataclass(frozen=True)
class Friedman:
    """Friedman's chi-square and Iman and Davenport's F, each with its p-value, for n data sets and k methods."""

    chi_square: float
    p: float
    f: float
    f_p: float
    n: int
    k: int


@dataclass(frozen=True)
class Nemenyi:
    """Average ranks, and the pairs of them that lie at least the critical difference apart (k × k, symmetric)."""

    level: float
    ranks: NDArray[np.float64]
    critical_difference: float
    p_values: NDArray[np.float64]
    differ: NDArray[np.bool_]


@dataclass(frozen=True)
class SignedRanks:
    """Wilcoxon's test of two methods, by their columns: the rank sums in favour of each, over n unequal data sets."""

    first: int
    second: int
    in_favour_of_first: float
    in_favour_of_second: float
    n: int
    p: float
    adjusted_p: float

    @property
    def statistic(self) -> float:
        return min(self.in_favour_of_first, self.in_favour_of_second)


@dataclass(frozen=True)
class TTest:
    """A two-sided t-test of the hypothesis that the mean difference is 0."""

    mean: float
    t: float
    p: float
    degrees_of_freedom: int


class SignificanceRow(NamedTuple):
    """One line of a table of tests, numbers to six decimals; `p` is None where the statistic is no test."""

    test: str
    statistic: float
    p: float | None
    detail: str


@dataclass(frozen=True)
class MethodTests:
    """Everything that this module finds about a table of the named methods."""

    names: Sequence[str]
    friedman: Friedman
    nemenyi: Nemenyi
    wilcoxon: Sequence[SignedRanks]

    def rank_of(self, name: str) -> float:
        return float(self.nemenyi.ranks[list(self.names).index(name)])

    def rows(self) -> list[SignificanceRow]:
        """For a CSV file.

        As in Demšar's two-step procedure, Nemenyi's test claims a difference only where Friedman's (in its F form)
        rejects at the same level.
        """
        names, overall, pairwise = self.names, self.friedman, self.nemenyi
        freedom = f"F({overall.k - 1}, {(overall.k - 1) * (overall.n - 1)})"
        rows = [
            *(_row("average rank", rank, None, name) for name, rank in zip(names, pairwise.ranks, strict=True)),
            _row("Friedman", overall.chi_square, overall.p, f"{overall.n} data sets, {overall.k} methods"),
            _row("Iman-Davenport", overall.f, overall.f_p, freedom),
            _row("Nemenyi critical difference", pairwise.critical_difference, None, f"level {pairwise.level:g}"),
        ]
        for i, j in combinations(range(overall.k), 2):
            gap, p = pairwise.ranks[j] - pairwise.ranks[i], pairwise.p_values[i, j]
            differ = overall.f_p <= pairwise.level and pairwise.differ[i, j]
            rows.append(_row("Nemenyi", abs(gap), p, _finding(names[i], names[j], gap if differ else 0)))
        for pair in self.wilcoxon:
            gap = pair.in_favour_of_first - pair.in_favour_of_second
            finding = _finding(names[pair.first], names[pair.second], gap if pair.adjusted_p <= pairwise.level else 0)
            detail = f"{finding} (p = {pair.p:.4f} before the correction, {pair.n} unequal data sets)"
            rows.append(_row("Wilcoxon-Holm", pair.statistic, pair.adjusted_p, detail))
        return rows


def compare_methods(
    values: ArrayLike, names: Sequence[str], level: float = 0.10, *, lower_is_better: bool = False
) -> MethodTests | None:
    """All tests of a table; None if not even two data sets are complete."""
    methods = _table(values).shape[1]
    if len(names) != methods:
        raise DataError(f"A table of {methods} methods needs as many names; found {len(names)}: {', '.join(names)}.")
    if count_complete(values) < 2:
        return None
    return MethodTests(
        names,
        friedman(values),
        nemenyi(values, level, lower_is_better=lower_is_better),
        wilcoxon_holm(values, lower_is_better=lower_is_better),
    )


def average_ranks(values: ArrayLike, lower_is_better: bool = False) -> NDArray[np.float64]:
    """The mean rank of each method, 1 the best; equal values share the mean of their ranks.

    A data set without a value for every method is left out for all, so that the ranks stay comparable.
    """
    return ranks_of(_complete(values, at_least=1), lower_is_better).mean(axis=0)


def friedman(values: ArrayLike) -> Friedman:
    """Friedman's test that all methods perform equally, corrected for ties, and its F form (Demšar 2006, 3.2.2).

    If all methods tie on every data set, both statistics are 0; if all data sets order them alike, F is infinite.
    """
    table = _complete(values)
    n, k = table.shape
    deviations = ranks_of(table) - (k + 1) / 2
    total = float((deviations**2).sum())
    between = n * float((deviations.mean(axis=0) ** 2).sum())
    # Without ties the total is n k (k² - 1) / 12, which makes this the textbook's formula.
    chi_square = n * (k - 1) * between / total if total > 0 else 0.0
    rest = n * (k - 1) - chi_square
    # Ranks are multiples of 1/2: a rest this small is a rounding error of 0.
    f = (n - 1) * chi_square / rest if rest > 1e-9 else float("inf")
    return Friedman(
        chi_square=chi_square,
        p=float(scipy.stats.chi2.sf(chi_square, k - 1)),
        f=f,
        f_p=float(scipy.stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        n=n,
        k=k,
    )


def nemenyi(values: ArrayLike, level: float = 0.10, *, lower_is_better: bool = False) -> Nemenyi:
    """All pairs of methods at once: two differ if their average ranks lie the critical difference apart.

    The p-values are those of scikit-posthocs, which takes √2 times the rank difference over √(k (k + 1) / 6n) as a
    studentized range of k means with infinitely many degrees of freedom, the distribution of Demšar's critical values.
    """
    from scikit_posthocs import posthoc_nemenyi_friedman

    if not 0 < level < 1:
        raise ConfigError(f"A significance level lies strictly between 0 and 1; found {level}.")
    table = _complete(values)
    n, k = table.shape
    ranks = ranks_of(table, lower_is_better).mean(axis=0)
    quantile = float(scipy.stats.studentized_range.ppf(1 - level, k, np.inf)) / np.sqrt(2)
    critical_difference = float(quantile * np.sqrt(k * (k + 1) / (6 * n)))
    return Nemenyi(
        level=level,
        ranks=ranks,
        critical_difference=critical_difference,
        p_values=posthoc_nemenyi_friedman(table).to_numpy(),
        differ=np.abs(ranks[:, None] - ranks) >= critical_difference,
    )


def wilcoxon_holm(values: ArrayLike, *, lower_is_better: bool = False) -> list[SignedRanks]:
    """Wilcoxon's signed-rank test of each pair of methods, two-sided, p-values adjusted by Holm's procedure.

    Data sets on which a pair is equal are dropped (scipy's zero_method "wilcox"); a pair equal everywhere has p = 1.
    """
    table = _complete(values) * (-1 if lower_is_better else 1)
    pairs = list(combinations(range(table.shape[1]), 2))
    tests = [_signed_ranks(np.round(table[:, i] - table[:, j], _DECIMALS)) for i, j in pairs]
    adjusted = holm([p for *_, p in tests])
    return [
        SignedRanks(i, j, for_first, for_second, n, p, float(adjusted_p))
        for (i, j), (for_first, for_second, n, p), adjusted_p in zip(pairs, tests, adjusted, strict=True)
    ]


def _signed_ranks(differences: NDArray[np.float64]) -> tuple[float, float, int, float]:
    """The rank sums of the positive and the negative differences, their number, and the two-sided p-value.

    The p-value is exact also for tied differences, for which scipy's wilcoxon is exact only up to 13: under the null
    hypothesis each rank is positive with probability 1/2, so the distribution of the sum is a convolution of coins.
    """
    unequal = differences[differences != 0]
    # Midranks are multiples of 1/2.
    doubled = np.rint(2 * scipy.stats.rankdata(np.abs(unequal))).astype(int)
    distribution = np.ones(1)
    for rank in doubled:
        distribution = (np.pad(distribution, (0, rank)) + np.pad(distribution, (rank, 0))) / 2
    positive, negative = int(doubled[unequal > 0].sum()), int(doubled[unequal < 0].sum())
    p = min(1.0, 2 * float(distribution[: min(positive, negative) + 1].sum()))
    return positive / 2, negative / 2, len(unequal), p


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """The smallest level at which Holm's step-down procedure (1979) rejects each hypothesis."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted


def paired_t(differences: ArrayLike) -> TTest:
    """Student's t-test of paired differences. Between overlapping training sets it finds too many differences."""
    return _t_test(differences, test_over_train=0.0)


def corrected_resampled_t(differences: ArrayLike, test_share: float) -> TTest:
    """The t-test for differences over splits whose training sets overlap (Nadeau & Bengio 2003, Machine Learning 52).

    test_share : the share of all rows that a split tests on, .1 in ten-fold cross-validation. The variance of the mean
        over J splits is estimated as (1 / J + n_test / n_train) times the variance of the differences.
    """
    if not 0 < test_share < 1:
        raise DataError(f"The share of test rows lies strictly between 0 and 1; found {test_share}.")
    return _t_test(differences, test_over_train=test_share / (1 - test_share))


def corrected_interval(values: ArrayLike, test_share: float, confidence: float = 0.95) -> tuple[float, float]:
    """A t interval for the mean of a score over splits whose training sets overlap, by the same estimate of variance.

    Without the correction the interval of ten-fold cross-validation would be 1.45 times too narrow.
    """
    found = np.asarray(values, dtype=float)
    if found.ndim != 1 or len(found) < 2 or not np.isfinite(found).all():
        raise DataError(f"A confidence interval needs a list of at least two finite values; found {values!r}.")
    if not 0 < test_share < 1:
        raise DataError(f"The share of test rows lies strictly between 0 and 1; found {test_share}.")
    error = _error_of_mean(found, test_share / (1 - test_share))
    reach = float(scipy.stats.t.ppf((1 + confidence) / 2, len(found) - 1)) * error
    return float(found.mean()) - reach, float(found.mean()) + reach


def _error_of_mean(values: NDArray[np.float64], test_over_train: float) -> float:
    return float(np.sqrt((1 / len(values) + test_over_train) * values.var(ddof=1)))


def _t_test(differences: ArrayLike, test_over_train: float) -> TTest:
    """Constant differences have no variance: t is 0 if they are 0, else infinite."""
    d = np.asarray(differences, dtype=float)
    if d.ndim != 1 or len(d) < 2 or not np.isfinite(d).all():
        raise DataError(f"A t-test needs a list of at least two finite differences; found {differences!r}.")
    mean = float(d.mean())
    if np.ptp(d) == 0:
        t = 0.0 if mean == 0 else float(np.copysign(np.inf, mean))
    else:
        t = mean / _error_of_mean(d, test_over_train)
    return TTest(mean, t, p=float(2 * scipy.stats.t.sf(abs(t), len(d) - 1)), degrees_of_freedom=len(d) - 1)


def _row(test: str, statistic: float, p: float | None, detail: str) -> SignificanceRow:
    return SignificanceRow(test, round(float(statistic), 6), None if p is None else round(float(p), 6), detail)


def _finding(first: str, second: str, advantage_of_first: float) -> str:
    if advantage_of_first == 0:
        return f"no difference between {first} and {second}"
    better, worse = (first, second) if advantage_of_first > 0 else (second, first)
    return f"{better} better than {worse}"


def complete_part(values: ArrayLike) -> tuple[list[int], list[int]]:
    """The rows and the columns that are left when, as long as a value is missing, the row or the column that lacks the
    largest share of its values is taken away; of equal ones the last, and a column rather than a row."""
    there = ~np.isnan(np.asarray(values, dtype=float))
    rows, columns = list(range(there.shape[0])), list(range(there.shape[1]))
    while rows and columns and not (part := there[np.ix_(rows, columns)]).all():
        of_rows, of_columns = 1 - part.mean(axis=1), 1 - part.mean(axis=0)
        if of_columns.max() >= of_rows.max():
            columns.pop(int(np.flatnonzero(of_columns == of_columns.max())[-1]))
        else:
            rows.pop(int(np.flatnonzero(of_rows == of_rows.max())[-1]))
    return rows, columns


def count_complete(values: ArrayLike) -> int:
    """Data sets with a value for every method: the tests need two."""
    return int((~np.isnan(_table(values)).any(axis=1)).sum())


def _complete(values: ArrayLike, at_least: int = 2) -> NDArray[np.float64]:
    table = _table(values)
    complete = table[~np.isnan(table).any(axis=1)]
    if len(complete) < at_least:
        raise DataError(
            f"A comparison of methods needs at least {at_least} data set(s) with a value for every method; "
            f"found {len(complete)} among {len(table)}."
        )
    return complete


def _table(values: ArrayLike) -> NDArray[np.float64]:
    table = np.asarray(values, dtype=float)
    if table.ndim != 2 or table.shape[1] < 2:
        raise DataError(
            f"A comparison needs a table of data sets × at least two methods; found an array of shape {table.shape}."
        )
    if np.isinf(table).any():
        raise DataError(f"A comparison needs finite values or NaN; found {np.isinf(table).sum()} infinite one(s).")
    return table


def ranks_of(table: NDArray[np.float64], lower_is_better: bool = False) -> NDArray[np.float64]:
    return scipy.stats.rankdata(table if lower_is_better else -table, axis=1)
