"""brinker2007's Figure 1: how the Hamming loss falls as more virtual labels broaden the gap at the split point."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isfinite

from matplotlib.figure import Figure

from labelknn_papers.judge.estimates import Estimates
from labelknn_papers.plan.cells import Cell
from labelknn_papers.show.figures import COLOURS, new_figure, nothing_to_show

# Number of virtual labels -> Hamming loss; infinity for the limit, the majority vote.
Curve = Mapping[float, float]


def losses(
    cells: Mapping[tuple[str, str], Cell], estimates: Estimates
) -> tuple[dict[tuple[str, str], dict[float, float]], dict[tuple[str, str], float]]:
    """The Hamming losses of cells by name: a curve for each with settings "p=...", a number for the others.

    cells : by data set and the method's name in the legend.
    """
    names = {(cell.protocol.id, cell.dataset, cell.method): name for name, cell in cells.items()}
    curves: dict[tuple[str, str], dict[float, float]] = {}
    references = {}
    for (protocol, dataset, algorithm, setting, metric), estimate in estimates.items():
        name = names.get((protocol, dataset, algorithm))
        if name is None or metric != "hamming_loss":
            continue
        if setting.startswith("p="):
            curves.setdefault(name, {})[float(setting.removeprefix("p="))] = estimate.mean
        else:
            references[name] = estimate.mean
    return curves, references


def draw_gap(curves: Mapping[tuple[str, str], Curve], references: Mapping[tuple[str, str], float]) -> Figure:
    """One panel for each data set: a curve for each method, its limit dashed, and other methods as dotted lines."""
    datasets = list(dict.fromkeys(dataset for dataset, _ in [*curves, *references]))
    with new_figure(2.6 * max(len(datasets), 1) + 0.4, 3.2, ncols=max(len(datasets), 1), squeeze=False) as (
        figure,
        grid,
    ):
        if not datasets:
            nothing_to_show(grid.flat[0])
            return figure
        methods = list(dict.fromkeys(method for _, method in [*curves, *references]))
        for dataset, axes in zip(datasets, grid.flat, strict=True):
            for method, colour in zip(methods, COLOURS, strict=False):
                curve = curves.get((dataset, method), {})
                steps = sorted(p for p in curve if isfinite(p))
                if steps:
                    axes.plot(steps, [curve[p] for p in steps], color=colour, linewidth=1.3, label=method)
                if inf in curve:
                    axes.axhline(curve[inf], color=colour, linewidth=0.8, linestyle="--")
                if (dataset, method) in references:
                    axes.axhline(references[dataset, method], color=colour, linewidth=1.3, linestyle=":", label=method)
            axes.set_title(dataset, fontsize=9)
        figure.supxlabel("virtual labels p", fontsize=9)
        grid.flat[0].set_ylabel("Hamming loss")
        handles = {
            label: handle for axes in grid.flat for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=len(handles))
        return figure
