"""Nearest-neighbour learning of label sets and label rankings, as scikit-learn estimators.

>>> from labelknn import MLkNN, LRT
"""

from importlib.metadata import version
from typing import Any

from labelknn import multilabel, ranking

__all__ = sorted([*multilabel.__all__, *ranking.__all__])


def __getattr__(name: str) -> Any:
    for family in (multilabel, ranking):
        if name in family.__all__:
            return getattr(family, name)
    if name == "__version__":
        return version("labelknn")
    raise AttributeError(f"module 'labelknn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
