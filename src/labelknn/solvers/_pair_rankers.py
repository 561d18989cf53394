"""Linear models that put the items of each query in order, learned from pairs of items (chiang2012, section 3.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from labelknn.solvers._conjugate_gradients import conjugate_gradients
from labelknn.utils._kernels import inner, kernel
from labelknn.utils._validation import Rows


@threadpool_limits.wrap(limits=1, user_api="blas")  # sums in an order that does not depend on the number of threads
def ranking_svm(
    items: Rows, distances: np.ndarray, C: float, steps: int, rng: np.random.Generator, tolerance: float = 1e-3
) -> np.ndarray:
    """Weights w that minimise ½|w|² + C Σ max(0, 1 − w·(q_a − q_b))² over all pairs a, b of a query's items with
    distance a < distance b.

    items : (n k, d), k rows for each query. distances : (n, k).

    Newton's method with conjugate gradients (Chapelle & Keerthi 2010): the pairs only ever enter through the scores of
    the items, so a product with all their differences costs one with the items and a pass over each query's pairs.
    """
    weights, scores = np.zeros(items.shape[1]), np.zeros(distances.shape)
    first = None
    for _ in range(50):
        loss, slopes = _pair_loss(scores, distances)
        value = weights @ weights / 2 + C * loss
        gradient = weights + C * (items.T @ slopes.ravel())
        size = np.linalg.norm(gradient)
        first = size if first is None else first
        if size <= tolerance * first:
            break

        def curvature(vector: np.ndarray, at: np.ndarray = scores) -> np.ndarray:
            along = (items @ vector).reshape(distances.shape)
            return vector + C * (items.T @ _pair_curvature(at, distances, along).ravel())

        step = conjugate_gradients(curvature, -gradient, 0.1)
        change = (items @ step).reshape(distances.shape)
        length = 1.0
        while length > 1e-10:
            moved = weights + length * step
            if moved @ moved / 2 + C * _pair_loss(scores + length * change, distances)[0] <= value + 1e-4 * length * (
                gradient @ step
            ):
                break
            length /= 2
        weights, scores = weights + length * step, scores + length * change
    return weights


def _pair_loss(scores: np.ndarray, distances: np.ndarray) -> tuple[float, np.ndarray]:
    """The squared hinge loss over all pairs, and its slope in the score of each item."""
    slopes = np.zeros(scores.shape)
    return _add_losses(scores, distances, slopes), slopes


def _pair_curvature(scores: np.ndarray, distances: np.ndarray, along: np.ndarray) -> np.ndarray:
    """How fast these slopes change when the scores move by `along`."""
    change = np.zeros(scores.shape)
    _add_bends(scores, distances, along, change)
    return change


@kernel
def _add_losses(scores, distances, slopes):
    n, k = scores.shape
    loss = 0.0
    for i in range(n):
        for a in range(k):
            for b in range(k):
                missing = 1.0 - scores[i, a] + scores[i, b]
                if distances[i, a] < distances[i, b] and missing > 0.0:
                    loss += missing * missing
                    slopes[i, a] -= 2.0 * missing
                    slopes[i, b] += 2.0 * missing
    return loss


@kernel
def _add_bends(scores, distances, along, change):
    n, k = scores.shape
    for i in range(n):
        for a in range(k):
            for b in range(k):
                if distances[i, a] < distances[i, b] and scores[i, a] - scores[i, b] < 1.0:
                    bend = 2.0 * (along[i, a] - along[i, b])
                    change[i, a] += bend
                    change[i, b] -= bend


def passive_aggressive(
    items: Rows, distances: np.ndarray, C: float, steps: int, rng: np.random.Generator
) -> np.ndarray:
    """Crammer et al. (2006), without a bound on the step, on random pairs: each leaves with a margin of at least 1."""
    return _online(items, distances, steps, rng, passive=True)


def margin_perceptron(items: Rows, distances: np.ndarray, C: float, steps: int, rng: np.random.Generator) -> np.ndarray:
    """Perceptron with margin 1 and falling steps on random pairs, as sofia-ml (Sculley 2009) has it.

    A pair comes in random order, and whether its margin is too small is decided rightly; but then the first item is
    taken to be the better one.
    """
    return _online(items, distances, steps, rng, any_order=True)


def corrected_perceptron(
    items: Rows, distances: np.ndarray, C: float, steps: int, rng: np.random.Generator
) -> np.ndarray:
    """The same, where the better item is taken to be the better one."""
    return _online(items, distances, steps, rng)


def _online(
    items: Rows,
    distances: np.ndarray,
    steps: int,
    rng: np.random.Generator,
    passive: bool = False,
    any_order: bool = False,
) -> np.ndarray:
    better, worse = ordered_pairs(distances)
    if not len(better):
        return np.zeros(items.shape[1])
    drawn = rng.integers(len(better), size=steps)
    signs = rng.choice([-1.0, 1.0], size=steps) if any_order else np.ones(steps)
    better, worse = better[drawn], worse[drawn]
    weights = np.zeros(items.shape[1])
    if sparse.issparse(items):
        rows = sparse.csr_matrix(items)
        rows.sort_indices()
        _run_online(rows.data, rows.indices, rows.indptr, better, worse, signs, passive, weights)
    else:
        _run_online_dense(np.ascontiguousarray(items), better, worse, signs, passive, weights)
    return weights


def ordered_pairs(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the items of all pairs with distance a < distance b in one query: all a, and all b."""
    query, a, b = np.nonzero(distances[:, :, None] < distances[:, None, :])
    return query * distances.shape[1] + a, query * distances.shape[1] + b


