"""What claims consist of: conditions on numbers, the same for ours and for those that a paper prints.

Each function takes the values first and gives a `Finding`. `table`, `metrics`, `datasets` and `settings` say where it
looks (`Values.rows`). Where a condition is asked of many cells, `share` of them are enough; `more_than` is the same
without equality. Bounds are `at_least` and `at_most`, or `above` and `below` without equality.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import hypot

import numpy as np
import scipy  # its parts are imported when they are used

from labelknn_papers.judge.claims.findings import DECIMALS, Finding, bounded, counted, gain, head
from labelknn_papers.judge.claims.values import Row, Values, as_ref, lower_is_better, short
from labelknn_papers.judge.significance import average_ranks, friedman, wilcoxon_holm
from labelknn_papers.judge.significance import nemenyi as nemenyi_of

# A method, or a mapping with what differs from the condition's own place.
Named = str | Mapping[str, str]


def beats(
    values: Values,
    *,
    table: str,
    methods: Sequence[Named],
    over: Sequence[Named],
    metrics: Sequence[str],
    datasets: Sequence[str] | None = None,
    settings: Sequence[str] | None = None,
    ties: bool = False,
    errors: float = 0.0,
    share: float | None = None,
    more_than: float | None = None,
) -> Finding:
    """Each of `methods` is better than each of `over`, on each data set, metric and setting.

    ties : equal values count for the method.
    errors : better by more than so many standard errors of the difference.
    """
    won: dict[str, bool] = {}
    listed: dict[str, str] = {}
    pairs = list(product(map(as_ref, methods), map(as_ref, over)))
    for method, other in pairs:
        for row in values.rows_there(table, [method, other], metrics, datasets, settings):
            advantage = gain(row)
            name = row.label if len(pairs) == 1 else f"{method} against {other}, {row.label}"
            error = errors * hypot(*(number.se or 0.0 for number in row.numbers))
            won[name] = advantage > error or (ties and advantage >= 0)
            listed[name] = f"{name} {short(row.means[0])} and {short(row.means[1])}"
            listed[name] += f", {errors:g} standard errors {short(error)}" if error else ""
    if not won:
        raise values.nothing(table)
    names = " against ".join(", ".join(map(str, map(as_ref, side))) for side in (methods, over))
    found = counted(won, listed, share, more_than, "at least as good" if ties else "better")
    return Finding(found.met, f"{head(names, metrics)}: {found.text}")


def difference(
    values: Values,
    *,
    table: str,
    of: Named,
    minus: Named,
    metrics: Sequence[str],
    datasets: Sequence[str] | None = None,
    settings: Sequence[str] | None = None,
    statistic: str | None = None,
    share: float | None = None,
    more_than: float | None = None,
    **bounds: float,
) -> Finding:
    """A value minus another lies within bounds, in each cell or by a statistic over the cells."""
    first, second = as_ref(of), as_ref(minus)
    rows = values.rows(table, [first, second], metrics, datasets, settings)
    found = {row.label: row.means[0] - row.means[1] for row in rows}
    return bounded(head(f"{first} − {second}", metrics), found, statistic, share, more_than, bounds)


def ratio(
    values: Values,
    *,
    table: str,
    of: Sequence[Named],
    over: Sequence[Named],
    metrics: Sequence[str],
    datasets: Sequence[str] | None = None,
    settings: Sequence[str] | None = None,
    statistic: str | None = None,
    each: bool = False,
    least: bool = False,
    share: float | None = None,
    more_than: float | None = None,
    **bounds: float,
) -> Finding:
    """A sum of values divided by another sum lies within bounds, in each cell or by a statistic over the cells.

    each : each of the values `of`, not their sum.
    least : divided by the least of the values `over`, not by their sum.
    """
    above, below = list(map(as_ref, of)), list(map(as_ref, over))
    found: dict[str, float] = {}
    for part in [[one] for one in above] if each else [above]:
        for row in values.rows_there(table, [*part, *below], metrics, datasets, settings):
            divisor = (min if least else sum)(row.means[len(part) :])
            label = f"{part[0]} {row.label}" if each else row.label
            found[label] = sum(row.means[: len(part)]) / divisor if divisor else float("inf")
    if not found:
        raise values.nothing(table)
    word = "least of " if least else ""
    dividends, divisors = (
        (", " if each else " + ").join(map(str, above)),
        (", " if least else " + ").join(map(str, below)),
    )
    name = f"{dividends} / {word}{divisors}"
    return bounded(head(name, metrics), found, statistic, share, more_than, bounds)


def within(
    values: Values,
    *,
    table: str,
    methods: Sequence[Named],
    metrics: Sequence[str],
    datasets: Sequence[str] | None = None,
    settings: Sequence[str] | None = None,
    statistic: str | None = None,
    share: float | None = None,
    more_than: float | None = None,
    **bounds: float,
) -> Finding:
    """Values lie within bounds, each of them or a statistic of them."""
    found = {}
    for method in map(as_ref, methods):
        for row in values.rows(table, [method], metrics, datasets, settings):
            found[f"{method} {row.label}".strip()] = row.means[0]
    return bounded(" ".join(metrics), found, statistic, share, more_than, bounds)


def range_over_settings(
    values: Values,
    *,
    table: str,
    methods: Sequence[Named],
    metrics: Sequence[str],
    settings: Sequence[str],
    datasets: Sequence[str] | None = None,
    share: float | None = None,
    more_than: float | None = None,
    **bounds: float,
) -> Finding:
    """How far a method's values over its settings are apart, on each data set and metric."""
    found = {}
    for method in map(as_ref, methods):
        refs = [method._replace(setting=setting) for setting in settings]
        for row in values.rows(table, refs, metrics, datasets):
            found[f"{method} {row.label}".strip()] = max(row.means) - min(row.means)
    return bounded(head("range over settings", metrics), found, None, share, more_than, bounds)


