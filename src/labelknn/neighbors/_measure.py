"""How far rows are from a query, in twice the working precision, and the stable order of such distances."""

from __future__ import annotations

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic


@numba.njit(cache=True)
def stable_order(values):
    """What np.argsort(kind="stable") gives, some four times as fast: into bins, then the few that stand wrong."""
    n, low, high = len(values), np.inf, -np.inf
    for value in values:
        low, high = min(low, value), max(high, value)
    scale = n / (high - low) if high - low > 1e-290 else 0.0
    ends = np.zeros(n + 2, np.int64)
    for value in values:
        ends[int((value - low) * scale) + 1] += 1
    fullest = 0
    for place in range(n + 1):
        fullest = max(fullest, ends[place + 1])
        ends[place + 1] += ends[place]
    order = np.empty(n, np.int64)
    for i in range(n):
        place = int((values[i] - low) * scale)
        order[ends[place]] = i
        ends[place] += 1
    # Insertion sort, and where bins are full Shell's. Numbers decide between equal values, so it need not be stable.
    gap = 1 if fullest <= 32 else n // 2
    while gap > 0:
        for i in range(gap, n):
            moved, place = order[i], i
            while place >= gap:
                other = order[place - gap]
                if values[other] < values[moved] or (values[other] == values[moved] and other < moved):
                    break
                order[place] = other
                place -= gap
            order[place] = moved
        gap //= 2
    return order


@intrinsic
def _fused(typing_context, a, b, c):
    """a b + c, rounded once: one instruction of the processor, for which numba has no name."""

    def generate(context, builder, signature, arguments):
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


@numba.njit(cache=True)
def squared_distances(X, query, rows):
    """Σ (x − y)² in double-double arithmetic (Knuth's two-sum, a fused product), rounded to float64 at the end.

    Feature by feature for all rows, so that a processor does several rows in one instruction.
    """
    columns = np.empty((len(query), len(rows)))
    for i in range(len(rows)):
        row = X[rows[i]]
        for j in range(len(query)):
            columns[j, i] = row[j]
    high, low = np.zeros(len(rows)), np.zeros(len(rows))
    for j in range(len(query)):
        x, y = columns[j], query[j]
        for i in range(len(rows)):
            # difference + error = x − y exactly
            difference = x[i] - y
            back = difference - x[i]
            error = (x[i] - (difference - back)) - (y + back)
            # square + rest = difference² exactly
            square = difference * difference
            rest = _fused(difference, difference, -square) + 2.0 * difference * error
            total = high[i] + square
            carried = total - high[i]
            low[i] += ((high[i] - (total - carried)) + (square - carried)) + rest
            high[i] = total
    for i in range(len(rows)):
        high[i] += low[i]
    return high
