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

from collections.abc import Mapping, Sequence
from typing import Self

import numba
import numpy as np

from labelknn.errors import DataError, unknown
from labelknn.neighbors._euclidean import finite_rows
from labelknn.ranking.stats._buckets import as_bucket_orders, generalised_ranks, relevant, spearman
from labelknn.solvers._hold_out import VALIDATION_SHARE, hold_out
from labelknn.utils._base import RankingMethod
from labelknn.utils._estimator import check_is_fitted
from labelknn.utils._threads import over_rows

# Section 6 of brinker2007: the degrees and the values of C that each kind of kernel is validated at.
GRIDS: Mapping[str, tuple[Sequence[int], Sequence[float]]] = {
    "linear": ((1,), tuple(2.0**power for power in range(-4, 5))),
    "poly": ((1, 2, 3, 4, 5), tuple(2.0**power for power in range(-2, 3))),
}

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


class PairMachines(RankingMethod):
    """What CRPC and binary relevance share: a machine for each of some pairs of labels, and the choice of C and degree.

    A machine learns from the rows whose ranking orders its two labels which of them comes first. Subclasses say which
    pairs, and how decisions make a ranking.
    """

    def __init__(
        self, kernel: str = "linear", degree: int | None = None, C: float | None = None, random_state: int = 0
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.C = C
        self.random_state = random_state

    def _pairs(self, q: int) -> np.ndarray:
        """The (m, 2) pairs of label numbers; q - 1 is the virtual label."""
        raise NotImplementedError

    def _rank(self, decisions: np.ndarray, q: int) -> np.ndarray:
        """Strict ranks, (n, q), from (m, n) decisions, positive where the first label of the pair comes first."""
        raise NotImplementedError

    def fit(self, X: np.ndarray, Y: np.ndarray) -> Self:
        X = finite_rows(X, "the training rows")
        orders = as_bucket_orders(Y, len(X))
        degrees, costs = self._grid()
        self.pairs_ = self._pairs(orders.shape[1])
        signs = np.sign(orders[:, self.pairs_[:, 1]] - orders[:, self.pairs_[:, 0]]).T
        if len(degrees) * len(costs) > 1:
            self._choose(X, orders, signs, degrees, costs)
        else:
            self.degree_, self.C_ = degrees[0], costs[0]
        self.X_, self.n_features_in_, self.n_labels_ = X, X.shape[1], orders.shape[1]
        coefficients, constants = solve_path(_kernel_matrix(X, X, self.degree_), signs, (self.C_,))
        self.dual_coef_, self.intercept_ = coefficients[0], constants[0]
        return self

    def decisions(self, X: np.ndarray) -> np.ndarray:
        """The decision of each machine, (n, m): positive where the first label of the pair comes first."""
        check_is_fitted(self)
        X = finite_rows(X, "the queries")
        if X.shape[1] != self.n_features_in_:
            raise DataError(f"the queries have {X.shape[1]} features, the training rows had {self.n_features_in_}")
        return _decide(_kernel_matrix(self.X_, X, self.degree_), self.dual_coef_, self.intercept_).T

    def output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        """Strict ranks of all labels and the virtual one, (n, c + 1), and the split that they make, (n, c)."""
        ranks = self._rank(self.decisions(X).T, self.n_labels_)
        return {"ranks": ranks, "split": relevant(ranks)}

    def _grid(self) -> tuple[Sequence[int], Sequence[float]]:
        """Degrees and increasing costs to choose from."""
        if self.kernel not in GRIDS:
            raise unknown("kernel", self.kernel, GRIDS, type(self).__name__)
        degrees, costs = GRIDS[self.kernel]
        if self.degree is not None:
            if self.degree < 1 or (self.kernel == "linear" and self.degree > 1):
                raise DataError(
                    f"degree = {self.degree} with a {self.kernel} kernel, expected 1 (linear) or more (poly)"
                )
            degrees = (self.degree,)
        if self.C is not None:
            if not 0 < self.C < np.inf:
                raise DataError(f"C = {self.C}, expected a positive number")
            costs = (self.C,)
        return degrees, costs

    def _choose(
        self, X: np.ndarray, orders: np.ndarray, signs: np.ndarray, degrees: Sequence[int], costs: Sequence[float]
    ) -> None:
        """The setting with the best mean Spearman correlation on 30 % of the rows; the first of the grid if equal."""
        learned, validated = hold_out(len(X), VALIDATION_SHARE, self.random_state)
        truth = generalised_ranks(orders[validated])
        self.grid_spearman_ = {}
        for degree in degrees:
            path = solve_path(_kernel_matrix(X[learned], X[learned], degree), signs[:, learned], costs)
            judged = _kernel_matrix(X[learned], X[validated], degree)
            for cost, coefficients, constants in zip(costs, *path, strict=True):
                ranks = self._rank(_decide(judged, coefficients, constants), orders.shape[1])
                self.grid_spearman_[degree, cost] = float(spearman(truth, ranks).mean())
        self.degree_, self.C_ = max(self.grid_spearman_, key=lambda setting: self.grid_spearman_[setting])


def _kernel_matrix(X: np.ndarray, others: np.ndarray, degree: int) -> np.ndarray:
    """(1 + x·y)^degree. For degree 1 the constant changes nothing but the constant term: it is the linear kernel."""
    return (1.0 + X @ others.T) ** degree


def _decide(kernel: np.ndarray, coefficients: np.ndarray, constants: np.ndarray) -> np.ndarray:
    """(m, n) decisions of m machines about n rows from the (training rows, n) kernel matrix."""
    return coefficients @ kernel + constants[:, None]


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
