"""chiang2012's figures: how far each method is from the best of its neighbours, and the weights that were learned."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from labelknn_papers.judge.estimates import CellEstimates, Estimate
from labelknn_papers.run.predictions import Predictions
from labelknn_papers.show.figures import COLOURS, Drawing, empty_figure, new_figure

# The bound that losses are divided by, and the one that is drawn beside it.
ORACLES = ("oracle-1", "oracle-5")
LEARNED = "weights=gps"
# What the neighbours of a method are ordered by.
ORDERS = {"ranked-svm": "re-ranked", "plain-neighbors": "by distance"}


def oracle_gap(scores: CellEstimates, titles: Mapping[str, str]) -> Drawing:
    return Drawing(draw_oracle_gap(hamming_losses(scores), titles))


def hamming_losses(scores: CellEstimates) -> dict[tuple[str, str], Estimate]:
    """Our Hamming loss by data set and method; of a method with several kinds of weights, the learned ones."""
    losses = {}
    for name, estimates in scores.items():
        for setting in ("", LEARNED):
            if (setting, "hamming_loss") in estimates:
                losses[name] = estimates[setting, "hamming_loss"]
    return losses


def draw_oracle_gap(losses: Mapping[tuple[str, str], Estimate], titles: Mapping[str, str]) -> Figure:
    """Hamming loss as a multiple of the first oracle's, a panel for each data set and a line for each method.

    titles : what an algorithm is called. A data set without the oracles' losses is left out.
    """
    datasets = [name for name in dict.fromkeys(dataset for dataset, _ in losses) if (name, ORACLES[0]) in losses]
    methods = [name for name in dict.fromkeys(method for _, method in losses) if name not in ORACLES]
    if not datasets:
        return empty_figure()
    size = (1.5 * len(datasets) + 2.2, 0.27 * len(methods) + 0.9)
    with new_figure(*size, ncols=len(datasets), sharey=True, squeeze=False) as (figure, grid):
        for dataset, axes in zip(datasets, grid.flat, strict=True):
            bound = losses[dataset, ORACLES[0]].mean
            axes.axvline(1, color="0.4", linestyle="--", linewidth=1)
            if (dataset, ORACLES[1]) in losses and bound > 0:
                axes.axvline(losses[dataset, ORACLES[1]].mean / bound, color="0.4", linestyle=":", linewidth=1)
            for line, method in enumerate(methods):
                loss = losses.get((dataset, method))
                if loss is not None and bound > 0:
                    bar = 1.96 * (loss.se or 0) / bound
                    axes.errorbar(
                        loss.mean / bound, line, xerr=bar, fmt="o", color=COLOURS[0], markersize=4, linewidth=1
                    )
            axes.set_title(dataset, fontsize=9)
            axes.set_xlim(left=0)
            axes.grid(axis="y", color="0.9", linewidth=0.6)
        first = grid.flat[0]
        first.set_yticks(range(len(methods)), [titles.get(method, method) for method in methods])
        first.set_ylim(len(methods) - 0.5, -0.5)
        figure.supxlabel("Hamming loss / Hamming loss of Oracle-1", fontsize=9)
        return figure


def learned_weights(predictions: Mapping[tuple[str, str], Predictions]) -> Drawing:
    shares = {
        (dataset, ORDERS[method]): weight_shares(predictions[dataset, method])
        for method in ORDERS
        for dataset, of in predictions
        if of == method
    }
    return Drawing(draw_learned_weights(shares))


def weight_shares(predictions: Predictions) -> np.ndarray:
    """The learned weights of every split, (splits, k), each divided by its sum."""
    weights = np.array([output["weights"] for (*_, setting), output in predictions.items() if setting == LEARNED])
    return weights / weights.sum(axis=1, keepdims=True)


def draw_learned_weights(shares: Mapping[tuple[str, str], np.ndarray]) -> Figure:
    """Weight by rank, a panel for each data set: means over the splits with the band of the middle 80 %.

    shares : by data set and what the neighbours are ordered by, as `weight_shares` gives them.
    """
    datasets = list(dict.fromkeys(dataset for dataset, _ in shares))
    orders = list(dict.fromkeys(order for _, order in shares))
    if not datasets:
        return empty_figure()
    size = (1.75 * len(datasets) + 0.5, 2.4)
    with new_figure(*size, ncols=len(datasets), sharex=True, sharey=True, squeeze=False) as (figure, grid):
        for dataset, axes in zip(datasets, grid.flat, strict=True):
            for order, colour, marker in zip(orders, COLOURS, "os^D", strict=False):
                if (dataset, order) not in shares:
                    continue
                weights = shares[dataset, order]
                ranks = np.arange(1, weights.shape[1] + 1)
                low, high = np.quantile(weights, [0.1, 0.9], axis=0)
                axes.fill_between(ranks, low, high, color=colour, alpha=0.2, linewidth=0)
                axes.plot(ranks, weights.mean(axis=0), color=colour, marker=marker, markersize=3, label=order)
            linear = ranks[::-1] / ranks.sum()
            axes.plot(ranks, linear, color="0.4", linestyle="--", linewidth=1, label="linear weights")
            axes.set_title(dataset, fontsize=9)
        grid.flat[0].set_ylabel("share of the vote")
        figure.supxlabel("rank of the neighbour", fontsize=9)
        handles, labels = grid.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
        return figure
