"""Accuracy against time: which methods no other beats in both. Seconds change from run to run, and so does this."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from labelknn_papers.judge.seconds import Point
from labelknn_papers.show.figures import new_figure, nothing_to_compare
from labelknn_papers.show.style import COLOURS

# Of a name, in points.
_SIZE = 6.5


def draw_trade_off(title: str, points: Sequence[Point]) -> Figure:
    """Average rank over seconds, the unbeaten methods joined by steps."""
    import seaborn

    with new_figure(7.5, 5.2) as (figure, axes):
        axes.set_title(title, loc="left")
        if len(points) < 2:
            nothing_to_compare(axes)
            return figure
        seconds, ranks = [point.seconds for point in points], [point.average_rank for point in points]
        front = [point for point in points if point.unbeaten]
        axes.step([p.seconds for p in front], [p.average_rank for p in front], where="post", color=COLOURS[0], lw=1)
        fills = [COLOURS[0] if point.unbeaten else "white" for point in points]
        seaborn.scatterplot(x=seconds, y=ranks, ax=axes, c=fills, edgecolor="0.3", s=26, zorder=3, legend=False)
        axes.set_xscale("log")
        axes.margins(x=0.2)
        axes.invert_yaxis()
        _name(axes, points, figure.dpi)
        axes.set_xlabel("seconds to fit and predict a split (geometric mean over the data sets)")
        axes.set_ylabel("average rank")
        return figure


def _name(axes: Axes, points: Sequence[Point], dpi: float) -> None:
    """A name beside each point, lower where it would lie on another one."""
    taken: list[tuple[float, float, float]] = []
    for point in sorted(points, key=lambda one: one.average_rank):
        place = (point.seconds, point.average_rank)
        x, y = axes.transData.transform(place) * 72 / dpi
        width, shift = 0.55 * _SIZE * len(point.method), 2.0
        while any(abs(y + shift - other) < _SIZE and x < right and left < x + width for left, right, other in taken):
            shift -= 1.0
        taken.append((x, x + width, y + shift))
        weight = "bold" if point.unbeaten else "normal"
        axes.annotate(point.method, place, (4, shift), textcoords="offset points", fontsize=_SIZE, fontweight=weight)
