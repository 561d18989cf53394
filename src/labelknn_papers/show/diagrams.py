"""Demšar's diagrams: the average ranks on a line, the best at the left, and a bar over those that do not differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from labelknn_papers.judge.significance import MethodTests
from labelknn_papers.plan.cells import LEFT_OUT, Target
from labelknn_papers.show.figures import Table, new_figure, nothing_to_compare
from labelknn_papers.show.style import COLOURS, INK, LABEL, SOFT

# Inches: a row of a diagram, which holds one line of text, and the line for its title.
_ROW, _HEAD = 0.22, 0.4

# Inches: the line of ranks where names are long, and a letter of a name, of which there are some at either side.
_LINE, _LETTER = 3.6, 0.075

# So many ranks have room for a number each, and for the halves between them; of more, every fifth has one.
_SPARSE = 15

# Rows of a diagram: above the line of ranks, between it and the first bar, for each bar, and below the names.
_ABOVE, _GAP, _BAR, _BELOW = 2.9, 0.6, 0.5, 0.4


def rank_table(tests: Mapping[str, MethodTests | None]) -> Table:
    """What diagrams show: the methods of each titled table, and its tests. One with too few data sets has no rows."""
    rows = [
        (title, name, float(rank), one.nemenyi.critical_difference, one.nemenyi.level, one.friedman.f, one.friedman.f_p)
        for title, one in tests.items()
        if one
        for name, rank in zip(one.names, one.nemenyi.ranks, strict=True)
    ]
    header = ("diagram", "method", "average_rank", "critical_difference", "level", "friedman_f", "friedman_p")
    return Table(header, rows)


def why_no_ranks(targets: Iterable[Target], table: str, unreached: Mapping[str, str]) -> str:
    """Why a table has too few data sets for a diagram."""
    in_table = [target for target in targets if target.published.table == table]
    if any(target.left_out for target in in_table):
        return LEFT_OUT
    missing = [unreached[target.dataset] for target in in_table if target.dataset and target.dataset in unreached]
    return missing[0] if missing else "too few data sets to compare"


def critical_difference_panels(tests: Mapping[str, MethodTests | None], level: float) -> Figure:
    """A diagram for each titled table of methods, one below the other, each with Friedman's verdict.

    None, a table with fewer than two complete data sets, leaves its place empty and says so.
    """
    return draw_ranks(rank_table(tests).rounded(), {}, list(tests), level)


def draw_ranks(table: Table, names: Mapping[str, str], titles: Sequence[str], level: float) -> Figure:
    """The diagrams of these titles, one below the other."""
    found = {title: table.records(diagram=title) for title in titles}
    needed = [_rows_needed(_ranks(rows), rows[0]["critical_difference"]) for rows in found.values() if rows]
    height = max(needed, default=5)
    longest = _LETTER * max((len(names.get(name, name)) for name in table.values("method")), default=0)
    heads = {title: _head(title, rows) for title, rows in found.items()}
    # A head begins above the line of ranks, to the right of the names.
    width = max(5.5, _LINE + 2 * longest, longest + _LETTER * (8 + max(map(len, heads.values()))))
    with new_figure(width, (_ROW * height + _HEAD) * len(found), nrows=len(found), squeeze=False) as (figure, grid):
        for axes, (title, rows) in zip(grid[:, 0], found.items(), strict=True):
            if rows:
                methods = [names.get(row["method"], row["method"]) for row in rows]
                _draw_ranks(axes, _ranks(rows), methods, rows[0]["critical_difference"], height)
            else:
                nothing_to_compare(axes)
            axes.set_title(heads[title], loc="left", fontsize=LABEL, fontweight="bold")
        note = f"average ranks, 1 is the best; CD: critical difference of Nemenyi's test at {level:.0%}"
        figure.supxlabel(note, fontsize=LABEL, color=SOFT)
        return figure


def _head(title: str, rows: Sequence[Mapping[str, float]]) -> str:
    """The title with Friedman's verdict, if there is one."""
    if not rows:
        return title
    p = f"p = {rows[0]['friedman_p']:.3f}" if rows[0]["friedman_p"] >= 0.001 else "p < 0.001"
    return f"{title} (Friedman: F = {rows[0]['friedman_f']:.2f}, {p})"


def _ranks(rows: Sequence[Mapping[str, float]]) -> NDArray[np.float64]:
    return np.array([row["average_rank"] for row in rows])


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
    axes.plot([1, k], [0, 0], color=INK, linewidth=1)
    step = 0.5 if k <= _SPARSE else 1
    for tick in np.arange(1, k + 0.25, step):
        long = tick == int(tick) if k <= _SPARSE else tick == 1 or tick % 5 == 0
        axes.plot([tick, tick], [0, 0.35 if long else 0.2], color=INK, linewidth=1, clip_on=False)
        if long:
            axes.text(tick, 0.45, f"{tick:.0f}", ha="center", va="bottom")


def _draw_bracket(axes: Axes, critical_difference: float) -> None:
    height, end = 1.85, 1 + critical_difference
    axes.plot(
        [1, end],
        [height, height],
        color=INK,
        linewidth=1,
        marker="|",
        markersize=7,
        markeredgecolor=INK,
        markeredgewidth=1,
        clip_on=False,
    )
    axes.text((1 + end) / 2, height + 0.2, f"CD = {critical_difference:.2f}", ha="center", va="bottom")


def _draw_name(axes: Axes, text: str, rank: float, edge: float, height: float, align: str) -> None:
    axes.plot([rank, rank, edge], [0, height, height], color=SOFT, linewidth=0.9, clip_on=False)
    axes.plot([rank], [0], "o", color=INK, markersize=4, clip_on=False, zorder=4)
    offset = (-6 if align == "right" else 6, 0)
    axes.annotate(
        text, (edge, height), offset, textcoords="offset points", ha=align, va="center", annotation_clip=False
    )
