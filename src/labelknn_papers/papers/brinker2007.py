"""brinker2007's figures: how sure its genes are, and the Hamming loss over the number of virtual labels; and a table of
its run times beside the numbers of machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from labelknn.datasets._container import Dataset
from labelknn_papers.data.expression import CLOSE, Matching, reconstruct
from labelknn_papers.data.recipes import expression_and_rankings
from labelknn_papers.judge.comparison import decimal
from labelknn_papers.judge.estimates import CellEstimates
from labelknn_papers.plan.cells import Published
from labelknn_papers.show.figures import End, Table, few_ticks, label_ends, new_figure, panels
from labelknn_papers.show.style import COLOURS, HATCHES, NOTE, SOFT, colour, line


def matching(all_data: Mapping[str, Dataset]) -> Table:
    """How sure the reconstruction of the genes is: of each the distance to its match, and to the runner-up."""
    header = ("distance", "runner_up")
    if not all_data:
        return Table(header)
    _, found = reconstruct(*expression_and_rankings(list(all_data.values())))
    genes = zip(found.distances, found.runners_up, strict=True)
    return Table(header, sorted((float(nearest), float(second)) for nearest, second in genes))


def draw_matching(table: Table, names: Mapping[str, str]) -> Figure:
    """Two crowds that do not meet."""
    found = Matching(*np.array(table.rows).T)
    with new_figure(6.5, 2.8) as (figure, axes):
        bins = np.arange(0, found.runners_up.max() + 2, 2)
        near, second = (
            f"its match: {found.close:.0%} within {CLOSE:g}",
            f"the runner-up: {found.margin:g} more (median)",
        )
        axes.hist(found.distances, bins, color=COLOURS[0], label=near)
        axes.hist(found.runners_up, bins, color=COLOURS[1], alpha=0.8, hatch=HATCHES[1], label=second)
        axes.axvline(CLOSE, color=SOFT, linewidth=1, linestyle="--")
        axes.set_xlabel("distance between the rankings of a profile and of a gene")
        axes.set_ylabel("genes")
        axes.legend()
        return figure


def ties(data: Mapping[str, Dataset]) -> Table:
    """The share of genes with two equal log ratios; the split point, the last label, is none."""
    rows = []
    for name, one in data.items():
        assert one.Y is not None
        ordered = np.sort(one.Y[:, :-1], axis=1)
        rows.append((name, decimal(float((np.diff(ordered, axis=1) == 0).any(axis=1).mean()))))
    return Table(("dataset", "share_with_ties"), rows)


def machines(published: Sequence[Published]) -> Table:
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
    return Table(("dataset", "machines", "test_ratio", "train_ratio"), rows)


def gap(scores: CellEstimates) -> Table:
    """Figure 1: how the loss falls as more virtual labels broaden the gap at the split point.

    p is infinity for the limit, the majority vote, and empty for a method that has no virtual labels.
    """
    rows: list[tuple[Any, ...]] = []
    for name, estimates in scores.items():
        for (setting, metric), estimate in estimates.items():
            if metric == "hamming_loss":
                virtual = float(setting.removeprefix("p=")) if setting.startswith("p=") else ""
                rows.append((*name, virtual, estimate.mean))
    return Table(("dataset", "method", "p", "hamming_loss"), rows)


def draw_gap(table: Table, names: Mapping[str, str]) -> Figure:
    """One panel for each data set: a curve for each method, its limit dashed, and other methods as dotted lines."""
    datasets, methods = table.values("dataset"), table.values("method")
    longest = max(len(names.get(name, name)) for name in methods)
    with panels([names.get(name, name) for name in datasets], 2.3 + 0.08 * longest, 2.7, columns=3) as (figure, grid):
        for dataset, axes in zip(datasets, grid, strict=True):
            ends = [_draw_method(axes, table, dataset, method, place) for place, method in enumerate(methods)]
            few_ticks(axes, 5)
            found = zip(methods, ends, strict=True)
            label_ends(axes, [end._replace(text=names.get(name, name)) for name, end in found if end], NOTE + 0.5)
        figure.supxlabel("virtual labels p")
        figure.supylabel("Hamming loss")
        return figure


def _draw_method(axes: Axes, table: Table, dataset: str, method: str, place: int) -> End | None:
    rows = table.records(dataset=dataset, method=method)
    curve = sorted((row["p"], row["hamming_loss"]) for row in rows if row["p"] != "" and isfinite(row["p"]))
    limits = [row["hamming_loss"] for row in rows if row["p"] != "" and not isfinite(row["p"])]
    alone = [row["hamming_loss"] for row in rows if row["p"] == ""]
    if curve:
        axes.plot(*zip(*curve, strict=True), **{**line(place), "linestyle": "-"})
    for limit in limits:
        axes.axhline(limit, color=colour(place), linewidth=0.8, linestyle="--")
    for value in alone:
        axes.axhline(value, color=colour(place), linestyle=":")
    last = [loss for _, loss in curve[-1:]] or alone
    return End(last[0], method, colour(place)) if last else None
