"""Support vector machines for many binary problems on the same rows: one kernel matrix, solutions along a path of C.

Each machine is that of libsvm's C-SVC: hinge loss, an unregularised constant term, and the stopping rule of Fan, Chen &
Lin (2005). It is solved by their sequential minimal optimisation with second-order working sets, written for what
brinker2007 needs, hundreds of problems that share a kernel matrix:

- Variables are β_i = y_i α_i, between 0 and C for y_i = 1 and between -C and 0 for y_i = -1, with sum 0; a row with
  y_i = 0 takes no part, so no problem needs a kernel matrix of its own. The decision is Σ β_i K(x_i, x) + b.
- The solution at a larger C starts from that at the C before, all β multiplied by the ratio: bounds stay bounds, and on
  noisy data most β are at one.
- In rounds, only the rows that can be part of a violation are looked at, with a copy of their part of the kernel matrix
  (libsvm's shrinking); a solution is one when all rows say so.
- The loops of a step have no branches, so that they run on vector units; bounds are additive masks.
- Problems are solved in parallel, each by one thread, so the result does not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from labelknn.utils._kernels import inner, kernel
from labelknn.utils._threads import over_rows

# libsvm's default: the largest violation of the optimality conditions that is left.
TOLERANCE = 1e-3
# Curvature in place of that of a direction in which the dual is flat, as in libsvm.
FLAT = 1e-12
# A mask that no error comes near to; not infinite, so that no difference of masks is NaN.
BARRED = 1e300
# Steps of a round for each row in it: as much work as the copy of the kernel matrix that the round begins with.
STEPS_PER_ROW = 2


def solve_path(
    kernel: np.ndarray, signs: np.ndarray, costs: Sequence[float], tolerance: float = TOLERANCE
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients β, (costs, problems, n), and constant terms, (costs, problems), for increasing costs C.

    kernel : (n, n) kernel matrix.
    signs : (problems, n) of 1, -1, and 0 for rows that a problem leaves out. A problem with one sign only has no
        coefficients and this sign as its constant; one without any has the constant 0.
    """
    kernel, signs = np.ascontiguousarray(kernel, np.float64), np.ascontiguousarray(signs, np.float64)
    coefficients, constants = np.zeros((len(costs), *signs.shape)), np.zeros((len(costs), len(signs)))
    over_rows(_solve_problems, len(signs), kernel, signs, np.array(costs, float), tolerance, coefficients, constants)
    return coefficients, constants


class _Scratch(NamedTuple):
    """What one problem after the other needs, for each row but `part`.

    lower, upper : the bounds of β.
    active : the rows of a round; `part` : room for their kernel matrix. The others are for these rows, in this order.
    not_up, not_down : BARRED where β is at its bound.
    gains : see `_gains`.
    """

    beta: np.ndarray
    errors: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    active: np.ndarray
    part: np.ndarray
    part_beta: np.ndarray
    part_errors: np.ndarray
    part_lower: np.ndarray
    part_upper: np.ndarray
    diagonal: np.ndarray
    not_up: np.ndarray
    not_down: np.ndarray
    gains: np.ndarray


def _solve_problems(start: int, stop: int, kernel: np.ndarray, *arguments: Any) -> None:
    n = len(kernel)
    beta, errors, lower, upper, *others = np.empty((12, n))
    scratch = _Scratch(beta, errors, lower, upper, np.empty(n, np.int64), np.empty(n * n), *others)
    _solve_path(start, stop, kernel, *arguments, scratch)


@kernel
def _solve_path(start, stop, kernel, signs, costs, tolerance, coefficients, constants, scratch):
    n = signs.shape[1]
    beta, errors = scratch.beta, scratch.errors
    for problem in range(start, stop):
        y = signs[problem]
        for i in range(n):
            beta[i], errors[i] = 0.0, y[i]
        for step in range(len(costs)):
            if step > 0:
                ratio = costs[step] / costs[step - 1]
                for i in range(n):
                    beta[i] *= ratio
                    errors[i] = y[i] - ratio * (y[i] - errors[i])
            constants[step, problem] = _solve(kernel, y, costs[step], tolerance, scratch)
            for i in range(n):
                coefficients[step, problem, i] = beta[i]


@inner
def _solve(kernel, signs, cost, tolerance, scratch):
    """Make β optimal at this C, in place, and return the constant term.

    `errors` are E_i = y_i - Σ β_j K_ij. Optimal is E_i <= b where β_i may increase and E_i >= b where it may decrease.
    """
    n = len(signs)
    beta, errors, lower, upper = scratch[:4]
    for i in range(n):
        lower[i] = signs[i] * cost if signs[i] < 0 else 0.0
        upper[i] = signs[i] * cost if signs[i] > 0 else 0.0
        # Rounding in the ratio of two costs must not leave a β just inside its bounds, or outside.
        if abs(beta[i]) > cost * (1 - 1e-12):
            beta[i] = signs[i] * cost
    while True:
        highest, lowest = -BARRED, BARRED
        for i in range(n):
            if beta[i] < upper[i] and errors[i] > highest:
                highest = errors[i]
            if beta[i] > lower[i] and errors[i] < lowest:
                lowest = errors[i]
        if highest - lowest <= tolerance:
            return _constant(lower, upper, beta, errors, highest, lowest)
        _solve_part(kernel, _activate(highest, lowest, scratch), tolerance, scratch)


