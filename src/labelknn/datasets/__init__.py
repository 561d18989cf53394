"""Public data sets by name, and readers for one's own files.

``load("yeast").train_test()`` gives X_train, X_test, Y_train, Y_test. Names are imported when they are used: this
package by itself imports nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelknn.datasets._container import Dataset
    from labelknn.datasets._load import load
    from labelknn.datasets._own_files import read_csv, read_extreme, read_kebi, read_meka, read_mulan
    from labelknn.datasets._registry import available, registry

__all__ = [
    "Dataset",
    "available",
    "load",
    "read_csv",
    "read_extreme",
    "read_kebi",
    "read_meka",
    "read_mulan",
    "registry",
]

_MODULES = {"Dataset": "_container", "available": "_registry", "load": "_load", "registry": "_registry"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES.get(name, '_own_files')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
