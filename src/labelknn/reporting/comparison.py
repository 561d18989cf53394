"""Every published number beside ours: a pure function of the plan, the scores and the facts about the data."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, sqrt
from os import PathLike
from statistics import fmean, stdev
from typing import Any

from labelknn.experiment.plan import Published, Target
from labelknn.experiment.score import Score
from labelknn.files import atomic
from labelknn.reporting.verdict import DIFFERS, NOT_RUN, VERDICTS, judge

COLUMNS = (
    "table",
    "dataset",
    "method",
    "metric",
    "setting",
    "published",
    "ours",
    "se",
    "difference",
    "tolerance",
    "verdict",
    "reason",
)
NOT_IMPLEMENTED = "not implemented yet"


@dataclass(frozen=True)
class Estimate:
    """Our value: the mean over the splits, and its standard error where there is more than one."""

    mean: float
    se: float | None = None


@dataclass(frozen=True)
class Comparison:
    """One cell of a paper's table. Without a published number (N/A) there is nothing to judge, and `verdict` is ""."""

    target: Target
    ours: Estimate | None = None
    difference: float | None = None
    tolerance: float | None = None
    verdict: str = ""
    reason: str = ""

    @property
    def published(self) -> Published:
        return self.target.published

    def row(self) -> tuple[str, ...]:
        """The cell in COLUMNS, numbers to six decimals."""
        number, ours = self.published, self.ours
        return (
            number.table,
            number.dataset,
            number.method,
            number.metric,
            number.setting,
            number.printed,
            decimal(ours.mean if ours else None),
            decimal(ours.se if ours else None),
            decimal(self.difference),
            decimal(self.tolerance),
            self.verdict,
            self.reason,
        )


def decimal(value: float | None) -> str:
    """A number for a file that must be the same on every machine: six decimals are, the sixteenth may not be."""
    return "" if value is None else f"{round(value, 6) + 0.0:.12g}"


def compare(
    targets: Iterable[Target],
    tables: Mapping[str, Mapping[str, Any]],
    scores: Iterable[Score],
    facts: Mapping[str, Mapping[str, float]],
    unreached: Mapping[str, str],
) -> list[Comparison]:
    """Each published number and what we have against it.

    tables : the paper's table definitions, for the reasons given there.
    facts : what `describe` found for each data set.
    unreached : why a data set could not be had.
    """
    estimates = summarise(scores)
    return [_compare(target, tables[target.published.table], estimates, facts, unreached) for target in targets]


def summarise(scores: Iterable[Score]) -> dict[tuple[str, str, str, str, str], Estimate]:
    """Mean and standard error over the splits, by protocol, data set, algorithm, setting and metric.

    A split on which a metric has no value (NaN: no test row has a label, say) is left out of both.
    """
    values: dict[tuple[str, str, str, str, str], list[float]] = {}
    for score in scores:
        if isnan(score.value):
            continue
        key = (score.protocol, score.dataset, score.algorithm, score.setting, score.metric)
        values.setdefault(key, []).append(score.value)
    return {
        key: Estimate(fmean(found), stdev(found) / sqrt(len(found)) if len(found) > 1 else None)
        for key, found in values.items()
    }


def _compare(
    target: Target,
    table: Mapping[str, Any],
    estimates: Mapping[tuple[str, str, str, str, str], Estimate],
    facts: Mapping[str, Mapping[str, float]],
    unreached: Mapping[str, str],
) -> Comparison:
    number = target.published
    reason = _reason(table.get("reasons", ()), number)
    ours = _ours(target, estimates, facts)
    if number.value is None:
        return Comparison(target, ours, reason=reason or number.note)
    if ours is None:
        if target.dataset in unreached:
            reason = unreached[target.dataset]
        elif target.left_out:
            reason = "left out of this run"
        return Comparison(target, verdict=NOT_RUN, reason=reason or NOT_IMPLEMENTED)
    judgement = judge(number, target.metric, ours.mean, ours.se)
    explained = reason or number.note if judgement.verdict == DIFFERS else ""
    return Comparison(target, ours, judgement.difference, judgement.tolerance, judgement.verdict, explained)


def _ours(target: Target, estimates: Mapping, facts: Mapping[str, Mapping[str, float]]) -> Estimate | None:
    if target.cell is not None:
        cell = target.cell
        return estimates.get((cell.protocol.id, cell.dataset, cell.algorithm, target.setting, target.metric))
    if target.published.method == "" and target.dataset in facts and target.metric in facts[target.dataset]:
        return Estimate(facts[target.dataset][target.metric])
    return None


def _reason(reasons: Sequence[Mapping[str, str]], number: Published) -> str:
    """The most specific reason that fits the number."""
    fitting = [
        entry
        for entry in reasons
        if all(getattr(number, field) == value for field, value in entry.items() if field != "because")
    ]
    return max(fitting, key=len)["because"] if fitting else ""


def write_comparison(path: str | PathLike, comparisons: Iterable[Comparison]) -> None:
    """One row for each number that the paper prints."""
    write_table(path, COLUMNS, (one.row() for one in comparisons if one.published.value is not None))


def scorecard(papers: Mapping[str, Sequence[Comparison]]) -> list[tuple[Any, ...]]:
    """Counts by verdict for each table of each paper: paper, table, cells, matches, close, differs, not run."""
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for paper, comparisons in papers.items():
        for one in comparisons:
            if one.published.value is not None:
                row = counts.setdefault((paper, one.published.table), dict.fromkeys(VERDICTS, 0))
                row[one.verdict] += 1
    return [(*key, sum(row.values()), *row.values()) for key, row in counts.items()]


def write_scorecard(path: str | PathLike, papers: Mapping[str, Sequence[Comparison]]) -> None:
    write_table(path, ("paper", "table", "cells", "matches", "close", "differs", "not_run"), scorecard(papers))


def write_table(path: str | PathLike, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with atomic(path) as temporary, open(temporary, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)
