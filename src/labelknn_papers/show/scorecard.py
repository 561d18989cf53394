"""The scorecard as a picture: one square for each printed number, by table and verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from labelknn_papers.judge.overview import Comparisons, scorecard
from labelknn_papers.judge.verdict import CLOSE, EXPLAINED, MATCHES, NOT_RUN, VERDICTS
from labelknn_papers.show.figures import Table, new_figure
from labelknn_papers.show.style import CORE, CROSSED, HALF, HOLLOW, LABEL, NOTE, SIGNS, SOFT, TEXT

_SIDE = 0.76  # of a square; the rest of its place is the gap to the next
_OUTLINE = _SIDE * np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
# What is filled of a square, if not all of it.
_FILLED = {HALF: _OUTLINE[[0, 2, 3]], CORE: _SIDE / 2 + (_OUTLINE - _SIDE / 2) / 2}


class _Square(NamedTuple):
    """The lower left corner of a number's square."""

    x: float
    y: float
    verdict: str


def scorecard_table(papers: Comparisons) -> Table:
    """By paper and table, how many printed numbers have each verdict."""
    return Table(*scorecard(papers))


def draw_scorecard(table: Table, titles: Mapping[tuple[str, str], str], columns: int = 60) -> Figure:
    """One square for each printed number, by paper and table; `titles` names the tables, by paper and key."""
    squares: list[_Square] = []
    headings: list[tuple[float, str]] = []
    names: list[tuple[float, str]] = []
    y = 0.0
    for paper in table.values("paper"):
        tables = {row["table"]: _counts([row]) for row in table.records(paper=paper)}
        headings.append((y, f"{paper}   {_in_words(_counts(table.records(paper=paper)))}"))
        y -= 1.5
        for key, counts in tables.items():
            names.append((y, titles[paper, key]))
            verdicts = [verdict for verdict in VERDICTS for _ in range(counts[verdict])]
            squares += [
                _Square(index % columns, y - index // columns, verdict) for index, verdict in enumerate(verdicts)
            ]
            y -= ceil(len(verdicts) / columns) + 0.3
        y -= 0.8
    # Room for the tables' names, and the inches that a square takes.
    margin, unit = max(6.5, 0.55 * max((len(name) for _, name in names), default=0)), 0.12
    with new_figure(unit * (columns + margin), unit * (3.5 - y)) as (figure, axes):
        axes.set_axis_off()
        axes.set_aspect("equal")
        axes.set_xlim(-margin, columns)
        axes.set_ylim(y + 1, 4.5)
        _draw_legend(axes, _counts(table.records()), -margin)
        for height, text in headings:
            axes.text(-margin, height + 0.1, text, fontsize=LABEL, va="baseline", weight="bold")
        for height, text in names:
            axes.text(-margin, height + 0.15, text, fontsize=NOTE, va="baseline", color=SOFT)
        _draw_squares(axes, squares)
        return figure


def _counts(rows: Sequence[Mapping[str, int]]) -> dict[str, int]:
    return {verdict: sum(row[verdict.replace(" ", "_")] for row in rows) for verdict in VERDICTS}


def _in_words(counts: Mapping[str, int]) -> str:
    good, run = counts[MATCHES] + counts[CLOSE], sum(counts.values()) - counts[NOT_RUN]
    others = "".join(f", {counts[one]} {one}" for one in (EXPLAINED, NOT_RUN) if counts[one])
    return f"{good} of {run} numbers match or are close{others}"


def _draw_legend(axes: plt.Axes, counts: Mapping[str, int], left: float) -> None:
    for step, verdict in enumerate(VERDICTS):
        x = left + 12 * step
        _draw_squares(axes, [_Square(x, 3, verdict)])
        axes.text(x + 1.3, 3.1, f"{counts[verdict]:,} {verdict}", fontsize=TEXT, va="baseline")


def _draw_squares(axes: plt.Axes, squares: Sequence[_Square]) -> None:
    for verdict in VERDICTS:
        corners = np.array([(square.x, square.y) for square in squares if square.verdict == verdict]).reshape(-1, 1, 2)
        colour, fill = SIGNS[verdict]
        if fill != HOLLOW:
            axes.add_patch(_shapes(corners + _FILLED.get(fill, _OUTLINE), facecolor=colour, linewidth=0))
        style = (0, (1.5, 1)) if fill == HOLLOW else "solid"
        axes.add_patch(_shapes(corners + _OUTLINE, edgecolor=colour, fill=False, linewidth=0.5, linestyle=style))
        if fill == CROSSED:
            diagonals = np.concatenate([corners + _OUTLINE[[0, 2]], corners + _OUTLINE[[1, 3]]])
            axes.add_patch(_shapes(diagonals, edgecolor="white", fill=False, linewidth=0.9))


def _shapes(polygons: np.ndarray, **look: Any) -> PathPatch:
    """All polygons of one look as a single path, which keeps the file small."""
    paths = [
        Path(polygon, closed=False) if len(polygon) == 2 else Path([*polygon, polygon[0]], closed=True)
        for polygon in polygons
    ]
    return PathPatch(Path.make_compound_path(*paths), clip_on=False, **look)
