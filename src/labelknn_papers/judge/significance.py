"""Which methods differ, over several data sets or over the splits of one: ranks, tests and their diagram.

A table of values has a row for each data set and a column for each method; NaN marks a value that could not be had.
The tests follow Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7:1-30: first
Friedman's, then Nemenyi's, with pairwise Wilcoxon tests under Holm's correction beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy  # its parts are imported when they are used: most scripts test nothing
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from labelknn.errors import ConfigError, DataError
from labelknn_papers.show.figures import COLOURS, new_figure, nothing_to_show

# Inches: a row of a diagram, which holds one line of text, and the line for its title.
_ROW, _HEAD = 0.22, 0.4

# Rows of a diagram: above the line of ranks, between it and the first bar, for each bar, and below the names.
_ABOVE, _GAP, _BAR, _BELOW = 2.9, 0.6, 0.5, 0.4

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


def average_ranks(values: ArrayLike, lower_is_better: bool = False) -> NDArray[np.float64]:
    """The mean rank of each method, 1 the best; equal values share the mean of their ranks.

    A data set without a value for every method is left out for all, so that the ranks stay comparable.
    """
    return _ranks(_complete(values, at_least=1), lower_is_better).mean(axis=0)


def friedman(values: ArrayLike) -> Friedman:
    """Friedman's test that all methods perform equally, corrected for ties, and its F form (Demšar 2006, 3.2.2).

    If all methods tie on every data set, both statistics are 0; if all data sets order them alike, F is infinite.
    """
    table = _complete(values)
    n, k = table.shape
    deviations = _ranks(table) - (k + 1) / 2
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
    ranks = _ranks(table, lower_is_better).mean(axis=0)
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


def significance_rows(
    values: ArrayLike, names: Sequence[str], level: float = 0.10, *, lower_is_better: bool = False
) -> list[SignificanceRow]:
    """Everything that this module finds about a table, for a CSV file; nothing if not even two data sets are complete.

    As in Demšar's two-step procedure, Nemenyi's test claims a difference only where Friedman's (in its F form)
    rejects at the same level.
    """
    _check_names(values, names)
    if count_complete(values) < 2:
        return []
    overall, pairwise = friedman(values), nemenyi(values, level, lower_is_better=lower_is_better)
    freedom = f"F({overall.k - 1}, {(overall.k - 1) * (overall.n - 1)})"
    rows = [
        *(_row("average rank", rank, None, name) for name, rank in zip(names, pairwise.ranks, strict=True)),
        _row("Friedman", overall.chi_square, overall.p, f"{overall.n} data sets, {overall.k} methods"),
        _row("Iman-Davenport", overall.f, overall.f_p, freedom),
        _row("Nemenyi critical difference", pairwise.critical_difference, None, f"level {level:g}"),
    ]
    for i, j in combinations(range(overall.k), 2):
        gap, p = pairwise.ranks[j] - pairwise.ranks[i], pairwise.p_values[i, j]
        differ = overall.f_p <= level and pairwise.differ[i, j]
        rows.append(_row("Nemenyi", abs(gap), p, _finding(names[i], names[j], gap if differ else 0)))
    for pair in wilcoxon_holm(values, lower_is_better=lower_is_better):
        gap = pair.in_favour_of_first - pair.in_favour_of_second
        finding = _finding(names[pair.first], names[pair.second], gap if pair.adjusted_p <= level else 0)
        detail = f"{finding} (p = {pair.p:.4f} before the correction, {pair.n} unequal data sets)"
        rows.append(_row("Wilcoxon-Holm", pair.statistic, pair.adjusted_p, detail))
    return rows


def _row(test: str, statistic: float, p: float | None, detail: str) -> SignificanceRow:
    return SignificanceRow(test, round(float(statistic), 6), None if p is None else round(float(p), 6), detail)


def _finding(first: str, second: str, advantage_of_first: float) -> str:
    if advantage_of_first == 0:
        return f"no difference between {first} and {second}"
    better, worse = (first, second) if advantage_of_first > 0 else (second, first)
    return f"{better} better than {worse}"


def critical_difference_diagram(
    values: ArrayLike,
    names: Sequence[str],
    critical_difference: float,
    *,
    lower_is_better: bool = False,
    title: str = "",
) -> Figure:
    """Demšar's diagram: the average ranks on a line, the best at the left, and a bar over those that do not differ."""
    _check_names(values, names)
    ranks = average_ranks(values, lower_is_better)
    rows = _rows_needed(ranks, critical_difference)
    with new_figure(5.5, _ROW * rows + _HEAD * bool(title)) as (figure, axes):
        _draw_ranks(axes, ranks, names, critical_difference, rows)
        _set_title(axes, title)
        return figure


