"""cheng2009's figures: learning curves over the missing labels, how far reliabilities can be relied on, a tree, the
rankings made again from raw data; and tables of what was tried for printed numbers that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import log
from statistics import fmean
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from labelknn.datasets._container import Dataset
from labelknn.plotting import plot_ranking_tree
from labelknn.ranking import LRT
from labelknn.solvers._rank_tree import Tree
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
from labelknn_papers.judge.reliability import KEPT
from labelknn_papers.judge.reliability import reliability as reliability_of
from labelknn_papers.judge.significance import ranks_of
from labelknn_papers.judge.verdict import CLOSE, MATCHES, judge
from labelknn_papers.plan.cells import Published
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.predictions import Predictions
from labelknn_papers.show.figures import (
    End,
    Table,
    few_ticks,
    label_ends,
    light_grid,
    new_figure,
    panels,
    shared_legend,
)
from labelknn_papers.show.style import LABEL, NOTE, PALETTE, line, marker

# The place of the 20 % most reliable predictions among the shares that are kept.
MOST = int(np.searchsorted(KEPT, 0.2 - 1e-9))
COMPLETE = "missing=0.0"
# In the place of a data set, what is of all of them.
ALL = "all"
METHODS = ("cc", "iblr", "lrt")
# Columns of the table of reliabilities: mean tau of the share that is kept.
KEPT_COLUMNS = tuple(f"tau_of_{share:.2f}" for share in KEPT)


def learning_curve(scores: CellEstimates) -> Table:
    """Figure 1 on the data set that the paper shows."""
    return learning_curves(scores)


def learning_curves(scores: CellEstimates) -> Table:
    """Kendall's tau over the share of missing labels."""
    rows = [
        (*name, float(setting.removeprefix("missing=")), estimate.mean, estimate.se)
        for name, estimates in scores.items()
        for (setting, metric), estimate in estimates.items()
        if metric == "kendall_tau"
    ]
    return Table(("dataset", "method", "missing", "kendall_tau", "se"), rows)


def draw_learning_curve(table: Table, names: Mapping[str, str]) -> Figure:
    """One panel, with the lines named where they end."""
    longest = max(len(names.get(name, name)) for name in table.values("method"))
    with new_figure(4.4 + 0.08 * longest, 3.2) as (figure, axes):
        (dataset,) = table.values("dataset")
        ends = _draw_curves(axes, table, dataset, names)
        axes.set_title(names.get(dataset, dataset))
        axes.set_xlabel("probability of a missing label")
        axes.set_ylabel("Kendall's tau")
        label_ends(axes, ends)
        return figure


def draw_learning_curves(table: Table, names: Mapping[str, str]) -> Figure:
    """One panel for each data set."""
    datasets = table.values("dataset")
    titles = [names.get(name, name) for name in datasets]
    with panels(titles, 2.1, 1.8, columns=4, sharex=True) as (figure, grid):
        for dataset, axes in zip(datasets, grid, strict=True):
            _draw_curves(axes, table, dataset, names)
            few_ticks(axes, 4)
        figure.supxlabel("probability of a missing label")
        figure.supylabel("Kendall's tau")
        shared_legend(figure)
        return figure


def _draw_curves(axes: Axes, table: Table, dataset: str, names: Mapping[str, str]) -> list[End]:
    """A line for each method, with the band of 1.96 standard errors."""
    ends = []
    for place, method in enumerate(table.values("method")):
        rows = sorted(table.records(dataset=dataset, method=method), key=lambda row: row["missing"])
        rates, means = [row["missing"] for row in rows], np.array([row["kendall_tau"] for row in rows])
        bands, looks = 1.96 * np.array([row["se"] or 0.0 for row in rows]), line(place)
        axes.fill_between(rates, means - bands, means + bands, color=looks["color"], alpha=0.2, linewidth=0)
        axes.plot(rates, means, marker=marker(place), label=names.get(method, method), **looks)
        ends += [End(means[-1], names.get(method, method), looks["color"])] if rows else []
    return ends


