"""Warnings at the line of the caller who can do something about it."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

_LIBRARY = str(Path(__file__).parents[1])


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the first line outside this library: what calls `fit`, however many functions lie between."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_LIBRARY):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
