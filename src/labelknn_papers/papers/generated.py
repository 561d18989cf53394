"""How near the rankings made from raw data come to the published ones, and what each ingredient is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from labelknn.datasets._container import Dataset
from labelknn_papers.data.expression import CLOSE, Matching
from labelknn_papers.data.generate import ablation, agreement, reorder_like
from labelknn_papers.show.figures import COLOURS, new_figure, nothing_to_show

# Published in another order than their source.
REORDERED = ("fried",)

# What an ablation takes away, as a reader would call it.
INGREDIENTS = {
    "complete": "nothing",
    "rounding": "rounding to precision",
    "interval": "interval mass",
    "floor": "floors",
    "underflow": "underflow",
    "decimals": "three decimals",
    "quicksort": "unstable sort",
    "all": "everything (plain Gaussian)",
}


class AgreementRow(NamedTuple):
    dataset: str
    type: str
    rows: int
    exact: float
    tau: float


class IngredientRow(NamedTuple):
    dataset: str
    without: str
    exact: float
    tau: float


def agreement_rows(data: Mapping[str, Dataset], recipes: Mapping[str, Mapping[str, Any]]) -> list[AgreementRow]:
    """Each generated set against its published counterpart, row by row; a set in another order is matched first."""
    rows = []
    for name, recipe in recipes.items():
        generated, published = data[f"{name}-generated"], data[name]
        kind = "A" if recipe["recipe"] == "naive-bayes" else "B"
        if name in REORDERED:
            generated = reorder_like(generated, published)
        exact, tau = agreement(generated, published)
        rows.append(AgreementRow(name, kind, published.n, round(exact, 6), round(tau, 6)))
    return rows


def ingredient_rows(data: Mapping[str, Dataset], recipes: Mapping[str, Mapping[str, Any]]) -> list[IngredientRow]:
    """What is left of the agreement of type A when one ingredient of Weka's naive Bayes is taken away."""
    rows = []
    for name, recipe in recipes.items():
        if recipe["recipe"] != "naive-bayes":
            continue
        options = {key: value for key, value in recipe.get("options", {}).items() if key != "estimator"}
        for ingredient, found in ablation(data[f"{name}-raw"], data[name], **options).items():
            rows.append(IngredientRow(name, INGREDIENTS[ingredient], round(found.exact, 6), round(found.tau, 6)))
    return rows


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
