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

import numpy as np
from scipy import sparse
from scipy.special import expit
from threadpoolctl import threadpool_limits

from labelknn.solvers._weka_line_search import ZERO, line_search, objective
from labelknn.utils._kernels import inner, kernel
from labelknn.utils._validation import Rows

RIDGE = 1e-8
# Of weka.core.Optimization: the steps after which the Hessian is forgotten, and the largest step.
MAX_STEPS = 200
LARGEST = 100.0
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

    def transposed_times(self, values: np.ndarray) -> tuple[float, np.ndarray]:
        """The product with the constant column, and those with the columns of X, which are yet to be standardised."""
        return values.sum(), _times(self.transposed, values)


def _times(X: Rows, vector: np.ndarray) -> np.ndarray:
    """X @ vector; what SciPy does around a product with a sparse matrix takes longer than the product here."""
    if isinstance(X, np.ndarray):
        return X @ vector
    product = np.empty(X.shape[0])
    _sparse_times(X.data, X.indices, X.indptr, vector, product)
    return product


@kernel
def _sparse_times(data, indices, indptr, vector, product):
    for row in range(len(product)):
        total = 0.0
        for position in range(indptr[row], indptr[row + 1]):
            total += data[position] * vector[indices[position]]
        product[row] = total


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
    margins = signs * rows.times(weights)
    losses, pulls = np.empty(len(margins)), -signs * expit(-margins)
    objective(margins, np.zeros(len(margins)), np.zeros(3), 0.0, losses)
    total, products = rows.transposed_times(pulls)
    gradient = np.append(total, rows.scale * (products - total * rows.mean)) + 2 * penalty * weights
    direction, weights = -gradient, weights.copy()
    longest = LARGEST * max(float(np.linalg.norm(gradient)), len(weights))
    moves, turns = np.empty((2, MAX_STEPS, len(weights)))
    bends, shares = np.empty((2, MAX_STEPS))
    along, terms = np.empty(3), np.empty((3, len(weights)))
    kept = 0
    for _ in range(MAX_STEPS):
        slope, relative, upper = _set_out(direction, longest, weights, gradient, penalty, terms, along)
        change = signs * rows.times(direction)
        length, value = line_search(margins, change, along, slope, relative, upper, signs, losses, pulls)
        margins += length * change
        total, products = rows.transposed_times(pulls)
        kept = _arrive(
            length, value, total, products, rows.mean, rows.scale, penalty, weights, gradient, direction,
            moves, turns, bends, kept, shares,
        )  # fmt: skip
        if kept < 0:
            return weights, True
    return weights, False


@kernel
def _set_out(direction, longest, weights, gradient, penalty, terms, along):
    """Make the direction no longer than `longest`, and return its slope, its size as a share of the weights, and how
    many times its length may be gone.

    along : becomes the coefficients of the penalty. terms : scratch space.
    """
    times = longest / (np.sqrt(direction @ direction) or 1.0)
    for j in range(len(direction)):
        direction[j] *= 1.0 if times > 1.0 else times
        terms[0, j] = weights[j] * weights[j]
        terms[1, j] = 2.0 * (penalty[j] * weights[j])
        terms[2, j] = direction[j] * direction[j]
    along[0], along[1], along[2] = penalty @ terms[0], terms[1] @ direction, penalty @ terms[2]
    return gradient @ direction, _relative(direction, weights), times if times > 1.0 else 1.0


@kernel
def _arrive(
    length,
    value,
    total,
    products,
    mean,
    scale,
    penalty,
    weights,
    gradient,
    direction,
    moves,
    turns,
    bends,
    kept,
    shares,
):
    """Go so far, to where the objective and the products with the derivatives of the losses are these.

    Returns how many steps the Hessian is known by, and sets the next direction; −1 if a test of convergence is met.
    """
    move, turn = moves[kept], turns[kept]
    for j in range(len(move)):
        move[j] = length * direction[j]
        weights[j] += move[j]
        before = gradient[j]
        gradient[j] = total if j == 0 else scale[j - 1] * (products[j - 1] - total * mean[j - 1])
        gradient[j] += 2.0 * penalty[j] * weights[j]
        turn[j] = gradient[j] - before
    bend = move @ turn
    value = 1.0 if abs(value) < 1.0 else abs(value)
    if _relative(move, weights) < ZERO or _steepest(gradient, direction) / value < ZERO or abs(bend) < ZERO:
        return -1
    least = np.sqrt(move @ move) * np.sqrt(turn @ turn)
    if bend >= ZERO * (1.0 if least < 1.0 else least):
        bends[kept] = bend
        kept += 1
    # The two loops of Nocedal (1980), from the identity and with all steps so far.
    for j in range(len(direction)):
        direction[j] = -gradient[j]
    for step in range(kept - 1, -1, -1):
        shares[step] = (moves[step] @ direction) / bends[step]
        _subtract(direction, shares[step], turns[step])
    for step in range(kept):
        _subtract(direction, (turns[step] @ direction) / bends[step] - shares[step], moves[step])
    return kept


@inner
def _relative(move, weights):
    """The largest change of a weight, as a share of the weight where that is above 1."""
    largest = 0.0
    for j in range(len(move)):
        size = abs(weights[j])
        share = abs(move[j]) / (1.0 if size < 1.0 else size)
        if share > largest:
            largest = share
    return largest


@inner
def _steepest(gradient, direction):
    largest = 0.0
    for j in range(len(gradient)):
        size = abs(direction[j])
        slope = abs(gradient[j]) * (1.0 if size < 1.0 else size)
        if slope > largest:
            largest = slope
    return largest


@inner
def _subtract(vector, factor, other):
    for j in range(len(vector)):
        vector[j] -= factor * other[j]
