"""Logistic regression as Weka's class Logistic fits it, which Mulan's BR-LR and IBLR-ML are made of.

For each label the minimum of

    Σ_i log(1 + exp(−t_i (w·z_i + b))) + ridge |w|²,    t_i = ±1,    ridge = 1e-8,

where z are the features with mean 0 and standard deviation 1 over the training rows. Where the likelihood has a maximum
this is the textbook's logistic regression. Where a label is separable, which is common with as many features as rows,
the ridge is far too small to matter, and the result is the point where the optimisation has no slope left to follow. So
its path is part of the method, and is Weka's here: the BFGS method from w = 0, with its line search and its tests of
convergence (weka.core.Optimization, after Dennis & Schnabel 1983). The first step is the whole gradient, which weighs
rare features more than the direction of largest margin does.

Weka keeps the Hessian as a Cholesky factor. Here its inverse is kept as the list of steps it comes from (Nocedal 1980):
the same directions up to rounding, in less time and memory. On rows that are not separable probabilities agree with
Weka's to all printed digits; on separable ones rounding errors grow along the path.
"""

from __future__ import annotations

import numba
import numpy as np
from scipy import sparse
from scipy.special import expit
from threadpoolctl import threadpool_limits

from labelknn.utils._validation import Rows

RIDGE = 1e-8
# Of weka.core.Optimization: what counts as zero, the steps after which the Hessian is forgotten, and of the line search
# the shares of the slope that the objective has to fall by and that may be left, the smallest and the largest step.
ZERO = np.sqrt(np.finfo(float).eps)
MAX_STEPS = 200
FALL, LEFT, SMALLEST, LARGEST = 1e-4, 0.9, 1e-6, 100.0
# Rows with a smaller share of entries are multiplied faster as a sparse matrix.
SPARSE = 0.15


@threadpool_limits.wrap(limits=1, user_api="blas")  # sums in an order that does not depend on the number of threads
def fit_logistic(X: Rows, targets: np.ndarray, ridge: float = RIDGE) -> tuple[np.ndarray, np.ndarray]:
    """Weights (d, m) and intercepts (m,), for X as it is, of one model for each column of `targets` (n, m) bool.

    A column that has one class only gets no weights and an infinite intercept: it is certain of that class.
    """
    rows = _Standardized(X)
    coefficients = np.zeros((X.shape[1], targets.shape[1]))
    intercepts = np.where(targets.all(axis=0), np.inf, -np.inf)
    for column in np.flatnonzero(targets.any(axis=0) & ~targets.all(axis=0)):
        weights = _minimize(rows, np.where(targets[:, column], 1.0, -1.0), ridge)
        coefficients[:, column] = weights[1:] * rows.scale
        intercepts[column] = weights[0] - rows.mean @ coefficients[:, column]
    return coefficients, intercepts


class _Standardized:
    """Products with the rows (1, z), which leave X as sparse as it is. A constant feature is 0: it gets no weight."""

    def __init__(self, X: Rows) -> None:
        n = X.shape[0]
        if not sparse.issparse(X) and np.count_nonzero(X) < SPARSE * X.size:
            X = sparse.csr_matrix(X)
        self.X, self.transposed = X, sparse.csr_matrix(X.T) if sparse.issparse(X) else X.T
        low, high = X.min(axis=0), X.max(axis=0)
        varies = (high - low).toarray().ravel() > 0 if sparse.issparse(X) else high > low
        squares = X**2 if isinstance(X, np.ndarray) else X.multiply(X)
        self.mean = np.asarray(X.mean(axis=0)).ravel()
        scatter = np.abs(np.asarray(squares.sum(axis=0)).ravel() - n * self.mean**2)
        self.scale = np.where(varies, np.sqrt((n - 1) / np.where(varies, scatter, 1)), 0)

    def times(self, weights: np.ndarray) -> np.ndarray:
        scaled = self.scale * weights[1:]
        return _times(self.X, scaled) + (weights[0] - self.mean @ scaled)

    def transposed_times(self, values: np.ndarray) -> np.ndarray:
        total = values.sum()
        return np.append(total, self.scale * (_times(self.transposed, values) - total * self.mean))


def _times(X: Rows, vector: np.ndarray) -> np.ndarray:
    """X @ vector; what SciPy does around a product with a sparse matrix takes longer than the product here."""
    if isinstance(X, np.ndarray):
        return X @ vector
    return _sparse_times(X.data, X.indices, X.indptr, vector)


@numba.njit(cache=True)
def _sparse_times(data, indices, indptr, vector):
    product = np.empty(len(indptr) - 1)
    for row in range(len(product)):
        total = 0.0
        for position in range(indptr[row], indptr[row + 1]):
            total += data[position] * vector[indices[position]]
        product[row] = total
    return product


def _minimize(rows: _Standardized, signs: np.ndarray, ridge: float) -> np.ndarray:
    """The intercept and the weights of the standardised features."""
    weights = np.zeros(len(rows.mean) + 1)
    weights[0] = np.log((signs > 0).sum() + 1) - np.log((signs < 0).sum() + 1)
    converged = False
    while not converged:
        weights, converged = _bfgs(rows, signs, ridge, weights)
    return weights


