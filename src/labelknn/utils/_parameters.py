"""Numbers among an estimator's parameters, checked by `fit` before anything is learned."""

from __future__ import annotations

from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from labelknn.errors import DataError


def check_whole(estimator: Any, *names: str, least: int = 1) -> None:
    """Refuse a parameter that is no whole number from `least` on."""
    for name in names:
        value = getattr(estimator, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
            raise DataError(f"{type(estimator).__name__}: {name} = {value!r}, expected a whole number from {least}")


def check_real(estimator: Any, *names: str, zero: bool = False) -> None:
    """Refuse a parameter that is no finite positive number, or zero where that is allowed."""
    for name in names:
        value = getattr(estimator, name)
        real = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
        if not real or value < 0 or (value == 0 and not zero):
            kind = "a number from 0" if zero else "a positive number"
            raise DataError(f"{type(estimator).__name__}: {name} = {value!r}, expected {kind}")


def seed_of(random_state: Any) -> int | None:
    """A seed from what scikit-learn calls a random state: None, a whole number, or a generator, which goes on by it."""
    if random_state is None or (isinstance(random_state, int | np.integer) and random_state >= 0):
        return None if random_state is None else int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(np.iinfo(np.int64).max))
    raise DataError(f"random_state = {random_state!r}, expected None, a whole number from 0, or a generator of NumPy")
