"""Methods that join a paper's tables, and the page of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from labelknn.metrics import METRICS
from labelknn.utils._files import damaged, write_table
from labelknn_papers.judge.comparison import Comparison, check_place, decimal
from labelknn_papers.judge.estimates import Estimate, summarise
from labelknn_papers.judge.files import read_table
from labelknn_papers.judge.outcomes import Outcome, no_value, rank
from labelknn_papers.judge.significance import average_ranks
from labelknn_papers.judge.times import seconds_of
from labelknn_papers.judge.verdict import OWN
from labelknn_papers.plan.cells import Entry, Target
from labelknn_papers.run.score import Score
from labelknn_papers.show.reports import FigureReport, StudyReport

COLUMNS = ("table", "dataset", "method", "metric", "setting", "ours", "se", "note")
TIME_COLUMNS = ("dataset", "method", "splits", "train_seconds", "test_seconds", "runtime_seconds")


def own_values(targets: Iterable[Target], scores: Iterable[Score], unreached: Mapping[str, str]) -> list[Comparison]:
    """What the methods that joined a paper have in its tables, or why they have nothing there."""
    estimates = summarise(scores)
    found = []
    for target in targets:
        assert target.cell is not None
        cell = target.cell
        ours = estimates.get((cell.protocol.id, cell.dataset, cell.method, target.setting, target.metric))
        reason = "" if ours else unreached.get(cell.dataset) or no_value(target.metric)
        found.append(Comparison(target, ours, verdict=OWN, reason=reason))
    return found


def write_own(path: str | PathLike, values: Iterable[Comparison]) -> None:
    rows = []
    for one in values:
        number, ours = one.published, one.ours
        place = (number.table, number.dataset, number.method, number.metric, number.setting)
        rows.append((*place, decimal(ours.mean if ours else None), decimal(ours.se if ours else None), one.reason))
    write_table(path, COLUMNS, rows)


def read_own(path: str | PathLike, targets: Sequence[Target]) -> list[Comparison]:
    """What `write_own` wrote of these targets."""
    try:
        return [_read_own(target, row) for target, row in zip(targets, read_table(path), strict=True)]
    except (KeyError, ValueError) as error:
        raise damaged(path, "the values of one's own methods", error) from None


def _read_own(target: Target, row: Mapping[str, str]) -> Comparison:
    check_place(target, row)
    ours = Estimate(float(row["ours"]), float(row["se"]) if row["se"] else None) if row["ours"] else None
    return Comparison(target, ours, verdict=OWN, reason=row["note"])


def compared_tables(
    key: str, comparison: Mapping[str, Any], entries: Sequence[Entry], rows: Sequence[Outcome], scores: Iterable[Score]
) -> list[StudyReport]:
    """A table for each metric of a comparison, and a list of what could not be run."""
    errors = {
        (*place, metric): estimate.se
        for (_, *place, metric), estimate in summarise(
            score for score in scores if score.protocol in {entry.cell.protocol.id for entry in entries}
        ).items()
    }
    found = []
    for metric in comparison["metrics"]:
        better = "lower" if METRICS[metric].lower_is_better else "higher"
        caption = (
            f"Mean over the splits, and its standard error (SE); {better} is better. The intervals in {key}.csv are "
            "corrected for training sets that overlap."
        )
        ranks = _ranks(rows, metric, comparison["ranked"])
        heads = [head for dataset in comparison["datasets"] for head in (dataset, "SE")]
        columns = ["method", *heads, *(["average rank"] if ranks else [])]
        lines: dict[str, list[str | float | None]] = {entry.method: [entry.method] for entry in entries}
        for one in rows:  # by data set
            if one.metric == metric:
                lines[one.method] += [one.mean, errors.get((one.dataset, one.algorithm, one.setting, metric))]
        if ranks:
            for method, line in lines.items():
                line.append(ranks.get(method))
        title = f"{comparison['title']}: {METRICS[metric].label}"
        found.append(StudyReport(f"{key}-{metric}", title, caption, columns, list(lines.values()), digits=4))
    missing = dict.fromkeys((one.method, one.dataset, one.note) for one in rows if one.note)
    if missing:
        title = f"{comparison['title']}: without a value"
        columns = ["method", "data set", "reason"]
        found.append(StudyReport(f"{key}-missing", title, "What could not be run, and why.", columns, list(missing)))
    return found


def _ranks(rows: Sequence[Outcome], metric: str, datasets: Sequence[str]) -> dict[str, float]:
    """Average ranks over several data sets, of the methods that have a value on all of them."""
    table = rank(rows, metric, datasets).table
    if len(datasets) < 2 or len(table.methods) < 2:
        return {}
    return dict(zip(table.methods, map(float, average_ranks(table.values, table.lower_is_better)), strict=True))


def compared_figures(key: str, comparison: Mapping[str, Any], pictures: Iterable[str]) -> list[FigureReport]:
    """The critical-difference diagrams; `pictures` are the files <key>_<metric>.svg."""
    drawn = {Path(path).stem: Path(path).read_text() for path in pictures}
    caption = f"Methods joined by a bar do not differ in the Nemenyi test at the {comparison['level']:.0%} level."
    return [
        FigureReport(f"{key}_{metric}", f"{comparison['title']}: {METRICS[metric].label}", caption, drawn[name])
        for metric in comparison["metrics"]
        if (name := f"{key}_{metric}") in drawn
    ]


def time_rows(entries: Iterable[Entry], files: Mapping[str, str]) -> list[tuple[Any, ...]]:
    """Rows of TIME_COLUMNS, seconds for each split; `files` are the times of the cells, by cell."""
    rows = []
    for entry in entries:
        path = files.get(entry.cell.path)
        found = [seconds_of(path, entry.setting, what) for what in TIME_COLUMNS[3:]] if path else []
        if any(found):
            splits = max(len(one) for one in found)
            means = (f"{sum(one.values()) / splits:.3g}" for one in found)
            rows.append((entry.cell.dataset, entry.method, splits, *means))
    return rows


def seconds_by_method(entries: Iterable[Entry], files: Mapping[str, str]) -> dict[tuple[str, str], float]:
    """Training and testing on one split, by data set and method; `files` as for `time_rows`."""
    return {(dataset, method): float(total) for dataset, method, _, _, _, total in time_rows(entries, files)}
