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

import numba
import numpy as np

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
    over_rows(_solve_path, len(signs), kernel, signs, np.array(costs, float), tolerance, coefficients, constants)
    return coefficients, constants


@numba.njit(nogil=True, cache=True)
def _solve_path(start, stop, kernel, signs, costs, tolerance, coefficients, constants):
    n = signs.shape[1]
    for problem in range(start, stop):
        y = signs[problem]
        beta, errors = np.zeros(n), y.copy()
        for step in range(len(costs)):
            if step > 0:
                ratio = costs[step] / costs[step - 1]
                for i in range(n):
                    beta[i] *= ratio
                    errors[i] = y[i] - ratio * (y[i] - errors[i])
            constants[step, problem] = _solve(kernel, y, costs[step], beta, errors, tolerance)
            for i in range(n):
                coefficients[step, problem, i] = beta[i]


@numba.njit(cache=True)
def _solve(kernel, signs, cost, beta, errors, tolerance):
    """Make β optimal at this C, in place, and return the constant term.

    `errors` are E_i = y_i - Σ β_j K_ij. Optimal is E_i <= b where β_i may increase and E_i >= b where it may decrease.
    """
    n = len(signs)
    lower, upper = np.minimum(signs * cost, 0.0), np.maximum(signs * cost, 0.0)
    for i in range(n):
        # Rounding in the ratio of two costs must not leave a β just inside its bounds, or outside.
        if abs(beta[i]) > cost * (1 - 1e-12):
            beta[i] = signs[i] * cost
    while True:
        highest, lowest = -BARRED, BARRED
        for i in range(n):
            if beta[i] < upper[i]:
                highest = max(highest, errors[i])
            if beta[i] > lower[i]:
                lowest = min(lowest, errors[i])
        if highest - lowest <= tolerance:
            return _constant(lower, upper, beta, errors, highest, lowest)
        active = np.empty(n, np.intp)
        count = 0
        for i in range(n):
            may_increase, may_decrease = beta[i] < upper[i], beta[i] > lower[i]
            if (may_increase and (may_decrease or errors[i] > lowest)) or (may_decrease and errors[i] < highest):
                active[count] = i
                count += 1
        _solve_part(kernel, active[:count], lower, upper, beta, errors, tolerance)


@numba.njit(cache=True)
def _solve_part(kernel, active, lower, upper, beta, errors, tolerance):
    """A round of steps on the `active` rows, after which the errors of all rows are right again."""
    m = len(active)
    part = np.empty((m, m))
    for s in range(m):
        for t in range(m):
            part[s, t] = kernel[active[s], active[t]]
    moved, part_errors = beta[active], errors[active]
    _take_steps(part, lower[active], upper[active], moved, part_errors, tolerance, STEPS_PER_ROW * m)
    for s in range(m):
        change = moved[s] - beta[active[s]]
        if change != 0.0 and m < len(beta):
            _subtract(errors, change, kernel[active[s]])
    for s in range(m):
        beta[active[s]], errors[active[s]] = moved[s], part_errors[s]


@numba.njit(cache=True)
def _take_steps(kernel, lower, upper, beta, errors, tolerance, most):
    """At most so many steps, each on the pair of rows with the largest gain that Fan et al.'s second order finds."""
    n = len(beta)
    diagonal, gains = np.empty(n), np.empty(n)
    not_up, not_down = np.zeros(n), np.zeros(n)
    for i in range(n):
        diagonal[i] = kernel[i, i]
        _bar(i, lower, upper, beta, not_up, not_down)
    for _ in range(most):
        highest = _largest(errors, not_up)
        up = 0
        while errors[up] - not_up[up] != highest:
            up += 1
        lowest, gain = _gains(errors, not_down, highest, diagonal, kernel[up], diagonal[up], gains)
        if highest - lowest <= tolerance:
            break
        down = 0
        while gains[down] != gain:
            down += 1
        curvature = max(diagonal[up] + diagonal[down] - 2.0 * kernel[up, down], FLAT)
        step = (highest - errors[down]) / curvature
        room_up, room_down = upper[up] - beta[up], beta[down] - lower[down]
        step = min(step, room_up, room_down)
        beta[up] = upper[up] if step == room_up else beta[up] + step
        beta[down] = lower[down] if step == room_down else beta[down] - step
        _bar(up, lower, upper, beta, not_up, not_down)
        _bar(down, lower, upper, beta, not_up, not_down)
        _move(errors, step, kernel[up], kernel[down])


@numba.njit(cache=True)
def _bar(i, lower, upper, beta, not_up, not_down):
    not_up[i] = 0.0 if beta[i] < upper[i] else BARRED
    not_down[i] = 0.0 if beta[i] > lower[i] else BARRED


# Without NaN and signed zeros, maxima can be taken in any order, so these loops vectorise and still give the same bits.
@numba.njit(cache=True, fastmath={"nnan", "nsz"})
def _largest(errors, not_up):
    highest = -BARRED
    for i in range(len(errors)):
        highest = max(highest, errors[i] - not_up[i])
    return highest


@numba.njit(cache=True, fastmath={"nnan", "nsz"})
def _gains(errors, not_down, highest, diagonal, row, own, gains):
    """The lowest error of a row that may decrease, and the most that moving such a row down against `row` gains."""
    lowest, best = BARRED, 0.0
    for j in range(len(errors)):
        error = errors[j] + not_down[j]
        lowest = min(lowest, error)
        slope = max(highest - error, 0.0)
        gains[j] = slope * slope / max(own + diagonal[j] - 2.0 * row[j], FLAT)
        best = max(best, gains[j])
    return lowest, best


@numba.njit(cache=True)
def _move(errors, step, up, down):
    for i in range(len(errors)):
        errors[i] -= step * (up[i] - down[i])


@numba.njit(cache=True)
def _subtract(errors, change, row):
    for i in range(len(errors)):
        errors[i] -= change * row[i]


@numba.njit(cache=True)
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
