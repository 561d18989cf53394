"""Demšar's diagrams: the average ranks on a line, the best at the left, and a bar over those that do not differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from labelknn_papers.judge.significance import MethodTests
from labelknn_papers.show.figures import COLOURS, new_figure, nothing_to_show

# Inches: a row of a diagram, which holds one line of text, and the line for its title.
_ROW, _HEAD = 0.22, 0.4

# Inches: the line of ranks where names are long, and a letter of a name, of which there are some at either side.
_LINE, _LETTER = 3.6, 0.075

# So many ranks have room for a number each, and for the halves between them; of more, every fifth has one.
_SPARSE = 15

# Rows of a diagram: above the line of ranks, between it and the first bar, for each bar, and below the names.
_ABOVE, _GAP, _BAR, _BELOW = 2.9, 0.6, 0.5, 0.4


def critical_difference_panels(tests: Mapping[str, MethodTests | None], level: float) -> Figure:
    """A diagram for each titled table of methods, one below the other, each with Friedman's verdict.

    None, a table with fewer than two complete data sets, leaves its place empty and says so.
    """
    found = [one.nemenyi for one in tests.values() if one]
    rows = max((_rows_needed(one.ranks, one.critical_difference) for one in found), default=5)
    longest = max((len(name) for one in tests.values() if one for name in one.names), default=0)
    with new_figure(
        max(5.5, _LINE + 2 * _LETTER * longest), (_ROW * rows + _HEAD) * len(tests), nrows=len(tests), squeeze=False
    ) as (figure, grid):
        for axes, (title, one) in zip(grid[:, 0], tests.items(), strict=True):
            if one:
                _draw_ranks(axes, one.nemenyi.ranks, one.names, one.nemenyi.critical_difference, rows)
                p = f"p = {one.friedman.f_p:.3f}" if one.friedman.f_p >= 0.001 else "p < 0.001"
                title = f"{title} (Friedman: F = {one.friedman.f:.2f}, {p})"
            else:
                nothing_to_show(axes)
            axes.set_title(title, loc="left", fontsize=8, fontweight="bold")
        note = f"average ranks, 1 is the best; CD: critical difference of Nemenyi's test at {level:.0%}"
        figure.supxlabel(note, fontsize=8, color="0.25")
        return figure


def groups(ranks: ArrayLike, critical_difference: float) -> list[NDArray[np.intp]]:
    """The largest sets of methods no two of which differ, each from the best to the worst, the best set first."""
    ranks = np.asarray(ranks, dtype=float)
    order = np.argsort(ranks, kind="stable")
    found: list[NDArray[np.intp]] = []
    end = 0
    for start in range(len(order)):
        reach = int(np.count_nonzero(ranks[order] - ranks[order[start]] < critical_difference))
        # What does not reach beyond the group before is a part of it.
        if reach > end and reach - start > 1:
            found.append(order[start:reach])
        end = max(end, reach)
    return found


def _rows_needed(ranks: NDArray[np.float64], critical_difference: float) -> float:
    return _ABOVE + _BAR * len(groups(ranks, critical_difference)) + _GAP + (len(ranks) + 1) // 2 + _BELOW


def _draw_ranks(
    axes: Axes, ranks: NDArray[np.float64], names: Sequence[str], critical_difference: float, rows: float
) -> None:
    """Ranks along x, rows along y, the line of ranks at y = 0."""
    k = len(ranks)
    right = max(k, 1 + critical_difference)
    axes.set_axis_off()
    axes.set_xlim(1, right)
    axes.set_ylim(_ABOVE - rows, _ABOVE)
    _draw_line(axes, k)
    _draw_bracket(axes, critical_difference)

    bars = groups(ranks, critical_difference)
    for level, members in enumerate(bars):
        low, high = ranks[members[0]], ranks[members[-1]]
        # A little longer than the group, so that a bar over equal ranks still shows.
        overhang = 0.012 * (right - 1)
        axes.plot(
            [low - overhang, high + overhang],
            [-_GAP - _BAR * level] * 2,
            color=COLOURS[0],
            linewidth=4,
            solid_capstyle="butt",
            zorder=3,
            clip_on=False,
        )

    top = -_GAP - _BAR * len(bars) - 0.5
    order = np.argsort(ranks, kind="stable")
    half = (k + 1) // 2
    # The outermost rank gets the uppermost name on either side, so that no two lines cross.
    for row, method in enumerate(order[:half]):
        _draw_name(axes, f"{names[method]}  {ranks[method]:.2f}", ranks[method], 1, top - row, "right")
    for row, method in enumerate(order[half:][::-1]):
        _draw_name(axes, f"{ranks[method]:.2f}  {names[method]}", ranks[method], right, top - row, "left")


def _draw_line(axes: Axes, k: int) -> None:
    axes.plot([1, k], [0, 0], color="black", linewidth=1)
    step = 0.5 if k <= _SPARSE else 1
    for tick in np.arange(1, k + 0.25, step):
        long = tick == int(tick) if k <= _SPARSE else tick == 1 or tick % 5 == 0
        axes.plot([tick, tick], [0, 0.35 if long else 0.2], color="black", linewidth=1, clip_on=False)
        if long:
            axes.text(tick, 0.45, f"{tick:.0f}", ha="center", va="bottom")


def _draw_bracket(axes: Axes, critical_difference: float) -> None:
    height, end = 1.85, 1 + critical_difference
    axes.plot([1, end], [height, height], color="black", linewidth=1, marker="|", markersize=7, clip_on=False)
    axes.text((1 + end) / 2, height + 0.2, f"CD = {critical_difference:.2f}", ha="center", va="bottom")


def _draw_name(axes: Axes, text: str, rank: float, edge: float, height: float, align: str) -> None:
    axes.plot([rank, rank, edge], [0, height, height], color="0.35", linewidth=0.9, clip_on=False)
    axes.plot([rank], [0], "o", color="black", markersize=4, clip_on=False, zorder=4)
    offset = (-6 if align == "right" else 6, 0)
    axes.annotate(
        text, (edge, height), offset, textcoords="offset points", ha=align, va="center", annotation_clip=False
    )