def critical_difference_panels(
    tables: Mapping[str, ArrayLike], names: Sequence[str], level: float = 0.10, *, lower_is_better: bool = False
) -> Figure:
    """A diagram for each titled table of the same methods, one below the other, each with Friedman's verdict.

    A table with fewer than two complete data sets leaves its place empty and says so.
    """
    for values in tables.values():
        _check_names(values, names)
    found = {
        title: nemenyi(values, level, lower_is_better=lower_is_better)
        for title, values in tables.items()
        if count_complete(values) >= 2
    }
    rows = max((_rows_needed(one.ranks, one.critical_difference) for one in found.values()), default=5)
    with new_figure(5.5, (_ROW * rows + _HEAD) * len(tables), nrows=len(tables), squeeze=False) as (figure, grid):
        for axes, (title, values) in zip(grid[:, 0], tables.items(), strict=True):
            if title in found:
                one, overall = found[title], friedman(values)
                _draw_ranks(axes, one.ranks, names, one.critical_difference, rows)
                p = f"p = {overall.f_p:.3f}" if overall.f_p >= 0.001 else "p < 0.001"
                title = f"{title} (Friedman: F = {overall.f:.2f}, {p})"
            else:
                nothing_to_show(axes)
            _set_title(axes, title)
        note = f"average ranks, 1 is the best; CD: critical difference of Nemenyi's test at {level:.0%}"
        figure.supxlabel(note, fontsize=8, color="0.25")
        return figure


def groups(ranks: ArrayLike, critical_difference: float) -> list[NDArray[np.intp]]:
    """The largest sets of methods no two of which differ, each from the best to the worst, the best set first."""
    ranks = np.asarray(ranks, dtype=float)
    order = np.argsort(ranks, kind="stable")
    found: list[NDArray[np.intp]] = []
    end = 0
    for start in range(len(order)):
        reach = int(np.count_nonzero(ranks[order] - ranks[order[start]] < critical_difference))
        # What does not reach beyond the group before is a part of it.
        if reach > end and reach - start > 1:
            found.append(order[start:reach])
        end = max(end, reach)
    return found


def _rows_needed(ranks: NDArray[np.float64], critical_difference: float) -> float:
    return _ABOVE + _BAR * len(groups(ranks, critical_difference)) + _GAP + (len(ranks) + 1) // 2 + _BELOW


def _draw_ranks(
    axes: Axes, ranks: NDArray[np.float64], names: Sequence[str], critical_difference: float, rows: float
) -> None:
    """Ranks along x, rows along y, the line of ranks at y = 0."""
    k = len(ranks)
    right = max(k, 1 + critical_difference)
    axes.set_axis_off()
    axes.set_xlim(1, right)
    axes.set_ylim(_ABOVE - rows, _ABOVE)
    _draw_line(axes, k)
    _draw_bracket(axes, critical_difference)

    bars = groups(ranks, critical_difference)
    for level, members in enumerate(bars):
        low, high = ranks[members[0]], ranks[members[-1]]
        # A little longer than the group, so that a bar over equal ranks still shows.
        overhang = 0.012 * (right - 1)
        axes.plot(
            [low - overhang, high + overhang],
            [-_GAP - _BAR * level] * 2,
            color=COLOURS[0],
            linewidth=4,
            solid_capstyle="butt",
            zorder=3,
            clip_on=False,
        )

    top = -_GAP - _BAR * len(bars) - 0.5
    order = np.argsort(ranks, kind="stable")
    half = (k + 1) // 2
    # The outermost rank gets the uppermost name on either side, so that no two lines cross.
    for row, method in enumerate(order[:half]):
        _draw_name(axes, f"{names[method]}  {ranks[method]:.2f}", ranks[method], 1, top - row, "right")
    for row, method in enumerate(order[half:][::-1]):
        _draw_name(axes, f"{ranks[method]:.2f}  {names[method]}", ranks[method], right, top - row, "left")


def _set_title(axes: Axes, title: str) -> None:
    axes.set_title(title, loc="left", fontsize=8, fontweight="bold")


def _draw_line(axes: Axes, k: int) -> None:
    axes.plot([1, k], [0, 0], color="black", linewidth=1)
    for tick in np.arange(1, k + 0.25, 0.5):
        whole = tick == int(tick)
        axes.plot([tick, tick], [0, 0.35 if whole else 0.2], color="black", linewidth=1, clip_on=False)
        if whole:
            axes.text(tick, 0.45, f"{tick:.0f}", ha="center", va="bottom")


def _draw_bracket(axes: Axes, critical_difference: float) -> None:
    height, end = 1.85, 1 + critical_difference
    axes.plot([1, end], [height, height], color="black", linewidth=1, marker="|", markersize=7, clip_on=False)
    axes.text((1 + end) / 2, height + 0.2, f"CD = {critical_difference:.2f}", ha="center", va="bottom")


def _draw_name(axes: Axes, text: str, rank: float, edge: float, height: float, align: str) -> None:
    axes.plot([rank, rank, edge], [0, height, height], color="0.35", linewidth=0.9, clip_on=False)
    axes.plot([rank], [0], "o", color="black", markersize=4, clip_on=False, zorder=4)
    offset = (-6 if align == "right" else 6, 0)
    axes.annotate(
        text, (edge, height), offset, textcoords="offset points", ha=align, va="center", annotation_clip=False
    )


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


def _check_names(values: ArrayLike, names: Sequence[str]) -> None:
    methods = _table(values).shape[1]
    if len(names) != methods:
        raise DataError(f"A table of {methods} methods needs as many names; found {len(names)}: {', '.join(names)}.")


def _ranks(table: NDArray[np.float64], lower_is_better: bool = False) -> NDArray[np.float64]:
    return scipy.stats.rankdata(table if lower_is_better else -table, axis=1)
