"""Exact arithmetic for the kernels of `labelknn.neighbors`: sums and products of float64, and what rounding took away.

A product and its rest, or a sum and its rest, are together the exact result. Sums of many are lists of numbers that do
not overlap, the smallest first (Shewchuk 1997).
"""

from __future__ import annotations

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from labelknn.utils._kernels import inner


@intrinsic
def _fused(typing_context, a, b, c):
    """a b + c, rounded once: one instruction of the processor, for which numba has no name."""

    def generate(context, builder, signature, arguments):
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


@inner
def product(a, b):
    """a · b exactly, as the rounded product and the rest."""
    rounded = a * b
    return rounded, _fused(a, b, -rounded)


@inner
def two_sum(a, b):
    """a + b exactly, as the rounded sum and the rest (Knuth)."""
    total = a + b
    carried = total - a
    return total, (a - (total - carried)) + (b - carried)


@inner
def add_product(high, low, a, b):
    """high + low + a · b in twice the working precision."""
    rounded, rest = product(a, b)
    total, carry = two_sum(high, rounded)
    return total, low + (carry + rest)


@numba.njit(cache=True)
def inner_product(x, y):
    pieces = np.empty((len(x), 2))
    for i in range(len(x)):
        pieces[i] = product(x[i], y[i])
    return exact_sum(pieces.ravel())


@numba.njit(cache=True)
def all_products(x, y):
    """The sum of all products of a number in x and one in y."""
    pieces = np.empty((len(x), len(y), 2))
    for i in range(len(x)):
        for j in range(len(y)):
            pieces[i, j] = product(x[i], y[j])
    return exact_sum(pieces.ravel())


@numba.njit(cache=True)
def exact_sum(values):
    """An exact sum as a list of numbers that do not overlap, the smallest first, none of them 0."""
    parts = np.empty(len(values))
    used = 0
    for value in values:
        kept = 0
        for i in range(used):
            value, rest = two_sum(value, parts[i])
            if rest != 0.0:
                parts[kept] = rest
                kept += 1
        if value != 0.0:
            parts[kept] = value
            kept += 1
        used = kept
    return parts[:used]


@numba.njit(cache=True)
def leading(parts):
    """An exact sum in twice the working precision."""
    high = 0.0
    for part in parts:
        high += part
    low = 0.0
    for part in exact_sum(np.append(parts, -high)):
        low += part
    return high, low