def reliability(
    data: Mapping[str, Dataset],
    splits: Mapping[str, Sequence[Split]],
    predictions: Mapping[tuple[str, str], Predictions],
) -> Table:
    """On complete rankings: the rank correlation of reliability and tau, and mean tau of the share that is kept."""
    rows = []
    for (dataset, method), outputs in predictions.items():
        complete = {key: one for key, one in outputs.items() if key[2] == COMPLETE}
        found = reliability_of(data[dataset], splits[dataset], complete)
        kept = [float(tau) for tau in found.tau_of_kept]
        rows.append((dataset, method, found.correlation, kept[-1], kept[MOST], *kept))
    return Table(("dataset", "method", "correlation", "tau", "tau_of_most_reliable", *KEPT_COLUMNS), rows)


def draw_reliability(table: Table, names: Mapping[str, str]) -> Figure:
    """Mean tau against the share of predictions kept, one panel for each method, one line for each data set."""
    methods, datasets = table.values("method"), table.values("dataset")
    longest = max(len(names.get(name, name)) for name in datasets)
    titles = [names.get(name, name) for name in methods]
    with panels(titles, 3.2 + 0.08 * longest, 4.0, columns=2, sharey=True) as (figure, grid):
        ends: dict[str, list[End]] = {method: [] for method in methods}
        for method, axes in zip(methods, grid, strict=True):
            for row in table.records(method=method):
                looks, name = line(datasets.index(row["dataset"])), names.get(row["dataset"], row["dataset"])
                axes.plot(KEPT, [row[column] for column in KEPT_COLUMNS], linewidth=1, **looks)
                ends[method].append(End(row["tau"], name, looks["color"]))
            axes.set_xlim(0, 1)
        for method, axes in zip(methods, grid, strict=True):  # once the heights that they share are final
            label_ends(axes, ends[method], NOTE)
        figure.supxlabel("share of predictions kept, the most reliable ones")
        figure.supylabel("mean Kendall's tau of those kept")
        return figure


def iris_tree(data: Mapping[str, Dataset]) -> Table:
    """The nodes of the tree that LRT grows on all rows; a row goes left if its feature is at most the threshold."""
    header = ("node", "left", "right", "feature", "threshold", "examples", "theta", "ranking")
    rows: list[tuple[Any, ...]] = []
    for one in data.values():
        assert one.Y is not None
        tree = LRT().fit(one.X, one.Y).tree_
        for node, feature in enumerate(tree.feature):
            ranking = " > ".join(one.label_names[label] for label in np.argsort(tree.ranks[node]))
            below = (
                int(tree.left[node]),
                int(tree.right[node]),
                one.feature_names[feature],
                float(tree.threshold[node]),
            )
            leads = below if feature >= 0 else ("", "", "", "")
            rows.append((node, *leads, int(tree.size[node]), float(tree.spread[node]), ranking))
    return Table(header, rows)


def draw_iris_tree(table: Table, names: Mapping[str, str]) -> Figure:
    features = [name for name in table.values("feature") if name]
    rows = table.records()
    labels = sorted(rows[0]["ranking"].split(" > "))
    inner = [row["feature"] != "" for row in rows]
    left, right = (np.array([row[side] if there else -1 for row, there in zip(rows, inner, strict=True)], int)
                   for side in ("left", "right"))  # fmt: skip
    parent = np.full(len(rows), -1)
    for node in np.flatnonzero(inner):
        parent[[left[node], right[node]]] = node
    tree = Tree(
        np.array([features.index(row["feature"]) if there else -1 for row, there in zip(rows, inner, strict=True)]),
        np.array([row["threshold"] if there else 0.0 for row, there in zip(rows, inner, strict=True)]),
        left,
        right,
        parent,
        np.array([row["examples"] for row in rows]),
        np.array([row["theta"] for row in rows]),
        np.array([[row["ranking"].split(" > ").index(label) + 1 for label in labels] for row in rows]),
    )
    with new_figure(1 + 1.05 * len(tree.leaves), 0.7 * (tree.depths().max() + 1) + 0.4) as (figure, axes):
        plot_ranking_tree(tree, features, labels, ax=axes)
        return figure


