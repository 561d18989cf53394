"""Linear support vector machines with a free bias, one for each label, by dual coordinate descent (Hsieh et al. 2008).

It goes through the rows one by one, needs time for their non-zero features only, and leaves aside rows that have long
been on the right side (shrinking). Coordinate descent wants the bias b in the penalty. The penalty is therefore
½(b − c)², and c moves to the b found until the two agree, which takes a few rounds (the proximal point method,
Rockafellar 1976): at that point the penalty is 0, and the solution is that of the machine with a free bias.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from labelknn.utils._kernels import inner, kernel
from labelknn.utils._threads import over_rows


def fit_machines(
    X: sparse.csr_matrix, members: sparse.csr_matrix, C: float, tolerance: float, max_epochs: int
) -> np.ndarray:
    """(q, d + 1) weights, the bias last, of min ½|w|² + C Σ max(0, 1 − t_i (w·x_i + b)) for each label."""
    members = members.tocsc()
    rows = X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(float)
    labels = members.indptr.astype(np.int64), members.indices.astype(np.int32)
    squares = np.ones(X.shape[0])  # the constant feature's share
    _add_squares(rows[0], rows[2], squares)
    coefficients = np.zeros((members.shape[1], X.shape[1] + 1))
    over_rows(_fit_labels, len(coefficients), *rows, squares, *labels, C, tolerance, max_epochs, coefficients)
    return coefficients


def _fit_labels(
    start: int, stop: int, indptr: np.ndarray, features: np.ndarray, values: np.ndarray, squares: np.ndarray,
    member_indptr: np.ndarray, members: np.ndarray, C: float, tolerance: float, max_epochs: int,
    coefficients: np.ndarray,
) -> None:  # fmt: skip
    alpha, order = np.empty(len(squares)), np.empty(len(squares), np.int64)
    for label in range(start, stop):
        targets = np.full(len(squares), -1.0)
        targets[members[member_indptr[label] : member_indptr[label + 1]]] = 1.0
        w = coefficients[label]
        _fit_one(indptr, features, values, squares, targets, C, tolerance, max_epochs, w, alpha, order)


@kernel
def _add_squares(indptr, values, squares):
    for i in range(len(squares)):
        for e in range(indptr[i], indptr[i + 1]):
            squares[i] += values[e] * values[e]


@kernel
def _fit_one(indptr, features, values, squares, targets, C, tolerance, max_epochs, w, alpha, order):
    """The machine of one label; w goes from 0 to the solution, the bias last. `alpha` and `order` are scratch space."""
    for i in range(len(alpha)):
        alpha[i] = 0.0
    center, epochs = 0.0, 0
    while True:
        left = max_epochs - epochs
        epochs += _descend(indptr, features, values, squares, targets, C, tolerance, left, center, alpha, order, w)
        # w[-1] is b − c, and also Σ α_i t_i, which is 0 for a free bias.
        center += w[-1]
        if abs(w[-1]) <= tolerance or epochs >= max_epochs:
            break
    w[-1] = center


@inner
def _descend(indptr, features, values, squares, targets, C, tolerance, max_epochs, center, alpha, order, w):
    """Dual coordinate descent with shrinking (Hsieh et al. 2008, Algorithms 1 and 3), from any alpha and its w.

    Returns the number of passes made.
    """
    n = len(targets)
    for i in range(n):
        order[i] = i
    active = n
    highest, lowest = np.inf, -np.inf  # of the projected gradients in the pass before
    state = np.uint64(1)
    for epoch in range(max_epochs):
        largest, smallest = -np.inf, np.inf
        for s in range(active):
            # Knuth's linear congruential generator: the same order of the rows for every label, in every thread.
            state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            other = s + np.int64(state >> np.uint64(33)) % (active - s)
            order[s], order[other] = order[other], order[s]
        s = 0
        while s < active:
            i = order[s]
            margin = w[-1] + center
            for e in range(indptr[i], indptr[i + 1]):
                margin += w[features[e]] * values[e]
            gradient = targets[i] * margin - 1
            projected = gradient
            shrink = False
            if alpha[i] == 0:
                projected = 0.0 if gradient > 0.0 else gradient
                shrink = gradient > highest
            elif alpha[i] == C:
                projected = 0.0 if gradient < 0.0 else gradient
                shrink = gradient < lowest
            if shrink:
                active -= 1
                order[s], order[active] = order[active], order[s]
                continue
            if projected > largest:
                largest = projected
            if projected < smallest:
                smallest = projected
            if abs(projected) > 1e-12:
                changed = alpha[i] - gradient / squares[i]
                if changed < 0.0:
                    changed = 0.0
                elif changed > C:
                    changed = C
                step = (changed - alpha[i]) * targets[i]
                alpha[i] = changed
                w[-1] += step
                for e in range(indptr[i], indptr[i + 1]):
                    w[features[e]] += step * values[e]
            s += 1
        if largest - smallest <= tolerance:
            if active == n:
                return epoch + 1
            # All rows have their say again before it is over.
            active, highest, lowest = n, np.inf, -np.inf
            continue
        highest = largest if largest > 0 else np.inf
        lowest = smallest if smallest < 0 else -np.inf
    return max_epochs