@inner
def _activate(highest, lowest, scratch):
    """Find the rows that can be part of a violation; returns how many there are."""
    beta, errors, lower, upper, active = scratch[:5]
    count = 0
    for i in range(len(beta)):
        may_increase, may_decrease = beta[i] < upper[i], beta[i] > lower[i]
        if (may_increase and (may_decrease or errors[i] > lowest)) or (may_decrease and errors[i] < highest):
            active[count] = i
            count += 1
    return count


@inner
def _solve_part(kernel, m, tolerance, scratch):
    """A round of steps on the first m `active` rows, after which the errors of all rows are right again."""
    beta, errors, lower, upper, active, part = scratch[:6]
    for s in range(m):
        i = active[s]
        for t in range(m):
            part[s * m + t] = kernel[i, active[t]]
        scratch.part_beta[s], scratch.part_errors[s] = beta[i], errors[i]
        scratch.part_lower[s], scratch.part_upper[s] = lower[i], upper[i]
    _take_steps(m, tolerance, scratch)
    for s in range(m):
        change = scratch.part_beta[s] - beta[active[s]]
        if change != 0.0 and m < len(beta):
            row = kernel[active[s]]
            for i in range(len(beta)):
                errors[i] -= change * row[i]
    for s in range(m):
        beta[active[s]], errors[active[s]] = scratch.part_beta[s], scratch.part_errors[s]


@inner
def _take_steps(m, tolerance, scratch):
    """At most so many steps, each on the pair of rows with the largest gain that Fan et al.'s second order finds."""
    part, beta, errors, lower, upper, diagonal, not_up, not_down, gains = scratch[5:]
    for i in range(m):
        diagonal[i] = part[i * m + i]
        not_up[i] = 0.0 if beta[i] < upper[i] else BARRED
        not_down[i] = 0.0 if beta[i] > lower[i] else BARRED
    for _ in range(STEPS_PER_ROW * m):
        highest, up = _largest(m, errors, not_up), 0
        while errors[up] - not_up[up] != highest:
            up += 1
        row_up = part[up * m : up * m + m]
        lowest, gain = _gains(m, errors, not_down, highest, diagonal, row_up, diagonal[up], gains)
        if highest - lowest <= tolerance:
            break
        down = 0
        while gains[down] != gain:
            down += 1
        row_down = part[down * m : down * m + m]
        curvature = diagonal[up] + diagonal[down] - 2.0 * row_up[down]
        if curvature < FLAT:
            curvature = FLAT
        step = (highest - errors[down]) / curvature
        room_up, room_down = upper[up] - beta[up], beta[down] - lower[down]
        if room_up < step:
            step = room_up
        if room_down < step:
            step = room_down
        beta[up] = upper[up] if step == room_up else beta[up] + step
        beta[down] = lower[down] if step == room_down else beta[down] - step
        for moved in (up, down):
            not_up[moved] = 0.0 if beta[moved] < upper[moved] else BARRED
            not_down[moved] = 0.0 if beta[moved] > lower[moved] else BARRED
        _move(m, errors, step, row_up, row_down)


# Without NaN and signed zeros, maxima can be taken in any order, so these loops vectorise and still give the same bits.
_vectorised = partial(inner, fastmath={"nnan", "nsz"})


@_vectorised
def _largest(m, errors, not_up):
    highest = -BARRED
    for i in range(m):
        error = errors[i] - not_up[i]
        highest = error if error > highest else highest
    return highest


@_vectorised
def _gains(m, errors, not_down, highest, diagonal, row, own, gains):
    """The lowest error of a row that may decrease, and the most that moving such a row down against `row` gains."""
    lowest, best = BARRED, 0.0
    for j in range(m):
        error = errors[j] + not_down[j]
        lowest = error if error < lowest else lowest
        slope = highest - error if highest > error else 0.0
        curvature = own + diagonal[j] - 2.0 * row[j]
        gain = slope * slope / (curvature if curvature > FLAT else FLAT)
        best = gain if gain > best else best
        gains[j] = gain
    return lowest, best


@inner
def _move(m, errors, step, up, down):
    for i in range(m):
        errors[i] -= step * (up[i] - down[i])


@inner
def _constant(lower, upper, beta, errors, highest, lowest):
    """b as libsvm has it: the mean error of the rows between their bounds, else the middle of what is possible."""
    total, free = 0.0, 0
    for i in range(len(beta)):
        if lower[i] < beta[i] < upper[i]:
            total += errors[i]
            free += 1
    if free > 0:
        return total / free
    if highest == -BARRED or lowest == BARRED:
        # No row may move one of the ways: all have the same sign, which is their error, or there is none.
        return highest if highest > -BARRED else (lowest if lowest < BARRED else 0.0)
    return (highest + lowest) / 2.0
