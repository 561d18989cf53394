"""What was published against what was reproduced, over all papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from labelknn_papers.judge.overview import COUNTS, SIZES, Comparisons, Pair, pairs
from labelknn_papers.show.figures import COLOURS, new_figure, nothing_to_show

MARKERS = ("o", "s", "^", "D", "v", "P")


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
