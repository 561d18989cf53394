"""From scores to our numbers: means over the splits, and what papers derive from such means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, sqrt
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
import scipy

from labelknn.metrics import METRICS
from labelknn_papers.judge.significance import average_ranks
from labelknn_papers.plan.cells import Cell, Target
from labelknn_papers.run.score import Score

# The share of a symmetric distribution below two standard errors.
_COVERED = 0.975


@dataclass(frozen=True)
class Estimate:
    """Our value: the mean over the splits, and its standard error where there is more than one.

    splits : how many there are, where that is known.
    """

    mean: float
    se: float | None = None
    splits: int = 0

    @property
    def error(self) -> float | None:
        """The standard error, widened where it is itself estimated from few splits.

        As much as Student's t is wider than the normal distribution: twice this covers what two standard errors of
        many splits do.
        """
        if self.se is None or self.splits < 2:
            return self.se
        student, normal = scipy.stats.t.ppf(_COVERED, self.splits - 1), scipy.stats.norm.ppf(_COVERED)
        return self.se * float(student / normal)

    @property
    def spread(self) -> float | None:
        """The standard deviation of a single split's value."""
        return None if self.se is None or not self.splits else self.se * sqrt(self.splits)


# By protocol, data set, algorithm, setting and metric.
Estimates = Mapping[tuple[str, str, str, str, str], Estimate]

# By data set and method, then by setting and metric.
CellEstimates = Mapping[tuple[str, str], Mapping[tuple[str, str], Estimate]]


def summarise(scores: Iterable[Score]) -> Estimates:
    """Mean and standard error over the splits.

    A split on which a metric has no value (NaN: no test row has a label, say) is left out of both.
    """
    values: dict[tuple[str, str, str, str, str], list[float]] = {}
    for score in scores:
        if not isnan(score.value):
            key = (score.protocol, score.dataset, score.algorithm, score.setting, score.metric)
            values.setdefault(key, []).append(score.value)
    return {
        key: Estimate(fmean(found), stdev(found) / sqrt(len(found)) if len(found) > 1 else None, len(found))
        for key, found in values.items()
    }


def by_cell(estimates: Estimates, cells: Mapping[tuple[str, str], Cell]) -> CellEstimates:
    """The estimates of these cells, under their names; a cell without any is left out."""
    grouped: dict[tuple[str, str, str], dict[tuple[str, str], Estimate]] = {}
    for (protocol, dataset, algorithm, setting, metric), estimate in estimates.items():
        grouped.setdefault((protocol, dataset, algorithm), {})[setting, metric] = estimate
    places = {name: (cell.protocol.id, cell.dataset, cell.method) for name, cell in cells.items()}
    return {name: grouped[place] for name, place in places.items() if place in grouped}


def best_setting(estimates: Estimates, cell: Cell, metric: str) -> Estimate | None:
    """The best value of a metric over all settings of a cell: a choice by the test rows, where a paper made it so."""
    place = (cell.protocol.id, cell.dataset, cell.method)
    found = [estimate for (*where, _, name), estimate in estimates.items() if (tuple(where), name) == (place, metric)]
    choose = min if METRICS[metric].lower_is_better else max
    return choose(found, key=lambda estimate: estimate.mean, default=None)


def derived_numbers(ours: Mapping[Target, Estimate | None], estimates: Estimates) -> dict[Target, Estimate]:
    """The numbers that papers derive from others: average ranks, and tree sizes relative to those of C4.5."""
    derived = {}
    for target in ours:
        if target.metric == "average_rank" and (rank := _average_rank(target, ours)) is not None:
            derived[target] = Estimate(rank)
        if target.metric == "relative_tree_size" and (size := _relative_tree_size(target, estimates)) is not None:
            derived[target] = size
    return derived


@dataclass(frozen=True)
class ValueTable:
    """One metric of a paper's table: a row for each data set, a column for each method, NaN where we have no value."""

    metric: str
    datasets: list[str]
    methods: list[str]
    values: np.ndarray

    @property
    def lower_is_better(self) -> bool:
        return METRICS[self.metric].lower_is_better


