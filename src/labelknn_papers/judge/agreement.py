"""How near the rankings made from raw data come to the published ones, and what each ingredient is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from labelknn.datasets._container import Dataset
from labelknn_papers.data.generate import ablation, agreement, reorder_like

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
    """A generated set against the published one; `type` is A (naive Bayes) or B (attributes), as in section 6.1."""

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


def made_again(data: Mapping[str, Dataset], recipes: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The recipes by published name, of the sets that are there as published, as raw data and made again."""
    by_name = {name.removesuffix("-generated"): recipe for name, recipe in recipes.items()}
    return {
        name: recipe for name, recipe in by_name.items() if {name, f"{name}-raw", f"{name}-generated"} <= data.keys()
    }


def agreement_rows(data: Mapping[str, Dataset], recipes: Mapping[str, Mapping[str, Any]]) -> list[AgreementRow]:
    """Each generated set against its published counterpart, row by row; a set in another order is matched first.

    recipes : by published name, as `made_again` gives them.
    """
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
