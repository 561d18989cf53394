"""Binary relevance with a linear support vector machine for each label: BR-SMO of Feremans et al. 2017.

The paper takes Weka's SMO as it is: a linear machine with the hinge loss, C = 1, on features scaled to [0, 1], which
the paper's data are from the start. Here the same problem is solved by dual coordinate descent (Hsieh et al. 2008). It
goes through the rows one by one, needs time for their non-zero features only, and leaves aside rows that have long been
on the right side (shrinking).

Coordinate descent wants the bias b in the penalty, SMO has it free. The penalty is therefore ½(b − c)², and c moves to
the b found until the two agree, which takes a few rounds (the proximal point method, Rockafellar 1976): at that point
the penalty is 0, and the solution is that of the machine with a free bias.
"""

from __future__ import annotations

from collections.abc import Mapping

import numba
import numpy as np
from scipy import sparse

from labelknn.errors import DataError
from labelknn.solvers._newton_cg import finite_features
from labelknn.utils._base import MultilabelMethod, as_label_sets
from labelknn.utils._estimator import check_is_fitted
from labelknn.utils._threads import over_rows


class BRLinearSVM(MultilabelMethod):
    """A linear SVM for each label, min ½|w|² + C Σ max(0, 1 − t_i (w·x_i + b)), t_i = ±1; positive scores predict.

    Cost: for each label some tens of passes over the non-zero features of the rows, in parallel over the labels; the
    model is a (d + 1, q) matrix.

    Parameters
    ----------
    C : weight of the loss.
    tolerance : a label's machine is done when the projected gradients of all rows lie within this range, and so does
        the difference of b and c.
    max_epochs : passes over the rows after which it stops in any case.

    Attributes
    ----------
    coefficients_ : (q, d + 1) weights, the bias last.

    References
    ----------
    BR-SMO, a rival in feremans2017; its solver is that of Hsieh et al. (2008).

    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> BRLinearSVM().fit(X, np.array([[1, 0], [1, 0], [0, 1], [0, 1]])).predict(np.array([[1.0, 0.0]]))
    array([[ True, False]])
    """

    def __init__(self, C: float = 1.0, tolerance: float = 0.01, max_epochs: int = 1000) -> None:
        self.C = C
        self.tolerance = tolerance
        self.max_epochs = max_epochs

    def fit(self, X: np.ndarray | sparse.csr_matrix, Y: np.ndarray | sparse.spmatrix) -> BRLinearSVM:
        if not self.C > 0:
            raise DataError(f"the weight C of the loss must be positive, got {self.C}")
        X = sparse.csr_matrix(finite_features(X))
        members = as_label_sets(Y, X.shape[0]).tocsc()
        self.n_features_in_ = X.shape[1]
        rows = X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(float)
        labels = members.indptr.astype(np.int64), members.indices.astype(np.int32)
        squares = _squared_lengths(rows[0], rows[2])
        self.coefficients_ = np.zeros((members.shape[1], X.shape[1] + 1))
        settings = float(self.C), float(self.tolerance), self.max_epochs
        over_rows(_fit_labels, len(self.coefficients_), *rows, squares, *labels, *settings, self.coefficients_)
        return self

    def output(self, X: np.ndarray | sparse.csr_matrix) -> Mapping[str, np.ndarray]:
        """Label sets, and the signed distances from the hyperplanes, up to their scale, as scores."""
        check_is_fitted(self)
        X = finite_features(X, expected=self.n_features_in_)
        scores = np.asarray(X @ self.coefficients_[:, :-1].T) + self.coefficients_[:, -1]
        return {"sets": scores > 0, "scores": scores}


@numba.njit(cache=True)
def _squared_lengths(indptr, values):
    squares = np.ones(len(indptr) - 1)  # the constant feature's share
    for i in range(len(squares)):
        for e in range(indptr[i], indptr[i + 1]):
            squares[i] += values[e] * values[e]
    return squares


@numba.njit(nogil=True, cache=True)
def _fit_labels(
    start, stop, indptr, features, values, squares, member_indptr, members, C, tolerance, max_epochs, coefficients
):
    for label in range(start, stop):
        targets = np.full(len(squares), -1.0)
        for e in range(member_indptr[label], member_indptr[label + 1]):
            targets[members[e]] = 1.0
        _fit_one(indptr, features, values, squares, targets, C, tolerance, max_epochs, coefficients[label])


@numba.njit(cache=True)
def _fit_one(indptr, features, values, squares, targets, C, tolerance, max_epochs, w):
    """The machine of one label; w goes from 0 to the solution, the bias last."""
    alpha = np.zeros(len(targets))
    center, epochs = 0.0, 0
    while True:
        epochs += _descend(
            indptr, features, values, squares, targets, C, tolerance, max_epochs - epochs, center, alpha, w
        )
        # w[-1] is b − c, and also Σ α_i t_i, which is 0 for a free bias.
        center += w[-1]
        if abs(w[-1]) <= tolerance or epochs >= max_epochs:
            break
    w[-1] = center


@numba.njit(cache=True)
def _descend(indptr, features, values, squares, targets, C, tolerance, max_epochs, center, alpha, w):
    """Dual coordinate descent with shrinking (Hsieh et al. 2008, Algorithms 1 and 3), from any alpha and its w.

    Returns the number of passes made.
    """
    n = len(targets)
    order = np.arange(n)
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
            if alpha[i] == 0:
                projected = min(gradient, 0.0)
                shrink = gradient > highest
            elif alpha[i] == C:
                projected = max(gradient, 0.0)
                shrink = gradient < lowest
            else:
                shrink = False
            if shrink:
                active -= 1
                order[s], order[active] = order[active], order[s]
                continue
            largest, smallest = max(largest, projected), min(smallest, projected)
            if abs(projected) > 1e-12:
                changed = min(max(alpha[i] - gradient / squares[i], 0.0), C)
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
