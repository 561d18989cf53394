"""Exact arithmetic for the kernels of `labelknn.neighbors`: sums and products of float64, and what rounding took away.

A product and its rest, or a sum and its rest, are together the exact result. Sums of many are lists of numbers that do
not overlap, the smallest first (Shewchuk 1997).
"""

from __future__ import annotations

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


# An exact sum lies in an array: its parts, then a 0. An array of so many has room for any, since parts that do not
# overlap have no bit in common, and a float64 is made of bits from 2^-1074 to 2^1023.
SUM_ROOM = 2100


@inner
def add_exactly(parts, value):
    kept = place = 0
    while parts[place] != 0.0:
        value, rest = two_sum(value, parts[place])
        if rest != 0.0:
            parts[kept] = rest
            kept += 1
        place += 1
    if value != 0.0:
        parts[kept] = value
        kept += 1
    parts[kept] = 0.0


@inner
def add_product_exactly(parts, a, b):
    rounded, rest = product(a, b)
    add_exactly(parts, rounded)
    add_exactly(parts, rest)


@inner
def multiply_exactly(parts, x, y):
    """Put the product of two exact sums into `parts`."""
    parts[0] = 0.0
    i = 0
    while x[i] != 0.0:
        j = 0
        while y[j] != 0.0:
            add_product_exactly(parts, x[i], y[j])
            j += 1
        i += 1


@inner
def leading(parts):
    """An exact sum in twice the working precision: off by a share of 2^-80 at most, however many parts there are."""
    high, low, place = 0.0, 0.0, 0
    while parts[place] != 0.0:
        high, rest = two_sum(high, parts[place])
        low += rest
        place += 1
    return high, low
