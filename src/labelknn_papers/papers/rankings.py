"""cheng2009's figures: learning curves over the missing labels, how far reliabilities can be relied on, and a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from math import ceil
from typing import NamedTuple

import numpy as np
import scipy
from matplotlib.figure import Figure

from labelknn.datasets._container import Dataset
from labelknn.ranking import LRT
from labelknn.ranking.stats._kendall import taus
from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.predictions import Predictions
from labelknn_papers.show.figures import COLOURS, new_figure, nothing_to_show

MARKERS = ("o", "s", "^", "D")

# How much of the predictions is kept, the most reliable ones first.
KEPT = np.linspace(0.05, 1, 20)

# (data set, method) -> missing rate -> our estimate of tau
Curves = Mapping[tuple[str, str], Mapping[float, Estimate]]


def draw_learning_curves(curves: Curves, columns: int = 4) -> Figure:
    """Tau over the share of missing labels, one panel for each data set, with the band of 1.96 standard errors."""
    datasets = list(dict.fromkeys(dataset for dataset, _ in curves))
    methods = list(dict.fromkeys(method for _, method in curves))
    if not datasets:
        with new_figure(4, 2) as (figure, axes):
            nothing_to_show(axes)
            return figure
    columns = min(columns, len(datasets))
    lines = ceil(len(datasets) / columns)
    size = (4.6, 3.2) if len(datasets) == 1 else (2.1 * columns, 1.75 * lines + 0.4)
    with new_figure(*size, nrows=lines, ncols=columns, sharex=True, squeeze=False) as (figure, grid):
        for axes in grid.flat[len(datasets) :]:
            axes.set_axis_off()
        for dataset, axes in zip(datasets, grid.flat, strict=False):
            for method, colour, marker in zip(methods, COLOURS, MARKERS, strict=False):
                curve = curves.get((dataset, method), {})
                rates = sorted(curve)
                means = np.array([curve[rate].mean for rate in rates])
                bands = 1.96 * np.array([curve[rate].se or 0.0 for rate in rates])
                axes.fill_between(rates, means - bands, means + bands, color=colour, alpha=0.2, linewidth=0)
                axes.plot(rates, means, marker=marker, color=colour, markersize=3.5, linewidth=1.2, label=method)
            axes.set_title(dataset, fontsize=9)
        figure.supxlabel("probability of a missing label", fontsize=9)
        figure.supylabel("Kendall's tau", fontsize=9)
        handles, labels = grid.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(methods))
        return figure


class ReliabilityRow(NamedTuple):
    dataset: str
    method: str
    correlation: float


class Reliability(NamedTuple):
    """The rank correlation of reliability and tau, and the mean tau of the most reliable shares in KEPT."""

    correlation: float
    tau_of_kept: np.ndarray


def reliability(data: Dataset, splits: Sequence[Split], predictions: Predictions) -> Reliability:
    """Over all test predictions: does a prediction that claims to be reliable come out better?"""
    tested = {(split.repeat, split.fold): split.test for split in splits}
    claimed, achieved = [], []
    for (repeat, fold, _), output in predictions.items():
        claimed.append(output["reliability"])
        achieved.append(taus(np.asarray(data.Y)[tested[repeat, fold]], output["ranks"]))
    claims, quality = np.concatenate(claimed), np.concatenate(achieved)
    order = np.argsort(-claims, kind="stable")
    running = np.cumsum(quality[order]) / np.arange(1, len(order) + 1)
    kept = np.maximum(1, np.round(KEPT * len(order)).astype(int))
    return Reliability(float(scipy.stats.spearmanr(claims, quality).statistic), running[kept - 1])


def draw_reliability(found: Mapping[tuple[str, str], Reliability]) -> Figure:
    """Mean tau against the share of predictions kept, one panel for each method, one line for each data set."""
    methods = list(dict.fromkeys(method for _, method in found))
    with new_figure(7.5, 4.2, ncols=max(len(methods), 1), sharey=True, squeeze=False) as (figure, grid):
        if not found:
            nothing_to_show(grid.flat[0])
        for method, axes in zip(methods, grid.flat, strict=False):
            lines = {dataset: one.tau_of_kept for (dataset, of), one in found.items() if of == method}
            places = spread([line[0] for line in lines.values()], 0.035)
            for (dataset, line), place, colour in zip(lines.items(), places, cycle(COLOURS[:6])):
                axes.plot(KEPT, line, color=colour, linewidth=1)
                axes.plot([-0.03, KEPT[0]], [place, line[0]], color=colour, linewidth=0.5)
                axes.text(-0.04, place, dataset, ha="right", va="center", fontsize=6, color="0.2")
            axes.set_xlim(-0.3, 1)
            axes.set_xticks([0.2, 0.4, 0.6, 0.8, 1])
            axes.set_title(method, fontsize=9)
            axes.set_xlabel("share of predictions kept")
        grid.flat[0].set_ylabel("mean Kendall's tau of those kept")
        return figure


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Places for labels at these heights, in the same order but at least `gap` apart, and as near as that allows.

    Labels that would overlap form a block, which is centred on the mean of its heights; blocks that meet become one.
    """
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    blocks: list[tuple[float, list[int]]] = []  # the place of the lowest label, and who is in the block
    for index in order:
        start, members = heights[index], [index]
        while blocks and blocks[-1][0] + gap * len(blocks[-1][1]) > start:
            members = blocks.pop()[1] + members
            start = sum(heights[one] - gap * step for step, one in enumerate(members)) / len(members)
        blocks.append((start, members))
    places = {one: start + gap * step for start, members in blocks for step, one in enumerate(members)}
    return [places[index] for index in range(len(heights))]


def draw_tree(data: Dataset | None) -> Figure:
    """The tree that LRT grows on all rows of a small data set."""
    if data is None:
        with new_figure(4, 2) as (figure, axes):
            nothing_to_show(axes)
            return figure
    assert data.Y is not None
    axes = LRT().fit(data.X, data.Y).plot(data.feature_names, data.label_names)
    assert isinstance(axes.figure, Figure)
    return axes.figure
