"""Generalised pattern search for the votes of ranked neighbours (chiang2012, section 3.2 and Algorithm 3).

The weights w of the k neighbours minimise the Hamming loss of their weighted vote on held-out rows,

    f(w) = the cells (row, label) where  Σ_j w_j y_j ≥ ½ Σ_j w_j  differs from the truth,    1 ≥ w_1 ≥ ... ≥ w_k ≥ 0.

A cell's vote depends only on *which* of the k neighbours have the label. There are at most 2^k such patterns, and in
practice some hundreds, so the loss is a sum over patterns of how many cells with it are positive or negative: a poll
costs one pass over these instead of one over all cells. Moving one weight by δ moves the margin 2 Σ_j w_j y_j − Σ_j w_j
of a pattern by ±δ, so there is nothing to sum up again.

What the paper leaves open is settled here: directions are polled in the order +e_1, −e_1, +e_2, ...; points that break
the constraints, and Σ w = 0, are passed over; starting points are uniform on the feasible set; of equally good results
the earliest start's is taken. One half is met but for rounding at a share of ½ − 1e-12.
"""

from __future__ import annotations

import numpy as np

from labelknn.errors import DataError
from labelknn.utils._kernels import inner, kernel

# A pattern is a bit for each neighbour, and patterns are counted in a table of 2^k.
MAX_NEIGHBORS = 20
# f(x) ≥ ½ of equation (9) as a margin of the votes: 2 Σ w y − Σ w ≥ −SLACK Σ w.
SLACK = 2e-12


def find_weights(
    votes: np.ndarray,
    truth: np.ndarray,
    rng: np.random.Generator,
    starts: int = 300,
    first_mesh: float = 1.0,
    last_mesh: float = 1e-6,
) -> np.ndarray:
    """The best weights (k,) found from random starting points.

    votes : (n, k, q) bool, whether the j-th ranked neighbour of a row has a label.
    truth : (n, q) bool, whether the row has it.
    first_mesh, last_mesh : Δ0 and Δtol of Algorithm 3.

    >>> import numpy as np
    >>> truth = np.array([[1, 0, 0], [0, 1, 0]]) == 1
    >>> votes = np.stack([truth, ~truth, ~truth], axis=1)  # the first neighbour is always right, the others never
    >>> weights = find_weights(votes, truth, np.random.default_rng(0))
    >>> bool(weights[0] > weights[1] + weights[2])
    True
    """
    votes, truth = np.asarray(votes, dtype=bool), np.asarray(truth, dtype=bool)
    n, k, q = votes.shape
    if not 1 <= k <= MAX_NEIGHBORS:
        raise DataError(f"pattern search for {k} neighbours, expected 1 to {MAX_NEIGHBORS}")
    if truth.shape != (n, q):
        raise DataError(f"votes on {n} rows and {q} labels, but the truth has the shape {truth.shape}")
    if starts < 1 or not 0 < last_mesh <= first_mesh:
        raise DataError(
            f"{starts} starts and meshes from {first_mesh} to {last_mesh}: expected one start and 0 < last <= first"
        )
    points = feasible_points(starts, k, rng)
    patterns, gains = count_patterns(votes, truth)
    # A row for each neighbour: the patterns come one after the other, several in one instruction.
    signs = np.where(patterns.T, 1.0, -1.0)
    losses = np.empty(starts)
    _search(
        points, np.ascontiguousarray(signs), gains, float(first_mesh), float(last_mesh), np.empty(len(gains)), losses
    )
    return points[losses.argmin()]


def feasible_points(count: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """Points drawn uniformly from 1 ≥ w_1 ≥ ... ≥ w_k ≥ 0, (count, k)."""
    return np.sort(rng.random((count, k)), axis=1)[:, ::-1].copy()


def count_patterns(votes: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The patterns that occur, (p, k) bool, and how many positive less negative cells each has, (p,) int.

    Predicting a pattern positive instead of negative saves so many errors.
    """
    k = votes.shape[1]
    codes = np.tensordot(votes, 1 << np.arange(k), axes=(1, 0))
    gains = np.bincount(codes[truth], minlength=1 << k) - np.bincount(codes[~truth], minlength=1 << k)
    # A pattern with as many positive as negative cells does not matter.
    occurring = np.flatnonzero(gains)
    return (occurring[:, None] >> np.arange(k)) % 2 == 1, gains[occurring]


@kernel
def _search(points, signs, gains, first_mesh, last_mesh, margins, losses):
    """Algorithm 3 from every point: move it to where the search ends, and fill in the loss there.

    The loss is minus the gain of all patterns predicted positive, which is right up to a constant.
    """
    k = points.shape[1]
    for start in range(len(points)):
        point, mesh = points[start], first_mesh
        total = _measure(point, signs, margins)
        loss = np.inf if total <= 0.0 else _moved_loss(margins, total, signs[0], gains, 0.0)
        while mesh >= last_mesh:
            improved = False
            for direction in range(2 * k):
                j = direction // 2
                move = mesh if direction % 2 == 0 else -mesh
                moved = point[j] + move
                upper = 1.0 if j == 0 else point[j - 1]
                lower = 0.0 if j == k - 1 else point[j + 1]
                if moved > upper or moved < lower or total + move <= 0.0:
                    continue
                moved_loss = _moved_loss(margins, total + move, signs[j], gains, move)
                if moved_loss < loss:
                    point[j] = moved
                    loss = moved_loss
                    # Measured afresh, so that rounding does not add up over the moves.
                    total = _measure(point, signs, margins)
                    improved = True
                    break
            if not improved:
                mesh /= 2.0
        losses[start] = loss


@inner
def _measure(point, signs, margins):
    """Fill in the margin of each pattern, and return the sum of the weights."""
    total = 0.0
    for j in range(len(point)):
        total += point[j]
    for pattern in range(len(margins)):
        margins[pattern] = 0.0
    for j in range(len(point)):
        for pattern in range(len(margins)):
            margins[pattern] += point[j] if signs[j, pattern] > 0.0 else 0.0
    for pattern in range(len(margins)):
        margins[pattern] = 2.0 * margins[pattern] - total
    return total


@inner
def _moved_loss(margins, total, signs, gains, move):
    """The loss after a weight has moved, which makes the sum of the weights `total`; `signs` are those of its votes."""
    needed = -SLACK * total
    loss = 0
    for pattern in range(len(margins)):
        loss -= gains[pattern] if margins[pattern] + signs[pattern] * move >= needed else 0
    return float(loss)
