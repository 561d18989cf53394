"""Public names that are imported when they are first asked for (PEP 562), so that importing a package costs nothing."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, for the imports that it has under ``if TYPE_CHECKING:``.

    They are there for whoever reads the source, editors and type checkers among them, so the names stand in one list.
    """
    homes = _homes(package)

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, found)  # the next look finds it without a call
        return found

    return get, lambda: sorted(homes), sorted(homes)


def home(package: str, name: str) -> str:
    """The module that a lazily imported name comes from, found without importing it; the package itself if not so."""
    return _homes(package).get(name, package)


def _homes(package: str) -> dict[str, str]:
    module = sys.modules.get(package) or importlib.import_module(package)
    assert module.__file__ is not None
    for node in ast.parse(Path(module.__file__).read_text()).body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            imports = [one for one in node.body if isinstance(one, ast.ImportFrom) and one.module]
            return {alias.name: str(one.module) for one in imports for alias in one.names}
    return {}
