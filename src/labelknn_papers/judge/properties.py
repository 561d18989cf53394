"""Do a method's ranks go with a property of the data? Spearman's correlation over the data sets of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import scipy  # its parts are imported when they are used

from labelknn_papers.judge.estimates import ValueTable
from labelknn_papers.judge.significance import holm, ranks_of

Facts = Mapping[str, float]

# What of a data set's facts a rank is compared with; a fact that rankings do not have leaves its property out.
PROPERTIES: Mapping[str, Callable[[Facts], float]] = {
    "rows": lambda facts: facts["instances"],
    "features": lambda facts: facts["features"],
    "labels": lambda facts: facts["labels"],
    "cardinality": lambda facts: facts["cardinality"],
    "sparsity": lambda facts: 1 - facts.get("feature_cardinality", facts["features"]) / facts["features"],
}


class Correlation(NamedTuple):
    """Positive: the method's rank is worse where the property is larger. p is adjusted for all of them."""

    method: str
    property: str
    rho: float
    p: float
    adjusted_p: float


def properties_of(facts: Mapping[str, Facts], datasets: list[str]) -> dict[str, np.ndarray]:
    """Values on the data sets, of properties that all of them have and that differ."""
    found = {}
    for name, value in PROPERTIES.items():
        try:
            values = np.array([value(facts[dataset]) for dataset in datasets], dtype=float)
        except KeyError:
            continue
        if np.ptp(values) > 0:
            found[name] = values
    return found


def correlations(table: ValueTable, facts: Mapping[str, Facts]) -> list[Correlation]:
    """For each method and property; nothing on fewer than eight data sets, where order by chance is common."""
    if len(table.datasets) < 8:
        return []
    ranks = ranks_of(table.values, table.lower_is_better)
    found = []
    for column, method in enumerate(table.methods):
        for name, values in properties_of(facts, table.datasets).items():
            if np.ptp(ranks[:, column]) > 0:
                rho, p = scipy.stats.spearmanr(values, ranks[:, column])
                found.append((method, name, float(rho), float(p)))
    adjusted = holm([p for *_, p in found])
    return [Correlation(*one, float(p)) for one, p in zip(found, adjusted, strict=True)]


def correlation_rows(view: tuple[str, ...], found: list[Correlation]) -> list[tuple[str, ...]]:
    return [
        (*view, one.method, one.property, *(f"{number:.4f}" for number in (one.rho, one.p, one.adjusted_p)))
        for one in found
    ]
