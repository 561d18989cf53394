"""Accuracy against time: which methods no other beats in both. Seconds change from run to run, and so does this."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from labelknn_papers.judge.seconds import Point
from labelknn_papers.show.figures import new_figure, nothing_to_compare
from labelknn_papers.show.style import COLOURS

# In points: the size of a name, how far from the middle of its dot it begins, half of a dot, and half of a line.
_SIZE, _ASIDE, _DOT, _LINE = 6.5, 5.0, 3.0, 0.25
# Of a letter, by its size.
_WIDTH = 0.58
# How far above its dot a name may be, the best place first.
_SHIFTS = (0.0, 4.0, -4.0, 8.0, -8.0, 12.0, -12.0, 16.0, -16.0)


class _Box(NamedTuple):
    left: float
    right: float
    low: float
    high: float

    def shared(self, other: _Box) -> float:
        """The area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.high, other.high) - max(self.low, other.low)
        return max(width, 0.0) * max(height, 0.0)


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
        axes.xaxis.set_major_formatter("{x:g}")
        axes.margins(x=0.2)
        axes.invert_yaxis()
        _name(axes, points, figure.dpi)
        axes.set_xlabel("seconds to fit and predict a split (geometric mean over the data sets)")
        axes.set_ylabel("average rank")
        return figure


def _name(axes: Axes, points: Sequence[Point], dpi: float) -> None:
    """A name beside each point, where it covers as little as possible of points, steps, axis and other names."""
    places = [axes.transData.transform((one.seconds, one.average_rank)) * 72 / dpi for one in points]
    taken = [_Box(x - _DOT, x + _DOT, y - _DOT, y + _DOT) for x, y in places]
    front = [place for place, point in zip(places, points, strict=True) if point.unbeaten]
    for (x, y), (other_x, other_y) in pairwise(front):
        taken.append(_Box(x, other_x, y - _LINE, y + _LINE))
        taken.append(_Box(other_x - _LINE, other_x + _LINE, y, other_y))
    edge = axes.transAxes.transform((0, 0))[0] * 72 / dpi
    taken.append(_Box(-inf, edge, -inf, inf))
    for (x, y), point in sorted(zip(places, points, strict=True), key=lambda both: both[1].average_rank):
        width = _WIDTH * _SIZE * len(point.method)
        boxes = {
            (align, shift): _Box(left, left + width, y + shift - _SIZE / 2, y + shift + _SIZE / 2)
            for shift in _SHIFTS
            for align, left in (("left", x + _ASIDE), ("right", x - _ASIDE - width))
        }
        (align, shift), box = min(
            boxes.items(), key=lambda both: sum(map(both[1].shared, taken))
        )  # the first of equals
        taken.append(box)
        axes.annotate(
            point.method,
            (point.seconds, point.average_rank),
            (_ASIDE if align == "left" else -_ASIDE, shift),
            textcoords="offset points",
            ha=align,
            va="center_baseline",
            # What is far from its dot is tied to it.
            arrowprops={"arrowstyle": "-", "lw": 0.4, "color": "0.5", "shrinkB": _DOT} if abs(shift) > _DOT else None,
            fontsize=_SIZE,
            fontweight="bold" if point.unbeaten else "normal",
        )
