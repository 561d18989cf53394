"""cheng2009's figures: learning curves over the missing labels, how far reliabilities can be relied on, a tree, the
rankings made again from raw data; and tables of what was tried for printed numbers that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle, product
from math import ceil, log
from statistics import fmean
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from labelknn.datasets._container import Dataset
from labelknn.ranking import LRT
from labelknn_papers.judge.agreement import (
    INGREDIENTS,
    AgreementRow,
    IngredientRow,
    agreement_rows,
    ingredient_rows,
    made_again,
)
from labelknn_papers.judge.comparison import decimal
from labelknn_papers.judge.estimates import CellEstimates, Estimate
from labelknn_papers.judge.reliability import KEPT, Reliability
from labelknn_papers.judge.reliability import reliability as reliability_of
from labelknn_papers.judge.significance import ranks_of
from labelknn_papers.judge.verdict import CLOSE, MATCHES, judge
from labelknn_papers.plan.cells import Published
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.predictions import Predictions
from labelknn_papers.show.figures import COLOURS, Drawing, empty_figure, new_figure, nothing_to_show

# The place of the 20 % most reliable predictions among the shares that are kept.
MOST = int(np.searchsorted(KEPT, 0.2 - 1e-9))
MARKERS = ("o", "s", "^", "D")
COMPLETE = "missing=0.0"
# In the place of a data set, what is of all of them.
ALL = "all"
METHODS = ("cc", "iblr", "lrt")

# (data set, method) -> missing rate -> our estimate of tau
Curves = Mapping[tuple[str, str], Mapping[float, Estimate]]


def learning_curve(scores: CellEstimates) -> Drawing:
    """Figure 1 on the data set that the paper shows."""
    return learning_curves(scores)


def learning_curves(scores: CellEstimates) -> Drawing:
    curves = {
        name: {
            float(setting.removeprefix("missing=")): estimate
            for (setting, metric), estimate in estimates.items()
            if metric == "kendall_tau"
        }
        for name, estimates in scores.items()
    }
    return Drawing(draw_learning_curves(curves))


def draw_learning_curves(curves: Curves, columns: int = 4) -> Figure:
    """Tau over the share of missing labels, one panel for each data set, with the band of 1.96 standard errors."""
    datasets = list(dict.fromkeys(dataset for dataset, _ in curves))
    methods = list(dict.fromkeys(method for _, method in curves))
    if not datasets:
        return empty_figure()
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


def reliability(
    data: Mapping[str, Dataset],
    splits: Mapping[str, Sequence[Split]],
    predictions: Mapping[tuple[str, str], Predictions],
) -> Drawing:
    """On complete rankings; beside the picture the rank correlations of reliability and tau."""
    found = {}
    for (dataset, method), outputs in predictions.items():
        complete = {key: one for key, one in outputs.items() if key[2] == COMPLETE}
        found[dataset, method] = reliability_of(data[dataset], splits[dataset], complete)
    rows = [
        (*key, *(round(float(number), 6) for number in (one.correlation, one.tau_of_kept[-1], one.tau_of_kept[MOST])))
        for key, one in found.items()
    ]
    return Drawing(draw_reliability(found), ("dataset", "method", "correlation", "tau", "tau_of_most_reliable"), rows)


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


def iris_tree(data: Mapping[str, Dataset]) -> Drawing:
    return Drawing(draw_tree(next(iter(data.values()), None)))


def draw_tree(data: Dataset | None) -> Figure:
    """The tree that LRT grows on all rows of a small data set."""
    if data is None:
        return empty_figure()
    assert data.Y is not None
    axes = LRT().fit(data.X, data.Y).plot(data.feature_names, data.label_names)
    assert isinstance(axes.figure, Figure)
    return axes.figure


def generated_rankings(data: Mapping[str, Dataset], recipes: Mapping[str, Mapping[str, Any]]) -> Drawing:
    """Rankings made by the procedures of section 6.1, row by row against the published ones."""
    rows = agreement_rows(data, made_again(data, recipes))
    return Drawing(draw_agreement(rows), AgreementRow._fields, rows)


def draw_agreement(rows: Sequence[AgreementRow]) -> Figure:
    with new_figure(6.5, 0.26 * max(len(rows), 6) + 0.9) as (figure, axes):
        if not rows:
            nothing_to_show(axes)
            return figure
        rows = sorted(rows, key=lambda row: (row.type, row.dataset), reverse=True)
        places = np.arange(len(rows))
        axes.hlines(places, 0, [row.exact for row in rows], color="0.85", linewidth=5, zorder=1)
        axes.plot([row.exact for row in rows], places, "o", color=COLOURS[0], label="share of equal rankings")
        axes.plot([row.tau for row in rows], places, "|", color=COLOURS[5], markersize=12, label="mean Kendall tau")
        axes.set_yticks(places, [f"{row.dataset} ({row.type}, {row.rows:,})" for row in rows])
        axes.set_xlim(0, 1.03)
        axes.set_xlabel("agreement with the published rankings")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
        return figure


def naive_bayes_ingredients(data: Mapping[str, Dataset], recipes: Mapping[str, Mapping[str, Any]]) -> Drawing:
    """What is left of the agreement without one ingredient of Weka's naive Bayes."""
    rows = ingredient_rows(data, made_again(data, recipes))
    return Drawing(draw_ingredients(rows), IngredientRow._fields, rows)


