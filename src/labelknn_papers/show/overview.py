"""Figures over all papers: the scorecard, and what was published against what was reproduced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from labelknn.metrics import METRICS
from labelknn_papers.judge.comparison import Comparison
from labelknn_papers.judge.verdict import CLOSE, DIFFERS, MATCHES, NOT_RUN, VERDICTS
from labelknn_papers.show.figures import COLOURS, new_figure, nothing_to_show

# By paper, in the order of its tables.
Comparisons = Mapping[str, Sequence[Comparison]]

# The marks are those of the page: full, half, crossed and hollow, so that they differ in grey as well.
COLOUR = {MATCHES: "#0b5c8a", CLOSE: "#0b5c8a", DIFFERS: "#bf4400", NOT_RUN: "#6a717b"}
_SIDE = 0.76  # of a square; the rest of its place is the gap to the next


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
    for paper, comparisons in papers.items():
        judged = [one for one in comparisons if one.published.value is not None]
        headings.append((y, f"{paper}   {_in_words(judged)}"))
        y -= 1.5
        for table in dict.fromkeys(one.published.table for one in judged):
            verdicts = [one.verdict for one in judged if one.published.table == table]
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
        _draw_legend(axes, Counter(square.verdict for square in squares), -margin)
        for height, text in headings:
            axes.text(-margin, height + 0.1, text, fontsize=8, va="baseline", weight="bold")
        for height, text in names:
            axes.text(-margin, height + 0.15, text, fontsize=7, va="baseline", color="0.3")
        _draw_squares(axes, squares)
        return figure


def _in_words(judged: Sequence[Comparison]) -> str:
    found = Counter(one.verdict for one in judged)
    good = found[MATCHES] + found[CLOSE]
    return f"{good} of {len(judged) - found[NOT_RUN]} numbers match or are close" + (
        f", {found[NOT_RUN]} not run" if found[NOT_RUN] else ""
    )


def _draw_legend(axes: plt.Axes, counts: Mapping[str, int], left: float) -> None:
    for step, verdict in enumerate(VERDICTS):
        x = left + 12 * step
        _draw_squares(axes, [_Square(x, 3, verdict)])
        axes.text(x + 1.3, 3.1, f"{counts[verdict]:,} {verdict}", fontsize=9, va="baseline")


def _draw_squares(axes: plt.Axes, squares: Sequence[_Square]) -> None:
    outline = _SIDE * np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    for verdict in VERDICTS:
        corners = np.array([(square.x, square.y) for square in squares if square.verdict == verdict]).reshape(-1, 1, 2)
        fill = outline[[0, 2, 3]] if verdict == CLOSE else outline
        if verdict != NOT_RUN:
            axes.add_patch(_shapes(corners + fill, facecolor=COLOUR[verdict], linewidth=0))
        style = (0, (1.5, 1)) if verdict == NOT_RUN else "solid"
        axes.add_patch(
            _shapes(corners + outline, edgecolor=COLOUR[verdict], fill=False, linewidth=0.5, linestyle=style)
        )
        if verdict == DIFFERS:
            diagonals = np.concatenate([corners + outline[[0, 2]], corners + outline[[1, 3]]])
            axes.add_patch(_shapes(diagonals, edgecolor="white", fill=False, linewidth=0.9))


def _shapes(polygons: np.ndarray, **look: Any) -> PathPatch:
    """All polygons of one look as a single path, which keeps the file small."""
    paths = [
        Path(polygon, closed=False) if len(polygon) == 2 else Path([*polygon, polygon[0]], closed=True)
        for polygon in polygons
    ]
    return PathPatch(Path.make_compound_path(*paths), clip_on=False, **look)


class Pair(NamedTuple):
    """A number as a paper prints it, and ours."""

    paper: str
    published: float
    ours: float


SCORES, PROBABILITIES, SIZES, COUNTS = KINDS = (
    "scores between −1 and 1",
    "p-values",
    "ranks, tree sizes, coverage",
    "properties of the data",
)
MARKERS = ("o", "s", "^", "D", "v", "P")


def kind_of(metric: str, method: str) -> str:
    """Which panel a number belongs to: values of one panel share a scale."""
    if metric == "p_value":
        return PROBABILITIES
    if metric in METRICS and METRICS[metric].low >= -1 and METRICS[metric].high <= 1:
        return SCORES
    return SIZES if method else COUNTS


def pairs(papers: Comparisons) -> dict[str, list[Pair]]:
    """Every printed number that we have a value of our own for, by kind; run times, compared as ratios, have none."""
    found: dict[str, list[Pair]] = {kind: [] for kind in KINDS}
    for paper, one in _all(papers):
        if one.published.value is not None and one.ours is not None:
            kind = kind_of(one.target.metric, one.published.method)
            found[kind].append(Pair(paper, one.published.value, one.ours.mean))
    return {kind: numbers for kind, numbers in found.items() if numbers}


def _all(papers: Comparisons) -> Iterator[tuple[str, Comparison]]:
    return ((paper, one) for paper, comparisons in papers.items() for one in comparisons)


def draw_agreement(papers: Comparisons) -> Figure:
    """Published against reproduced, one panel for each kind of number, with the line on which both are the same."""
    panels = pairs(papers)
    columns = 2 if len(panels) > 3 else len(panels) or 1
    lines = max(ceil(len(panels) / columns), 1)
    with new_figure(3.9 * columns, 3.6 * lines + 0.3, nrows=lines, ncols=columns, squeeze=False) as (figure, grid):
        for axes in grid.flat[max(len(panels), 1) :]:
            axes.set_axis_off()
        if not panels:
            nothing_to_show(grid.flat[0])
            return figure
        looks = {paper: look for paper, *look in zip(papers, COLOURS, MARKERS, strict=False)}
        for (kind, numbers), axes in zip(panels.items(), grid.flat, strict=False):
            _draw_panel(axes, kind, numbers, looks)
        figure.supxlabel("published", fontsize=9)
        figure.supylabel("reproduced", fontsize=9)
        handles = [
            plt.Line2D([], [], linestyle="", marker=marker, color=colour, label=paper)
            for paper, (colour, marker) in looks.items()
            if any(number.paper == paper for numbers in panels.values() for number in numbers)
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), handletextpad=0.2)
        return figure


def _draw_panel(axes: plt.Axes, kind: str, numbers: Sequence[Pair], looks: Mapping[str, Sequence[str]]) -> None:
    values = np.array([(number.published, number.ours) for number in numbers])
    if kind in (SIZES, COUNTS) and (values > 0).all():
        axes.set_xscale("log")
        axes.set_yscale("log")
        ends = values.min() / 1.3, values.max() * 1.3
    else:
        room = 0.04 * (np.ptp(values) or 1)
        ends = values.min() - room, values.max() + room
    axes.plot(ends, ends, color="0.6", linewidth=0.8, zorder=1)
    for paper, (colour, marker) in looks.items():
        of_paper = np.array([(number.published, number.ours) for number in numbers if number.paper == paper])
        if len(of_paper):
            axes.plot(
                *of_paper.T, linestyle="", marker=marker, markersize=3.5, alpha=0.75,
                color=colour, markeredgecolor="white", markeredgewidth=0.3,
            )  # fmt: skip
    axes.set_xlim(ends)
    axes.set_ylim(ends)
    axes.set_aspect("equal")
    axes.set_title(f"{kind} ({len(numbers):,})", fontsize=9)
