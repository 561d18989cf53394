"""Nearest-neighbour learning of label sets and label rankings, as scikit-learn estimators.

>>> from labelknn import MLkNN, LRT
"""

from importlib import import_module
from importlib.metadata import version
from typing import Any

from labelknn import multilabel, ranking

__all__ = sorted([*multilabel.__all__, *ranking.__all__])

# Imported when they are first asked for, as the estimators are.
_ROOMS = ("datasets", "metrics", "plotting", "preprocessing", "utils")


def __getattr__(name: str) -> Any:
    for family in (multilabel, ranking):
        if name in family.__all__:
            return getattr(family, name)
    if name in _ROOMS:
        return import_module(f"labelknn.{name}")
    if name == "__version__":
        return version("labelknn")
    raise AttributeError(f"module 'labelknn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS, "multilabel", "ranking", "__version__"])
