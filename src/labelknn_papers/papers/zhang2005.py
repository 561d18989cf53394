"""zhang2005's figures: what the number of rounds or iterations does to scores, an alternating decision tree, and tests
over the test rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from labelknn.datasets._container import TRAIN, Dataset
from labelknn.metrics import METRICS
from labelknn.multilabel._adtboost import ADTBoostMH, AlternatingTree
from labelknn.plotting import plot_alternating_tree
from labelknn_papers.judge.estimates import CellEstimates
from labelknn_papers.judge.row_tests import MEASURES, p_of_better, row_losses
from labelknn_papers.plan.cells import Published
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.predictions import Predictions
from labelknn_papers.show.figures import Table, few_ticks, log_ticks, panels, shared_legend, styled
from labelknn_papers.show.style import PALETTE, line, marker

# The settings of ML-kNN in table I, and of BoosTexter in table II.
KS = ("k=6", "k=7", "k=8", "k=9")
ROUNDS = "rounds=1000"
# Whose numbers are in the figure.
OURS, PRINTED = "ours", "as printed"


def rounds(scores: CellEstimates, published: Sequence[Published]) -> Table:
    return _curves(scores, published, "boostexter", "rounds")


def draw_rounds(table: Table, names: Mapping[str, str]) -> Figure:
    return _draw_curves(table, "rounds", "rounds of boosting")


def iterations(scores: CellEstimates, published: Sequence[Published]) -> Table:
    return _curves(scores, published, "rank-svm", "iterations")


def draw_iterations(table: Table, names: Mapping[str, str]) -> Figure:
    return _draw_curves(table, "iterations", "iterations of Frank and Wolfe's method")


def _curves(scores: CellEstimates, published: Sequence[Published], method: str, steps: str) -> Table:
    """By measure: ours after each number of steps, and the paper's number, of which it does not say the steps."""
    rows: list[tuple[Any, ...]] = [
        (metric, OURS, number, value) for metric, curve in curves_of(scores).items() for number, value in curve
    ]
    measures = {metric for metric, *_ in rows}
    rows += [
        (number.metric, PRINTED, "", number.value)
        for number in published
        if number.method == method and number.value is not None and number.metric in measures
    ]
    return Table(("metric", "source", steps, "value"), rows)


def curves_of(scores: CellEstimates) -> dict[str, list[tuple[int, float]]]:
    """By measure, from a method whose settings are "rounds=1", "rounds=2" ..."""
    curves: dict[str, list[tuple[int, float]]] = {}
    for estimates in scores.values():
        for (setting, metric), estimate in estimates.items():
            if metric in MEASURES:
                curves.setdefault(metric, []).append((int(setting.partition("=")[2]), estimate.mean))
    return {metric: sorted(curve) for metric, curve in curves.items()}


def _draw_curves(table: Table, steps: str, label: str) -> Figure:
    """A panel for each measure: ours over the steps, and the paper's number as a line where it prints one."""
    measures = [metric for metric in MEASURES if table.records(metric=metric)]
    arrows = {metric: "↓" if METRICS[metric].lower_is_better else "↑" for metric in measures}
    titles = [f"{METRICS[metric].label} {arrow}" for metric, arrow in arrows.items()]
    with panels(titles, 1.8, 2.0, columns=len(titles)) as (figure, grid):
        for metric, axes in zip(measures, grid, strict=True):
            curve = [(row[steps], row["value"]) for row in table.records(metric=metric, source=OURS)]
            axes.plot(*zip(*curve, strict=True), marker=marker(0), label=OURS, **line(0))
            for row in table.records(metric=metric, source=PRINTED):
                axes.axhline(row["value"], color=PALETTE["red"], linestyle="--", linewidth=1, label=PRINTED)
            axes.set_xscale("log")
            log_ticks(axes.xaxis, curve[0][0], curve[-1][0], 4)
            few_ticks(axes, 5, axis="y")
        figure.supxlabel(label)
        shared_legend(figure)
        return figure


def row_tests(
    data: Mapping[str, Dataset],
    splits: Mapping[str, Sequence[Split]],
    predictions: Mapping[tuple[str, str], Predictions],
) -> Table:
    """One-sided p-values of the claims of section IV: each method against others, and each k against k = 7.

    A row's setting says whom the method is tested against: "k=7 against adtboost-mh".
    """
    rows = []
    for name, one in data.items():
        losses = _losses(one, splits[name], {of: found for (on, of), found in predictions.items() if on == name})
        for first, second in product(losses, repeat=2):
            if first != second:
                against = f"against {second[0]}" if second[1] not in KS else f"against {second[1]}"
                setting = f"{first[1]} {against}" if first[1] in KS else against
                tests = [p_of_better(measure, losses[first][measure], losses[second][measure]) for measure in MEASURES]
                rows.append((name, first[0], setting, *(f"{p:.6g}" for p in tests)))
    return Table(("dataset", "method", "setting", *MEASURES), rows)


def _losses(
    data: Dataset, splits: Sequence[Split], predictions: Mapping[str, Predictions]
) -> dict[tuple[str, str], dict[str, np.ndarray]]:
    """The losses of the test rows by method and setting, of BoosTexter after the rounds that the table shows."""
    (split,) = splits
    assert data.Y is not None
    return {
        (method, setting): row_losses(data.Y[split.test], output)
        for method, outputs in predictions.items()
        for (_, _, setting), output in outputs.items()
        if setting in ("", ROUNDS, *KS)
    }


def adtree(data: Mapping[str, Dataset]) -> Table:
    """The nodes of ADTBoost.MH's tree on the training rows of the public split, and the vote of each for each label.

    A row comes to a node from the one above, if its feature is below (<=) or not below (>) the threshold.
    """
    header = ("node", "above", "feature", "sign", "threshold")
    if not data:
        return Table(header)
    (one,) = data.values()
    assert one.Y is not None
    training = one.part == TRAIN
    tree = ADTBoostMH().fit(one.X[training], one.Y[training]).tree_
    rows: list[tuple[Any, ...]] = [(0, "", "", "", "", *map(float, tree.votes[0]))]
    rules = zip(tree.preconditions, tree.features, tree.thresholds, strict=True)
    for rule, (above, feature, threshold) in enumerate(rules):
        for node, sign in ((2 * rule + 1, "<="), (2 * rule + 2, ">")):
            question = (int(above), one.feature_names[feature], sign, float(threshold))
            rows.append((node, *question, *map(float, tree.votes[node])))
    return Table((*header, *one.label_names), rows)


def draw_adtree(table: Table, names: Mapping[str, str]) -> Figure:
    labels = table.header[5:]
    rules = [row for row in table.records() if row["sign"] == "<="]
    features = list(dict.fromkeys(row["feature"] for row in rules))
    tree = AlternatingTree(
        np.array([row["above"] for row in rules], int),
        np.array([features.index(row["feature"]) for row in rules], int),
        np.array([row["threshold"] for row in rules], float),
        np.array([row[5:] for row in table.rows], float),
    )
    with styled():
        return plot_alternating_tree(tree, features, labels)
