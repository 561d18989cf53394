"""brinker2007's figures: how sure its genes are, and the Hamming loss over the number of virtual labels; and a table of
its run times beside the numbers of machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite

import numpy as np
from matplotlib.figure import Figure

from labelknn.datasets._container import Dataset
from labelknn_papers.data.expression import CLOSE, Matching, reconstruct
from labelknn_papers.data.recipes import expression_and_rankings
from labelknn_papers.judge.comparison import decimal
from labelknn_papers.judge.estimates import CellEstimates
from labelknn_papers.plan.cells import Published
from labelknn_papers.show.figures import COLOURS, Drawing, new_figure, nothing_to_show

# Number of virtual labels -> Hamming loss; infinity for the limit, the majority vote.
Curve = Mapping[float, float]


def matching(all_data: Mapping[str, Dataset]) -> Drawing:
    """How sure the reconstruction of the genes is, on all of them; beside the picture its summary."""
    header = ("genes", "share_within_distance_4", "median_margin_to_runner_up")
    if not all_data:
        return Drawing(draw_matching(None), header)
    table, found = reconstruct(*expression_and_rankings(list(all_data.values())))
    return Drawing(draw_matching(found), header, [(table.n, decimal(found.close), decimal(found.margin))])


def draw_matching(matching: Matching | None) -> Figure:
    """Each gene's distance to its match and to the runner-up: two crowds that do not meet."""
    with new_figure(6.5, 2.8) as (figure, axes):
        if matching is None:
            nothing_to_show(axes)
            return figure
        bins = np.arange(0, max(matching.distances.max(), matching.runners_up.max()) + 2, 2)
        axes.hist(matching.distances, bins, color=COLOURS[0], label="its match")
        axes.hist(matching.runners_up, bins, color=COLOURS[1], alpha=0.8, hatch="//", label="the runner-up")
        axes.axvline(CLOSE, color="0.3", linewidth=1, linestyle="--")
        axes.set_xlabel("distance between the rankings of a profile and of a gene")
        axes.set_ylabel("genes")
        axes.legend()
        return figure


def ties(data: Mapping[str, Dataset]) -> Drawing:
    """The share of genes with two equal log ratios; the split point, the last label, is none."""
    rows = []
    for name, one in data.items():
        assert one.Y is not None
        ordered = np.sort(one.Y[:, :-1], axis=1)
        rows.append((name, decimal(float((np.diff(ordered, axis=1) == 0).any(axis=1).mean()))))
    return Drawing(None, ("dataset", "share_with_ties"), rows)


def machines(published: Sequence[Published]) -> Drawing:
    """How many times as many machines CRPC has as BR, and how many times as long Table 1 says that it takes.

    For c labels and the virtual one CRPC has a machine for each pair, c (c + 1) / 2, and BR has c.
    """
    printed = {(one.dataset, one.method, one.metric): one.value for one in published if one.value}
    rows = []
    for dataset, _, metric in printed:
        if metric == "labels":
            times = [
                printed[dataset, "crpc", name] / printed[dataset, "br", name]
                for name in ("test_seconds", "train_seconds")
            ]
            rows.append((dataset, decimal((printed[dataset, "", metric] + 1) / 2), *map(decimal, times)))
    return Drawing(None, ("dataset", "machines", "test_ratio", "train_ratio"), rows)


def gap(scores: CellEstimates, titles: Mapping[str, str]) -> Drawing:
    """Figure 1: how the loss falls as more virtual labels broaden the gap at the split point."""
    return Drawing(draw_gap(*losses(scores), titles))


def losses(
    scores: CellEstimates,
) -> tuple[dict[tuple[str, str], dict[float, float]], dict[tuple[str, str], float]]:
    """The Hamming losses by data set and method: a curve for each with settings "p=...", a number for the others."""
    curves: dict[tuple[str, str], dict[float, float]] = {}
    references = {}
    for name, estimates in scores.items():
        for (setting, metric), estimate in estimates.items():
            if metric != "hamming_loss":
                continue
            if setting.startswith("p="):
                curves.setdefault(name, {})[float(setting.removeprefix("p="))] = estimate.mean
            else:
                references[name] = estimate.mean
    return curves, references


def draw_gap(
    curves: Mapping[tuple[str, str], Curve],
    references: Mapping[tuple[str, str], float],
    titles: Mapping[str, str],
) -> Figure:
    """One panel for each data set: a curve for each method, its limit dashed, and other methods as dotted lines.

    titles : what a method is called.
    """
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
                curve, label = curves.get((dataset, method), {}), titles[method]
                steps = sorted(p for p in curve if isfinite(p))
                if steps:
                    axes.plot(steps, [curve[p] for p in steps], color=colour, linewidth=1.3, label=label)
                if inf in curve:
                    axes.axhline(curve[inf], color=colour, linewidth=0.8, linestyle="--")
                if (dataset, method) in references:
                    axes.axhline(references[dataset, method], color=colour, linewidth=1.3, linestyle=":", label=label)
            axes.set_title(dataset, fontsize=9)
        figure.supxlabel("virtual labels p", fontsize=9)
        grid.flat[0].set_ylabel("Hamming loss")
        handles = {
            label: handle for axes in grid.flat for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=len(handles))
        return figure
