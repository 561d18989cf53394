"""Conjugate gradients for the steps of Newton's method, for one model or for many side by side.

The two do not share their loop: a product of two vectors is BLAS's here and a sum over a column there, and these round
differently, so one in the place of the other would change results in their last bits.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from labelknn.utils._validation import Rows


def conjugate_gradients(product: Callable[[np.ndarray], np.ndarray], right: np.ndarray, share: float) -> np.ndarray:
    """x with `product`(x) = right, until the residual is this share of `right`."""
    x, residual, direction = np.zeros_like(right), right, right
    squared = residual @ residual
    goal = share**2 * squared
    for _ in range(len(right)):
        image = product(direction)
        length = squared / (direction @ image)
        x, residual = x + length * direction, residual - length * image
        previous, squared = squared, residual @ residual
        if squared <= goal:
            break
        direction = residual + squared / previous * direction
    return x


def newton_steps(
    rows: Rows,
    curvature: np.ndarray,
    penalty: np.ndarray,
    gradient: np.ndarray,
    scale: np.ndarray,
    forcing: np.ndarray,
) -> np.ndarray:
    """Approximate Newton steps of many linear models: in each column (Xᵀ D X + ridge) step = −gradient, down to the
    share `forcing` of its norm.

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