# λ of the perceptron's step size 1/(λ t).
PERCEPTRON_LAMBDA = 0.1


@kernel
def _run_online(data, indices, indptr, better, worse, signs, passive, weights):
    for t in range(len(better)):
        a, a_end = indptr[better[t]], indptr[better[t] + 1]
        b, b_end = indptr[worse[t]], indptr[worse[t] + 1]
        margin, squared = _pair_products(data, indices, a, a_end, b, b_end, weights)
        if margin >= 1.0:
            continue
        step = _step(margin, squared, t, signs[t], passive)
        for position in range(a, a_end):
            weights[indices[position]] += step * data[position]
        for position in range(b, b_end):
            weights[indices[position]] -= step * data[position]


@kernel
def _run_online_dense(items, better, worse, signs, passive, weights):
    """The same for dense items, where walking along two lists of columns would take several times as long."""
    for t in range(len(better)):
        a, b = items[better[t]], items[worse[t]]
        margin, squared = 0.0, 0.0
        for column in range(len(weights)):
            value = a[column] - b[column]
            margin += weights[column] * value
            squared += value * value
        if margin >= 1.0:
            continue
        step = _step(margin, squared, t, signs[t], passive)
        for column in range(len(weights)):  # one item after the other, to round as sparse rows do
            weights[column] = (weights[column] + step * a[column]) - step * b[column]


@inner
def _step(margin, squared, t, sign, passive):
    if passive:  # as far as the margin needs; two equal items cannot be told apart
        return (1.0 - margin) / squared if squared > 0.0 else 0.0
    return sign / (PERCEPTRON_LAMBDA * (t + 1))


@inner
def _pair_products(data, indices, a, a_end, b, b_end, weights):
    """w·x and x·x of the difference x of two sparse rows, whose entries are in the order of their columns."""
    margin, squared = 0.0, 0.0
    while a < a_end or b < b_end:
        value = 0.0
        column = indices[a] if a < a_end else len(weights)
        if b < b_end and indices[b] < column:
            column = indices[b]
        if a < a_end and indices[a] == column:
            value += data[a]
            a += 1
        if b < b_end and indices[b] == column:
            value -= data[b]
            b += 1
        margin += weights[column] * value
        squared += value * value
    return margin, squared


# (items, distances, C, steps, rng) -> the weights of the items' features.
RANKERS: Mapping[str, Callable[..., Any]] = {
    "svm": ranking_svm,
    "pa": passive_aggressive,
    "pm": margin_perceptron,
    "pm-corrected": corrected_perceptron,
}