def _bfgs(rows: _Standardized, signs: np.ndarray, ridge: float, weights: np.ndarray) -> tuple[np.ndarray, bool]:
    """Up to `MAX_STEPS` steps from `weights`, and whether the last one met a test of convergence."""
    penalty = np.full(len(weights), ridge)
    penalty[0] = 0

    def gradient_at(margins: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return rows.transposed_times(-signs * expit(-margins)) + 2 * penalty * weights

    margins = signs * rows.times(weights)
    losses = np.empty(len(margins))
    _objective(margins, np.zeros(len(margins)), np.zeros(3), 0.0, losses)
    gradient = gradient_at(margins, weights)
    direction = -gradient
    longest = LARGEST * max(float(np.linalg.norm(gradient)), len(weights))
    moves, turns = np.empty((2, MAX_STEPS, len(weights)))
    bends = np.empty(MAX_STEPS)
    kept = 0
    for _ in range(MAX_STEPS):
        size = np.linalg.norm(direction) or 1.0
        direction *= min(1, longest / size)
        change = signs * rows.times(direction)
        along = np.array([penalty @ weights**2, 2 * (penalty * weights) @ direction, penalty @ direction**2])
        relative = _relative(direction, weights)
        length, objective = _line_search(
            margins, change, along, losses, gradient @ direction, relative, max(1.0, longest / size)
        )
        move = length * direction
        weights, margins = weights + move, margins + length * change
        previous, gradient = gradient, gradient_at(margins, weights)
        turn = gradient - previous
        bend = move @ turn
        steepest = _steepest(gradient, direction) / max(abs(objective), 1)
        if _relative(move, weights) < ZERO or steepest < ZERO or abs(bend) < ZERO:
            return weights, True
        if bend >= ZERO * max(np.linalg.norm(move) * np.linalg.norm(turn), 1):
            moves[kept], turns[kept], bends[kept] = move, turn, bend
            kept += 1
        direction = -_inverse_hessian_times(moves[:kept], turns[:kept], bends, gradient)
    return weights, False


@numba.njit(cache=True)
def _relative(move, weights):
    """The largest change of a weight, as a share of the weight where that is above 1."""
    largest = 0.0
    for j in range(len(move)):
        largest = max(largest, abs(move[j]) / max(abs(weights[j]), 1.0))
    return largest


@numba.njit(cache=True)
def _steepest(gradient, direction):
    largest = 0.0
    for j in range(len(gradient)):
        largest = max(largest, abs(gradient[j]) * max(abs(direction[j]), 1.0))
    return largest


@numba.njit(cache=True)
def _inverse_hessian_times(moves, turns, bends, vector):
    """The two loops of Nocedal (1980), from the identity and with all steps so far."""
    result = vector.copy()
    shares = np.empty(len(moves))
    for step in range(len(moves) - 1, -1, -1):
        share = (moves[step] @ result) / bends[step]
        _subtract(result, share, turns[step])
        shares[step] = share
    for step in range(len(moves)):
        _subtract(result, (turns[step] @ result) / bends[step] - shares[step], moves[step])
    return result


@numba.njit(cache=True)
def _subtract(result, factor, vector):
    """In place, which an expression of arrays would not be."""
    for j in range(len(result)):
        result[j] -= factor * vector[j]


@numba.njit(cache=True)
def _objective(margins, change, along, length, losses):
    """At this length of the step; `along` are the coefficients of the penalty, a square of the length.

    losses : becomes those of the rows there.
    """
    total = along[0] + length * along[1] + length * length * along[2]
    for row in range(len(margins)):
        margin = margins[row] + length * change[row]
        losses[row] = np.log1p(np.exp(-abs(margin))) + max(-margin, 0.0)
        total += losses[row]
    return total


@numba.njit(cache=True)
def _slope(margins, change, along, length):
    total = along[1] + 2 * length * along[2]
    for row in range(len(margins)):
        margin = margins[row] + length * change[row]
        total -= change[row] / (1 + np.exp(margin))
    return total


@numba.njit(cache=True)
def _line_search(margins, change, along, losses, slope, relative, upper):
    """How far to go, and the objective there: it must have fallen enough, and its slope be flat enough.

    First the whole step, then the doubled one while the slope is too steep, or a shorter one (by the parabola or the
    cubic through the values so far) while the objective is too high; at the end between the last two lengths.

    losses : of the rows at the start, and then at the length found, where the next search starts: most of the time goes
        to their logarithms.
    """
    start = along[0]
    for loss in losses:
        start += loss
    if abs(slope) <= ZERO or relative <= ZERO:
        return 0.0, start
    shortest = SMALLEST / relative
    length, other, at_other = 1.0, 0.0, start
    low, at_low, gap, at_high = 0.0, start, 0.0, start
    first = True
    while True:
        at = _objective(margins, change, along, length, losses)
        if at <= start + FALL * length * slope:
            new_slope = _slope(margins, change, along, length)
            if new_slope >= LEFT * slope:
                return length, at
            low, at_low = length, at
            if first:
                while at <= start + FALL * length * slope and length < upper:
                    low, at_low = length, at
                    length = min(2 * length, upper)
                    at = _objective(margins, change, along, length, losses)
                    if at <= start + FALL * length * slope:
                        new_slope = _slope(margins, change, along, length)
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
            root = np.sqrt(max(b * b - 3 * a * slope, 0.0))
            shorter = min(-slope / (2 * b) if a == 0.0 else (root - b) / (3 * a), 0.5 * length)
        other, at_other, first = length, at, False
        length = max(shorter, 0.1 * length)
    while new_slope < LEFT * slope and gap >= shortest:
        step = -0.5 * new_slope * gap * gap / (at_high - at_low - new_slope * gap)
        step = min(max(step, 0.2 * gap), gap)
        length = low + step
        at = _objective(margins, change, along, length, losses)
        if at > start + FALL * length * slope:
            gap, at_high = step, at
        else:
            new_slope = _slope(margins, change, along, length)
            if new_slope < LEFT * slope:
                low, at_low, gap = length, at, gap - step
            else:
                return length, at
    _objective(margins, change, along, low, losses)
    return low, at_low
