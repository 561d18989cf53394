"""Accuracy against time: which methods no other beats in both. Seconds change from run to run, and so does this."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import geometric_mean
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from labelknn_papers.judge.outcomes import Outcome, rank
from labelknn_papers.judge.significance import average_ranks
from labelknn_papers.show.figures import COLOURS, new_figure


class Point(NamedTuple):
    """A method with its average rank (1 is best) and the geometric mean of its seconds for a split."""

    metric: str
    method: str
    seconds: float
    average_rank: float
    unbeaten: bool


def trade_off(
    rows: Iterable[Outcome], metric: str, datasets: Sequence[str], seconds: Mapping[tuple[str, str], float]
) -> list[Point]:
    """The methods that have a value of the metric and a time on all of these data sets, the fastest first.

    seconds : training and testing on one split, by data set and method.
    """
    table = rank(rows, metric, datasets).table
    if not table.methods:
        return []
    found = []
    for method, average in zip(table.methods, average_ranks(table.values, table.lower_is_better), strict=True):
        times = [seconds[dataset, method] for dataset in datasets if (dataset, method) in seconds]
        if len(times) == len(datasets):
            found.append(Point(metric, method, geometric_mean(times), float(average), False))
    found.sort(key=lambda point: (point.seconds, point.average_rank))
    best = float("inf")
    for position, point in enumerate(found):
        found[position] = point._replace(unbeaten=point.average_rank < best)
        best = min(best, point.average_rank)
    return found


def table_rows(points: Iterable[Point]) -> list[tuple[Any, ...]]:
    return [(one.metric, one.method, f"{one.seconds:.3g}", f"{one.average_rank:.3f}", one.unbeaten) for one in points]


def draw_trade_off(panels: Mapping[str, Sequence[Point]]) -> Figure:
    """A panel for each metric, by its title: average rank over seconds, the unbeaten methods joined by steps."""
    with new_figure(6.5, 4.2 * len(panels), nrows=len(panels), squeeze=False) as (figure, axes):
        for ax, (title, points) in zip(axes.ravel(), panels.items(), strict=True):
            _draw_panel(ax, points)
            ax.set_title(title, loc="left")
        return figure


def _draw_panel(ax: Axes, points: Sequence[Point]) -> None:
    front = [point for point in points if point.unbeaten]
    ax.step([p.seconds for p in front], [p.average_rank for p in front], where="post", color=COLOURS[0], lw=1)
    for point in points:
        place = (point.seconds, point.average_rank)
        ax.scatter(*place, s=22, zorder=3, facecolor=COLOURS[0] if point.unbeaten else "white", edgecolor="0.3")
        weight = "bold" if point.unbeaten else "normal"
        ax.annotate(point.method, place, (4, 3), textcoords="offset points", fontsize=7, fontweight=weight)
    ax.set_xscale("log")
    ax.margins(x=0.16)
    ax.invert_yaxis()
    ax.set_xlabel("seconds for a split, without neighbour searches that methods share (geometric mean)")
    ax.set_ylabel("average rank")