def generated_rankings(data: Mapping[str, Dataset], recipes: Mapping[str, Mapping[str, Any]]) -> Table:
    """Rankings made by the procedures of section 6.1, row by row against the published ones."""
    return Table(AgreementRow._fields, agreement_rows(data, made_again(data, recipes)))


def draw_generated_rankings(table: Table, names: Mapping[str, str]) -> Figure:
    rows = sorted(table.records(), key=lambda row: (row["type"], row["dataset"]), reverse=True)
    with new_figure(6.5, 0.24 * max(len(rows), 6) + 0.9) as (figure, axes):
        places = range(len(rows))
        light_grid(axes, "y")
        axes.plot([row["exact"] for row in rows], places, "o", color=PALETTE["blue"], label="share of equal rankings")
        axes.plot(
            [row["tau"] for row in rows], places, "|", color=PALETTE["red"], markeredgecolor=PALETTE["red"],
            markersize=11, markeredgewidth=1.5, label="mean Kendall tau",
        )  # fmt: skip
        names_of_rows = [names.get(row["dataset"], row["dataset"]) for row in rows]
        kinds = [f"({row['type']}, {row['rows']:,} rows)" for row in rows]
        axes.set_yticks(places, [f"{name} {kind}" for name, kind in zip(names_of_rows, kinds, strict=True)])
        axes.set_xlim(0, 1.03)
        axes.set_xlabel("agreement with the published rankings")
        shared_legend(figure)
        return figure


def naive_bayes_ingredients(data: Mapping[str, Dataset], recipes: Mapping[str, Mapping[str, Any]]) -> Table:
    """What is left of the agreement without one ingredient of Weka's naive Bayes."""
    return Table(IngredientRow._fields, ingredient_rows(data, made_again(data, recipes)))


def draw_naive_bayes_ingredients(table: Table, names: Mapping[str, str]) -> Figure:
    import seaborn

    datasets = table.values("dataset")
    ingredients = [name for name in INGREDIENTS.values() if name in table.values("without")]
    shares = np.full((len(datasets), len(ingredients)), np.nan)
    for row in table.records():
        shares[datasets.index(row["dataset"]), ingredients.index(row["without"])] = row["exact"]
    with new_figure(1.8 + 0.75 * len(ingredients), 0.9 + 0.28 * max(len(datasets), 6)) as (figure, axes):
        seaborn.heatmap(
            shares, ax=axes, annot=True, fmt=".3f", annot_kws={"size": LABEL}, cmap="cividis", vmin=0, vmax=1,
            linewidths=1, mask=np.isnan(shares), cbar_kws={"label": "share of equal rankings"},
            xticklabels=[fill(name, 11) for name in ingredients],
            yticklabels=[names.get(name, name) for name in datasets],
        )  # fmt: skip
        for place, column in np.argwhere(np.isnan(shares)):
            axes.text(column + 0.5, place + 0.5, "–", ha="center", va="center", fontsize=LABEL)
        axes.tick_params(axis="both", length=0, labelrotation=0)
        axes.set_xlabel("taken away")
        axes.collections[0].colorbar.outline.set_visible(False)
        return figure


def validation(scores: CellEstimates, published: Sequence[Published]) -> Table:
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
    return Table(("dataset", "setting", "printed", "incomplete", "complete", "nearer"), rows)


def tree_sizes(scores: CellEstimates, published: Sequence[Published]) -> Table:
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
    return Table(header, sorted(rows, key=lambda row: float(row[3])))


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


def places(scores: CellEstimates, published: Sequence[Published]) -> Table:
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
    return Table(("dataset", "setting", *(f"{method}_printed" for method in METHODS), *METHODS, "changed"), rows)


def _table2(published: Sequence[Published], metric: str) -> dict[tuple[str, str, str], Published]:
    """Its numbers of a metric, by data set, setting and method."""
    numbers = [one for one in published if (one.table, one.metric) == ("table2", metric) and one.printed]
    return {(one.dataset, one.setting, one.method): one for one in numbers}