def value_table(
    ours: Mapping[Target, Estimate | None], table: str, metric: str, setting: str | None = None
) -> ValueTable:
    """Our values of a metric (of one setting, if it is given); all names are those that the paper uses."""
    cells = {
        target.published: estimate
        for target, estimate in ours.items()
        if target.published.table == table
        and target.published.metric == metric
        and target.published.method
        and setting in (None, target.published.setting)
    }
    datasets = list(dict.fromkeys(number.dataset for number in cells))
    methods = list(dict.fromkeys(number.method for number in cells))
    values = np.full((len(datasets), len(methods)), np.nan)
    for number, estimate in cells.items():
        if estimate is not None:
            values[datasets.index(number.dataset), methods.index(number.method)] = estimate.mean
    return ValueTable(metric, datasets, methods, values)


def ranked_by(target: Target, targets: Iterable[Target]) -> tuple[str, str | None]:
    """The metric that an average rank is of, and the setting, if that says which values.

    A setting "of=hamming_loss" names the metric, else the table has one.
    """
    number = target.published
    _, named, metric = number.setting.partition("of=")
    if named:
        return metric, None
    printed = [peer.published for peer in targets if peer.published.table == number.table]
    return next((peer.metric for peer in printed if peer.metric in METRICS), ""), number.setting


def _ranked_table(target: Target, ours: Mapping[Target, Estimate | None]) -> ValueTable:
    return value_table(ours, target.published.table, *ranked_by(target, ours))


def _average_rank(target: Target, ours: Mapping[Target, Estimate | None]) -> float | None:
    """The method's mean rank over all data sets of its table; over fewer of them it would be another number."""
    found = _ranked_table(target, ours)
    if target.published.method not in found.methods or np.isnan(found.values).any():
        return None
    return _rank_in(found, target.published.method)


class PartialRank(NamedTuple):
    """An average rank without the data sets that we do not have: ours, and by the paper's own values.

    without : those data sets.
    """

    ours: float
    printed: float
    without: Sequence[str]


def partial_average_rank(target: Target, ours: Mapping[Target, Estimate | None]) -> PartialRank | None:
    """None if the average is over all data sets, if it is no average rank, or if no data set has all values."""
    if target.metric != "average_rank":
        return None
    values = {peer: peer.published.value for peer in ours}
    printed = _ranked_table(
        target, {peer: None if value is None else Estimate(value) for peer, value in values.items()}
    )
    found = _ranked_table(target, ours)
    both = ~np.isnan(found.values + printed.values).any(axis=1)
    if target.published.method not in found.methods or not both.any() or both.all():
        return None
    mine, theirs = (
        _rank_in(replace(table, values=table.values[both]), target.published.method) for table in (found, printed)
    )
    return PartialRank(mine, theirs, [name for name, has in zip(found.datasets, both, strict=True) if not has])


def _rank_in(table: ValueTable, method: str) -> float:
    return float(average_ranks(table.values, table.lower_is_better)[table.methods.index(method)])


def _relative_tree_size(target: Target, estimates: Estimates) -> Estimate | None:
    """Mean number of leaves divided by the mean number that C4.5 has on the same training parts (cheng2009, 6.2).

    C4.5 learns from "the corresponding classification data", of which a data set has one: its rankings' top labels
    before any label is deleted. (Of incomplete rankings, many have a top label that is not the best one.)
    """
    if target.cell is None:
        return None
    cell = target.cell
    tree = estimates.get((cell.protocol.id, cell.dataset, cell.method, target.setting, "leaves"))
    reference = estimates.get((cell.protocol.complete.id, cell.dataset, "c45", "", "leaves"))
    if tree is None or reference is None:
        return None
    se = tree.se / reference.mean if tree.se is not None else None
    return Estimate(tree.mean / reference.mean, se, tree.splits)
