"""Many two-class linear models on the same rows at once: what RAkEL and a quick IBLR-ML are made of.

Every column of `targets` is a model of its own, with the objective

    Σ_i loss(t_i (w·x_i + b)) + ridge/2 |w|²,    t_i = ±1,

minimised by Newton's method with conjugate gradients (Lin, Weng & Keerthi 2008), for all columns side by side: a
product with the rows is then one matrix product for all models, several times faster than one by one. Columns leave
when they have converged; none has an influence on another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit
from threadpoolctl import threadpool_limits

from labelknn.utils._validation import Rows

MAX_STEPS = 100
# Columns of one block: their (rows × columns) matrices stay at some 16 MB each.
BLOCK_ENTRIES = 2**21


class Loss(NamedTuple):
    """A convex loss of the margin m = t (w·x + b), with its first and second derivative."""

    value: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]
    curvature: Callable[[np.ndarray], np.ndarray]


LOGISTIC = Loss(lambda m: np.logaddexp(0, -m), lambda m: -expit(-m), lambda m: expit(m) * expit(-m))
SQUARED_HINGE = Loss(lambda m: np.maximum(1 - m, 0) ** 2, lambda m: -2 * np.maximum(1 - m, 0), lambda m: 2.0 * (m < 1))


@threadpool_limits.wrap(limits=1, user_api="blas")  # sums in an order that does not depend on the number of threads
def fit_linear(
    X: Rows, targets: np.ndarray, loss: Loss, ridge: float, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """Weights (d, m) and intercepts (m,) of one model for each column of `targets` (n, m) bool.

    A model has converged when its largest gradient entry is the share `tolerance` of what it was at the start.

    A column that has one class only gets no weights and an infinite intercept: it is certain of that class.
    """
    n, m = targets.shape
    coefficients = np.zeros((X.shape[1], m))
    intercepts = np.where(targets.all(axis=0), np.inf, -np.inf)
    open_columns = np.flatnonzero(targets.any(axis=0) & ~targets.all(axis=0))
    ones = np.ones((n, 1))
    rows = sparse.csr_matrix(sparse.hstack([X, ones])) if sparse.issparse(X) else np.hstack([X, ones])
    squares = sparse.csr_matrix(rows).multiply(rows).tocsr() if sparse.issparse(rows) else rows**2
    penalty = np.full((rows.shape[1], 1), ridge)
    penalty[-1] = 0
    width = max(1, BLOCK_ENTRIES // n)
    for start in range(0, len(open_columns), width):
        block = open_columns[start : start + width]
        signs = np.where(targets[:, block], 1.0, -1.0)
        weights = _newton(rows, squares, signs, loss, penalty, tolerance)
        coefficients[:, block], intercepts[block] = weights[:-1], weights[-1]
    return coefficients, intercepts


def _newton(
    rows: Rows, squares: Rows, signs: np.ndarray, loss: Loss, penalty: np.ndarray, tolerance: float
) -> np.ndarray:
    """Weights (d + 1, m), the intercepts last."""
    result = np.zeros((rows.shape[1], signs.shape[1]))
    columns = np.arange(signs.shape[1])
    weights, margins = result.copy(), np.zeros(signs.shape)
    value = loss.value(np.zeros(signs.shape, order="F")).sum(axis=0)
    first = None
    for _ in range(MAX_STEPS):
        gradient = rows.T @ (signs * loss.slope(margins)) + penalty * weights
        size = np.abs(gradient).max(axis=0)
        first = size if first is None else first
        going = size > tolerance * first
        result[:, columns[~going]] = weights[:, ~going]
        if not going.any():
            return result
        if not going.all():
            columns, first, size, value = columns[going], first[going], size[going], value[going]
            weights, margins, signs = weights[:, going], margins[:, going], signs[:, going]
            gradient = gradient[:, going]
        curvature = loss.curvature(margins)
        scale = squares.T @ curvature + penalty
        step = _conjugate_gradients(
            rows, curvature, penalty, gradient, scale, forcing=np.minimum(0.1, np.sqrt(size / first))
        )
        change = signs * (rows @ step)
        length, value = _line_search(loss, penalty, weights, step, margins, change, gradient, value)
        weights, margins = weights + length * step, margins + length * change
    result[:, columns] = weights
    return result


def _conjugate_gradients(
    rows: Rows,
    curvature: np.ndarray,
    penalty: np.ndarray,
    gradient: np.ndarray,
    scale: np.ndarray,
    forcing: np.ndarray,
) -> np.ndarray:
    """Approximate Newton steps: (Xᵀ D X + ridge) step = −gradient, down to the share `forcing` of its norm.

    Preconditioned by the Hessian's diagonal, `scale`; a feature without curvature is not moved along.
    """
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
    step, residual = np.zeros_like(gradient), -gradient
    direction = inverse * residual
    product = (residual * direction).sum(axis=0)
    goal = forcing**2 * product
    columns = np.arange(gradient.shape[1])
    result = step.copy()
    for _ in range(2 * rows.shape[1]):
        image = rows.T @ (curvature * (rows @ direction)) + penalty * direction
        bend = (direction * image).sum(axis=0)
        # Where the loss is flat, rounding may leave no curvature along a direction.
        length = np.divide(product, bend, out=np.zeros_like(bend), where=bend > 0)
        step += length * direction
        residual -= length * image
        scaled = inverse * residual
        previous, product = product, (residual * scaled).sum(axis=0)
        going = (product > goal) & (length > 0)
        result[:, columns[~going]] = step[:, ~going]
        if not going.any():
            return result
        direction = scaled + product / previous * direction
        if not going.all():
            columns, goal, product = columns[going], goal[going], product[going]
            step, residual, direction = step[:, going], residual[:, going], direction[:, going]
            curvature, inverse = curvature[:, going], inverse[:, going]
    result[:, columns] = step
    return result


def _line_search(
    loss: Loss,
    penalty: np.ndarray,
    weights: np.ndarray,
    step: np.ndarray,
    margins: np.ndarray,
    change: np.ndarray,
    gradient: np.ndarray,
    start: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """For each column the longest of 1, 1/2, 1/4, ... that lowers the objective enough (Armijo), 0 if none does.

    With the objective there; `start` is what it is now.
    """

    def objective(length: np.ndarray, columns: np.ndarray) -> np.ndarray:
        moved = weights[:, columns] + length * step[:, columns]
        at = loss.value(margins[:, columns] + length * change[:, columns])
        return at.sum(axis=0) + (penalty * moved**2).sum(axis=0) / 2

    columns = np.arange(weights.shape[1])
    promised = (gradient * step).sum(axis=0)
    lengths, values = np.ones(len(columns)), start.copy()
    for _ in range(30):
        # Close to the minimum the gain is below the rounding of the sum, which must not count as a failure.
        allowed = start[columns] + 1e-4 * lengths[columns] * promised[columns] + 1e-13 * np.abs(start[columns])
        found = objective(lengths[columns], columns)
        high = found > allowed
        values[columns[~high]] = found[~high]
        columns = columns[high]
        if not len(columns):
            return lengths, values
        lengths[columns] /= 2
    lengths[columns] = 0
    return lengths, values