def ranks(
    values: Values,
    *,
    table: str,
    methods: Sequence[Named],
    among: Sequence[Named],
    metrics: Sequence[str],
    datasets: Sequence[str] | None = None,
    settings: Sequence[str] | None = None,
    statistic: str | None = None,
    share: float | None = None,
    more_than: float | None = None,
    **bounds: float,
) -> Finding:
    """The rank of a method among others in each cell: one more than are better. Those without a value do not count."""
    found: dict[str, float] = {}
    for method in map(as_ref, methods):
        for other in map(as_ref, among):
            for row in values.rows_there(table, [method, other], metrics, datasets, settings):
                label = f"{method} {row.label}".strip()
                found[label] = found.get(label, 1) + (gain(row) < 0)
    if not found:
        raise values.nothing(table)
    return bounded(head("rank", metrics), found, statistic, share, more_than, bounds)


def places(
    values: Values,
    *,
    table: str,
    methods: Sequence[Named],
    among: Sequence[Named],
    metrics: Sequence[str],
    first: int,
    last: int,
    by: Sequence[str] = ("average rank",),
    datasets: Sequence[str] | None = None,
    settings: Sequence[str] | None = None,
) -> Finding:
    """By the average rank or the mean over the data sets, the methods take places from `first` to `last`.

    Equal ones have the best of their places. It is asked for each metric and each setting.
    """
    others, met, texts = list(map(as_ref, among)), True, []
    for metric in metrics:
        for setting, asked in _one_by_one(settings):
            rows = values.rows(table, others, [metric], datasets, asked)
            for word in by:
                scores = _scores(rows, word, metric)
                taken = scipy.stats.rankdata(np.round(scores, DECIMALS), method="min")
                met &= all(first <= taken[others.index(as_ref(one))] <= last for one in methods)
                order = sorted(range(len(others)), key=lambda i: (taken[i], i))
                shown = [f"{others[i]} {short(abs(scores[i]))}" for i in order]
                texts.append(head(f"{word} {setting}".strip(), [metric]) + ": " + ", ".join(shown))
    return Finding(met, "; ".join(texts))


