"""The Mallows model of rankings (cheng2009, section 3): P(σ | θ, π) = exp(−θ D(σ, π)) / φ(θ) with Kendall's distance D.

Everything about it follows from one fact (Fligner & Verducci 1986): the distance of a random ranking is the sum of
independent V_1, ..., V_q, where V_j counts the labels that the j-th label of the centre jumps over and has
P(V_j = r) ∝ exp(−θ r) for r = 0..j−1. The closed forms of the paper divide by 1 − exp(−jθ), which loses all digits as
θ → 0 and overflows elsewhere; the sums over r below have positive terms only and hold from θ = 0 (all rankings equally
likely) to θ = ∞ (the centre alone).

Rankings are rows of ranks as in `labelknn.datasets._container`, here without missing labels. All functions but `sample`
can be called from numba code.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from labelknn.ranking.stats._kendall import distance


@numba.njit(cache=True)
def log_normalizer(theta, q):
    """log φ(θ) for q labels: the sum of log(1 + e^−θ + ... + e^−(j−1)θ) over j."""
    x = math.exp(-theta)
    power, total, logarithm = 1.0, 0.0, 0.0
    for _ in range(q):
        total += power
        power *= x
        logarithm += math.log(total)
    return logarithm


@numba.njit(cache=True)
def expected_distance(theta, q):
    """E[D(σ, π)] for q labels: falls from q (q − 1) / 4 at θ = 0 to 0 at θ = ∞."""
    return _mean_and_variance(theta, q)[0]


@numba.njit(cache=True)
def spread(mean_distance, q):
    """The maximum-likelihood θ for rankings of q labels at this mean distance from their centre (section 4.1).

    A pure sample (mean distance 0) gives θ = ∞. A mean distance of q (q − 1) / 4 or more, that of random rankings,
    gives θ = 0, the end of the parameter's range.
    """
    if mean_distance <= 0.0:
        return np.inf
    if mean_distance >= q * (q - 1) / 4.0:
        return 0.0
    # V_j is smaller than a geometric variable, so E[D] ≤ (q − 1) / (e^θ − 1): this bounds θ from above.
    low, high = 0.0, math.log(q - 1.0 + mean_distance) - math.log(mean_distance)
    theta = high
    for _ in range(200):
        mean, variance = _mean_and_variance(theta, q)
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
    return theta


@numba.njit(cache=True)
def log_probability(ranks, center, theta):
    """log P(σ | θ, π) of one complete ranking."""
    discordant = distance(ranks, center)
    if discordant == 0:
        return -log_normalizer(theta, len(ranks))
    return -theta * discordant - log_normalizer(theta, len(ranks))


@numba.njit(cache=True)
def probability(ranks, center, theta):
    """P(σ | θ, π) of one complete ranking."""
    return math.exp(log_probability(ranks, center, theta))


def sample(rng: np.random.Generator, center: np.ndarray, theta: float, size: int) -> np.ndarray:
    """`size` random rankings around `center`, as (size, q) ranks."""
    if not theta >= 0:
        raise ValueError(f"theta = {theta}, expected a spread of at least 0")
    center = np.asarray(center)
    return _insert_repeatedly(np.argsort(center), float(theta), rng.random((size, len(center))))


@numba.njit(cache=True)
def _mean_and_variance(theta, q):
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


@numba.njit(cache=True)
def _insert_repeatedly(best_first, theta, uniforms):
    """Insert the centre's labels one by one, best first; V_j is how far from the end the j-th goes (inverse CDF)."""
    size, q = uniforms.shape
    x = math.exp(-theta)
    ranks = np.empty((size, q), np.int64)
    order = np.empty(q, np.int64)
    for i in range(size):
        power, total = 1.0, 0.0
        for j in range(q):
            total += power
            power *= x
            jump, term, cumulated = 0, 1.0, 1.0
            while jump < j and uniforms[i, j] * total >= cumulated:
                jump += 1
                term *= x
                cumulated += term
            for position in range(j, j - jump, -1):
                order[position] = order[position - 1]
            order[j - jump] = best_first[j]
        for position in range(q):
            ranks[i, order[position]] = position + 1
    return ranks
