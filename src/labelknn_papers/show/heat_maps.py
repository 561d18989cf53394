"""Two maps of a comparison: how methods rank on each data set, and how their ranks go with properties of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import scipy  # its parts are imported when they are used
from matplotlib.figure import Figure

from labelknn.metrics import METRICS
from labelknn_papers.judge.outcomes import Outcome
from labelknn_papers.judge.properties import Correlation
from labelknn_papers.show.figures import new_figure, nothing_to_compare


def draw_heat_map(title: str, rows: Sequence[Outcome], titles: Mapping[str, str], short: Mapping[str, str]) -> Figure:
    """Means of one metric, methods down and data sets across, coloured by the rank on the data set.

    A method's place is by the mean of its colours: also one that lacks a value somewhere stands beside its like.

    titles : of the data sets, by id.
    short : what stands in the place of a value that is missing, by its note.
    """
    import seaborn

    methods = list(dict.fromkeys(one.method for one in rows))
    datasets = list(dict.fromkeys(one.dataset for one in rows))
    values = np.full((len(methods), len(datasets)), np.nan)
    texts = np.full(values.shape, "", dtype=object)
    for one in rows:
        place = methods.index(one.method), datasets.index(one.dataset)
        values[place] = np.nan if one.mean is None else one.mean
        texts[place] = short[one.note] if one.mean is None else f"{one.mean:.3f}".replace("0.", ".", 1)
    sign = 1 if METRICS[rows[0].metric].lower_is_better else -1
    ranks = scipy.stats.rankdata(sign * values, axis=0, nan_policy="omit")
    # From 0, the best, to 1, however many have a value.
    shades = (ranks - 1) / np.maximum(np.nanmax(ranks, axis=0, initial=2) - 1, 1)
    valued = np.maximum((~np.isnan(shades)).sum(axis=1), 1)
    order = np.argsort(np.where(np.isnan(shades).all(axis=1), 2, np.nansum(shades, axis=1) / valued), kind="stable")
    shades, values, texts = shades[order], values[order], texts[order]
    with new_figure(2.6 + 0.47 * len(datasets), 1.3 + 0.19 * len(methods)) as (figure, axes):
        seaborn.heatmap(
            shades,
            ax=axes,
            annot=texts,
            fmt="",
            annot_kws={"size": 6},
            cmap="YlGnBu_r",
            cbar=False,
            linewidths=0.3,
            xticklabels=[titles[name] for name in datasets],
            yticklabels=[methods[row] for row in order],
            mask=np.isnan(shades),
        )
        # Seaborn writes nothing where it draws nothing.
        for row, column in zip(*np.nonzero(np.isnan(values)), strict=True):
            axes.text(column + 0.5, row + 0.5, texts[row, column], ha="center", va="center", fontsize=5.5, color="0.4")
        axes.tick_params(axis="both", labelsize=7, length=0)
        axes.tick_params(axis="x", labelrotation=90)
        figure.suptitle(title, x=0.01, ha="left", fontsize=9)
        return figure


def draw_properties(title: str, found: Sequence[Correlation], level: float) -> Figure:
    """Spearman's correlation of each method's rank with each property; a star where it is no chance."""
    import seaborn

    with new_figure(5.5, 1.3 + 0.19 * max(4, len({one.method for one in found}))) as (figure, axes):
        figure.suptitle(title, x=0.01, ha="left", fontsize=9)
        if not found:
            nothing_to_compare(axes)
            return figure
        methods = list(dict.fromkeys(one.method for one in found))
        names = list(dict.fromkeys(one.property for one in found))
        values = np.full((len(methods), len(names)), np.nan)
        texts = np.full(values.shape, "", dtype=object)
        for one in found:
            place = methods.index(one.method), names.index(one.property)
            values[place] = one.rho
            texts[place] = f"{one.rho:+.2f}{'*' if one.adjusted_p <= level else ''}"
        seaborn.heatmap(
            values,
            ax=axes,
            annot=texts,
            fmt="",
            annot_kws={"size": 6},
            cmap="PuOr_r",
            vmin=-1,
            vmax=1,
            cbar=False,
            linewidths=0.3,
            xticklabels=names,
            yticklabels=methods,
            mask=np.isnan(values),
        )
        axes.tick_params(axis="both", labelsize=7, length=0)
        axes.set_xlabel(f"Spearman's correlation with the rank; * p ≤ {level:g} after Holm's correction", fontsize=7)
        return figure