def rank_difference(
    values: Values,
    *,
    table: str,
    of: Named,
    minus: Named,
    among: Sequence[Named],
    metrics: Sequence[str],
    datasets: Sequence[str] | None = None,
    settings: Sequence[str] | None = None,
    **bounds: float,
) -> Finding:
    """The average rank of a method minus that of another, for each metric and setting."""
    others, found = list(map(as_ref, among)), {}
    for metric in metrics:
        for setting, asked in _one_by_one(settings):
            rows = values.rows(table, others, [metric], datasets, asked)
            scores = _scores(rows, "average rank", metric)
            gap = scores[others.index(as_ref(of))] - scores[others.index(as_ref(minus))]
            found[f"{metric} {setting}".strip()] = float(gap)
    return bounded(f"average rank of {as_ref(of)} − {as_ref(minus)}", found, None, None, None, bounds)


def nemenyi(
    values: Values,
    *,
    table: str,
    better: Named,
    worse: Named,
    among: Sequence[Named],
    metrics: Sequence[str],
    level: float,
    differ: bool,
    datasets: Sequence[str] | None = None,
    settings: Sequence[str] | None = None,
) -> Finding:
    """Friedman's test (its F form), then Nemenyi's: one method is better at this level; or, if `differ` is false, the
    two do not differ."""
    others = list(map(as_ref, among))
    rows = values.rows(table, others, metrics, datasets, settings)
    matrix = np.array([row.means for row in rows])
    overall, pairwise = friedman(matrix), nemenyi_of(matrix, level, lower_is_better=lower_is_better(metrics[0]))
    gap = float(pairwise.ranks[others.index(as_ref(worse))] - pairwise.ranks[others.index(as_ref(better))])
    critical = pairwise.critical_difference
    rejects = overall.f_p < level
    met = (rejects and gap >= critical) if differ else (not rejects or abs(gap) < critical)
    shown = ", ".join(f"{other} {short(rank)}" for other, rank in zip(others, pairwise.ranks, strict=True))
    return Finding(
        met,
        f"average ranks {shown} over {len(rows)} data sets, Friedman p = {short(overall.f_p)}, difference "
        f"{short(gap)}, critical {short(critical)}",
    )


def wilcoxon(
    values: Values,
    *,
    table: str,
    methods: Sequence[Named],
    metrics: Sequence[str],
    level: float,
    differ: bool,
    datasets: Sequence[str] | None = None,
    settings: Sequence[str] | None = None,
) -> Finding:
    """Wilcoxon's signed-rank test of two methods over the data sets finds a difference, or finds none."""
    first, second = map(as_ref, methods)
    rows = values.rows(table, [first, second], metrics, datasets, settings)
    (test,) = wilcoxon_holm([row.means for row in rows], lower_is_better=lower_is_better(metrics[0]))
    ahead = f"rank sums {short(test.in_favour_of_first)} and {short(test.in_favour_of_second)}"
    text = f"Wilcoxon, {first} and {second}: p = {short(test.p)}, {ahead}, {test.n} unequal data sets"
    return Finding((test.p < level) == differ, text)


def _one_by_one(settings: Sequence[str] | None) -> list[tuple[str, list[str] | None]]:
    """Each setting by its name and as what rows are asked for; a method's only one if none is named."""
    return [(setting, [setting]) for setting in settings] if settings else [("", None)]


def _scores(rows: Sequence[Row], by: str, metric: str) -> np.ndarray:
    """A score for each method over the rows: the lower, the better."""
    matrix = np.round([row.means for row in rows], DECIMALS)
    if by == "average rank":
        return average_ranks(matrix, lower_is_better(metric))
    return matrix.mean(axis=0) * (1 if lower_is_better(metric) else -1)


CONDITIONS: Mapping[str, Callable[..., Finding]] = {
    function.__name__: function
    for function in (
        beats,
        difference,
        ratio,
        within,
        range_over_settings,
        ranks,
        places,
        rank_difference,
        nemenyi,
        wilcoxon,
    )
}
