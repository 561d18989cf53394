"""The line search of weka.core.Optimization (after Dennis & Schnabel 1983), for logistic regression.

Everything is a function of the rows' margins, and these move along a straight line.
"""

from __future__ import annotations

import numpy as np

from labelknn.utils._kernels import inner, kernel

# What counts as zero; the shares of the slope that the objective has to fall by and that may be left; and the smallest
# step.
ZERO = np.sqrt(np.finfo(float).eps)
FALL, LEFT, SMALLEST = 1e-4, 0.9, 1e-6


@kernel
def line_search(margins, change, along, slope, relative, upper, signs, losses, pulls):
    """Go along `change`, and return how far, and the objective there: it must have fallen enough, and be flat enough.
    At the length 0, with nowhere to go, the search for the minimum is over.

    First the whole step, then the doubled one while the slope is too steep, or a shorter one (by the parabola or the
    cubic through the values so far) while the objective is too high; at the end between the last two lengths.

    along : the coefficients of the penalty, a square of the length.
    margins : of the rows at the start.
    losses : of the rows at the start, and then at the length found, where the next search starts: most of the time goes
        to their logarithms.
    pulls : the derivatives of the losses at the length found, by the rows' scores.
    """
    start = along[0]
    for row in range(len(losses)):
        start += losses[row]
    if abs(slope) <= ZERO or relative <= ZERO:
        return 0.0, start
    shortest = SMALLEST / relative
    length, other, at_other = 1.0, 0.0, start
    low, at_low, gap, at_high = 0.0, start, 0.0, start
    first = True
    while True:
        at = objective(margins, change, along, length, losses)
        if at <= start + FALL * length * slope:
            new_slope = _slope(margins, change, along, length, signs, pulls)
            if new_slope >= LEFT * slope:
                return length, at
            low, at_low = length, at
            if first:
                while at <= start + FALL * length * slope and length < upper:
                    low, at_low = length, at
                    length = upper if upper < 2 * length else 2 * length
                    at = objective(margins, change, along, length, losses)
                    if at <= start + FALL * length * slope:
                        new_slope = _slope(margins, change, along, length, signs, pulls)
                        if new_slope >= LEFT * slope:
                            return length, at
                gap, at_high = length - low, at
            else:
                gap, at_high = other - low, at_other
            break
        if length < shortest:
            return 0.0, start
        rise = at - start - length * slope
        if first:
            shorter = -0.5 * slope * length * length / rise
        else:
            before = at_other - start - other * slope
            a = (rise / length**2 - before / other**2) / (length - other)
            b = (length * before / other**2 - other * rise / length**2) / (length - other)
            square = b * b - 3 * a * slope
            root = np.sqrt(square if square > 0.0 else 0.0)
            shorter = -slope / (2 * b) if a == 0.0 else (root - b) / (3 * a)
            if shorter > 0.5 * length:
                shorter = 0.5 * length
        other, at_other, first = length, at, False
        length = shorter if shorter > 0.1 * length else 0.1 * length
    while new_slope < LEFT * slope and gap >= shortest:
        step = -0.5 * new_slope * gap * gap / (at_high - at_low - new_slope * gap)
        if step < 0.2 * gap:
            step = 0.2 * gap
        if step > gap:
            step = gap
        length = low + step
        at = objective(margins, change, along, length, losses)
        if at > start + FALL * length * slope:
            gap, at_high = step, at
        else:
            new_slope = _slope(margins, change, along, length, signs, pulls)
            if new_slope < LEFT * slope:
                low, at_low, gap = length, at, gap - step
            else:
                return length, at
    objective(margins, change, along, low, losses)
    _slope(margins, change, along, low, signs, pulls)
    return low, at_low


@kernel
def objective(margins, change, along, length, losses):
    """At this length of the step; `losses` become those of the rows there."""
    for row in range(len(margins)):  # one loop for each function: several calls of it are under way at a time
        losses[row] = np.exp(-abs(margins[row] + length * change[row]))
    for row in range(len(margins)):
        losses[row] = np.log1p(losses[row])
    total = along[0] + length * along[1] + length * length * along[2]
    for row in range(len(margins)):
        margin = margins[row] + length * change[row]
        losses[row] += -margin if margin < 0.0 else 0.0
        total += losses[row]
    return total


@inner
def _slope(margins, change, along, length, signs, pulls):
    total = along[1] + 2 * length * along[2]
    for row in range(len(margins)):
        odds = 1 + np.exp(margins[row] + length * change[row])
        total -= change[row] / odds
        pulls[row] = -signs[row] / odds
    return total
