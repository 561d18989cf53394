"""Run times: compared as ratios between methods, since no machine of today is the paper's.

A time is divided by the geometric mean of the times of all methods that the paper measured on the same data set and we
measured too. That leaves out the machine, and no method is the yardstick for the others.

matches   the two ratios are within a factor of 2
close     within a factor of 10, the same order of magnitude
differs   anything else

Seconds change from run to run. They go to files of their own; everything else sees the verdicts only.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from os import PathLike
from statistics import fmean, geometric_mean

from labelknn.utils._files import write_table
from labelknn_papers.judge.verdict import CLOSE, DIFFERS, MATCHES
from labelknn_papers.plan.cells import Cell, Target

# What a printed time is made of: the stages that `experiment.cell.Stopwatch` measures, None for all of them.
STAGES: Mapping[str, tuple[str, ...] | None] = {
    "train_seconds": ("search training", "fit"),
    "test_seconds": ("search queries", "predict"),
    "runtime_seconds": None,
    "fit_seconds": ("fit",),
}
# The stages apart, for every cell.
STAGE_COLUMNS = ("cell", "splits", "search_seconds", "fit_seconds", "predict_seconds")
COLUMNS = (
    "table",
    "dataset",
    "method",
    "metric",
    "setting",
    "published",
    "ours",
    "ratio",
    "our_ratio",
    "verdict",
    "reason",
)


@dataclass(frozen=True)
class TimeComparison:
    """A printed run time, our seconds, and both as multiples of the geometric mean of their data set's times."""

    target: Target
    seconds: float
    published_ratio: float
    our_ratio: float

    @property
    def verdict(self) -> str:
        factor = exp(abs(log(self.our_ratio / self.published_ratio))) * (1 - 1e-9)  # less the rounding of floats
        return MATCHES if factor <= 2 else CLOSE if factor <= 10 else DIFFERS

    def row(self) -> tuple[str, ...]:
        """In COLUMNS, without the reason."""
        number = self.target.published
        measured = (f"{value:.3g}" for value in (self.seconds, self.published_ratio, self.our_ratio))
        names = (number.table, number.dataset, number.method, number.metric, number.setting)
        return (*names, number.printed, *measured, self.verdict)


def is_time(target: Target) -> bool:
    return target.metric in STAGES


def compare_times(targets: Iterable[Target], files: Mapping[str, str]) -> list[TimeComparison]:
    """Every printed run time that we have one for; `files` are the times of the cells, by cell."""
    printed: dict[Target, float] = {}
    measured: dict[Target, float] = {}
    for target in filter(is_time, targets):
        seconds = _seconds(files, target)
        if target.published.value is not None and seconds is not None:
            printed[target], measured[target] = target.published.value, seconds
    return [
        TimeComparison(
            target,
            seconds,
            printed[target] / geometric_mean([printed[peer] for peer in peers]),
            seconds / geometric_mean([measured[peer] for peer in peers]),
        )
        for target, seconds in measured.items()
        if (peers := [peer for peer in measured if _same_row(peer, target)])
    ]


def time_cells(targets: Iterable[Target]) -> list[Cell]:
    return list(dict.fromkeys(target.cell for target in targets if is_time(target) and target.cell))


def write_times(path: str | PathLike, comparisons: Sequence[TimeComparison], reasons: Mapping[Target, str]) -> None:
    write_table(path, COLUMNS, ((*one.row(), reasons.get(one.target, "")) for one in comparisons))


def stage_rows(files: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Rows of STAGE_COLUMNS: seconds over all splits and settings of a cell; `files` are the times by cell.

    A search that several methods share is in none of them.
    """
    rows = []
    for cell, path in sorted(files.items()):
        seconds = dict.fromkeys(("search", "fit", "predict"), 0.0)
        splits = set()
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                seconds[row["stage"].partition(" ")[0]] += float(row["seconds"])
                splits.add((row["repeat"], row["fold"]))
        rows.append((cell, str(len(splits)), *(f"{one:.4f}" for one in seconds.values())))
    return rows


def _same_row(peer: Target, target: Target) -> bool:
    return (peer.published.table, peer.published.dataset) == (target.published.table, target.published.dataset)


def _seconds(files: Mapping[str, str], target: Target) -> float | None:
    """Mean over the splits of the time that the stages of the printed number take; None where nothing was measured."""
    if target.cell is None or target.cell.path not in files:
        return None
    by_split = seconds_of(files[target.cell.path], target.setting, target.metric)
    return fmean(by_split.values()) if by_split else None


def mean_seconds(path: str | PathLike, setting: str) -> dict[str, float]:
    """Over the splits of a cell, by the keys of STAGES."""
    found = {name: seconds_of(path, setting, name) for name in STAGES}
    return {name: fmean(seconds.values()) for name, seconds in found.items() if seconds}


def seconds_of(path: str | PathLike, setting: str, what: str) -> dict[tuple[str, str], float]:
    """The seconds of a cell by repeat and fold; `what` is a key of STAGES."""
    stages = STAGES[what]
    by_split: dict[tuple[str, str], float] = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            # Searches that serve all settings are written down without one.
            if row["setting"] in ("", setting) and (stages is None or row["stage"] in stages):
                split = (row["repeat"], row["fold"])
                by_split[split] = by_split.get(split, 0.0) + float(row["seconds"])
    return by_split
