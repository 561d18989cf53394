"""What fitting and predicting took: what a user would wait for, searches for neighbours included, compiling aside.

Seconds change from run to run, and so does all that is made from them; it goes to files of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, geometric_mean
from typing import Any, NamedTuple

from labelknn_papers.judge.outcomes import Outcome, Ranked, is_slow
from labelknn_papers.judge.paired import BySplit, by_split, test_share, values_of
from labelknn_papers.judge.significance import average_ranks, corrected_resampled_t
from labelknn_papers.judge.times import seconds_of
from labelknn_papers.plan.cells import Entry
from labelknn_papers.run.score import Score

TIME_COLUMNS = ("dataset", "method", "condition", "splits", "fit_seconds", "predict_seconds")
PEER_COLUMNS = (
    "ours",
    "theirs",
    "metric",
    "condition",
    "dataset",
    "our_mean",
    "their_mean",
    "difference",
    "p",
    "our_seconds",
    "their_seconds",
    "time_ratio",
    "because",
)


class Seconds(NamedTuple):
    """Means over the splits."""

    dataset: str
    method: str
    condition: str
    splits: int
    fit: float
    predict: float

    @property
    def both(self) -> float:
        return self.fit + self.predict


class Point(NamedTuple):
    """A method with its average rank (1 is best) and the geometric mean of its seconds for a split.

    unbeaten : no other is better in one and as good in the other.
    """

    metric: str
    condition: str
    method: str
    seconds: float
    average_rank: float
    unbeaten: bool


def seconds_by_entry(entries: Iterable[Entry], files: Mapping[str, str]) -> list[Seconds]:
    """Of those that ran; `files` are the times of the cells, by cell."""
    found = []
    for entry in entries:
        if path := files.get(entry.cell.path):
            fit, predict = (seconds_of(path, entry.setting, what) for what in ("train_seconds", "test_seconds"))
            if fit or predict:
                splits = max(len(fit), len(predict))
                place = (entry.cell.dataset, entry.method, entry.condition)
                found.append(Seconds(*place, splits, sum(fit.values()) / splits, sum(predict.values()) / splits))
    return found


def time_rows(found: Iterable[Seconds]) -> list[tuple[Any, ...]]:
    return [(*one[:4], f"{one.fit:.3g}", f"{one.predict:.3g}") for one in found]


def cell_seconds(
    entries: Sequence[Entry], found: Iterable[Seconds], stopped: Mapping[str, str]
) -> list[tuple[str, str]]:
    """What each cell took in all, the limit for one that met it: by this the next run divides its jobs."""
    of_cell = {(entry.cell.dataset, entry.method, entry.condition): entry.cell for entry in entries}
    taken = {
        entry.cell.path: float(entry.cell.limits.seconds)
        for entry in entries
        if entry.cell.limits and entry.cell.limits.seconds and is_slow(stopped.get(entry.cell.path, ""))
    }
    for one in found:
        path = of_cell[one.dataset, one.method, one.condition].path
        taken[path] = taken.get(path, 0.0) + one.both * one.splits
    return [(path, f"{seconds:.2f}") for path, seconds in sorted(taken.items())]


def trade_off(ranked: Ranked, found: Iterable[Seconds]) -> list[Point]:
    """The methods that are ranked and have a time on all of these data sets, the fastest first."""
    table, view = ranked.table, ranked.view
    if len(table.methods) < 2:  # one alone has no rank
        return []
    taken = {(one.dataset, one.method): one.both for one in found if one.condition == view.condition}
    points = []
    for method, average in zip(table.methods, average_ranks(table.values, table.lower_is_better), strict=True):
        times = [taken[dataset, method] for dataset in table.datasets if (dataset, method) in taken]
        if len(times) == len(table.datasets):
            points.append(Point(*view, method, geometric_mean(times), float(average), False))
    points.sort(key=lambda point: (point.seconds, point.average_rank))
    best = float("inf")
    for position, point in enumerate(points):
        points[position] = point._replace(unbeaten=point.average_rank < best)
        best = min(best, point.average_rank)
    return points


def point_rows(points: Iterable[Point]) -> list[tuple[Any, ...]]:
    return [(*one[:3], f"{one.seconds:.3g}", f"{one.average_rank:.3f}", one.unbeaten) for one in points]


def peer_rows(
    comparison: Mapping[str, Any],
    entries: Sequence[Entry],
    rows: Sequence[Outcome],
    scores: Iterable[Score],
    seconds: Iterable[Seconds],
) -> list[tuple[Any, ...]]:
    """Rows of PEER_COLUMNS: the same method by two libraries on the same folds, and why they differ where they do.

    p is that of the t-test corrected for training sets that overlap (`judge.paired`).
    """
    by_fold = by_split(scores)
    means = {(one.method, one.metric, one.condition, one.dataset): one.mean for one in rows}
    entry_of = {(one.method, one.condition, one.cell.dataset): one for one in entries}
    taken = {(one.method, one.condition, one.dataset): one.both for one in seconds}
    found = []
    for pair in comparison.get("peers", []):
        both = (pair["ours"], pair["theirs"])
        for method, metric, condition, dataset in means:
            ours, theirs = (means[name, metric, condition, dataset] for name in both)
            if method != pair["ours"] or ours is None or theirs is None:
                continue
            first, second = (entry_of[name, condition, dataset] for name in both)
            time = [taken[name, condition, dataset] for name in both]
            found.append(
                (
                    *both,
                    metric,
                    condition,
                    dataset,
                    f"{ours:.6f}",
                    f"{theirs:.6f}",
                    f"{ours - theirs:.6f}",
                    _p(by_fold, first, second, metric),
                    *(f"{one:.3g}" for one in time),
                    f"{time[1] / time[0]:.3g}",
                    pair["because"].strip() if ours != theirs else "",
                )
            )
    return found


def _p(by_fold: BySplit, first: Entry, second: Entry, metric: str) -> str:
    ours, theirs = (values_of(by_fold, one.cell, one.setting, metric) for one in (first, second))
    differences = [ours[split] - theirs[split] for split in sorted(ours.keys() & theirs.keys())]
    finite = [one for one in differences if one == one]
    if len(finite) < 2 or fmean(map(abs, finite)) == 0:
        return ""
    return f"{corrected_resampled_t(finite, test_share(first.cell.protocol)).p:.4f}"
