"""chiang2012's figures: how far each method is from the best of its neighbours, and the weights that were learned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from labelknn_papers.judge.estimates import CellEstimates, Estimate
from labelknn_papers.run.predictions import Predictions
from labelknn_papers.show.figures import Table, few_ticks, light_grid, panels, shared_legend
from labelknn_papers.show.style import COLOURS, SOFT, line, marker

# The bound that losses are divided by, and the one that is drawn beside it.
ORACLES = {"oracle-1": "--", "oracle-5": ":"}
BOUND = "oracle-1"
LEARNED = "weights=gps"
# What the neighbours of a method are ordered by.
ORDERS = {"ranked-svm": "re-ranked", "plain-neighbors": "by distance"}
# In the place of an order, weights that are not learned.
LINEAR = "linear weights"


def oracle_gap(scores: CellEstimates) -> Table:
    """Hamming loss as a multiple of the first oracle's, with 1.96 standard errors of the method's loss.

    A data set without that oracle's loss is left out, and one on which it is 0.
    """
    losses, rows = hamming_losses(scores), []
    for (dataset, method), loss in losses.items():
        bound = losses.get((dataset, BOUND))
        if bound and bound.mean > 0:
            rows.append((dataset, method, loss.mean / bound.mean, 1.96 * (loss.se or 0.0) / bound.mean))
    return Table(("dataset", "method", "ratio", "half_width"), rows)


def hamming_losses(scores: CellEstimates) -> dict[tuple[str, str], Estimate]:
    """Our Hamming loss by data set and method; of a method with several kinds of weights, the learned ones."""
    losses = {}
    for name, estimates in scores.items():
        for setting in ("", LEARNED):
            if (setting, "hamming_loss") in estimates:
                losses[name] = estimates[setting, "hamming_loss"]
    return losses


def draw_oracle_gap(table: Table, names: Mapping[str, str]) -> Figure:
    """A panel for each data set and a line for each method."""
    datasets = table.values("dataset")
    methods = [name for name in table.values("method") if name not in ORACLES]
    room = 0.075 * max((len(names.get(name, name)) for name in methods), default=0)
    width, height = 1.3 + room / len(datasets), 0.25 * max(len(methods), 4) + 0.5
    titles = [names.get(name, name) for name in datasets]
    with panels(titles, width, height, columns=len(datasets), sharey=True) as (figure, grid):
        for dataset, axes in zip(datasets, grid, strict=True):
            for oracle, dashes in ORACLES.items():
                for row in table.records(dataset=dataset, method=oracle):
                    axes.axvline(row["ratio"], color=SOFT, linestyle=dashes, linewidth=1, label=_short(oracle, names))
            for place, method in enumerate(methods):
                for row in table.records(dataset=dataset, method=method):
                    axes.errorbar(
                        row["ratio"], place, xerr=row["half_width"], fmt="o", color=COLOURS[0], linewidth=1, label="_"
                    )
            axes.set_xlim(left=0)
            few_ticks(axes, 4, axis="x", integer=True)
            light_grid(axes, "y")
        grid[0].set_yticks(range(len(methods)), [names.get(name, name) for name in methods])
        grid[0].set_ylim(len(methods) - 0.5, -0.5)
        figure.supxlabel(f"Hamming loss / Hamming loss of {_short(BOUND, names)}")
        shared_legend(figure)
        return figure


def _short(oracle: str, names: Mapping[str, str]) -> str:
    """Its name without what is said in brackets."""
    return names.get(oracle, oracle).partition(" (")[0]


def learned_weights(predictions: Mapping[tuple[str, str], Predictions]) -> Table:
    """The weight of each rank of a neighbour: over the splits its mean, and the quantiles between which 80 % lie."""
    rows: list[tuple[Any, ...]] = []
    for dataset in dict.fromkeys(dataset for dataset, method in predictions if method in ORDERS):
        of_dataset = {
            ORDERS[method]: predictions[dataset, method] for method in ORDERS if (dataset, method) in predictions
        }
        for order, found in of_dataset.items():
            shares = weight_shares(found)
            low, high = np.quantile(shares, [0.1, 0.9], axis=0)
            each = zip(shares.mean(axis=0), low, high, strict=True)
            rows += [(dataset, order, rank, *map(float, row)) for rank, row in enumerate(each, 1)]
        size = shares.shape[1]
        linear = [2 * (size + 1 - rank) / (size * (size + 1)) for rank in range(1, size + 1)]
        rows += [(dataset, LINEAR, rank, weight, weight, weight) for rank, weight in enumerate(linear, 1)]
    return Table(("dataset", "order", "rank", "mean", "low", "high"), rows)


def weight_shares(predictions: Predictions) -> np.ndarray:
    """The learned weights of every split, (splits, k), each divided by its sum."""
    weights = np.array([output["weights"] for (*_, setting), output in predictions.items() if setting == LEARNED])
    return weights / weights.sum(axis=1, keepdims=True)


def draw_learned_weights(table: Table, names: Mapping[str, str]) -> Figure:
    """Weight by rank, a panel for each data set: means over the splits with the band of the middle 80 %."""
    datasets = table.values("dataset")
    orders = [name for name in table.values("order") if name != LINEAR]
    titles = [names.get(name, name) for name in datasets]
    with panels(titles, 1.75, 2.0, columns=5, sharex=True, sharey=True) as (figure, grid):
        for dataset, axes in zip(datasets, grid, strict=True):
            for place, order in enumerate(orders):
                if rows := table.records(dataset=dataset, order=order):
                    ranks, mean, low, high = ([row[name] for row in rows] for name in ("rank", "mean", "low", "high"))
                    looks = line(place)
                    axes.fill_between(ranks, low, high, color=looks["color"], alpha=0.2, linewidth=0)
                    axes.plot(ranks, mean, marker=marker(place), label=order, **looks)
            rows = table.records(dataset=dataset, order=LINEAR)
            axes.plot(
                [row["rank"] for row in rows], [row["mean"] for row in rows],
                color=SOFT, linestyle=":", linewidth=1, label=LINEAR,
            )  # fmt: skip
            few_ticks(axes, 5, axis="x", integer=True)
        figure.supylabel("share of the vote")
        figure.supxlabel("rank of the neighbour")
        shared_legend(figure)
        return figure
