"""Methods side by side on the same data sets: means with confidence intervals, ranks, and what could not be run.

The methods share their folds; each rate of missing labels is a comparison of its own. An interval is that of Nadeau and
Bengio (`significance.corrected_interval`): training sets of cross-validation overlap, so the plain standard error would
promise too much.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from labelknn.metrics import METRICS
from labelknn_papers.judge.estimates import ValueTable
from labelknn_papers.judge.paired import BySplit, by_split, test_share, values_of
from labelknn_papers.judge.significance import MethodTests, compare_methods, complete_part, corrected_interval
from labelknn_papers.plan.cells import Entry
from labelknn_papers.plan.comparisons import View
from labelknn_papers.plan.protocol import Protocol
from labelknn_papers.run.score import Score


class Outcome(NamedTuple):
    """A row of the table: the mean over the splits and its interval, or a note why there is none."""

    metric: str
    condition: str
    dataset: str
    method: str
    algorithm: str
    setting: str
    mean: float | None
    low: float | None
    high: float | None
    splits: int
    note: str

    @property
    def view(self) -> View:
        return View(self.metric, self.condition)


@dataclass(frozen=True)
class Ranked:
    """The methods and the data sets that are compared, all with values, and the names of the others."""

    view: View
    table: ValueTable
    methods_without: list[str]
    datasets_without: list[str]


def outcomes(
    entries: Sequence[Entry],
    comparison: Mapping[str, Any],
    scores: Iterable[Score],
    stopped: Mapping[str, str],
    unreached: Mapping[str, str],
) -> list[Outcome]:
    """One for each metric, data set and method of a comparison, in the order of its config."""
    found = by_split(scores)
    rows = []
    for metric in comparison["metrics"]:
        for dataset in comparison["datasets"]:
            for entry in (one for one in entries if one.cell.dataset == dataset):
                values = values_of(found, entry.cell, entry.setting, metric)
                known = [value for _, value in sorted(values.items()) if not isnan(value)]
                reason = unreached.get(dataset) or stopped.get(entry.cell.path)
                reason = reason or _other_outputs(found, entry) or no_value(metric)
                place = (metric, entry.condition, dataset, entry.method, entry.cell.method, entry.setting)
                rows.append(Outcome(*place, *_measured(known, entry.cell.protocol, comparison["level"], reason)))
    return rows


def _other_outputs(found: BySplit, entry: Entry) -> str:
    """Said of a method that was asked for without naming one of its several outputs."""
    place = (entry.cell.protocol.id, entry.cell.dataset, entry.cell.method)
    others = dict.fromkeys(setting for *cell, setting, _ in found if tuple(cell) == place)
    return "" if entry.setting in others or not others else f"the method has several outputs: {', '.join(others)}"


def _measured(
    values: Sequence[float], protocol: Protocol, level: float, reason: str
) -> tuple[float | None, float | None, float | None, int, str]:
    if not values:
        return None, None, None, 0, reason
    low, high = corrected_interval(values, test_share(protocol), 1 - level) if len(values) > 1 else (None, None)
    return fmean(values), low, high, len(values), ""


def no_value(metric: str) -> str:
    """Why a method that ran through has no value."""
    return f"the method gives no {METRICS[metric].needs}"


def is_slow(note: str) -> bool:
    """Whether a method has no value because it met its limit of time."""
    return re.match(r"more than \S+ s\b", note) is not None


def _is_large(note: str) -> bool:
    return re.match(r"more than \S+ GB of memory\b", note) is not None


class Coverage(NamedTuple):
    """How many methods have a value on a data set, by any of the metrics, and why the others have none: their limit of
    time, that of memory, or what they said themselves. Each rate of missing labels counts."""

    dataset: str
    pairs: int
    valued: int
    time: int
    memory: int
    message: int

    @property
    def share(self) -> float:
        return self.valued / self.pairs


def coverage_of(rows: Iterable[Outcome]) -> list[Coverage]:
    """Of each data set, and at the end of all."""
    notes: dict[tuple[str, str, str], set[str]] = {}
    for one in rows:
        notes.setdefault((one.dataset, one.condition, one.method), set()).add(one.note)
    counts: dict[str, Counter[str]] = {}
    for (dataset, *_), said in notes.items():
        for name in (dataset, "all"):
            counts.setdefault(name, Counter())[_kind(said)] += 1
    counts["all"] = counts.pop("all")
    kinds = Coverage._fields[2:]
    return [Coverage(name, found.total(), *(found[kind] for kind in kinds)) for name, found in counts.items()]


def coverage_rows(found: Iterable[Coverage]) -> list[tuple[Any, ...]]:
    return [(*one, f"{one.share:.4f}") for one in found]


def _kind(notes: Collection[str]) -> str:
    """Of what became of a method on a data set, by what is noted of its metrics."""
    if "" in notes:
        return "valued"
    if any(map(is_slow, notes)):
        return "time"
    return "memory" if any(_is_large(note) for note in notes) else "message"


def rank(rows: Iterable[Outcome], view: View) -> Ranked:
    """The values of a metric under a condition where all methods that are compared have one.

    Of methods and data sets, whichever lacks the most is left out, until nothing is missing.
    """
    means = {(one.dataset, one.method): one.mean for one in rows if one.view == view}
    datasets = list(dict.fromkeys(dataset for dataset, _ in means))
    methods = list(dict.fromkeys(method for _, method in means))
    values = np.array([[means[dataset, method] for method in methods] for dataset in datasets], dtype=float)
    kept_datasets, kept_methods = complete_part(values.reshape(len(datasets), len(methods)))
    table = ValueTable(
        view.metric,
        [datasets[row] for row in kept_datasets],
        [methods[column] for column in kept_methods],
        values[np.ix_(kept_datasets, kept_methods)],
    )
    return Ranked(
        view,
        table,
        [name for name in methods if name not in table.methods],
        [name for name in datasets if name not in table.datasets],
    )


def compare_ranked(ranked: Ranked, level: float) -> MethodTests | None:
    """The tests of the methods that are ranked; None for fewer than two of them or of data sets."""
    table = ranked.table
    if len(table.methods) < 2:
        return None
    return compare_methods(table.values, table.methods, level, lower_is_better=table.lower_is_better)


def significance_rows(ranked: Ranked, tests: MethodTests | None) -> list[tuple[Any, ...]]:
    """Rows of the tests, at their end the methods that could not be ranked."""
    lines = tests.rows() if tests else []
    return [
        *((*ranked.view, *line) for line in lines),
        *((*ranked.view, "not ranked", "", "", method) for method in ranked.methods_without),
        *((*ranked.view, "without the data set", "", "", dataset) for dataset in ranked.datasets_without),
    ]


def diagram_title(ranked: Ranked) -> str:
    return f"{ranked.view.title}, {len(ranked.table.datasets)} data sets"


def table_rows(rows: Iterable[Outcome]) -> list[tuple[Any, ...]]:
    """For a CSV file, numbers to six decimals."""
    return [
        (*one[:6], *("" if number is None else f"{number:.6f}" for number in one[6:9]), one.splits, one.note)
        for one in rows
    ]


def as_markdown(title: str, rows: Sequence[Outcome], level: float) -> str:
    """A table for each metric, a row for each method, the best mean of a data set in bold; then what is missing."""
    parts = [
        f"# {title}",
        f"Means over the same folds, ± half the corrected {1 - level:.0%} confidence interval. The best mean is bold.",
    ]
    for view in dict.fromkeys(one.view for one in rows):
        parts += [f"## {view.title}", _one_view([one for one in rows if one.view == view])]
    missing = dict.fromkeys((one.method, one.dataset, one.note) for one in rows if one.note)
    if missing:
        parts += ["## Without a value", "\n".join(f"- {method} on {data}: {note}" for method, data, note in missing)]
    return "\n\n".join(parts) + "\n"


def _one_view(rows: Sequence[Outcome]) -> str:
    choose = min if METRICS[rows[0].metric].lower_is_better else max
    datasets = list(dict.fromkeys(one.dataset for one in rows))
    best = {
        dataset: choose((one.mean for one in rows if one.dataset == dataset and one.mean is not None), default=None)
        for dataset in datasets
    }
    lines = [["method", *datasets], ["---"] * (len(datasets) + 1)]
    for method in dict.fromkeys(one.method for one in rows):
        cells = {one.dataset: _cell(one, best[one.dataset]) for one in rows if one.method == method}
        lines.append([method, *(cells[dataset] for dataset in datasets)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(one: Outcome, best: float | None) -> str:
    if one.mean is None:
        return "–"
    mean = f"**{one.mean:.4f}**" if one.mean == best else f"{one.mean:.4f}"
    return mean if one.low is None or one.high is None else f"{mean} ± {(one.high - one.low) / 2:.4f}"
