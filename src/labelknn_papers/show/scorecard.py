"""The scorecard as a picture: one square for each printed number, in the order of the papers' tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from math import ceil
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from labelknn_papers.judge.overview import Comparisons, judged_tables
from labelknn_papers.judge.verdict import CLOSE, DIFFERS, EXPLAINED, MATCHES, NOT_RUN, VERDICTS, tally
from labelknn_papers.show.figures import new_figure

# The marks are those of the page: full, half, with a core, crossed and hollow, so that they differ in grey as well.
COLOUR = {MATCHES: "#0b5c8a", CLOSE: "#0b5c8a", EXPLAINED: "#7a3fb0", DIFFERS: "#bf4400", NOT_RUN: "#6a717b"}
_SIDE = 0.76  # of a square; the rest of its place is the gap to the next
_OUTLINE = _SIDE * np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
# What is filled of a square that has a number: all of it, if nothing else is said.
_FILL = {CLOSE: _OUTLINE[[0, 2, 3]], EXPLAINED: _SIDE / 2 + (_OUTLINE - _SIDE / 2) / 2}


class _Square(NamedTuple):
    """The lower left corner of a number's square."""

    x: float
    y: float
    verdict: str


def draw_scorecard(papers: Comparisons, titles: Mapping[tuple[str, str], str], columns: int = 60) -> Figure:
    """One square for each printed number, by paper and table; `titles` names the tables, by paper and key."""
    squares: list[_Square] = []
    headings: list[tuple[float, str]] = []
    names: list[tuple[float, str]] = []
    y = 0.0
    judged = {place: [one.verdict for one in found] for place, found in judged_tables(papers).items()}
    for paper in papers:
        tables = {table: verdicts for (of, table), verdicts in judged.items() if of == paper}
        headings.append((y, f"{paper}   {_in_words(tally(chain(*tables.values())))}"))
        y -= 1.5
        for table, verdicts in tables.items():
            names.append((y, titles[paper, table]))
            squares += [
                _Square(index % columns, y - index // columns, verdict) for index, verdict in enumerate(verdicts)
            ]
            y -= ceil(len(verdicts) / columns) + 0.3
        y -= 0.8
    margin, unit = 6.5, 0.12  # room for the tables' names, and the inches that a square takes
    with new_figure(unit * (columns + margin), unit * (3.5 - y)) as (figure, axes):
        axes.set_axis_off()
        axes.set_aspect("equal")
        axes.set_xlim(-margin, columns)
        axes.set_ylim(y + 1, 4.5)
        _draw_legend(axes, tally(square.verdict for square in squares), -margin)
        for height, text in headings:
            axes.text(-margin, height + 0.1, text, fontsize=8, va="baseline", weight="bold")
        for height, text in names:
            axes.text(-margin, height + 0.15, text, fontsize=7, va="baseline", color="0.3")
        _draw_squares(axes, squares)
        return figure


def _in_words(counts: Mapping[str, int]) -> str:
    good, run = counts[MATCHES] + counts[CLOSE], sum(counts.values()) - counts[NOT_RUN]
    others = "".join(f", {counts[one]} {one}" for one in (EXPLAINED, NOT_RUN) if counts[one])
    return f"{good} of {run} numbers match or are close{others}"


def _draw_legend(axes: plt.Axes, counts: Mapping[str, int], left: float) -> None:
    for step, verdict in enumerate(VERDICTS):
        x = left + 12 * step
        _draw_squares(axes, [_Square(x, 3, verdict)])
        axes.text(x + 1.3, 3.1, f"{counts[verdict]:,} {verdict}", fontsize=9, va="baseline")


def _draw_squares(axes: plt.Axes, squares: Sequence[_Square]) -> None:
    for verdict in VERDICTS:
        corners = np.array([(square.x, square.y) for square in squares if square.verdict == verdict]).reshape(-1, 1, 2)
        if verdict != NOT_RUN:
            fill = _FILL.get(verdict, _OUTLINE)
            axes.add_patch(_shapes(corners + fill, facecolor=COLOUR[verdict], linewidth=0))
        style = (0, (1.5, 1)) if verdict == NOT_RUN else "solid"
        axes.add_patch(
            _shapes(corners + _OUTLINE, edgecolor=COLOUR[verdict], fill=False, linewidth=0.5, linestyle=style)
        )
        if verdict == DIFFERS:
            diagonals = np.concatenate([corners + _OUTLINE[[0, 2]], corners + _OUTLINE[[1, 3]]])
            axes.add_patch(_shapes(diagonals, edgecolor="white", fill=False, linewidth=0.9))


def _shapes(polygons: np.ndarray, **look: Any) -> PathPatch:
    """All polygons of one look as a single path, which keeps the file small."""
    paths = [
        Path(polygon, closed=False) if len(polygon) == 2 else Path([*polygon, polygon[0]], closed=True)
        for polygon in polygons
    ]
    return PathPatch(Path.make_compound_path(*paths), clip_on=False, **look)