def draw_ingredients(rows: Sequence[IngredientRow]) -> Figure:
    datasets = list(dict.fromkeys(row.dataset for row in rows))
    ingredients = [name for name in INGREDIENTS.values() if name in {row.without for row in rows}]
    with new_figure(7.5, 3.4) as (figure, axes):
        if not rows:
            nothing_to_show(axes)
            return figure
        shares = np.full((len(datasets), len(ingredients)), np.nan)
        for row in rows:
            shares[datasets.index(row.dataset), ingredients.index(row.without)] = row.exact
        image = axes.imshow(shares, cmap="cividis", vmin=0, vmax=1, aspect="auto")
        for (i, j), share in np.ndenumerate(shares):
            text = "–" if np.isnan(share) else f"{share:.3f}"
            axes.text(j, i, text, ha="center", va="center", fontsize=8, color="white" if share <= 0.5 else "black")
        axes.set_yticks(range(len(datasets)), datasets)
        axes.set_xticks(range(len(ingredients)), ingredients, rotation=30, ha="right", rotation_mode="anchor")
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        axes.set_xlabel("taken away")
        figure.colorbar(image, label="share of equal rankings")
        return figure


def validation(scores: CellEstimates, published: Sequence[Published]) -> Drawing:
    """IBLR with k chosen on incomplete and on complete rankings: which is nearer, the mean distances, how often."""
    rows: list[tuple[Any, ...]] = []
    distances: dict[str, list[list[float]]] = {}
    for (dataset, setting, method), number in _table2(published, "kendall_tau").items():
        if method == "iblr" and setting != COMPLETE and (dataset, method) in scores:
            taus = [scores[dataset, form][setting, "kendall_tau"].mean for form in ("iblr", "iblr-complete-k")]
            far = [abs(tau - float(number.printed)) for tau in taus]
            distances.setdefault(setting, []).append(far)
            rows.append((dataset, setting, number.printed, *map(decimal, taus), int(far[1] < far[0])))
    for setting, pairs in distances.items():
        means = map(fmean, zip(*pairs, strict=True))
        rows.append((ALL, setting, "", *map(decimal, means), sum(complete < own for own, complete in pairs)))
    return Drawing(None, ("dataset", "setting", "printed", "incomplete", "complete", "nearer"), rows)


