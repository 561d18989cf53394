"""Every published number beside ours: a pure function of the plan, the scores and the facts about the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from os import PathLike

from labelknn.utils._files import damaged, write_table
from labelknn_papers.judge.estimates import (
    Estimate,
    Estimates,
    PartialRank,
    best_setting,
    derived_numbers,
    partial_average_rank,
    summarise,
)
from labelknn_papers.judge.files import read_table
from labelknn_papers.judge.paired import by_split, p_values
from labelknn_papers.judge.rank_errors import rank_errors
from labelknn_papers.judge.times import TimeComparison
from labelknn_papers.judge.verdict import NOT_RUN, judge
from labelknn_papers.plan.cells import BEST, LEFT_OUT, Published, Target
from labelknn_papers.run.score import Score

COLUMNS = (
    "table",
    "dataset",
    "method",
    "metric",
    "setting",
    "published",
    "compared_with",
    "ours",
    "se",
    "difference",
    "tolerance",
    "verdict",
    "reason",
)
NOT_IMPLEMENTED = "not implemented yet"
TIMED = "A run time: the ratio between methods is compared, the seconds are in times.csv."


@dataclass(frozen=True)
class Comparison:
    """One cell of a paper's table. Without a published number (N/A) there is nothing to judge, and `verdict` is "".

    compared_with : what ours is compared with, where that is not the published number: the same average of the paper's
        own values over the data sets that we have.
    """

    target: Target
    ours: Estimate | None = None
    difference: float | None = None
    tolerance: float | None = None
    verdict: str = ""
    reason: str = ""
    compared_with: float | None = None

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
            decimal(self.compared_with),
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


def decimals(comparisons: Sequence[Comparison]) -> list[int]:
    """How many to show of each value: as many as are printed there, else for its data set and metric, else 3."""
    numbers = [one.published for one in comparisons]
    printed = {(number.dataset, number.metric): number.digits for number in numbers if number.printed}
    return [number.digits if number.printed else printed.get((number.dataset, number.metric), 3) for number in numbers]


def compare(
    targets: Sequence[Target],
    scores: Sequence[Score],
    facts: Mapping[str, Mapping[str, float]],
    unreached: Mapping[str, str],
    times: Iterable[TimeComparison] = (),
    one_split: bool = False,
) -> list[Comparison]:
    """Each published number and what we have against it; why it differs, `judge.reasons` says.

    facts : what `describe` found for each data set.
    unreached : why a data set could not be had.
    times : the run times, of which only the verdicts are taken over.
    one_split : the paper has one random split.
    """
    estimates = summarise(scores)
    ours = {target: _ours(target, estimates, facts) for target in targets}
    splits = by_split(scores)
    errors = rank_errors(targets, splits)
    derived = derived_numbers(ours, estimates)
    ours |= {target: replace(one, se=errors.get(target, one.se)) for target, one in derived.items()}
    ours |= {target: Estimate(p) for target, p in p_values(targets, splits).items()}
    timed = {one.target: one.verdict for one in times}
    found = []
    for target in targets:
        if target in timed:
            found.append(Comparison(target, verdict=timed[target], reason=TIMED))
        elif partial := _partial(target, ours):
            error = errors.get(target)
            found.append(_compare_partial(target, partial, error, targets, _shortened(target, targets)))
        else:
            found.append(_compare(target, ours[target], unreached, _shortened(target, targets), one_split))
    return found


def _shortened(target: Target, targets: Iterable[Target]) -> str:
    """Which part of the splits our number is of, in words; empty if of all. An average rank is of all its table."""
    if target.metric != "average_rank":
        return target.shortened
    table = target.published.table
    return next((one.shortened for one in targets if one.published.table == table and one.shortened), "")


def _partial(target: Target, ours: Mapping[Target, Estimate | None]) -> PartialRank | None:
    """The average rank over the data sets that we have, where that of all of them cannot be had."""
    there = ours[target] is not None or target.published.value is None
    return None if there else partial_average_rank(target, ours)


def _compare_partial(
    target: Target, partial: PartialRank, error: float | None, targets: Iterable[Target], shortened: str
) -> Comparison:
    """It is judged, unless data sets are missing because the config leaves them out, or splits are."""
    number, without = target.published, ", ".join(partial.without)
    of_table = [one for one in targets if one.published.table == number.table]
    if shortened or any(one.left_out and one.published.dataset in partial.without for one in of_table):
        why = f"without {without} it is {partial.ours:.2f}, and by the paper's own values {partial.printed:.2f}"
        return Comparison(target, verdict=NOT_RUN, reason="; ".join(filter(None, [why, shortened])))
    judgement = judge(number, target.metric, partial.ours, error, partial.printed)
    return Comparison(
        target,
        Estimate(partial.ours, error),
        judgement.difference,
        judgement.tolerance,
        judgement.verdict,
        f"An average without {without}: by the paper's own values it is {partial.printed:.2f}.",
        partial.printed,
    )


def _compare(
    target: Target,
    ours: Estimate | None,
    unreached: Mapping[str, str],
    shortened: str,
    one_split: bool,
) -> Comparison:
    number = target.published
    if number.value is None:
        return Comparison(target, ours, reason=number.note)
    if ours is None:
        reason = unreached.get(target.dataset or "") or (LEFT_OUT if target.left_out else NOT_IMPLEMENTED)
        return Comparison(target, verdict=NOT_RUN, reason=reason)
    if shortened and (ours.se is None or target.metric == "average_rank"):
        return Comparison(target, verdict=NOT_RUN, reason=f"{shortened} are too few to judge it")
    error = ours.error if shortened else ours.se
    if one_split and error is not None:
        error *= sqrt(ours.splits)
    judgement = judge(number, target.metric, ours.mean, error)
    return Comparison(target, ours, judgement.difference, judgement.tolerance, judgement.verdict, shortened)


def _ours(target: Target, estimates: Estimates, facts: Mapping[str, Mapping[str, float]]) -> Estimate | None:
    if target.cell is not None:
        cell = target.cell
        if target.setting == BEST:
            return best_setting(estimates, cell, target.metric)
        return estimates.get((cell.protocol.id, cell.dataset, cell.method, target.setting, target.metric))
    known = facts.get(target.dataset or "", {})
    if target.published.method == "" and target.metric in known:
        return Estimate(known[target.metric])
    return None


def write_comparison(path: str | PathLike, comparisons: Iterable[Comparison]) -> None:
    """One row for each place of the paper's tables; where it prints N/A, there is nothing published and no verdict."""
    write_table(path, COLUMNS, (one.row() for one in comparisons))


def read_comparison(path: str | PathLike, targets: Sequence[Target]) -> list[Comparison]:
    """What `write_comparison` wrote of these targets."""
    try:
        return [_read(target, row) for target, row in zip(targets, read_table(path), strict=True)]
    except (KeyError, ValueError) as error:
        raise damaged(path, "the comparison of these tables", error) from None


def _read(target: Target, row: Mapping[str, str]) -> Comparison:
    check_place(target, row)
    return read_row(target, row)


def read_row(target: Target, row: Mapping[str, str]) -> Comparison:
    """What a row says of its number, whatever stood against that."""
    ours, se, difference, tolerance, compared_with = (
        float(row[column]) if row[column] else None
        for column in ("ours", "se", "difference", "tolerance", "compared_with")
    )
    estimate = None if ours is None else Estimate(ours, se)
    return Comparison(target, estimate, difference, tolerance, row["verdict"], row["reason"], compared_with)


def check_place(target: Target, row: Mapping[str, str]) -> None:
    """A row that was written for another target is an error: the config has changed since."""
    for field in ("table", "dataset", "method", "metric", "setting"):
        if row[field] != getattr(target.published, field):
            raise ValueError(f"{field} is {row[field]!r}, expected {getattr(target.published, field)!r}")
