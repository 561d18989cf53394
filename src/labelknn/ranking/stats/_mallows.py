"""The Mallows model of rankings (cheng2009, section 3): P(σ | θ, π) = exp(−θ D(σ, π)) / φ(θ) with Kendall's distance D.

Everything about it follows from one fact (Fligner & Verducci 1986): the distance of a random ranking is the sum of
independent V_1, ..., V_q, where V_j counts the labels that the j-th label of the centre jumps over and has
P(V_j = r) ∝ exp(−θ r) for r = 0..j−1. The closed forms of the paper divide by 1 − exp(−jθ), which loses all digits as
θ → 0 and overflows elsewhere; the sums over r below have positive terms only and hold from θ = 0 (all rankings equally
likely) to θ = ∞ (the centre alone).
"""

from __future__ import annotations

import math

import numpy as np

from labelknn.utils._kernels import inner, kernel


def expected_distance(theta: float, q: int) -> float:
    """E[D(σ, π)] for q labels: falls from q (q − 1) / 4 at θ = 0 to 0 at θ = ∞."""
    return mean_and_variance.py_func(theta, q)[0]


def spreads(mean_distances: np.ndarray, q: np.ndarray | int) -> np.ndarray:
    """The maximum-likelihood θ for rankings of q labels at these mean distances from their centre (section 4.1).

    A pure sample (mean distance 0) gives θ = ∞. A mean distance of q (q − 1) / 4 or more, that of random rankings,
    gives θ = 0, the end of the parameter's range.

    >>> spreads(np.array([0.0, 0.25, 0.5]), 2).round(3)
    array([  inf, 1.099, 0.   ])
    """
    theta = np.empty(len(mean_distances))
    _fill_spreads(mean_distances, np.broadcast_to(q, theta.shape).astype(np.int64), theta)
    return theta


@kernel
def _fill_spreads(mean_distances, labels, spreads):
    for i in range(len(spreads)):
        mean_distance, q = mean_distances[i], labels[i]
        if mean_distance <= 0.0:
            spreads[i] = np.inf
            continue
        if mean_distance >= q * (q - 1) / 4.0:
            spreads[i] = 0.0
            continue
        # V_j is smaller than a geometric variable, so E[D] ≤ (q − 1) / (e^θ − 1): this bounds θ from above.
        low, high = 0.0, math.log(q - 1.0 + mean_distance) - math.log(mean_distance)
        theta = high
        for _ in range(200):
            mean, variance = mean_and_variance(theta, q)
            if mean > mean_distance:
                low = theta
            else:
                high = theta
            # Newton's step on log E[D], nearly a line in θ; dE/dθ = −variance. Where it leaves the bracket, halve that.
            proposal = np.nan
            if mean > 0.0 and variance > 0.0:
                proposal = theta + math.log(mean / mean_distance) * mean / variance
            if not low < proposal < high:
                proposal = low + 0.5 * (high - low)
            step = abs(proposal - theta)
            theta = proposal
            if step <= 1e-15 * high:
                break
        spreads[i] = theta


@inner
def mean_and_variance(theta, q):
    """Mean and variance of D(σ, π): the sums over j of those of V_j."""
    x = math.exp(-theta)
    power = 1.0  # e^−rθ
    total, first, second = 0.0, 0.0, 0.0  # Σ e^−rθ, Σ r e^−rθ, Σ r² e^−rθ for r < j
    mean, variance = 0.0, 0.0
    for r in range(q):
        total += power
        first += r * power
        second += r * r * power
        power *= x
        mean += first / total
        variance += second / total - (first / total) ** 2
    return mean, variance
