"""What was published against what was reproduced, over all papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from labelknn_papers.judge.overview import COUNTS, KINDS, SIZES, Comparisons, Pair, pairs
from labelknn_papers.show.figures import Table, few_ticks, log_ticks, panels, side_by_side
from labelknn_papers.show.style import SOFT, colour, marker


def agreement_table(papers: Comparisons) -> Table:
    return Table(Pair._fields, pairs(papers)).rounded()


def draw_agreement(table: Table, names: Mapping[str, str]) -> Figure:
    """Published against reproduced, one panel for each kind of number, with the line on which both are the same."""
    found = {kind: rows for kind in KINDS if (rows := table.records(kind=kind))}
    titles = [f"{kind} ({len(rows):,})" for kind, rows in found.items()]
    with panels(titles, 3.9, 3.6, columns=2 if len(titles) > 3 else len(titles)) as (figure, grid):
        looks = {paper: (colour(place), marker(place)) for place, paper in enumerate(table.values("paper"))}
        for (kind, rows), axes in zip(found.items(), grid, strict=True):
            _draw_panel(axes, kind, rows, looks)
        figure.supxlabel("published")
        figure.supylabel("reproduced")
        handles = {
            names.get(paper, paper): plt.Line2D([], [], linestyle="", marker=sign, color=shade)
            for paper, (shade, sign) in looks.items()
        }
        side_by_side(figure, handles)
        return figure


def _draw_panel(
    axes: Axes, kind: str, numbers: Sequence[Mapping[str, Any]], looks: Mapping[str, tuple[str, str]]
) -> None:
    values = np.array([(number["published"], number["ours"]) for number in numbers])
    if kind in (SIZES, COUNTS) and (values > 0).all():
        axes.set_xscale("log")
        axes.set_yscale("log")
        ends = values.min() / 1.3, values.max() * 1.3
    else:
        room = 0.04 * (np.ptp(values) or 1)
        ends = values.min() - room, values.max() + room
    axes.plot(ends, ends, color=SOFT, linewidth=0.8, zorder=1)
    for paper, (shade, sign) in looks.items():
        of_paper = np.array([(one["published"], one["ours"]) for one in numbers if one["paper"] == paper])
        if len(of_paper):
            axes.plot(*of_paper.T, linestyle="", marker=sign, markersize=4, alpha=0.75, color=shade)
    axes.set_xlim(ends)
    axes.set_ylim(ends)
    axes.set_aspect("equal")
    if axes.get_xscale() == "log":
        for axis in (axes.xaxis, axes.yaxis):
            log_ticks(axis, *ends)
    else:
        few_ticks(axes, 5)
