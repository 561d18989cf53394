"""The library's own list of its estimators: for its tests, its documentation, and whoever wants to try them all."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from labelknn.errors import unknown

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

FAMILIES = {"multilabel": "labelknn.multilabel", "ranking": "labelknn.ranking"}


def all_estimators(task: str | None = None) -> list[tuple[str, type[BaseEstimator]]]:
    """Every public estimator as (name, class), by name; of one `task`, "multilabel" or "ranking", if it is given.

    >>> from labelknn.utils import all_estimators
    >>> [name for name, _ in all_estimators("ranking")][:3]
    ['BinaryRelevanceRanking', 'CRPC', 'CaseBasedRanking']
    """
    if task is not None and task not in FAMILIES:
        raise unknown("task", task, FAMILIES, "all_estimators")
    families = [importlib.import_module(package) for name, package in FAMILIES.items() if task in (None, name)]
    found = {name: getattr(family, name) for family in families for name in family.__all__}
    return sorted((name, one) for name, one in found.items() if isinstance(one, type))
