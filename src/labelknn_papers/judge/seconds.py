"""What fitting and predicting took: what a user would wait for, searches for neighbours included, compiling aside.

Seconds change from run to run, and so does all that is made from them; it goes to files of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import geometric_mean
from typing import Any, NamedTuple

from labelknn_papers.judge.outcomes import Ranked, is_slow
from labelknn_papers.judge.significance import average_ranks
from labelknn_papers.judge.times import seconds_of
from labelknn_papers.plan.cells import Entry

TIME_COLUMNS = ("dataset", "method", "condition", "splits", "fit_seconds", "predict_seconds")


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