def tree_sizes(scores: CellEstimates, published: Sequence[Published]) -> Drawing:
    """Each tree against each kind of C4.5 tree, by leaves and by inner nodes; the nearest to the print comes first."""
    header = ("dataset", "method", "setting", "log_ratio", "matches", "close")
    printed = _table2(published, "relative_tree_size")
    classes = {dataset: one for (dataset, method), one in scores.items() if method == "classification-trees"}
    kinds = dict.fromkeys(kind for one in classes.values() for _, kind in one)
    forms = dict.fromkeys(
        (method, setting.partition(";")[2])
        for (_, method), one in scores.items()
        for setting, metric in one
        if metric == "leaves"
    )
    rows = []
    for (method, form), kind, inner in product(forms, kinds, (False, True)):
        sizes = [
            (number, _relative_size(scores[dataset, method], classes[dataset], setting, form, kind, inner))
            for (dataset, setting, _), number in printed.items()
            if dataset in classes
        ]
        far = fmean(abs(log(size.mean / float(number.printed))) for number, size in sizes)
        verdicts = [judge(number, number.metric, size.mean, size.se).verdict for number, size in sizes]
        name = ";".join(filter(None, (form, kind, "inner nodes" if inner else "leaves")))
        rows.append((ALL, method, name, decimal(far), verdicts.count(MATCHES), verdicts.count(CLOSE)))
    return Drawing(None, header, sorted(rows, key=lambda row: float(row[3])))


def _relative_size(
    trees: Mapping[tuple[str, str], Estimate],
    classes: Mapping[tuple[str, str], Estimate],
    setting: str,
    form: str,
    kind: str,
    inner: bool,
) -> Estimate:
    """A tree's leaves, or its inner nodes, which are one less, divided by those of a C4.5 tree.

    That is one on complete rankings, but for the kind that there is on incomplete ones only.
    """
    leaves = trees[";".join(filter(None, (setting, form))), "leaves"]
    complete = classes.get((COMPLETE, kind), classes[COMPLETE, "top_label_2"])
    reference = classes.get((setting, kind), complete).mean - inner
    return Estimate((leaves.mean - inner) / reference, (leaves.se or 0.0) / reference)


def places(scores: CellEstimates, published: Sequence[Published]) -> Drawing:
    """Ranks by printed values and by ours: of the data sets on which they differ, and on average over all.

    The cells are those of METHODS in this order, whatever stands for them.
    """
    forms = dict(zip(METHODS, dict.fromkeys(form for _, form in scores), strict=False))
    printed, rows = _table2(published, "kendall_tau"), []
    datasets = [name for name in dict.fromkeys(name for name, _ in scores) if (name, COMPLETE, METHODS[0]) in printed]
    for setting in dict.fromkeys(missing for _, missing, _ in printed) if datasets else ():
        theirs = [[float(printed[name, setting, method].printed) for method in METHODS] for name in datasets]
        ours = [[scores[name, forms[method]][setting, "kendall_tau"].mean for method in METHODS] for name in datasets]
        ranks = np.hstack([ranks_of(np.array(theirs)), ranks_of(np.array(ours))])
        changed = (ranks[:, : len(METHODS)] != ranks[:, len(METHODS) :]).any(axis=1)
        rows += [(datasets[i], setting, *map(decimal, ranks[i]), 1) for i in np.flatnonzero(changed)]
        rows.append((ALL, setting, *map(decimal, ranks.mean(axis=0)), int(changed.sum())))
    return Drawing(
        None, ("dataset", "setting", *(f"{method}_printed" for method in METHODS), *METHODS, "changed"), rows
    )


def _table2(published: Sequence[Published], metric: str) -> dict[tuple[str, str, str], Published]:
    """Its numbers of a metric, by data set, setting and method."""
    numbers = [one for one in published if (one.table, one.metric) == ("table2", metric) and one.printed]
    return {(one.dataset, one.setting, one.method): one for one in numbers}
