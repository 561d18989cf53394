"""What the whole library shares."""

from typing import TYPE_CHECKING

from labelknn.utils._lazy import attach

if TYPE_CHECKING:
    from labelknn.utils._discovery import all_estimators

__getattr__, __dir__, __all__ = attach(__name__)
