"""How good a split of rankings is: the two criteria of cheng2009, section 5.1, from sums over the rankings."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from labelknn.ranking.stats._mallows import expected_distance, spreads
from labelknn.utils._kernels import inner

MALLOWS, CONCORDANCE = 0, 1

KNOTS = 1025
BINS = 1024
# Added to a limit: more than the error of a spread that is interpolated.
SLACK = 1e-6


class Rules(NamedTuple):
    """How to judge a split and when to stop.

    splines : the coefficients of `_spread_spline` by number of labels.
    limits : what a ranking, or an observed pair, is worth at most, by number of labels and share of discordant pairs.
    """

    criterion: int
    smoothing: float
    cap: float
    min_leaf: int
    max_depth: int
    splines: np.ndarray
    limits: np.ndarray


def spread_splines(q: int, cap: float, complete_rankings: bool) -> np.ndarray:
    splines = np.zeros((q + 1, 2 + 4 * (KNOTS - 1)))
    for labels in range(q if complete_rankings else 2, q + 1):
        if labels > 1:
            splines[labels] = _spread_spline(labels, cap)
    return splines


@lru_cache(maxsize=256)
def _spread_spline(labels: int, cap: float) -> np.ndarray:
    """θ as a cubic spline in the logarithm of the mean distance, from where θ is `cap` to where it is 0.

    Solving for θ at every candidate split would take most of the time; the spline is off by less than 1e-9 at a cap of
    5 and 1e-7 at a cap of 20. Returned are the first knot, the number of knots by unit, and the four coefficients of
    each interval, highest power first.
    """
    farthest = labels * (labels - 1) / 4
    knots = np.linspace(np.log(expected_distance(cap, labels)), np.log(farthest), KNOTS)
    coefficients = CubicSpline(knots, spreads(np.exp(knots), labels)).c.T.ravel()
    return np.concatenate([[knots[0], 1 / (knots[1] - knots[0])], coefficients])


def worth_limits(q: int, criterion: int, cap: float, complete_rankings: bool) -> np.ndarray:
    limits = np.zeros((q + 1, BINS + 1))
    for labels in range(q if complete_rankings else 2, q + 1):
        limits[labels] = _worth_limits(labels, criterion, cap)
    return limits


@lru_cache(maxsize=256)
def _worth_limits(labels: int, criterion: int, cap: float) -> np.ndarray:
    """For `BINS` equal parts of the shares from 0 to 1/2, the worth where the part before begins."""
    shares = np.maximum(np.arange(BINS + 1) - 1, 0) / (2 * BINS)
    if criterion == CONCORDANCE:
        return np.log2(1 - shares) + SLACK
    return np.minimum(spreads(shares * (labels * (labels - 1) / 2), labels), cap) + SLACK


@inner
def capped_spread(mean_distance, labels, cap, splines):
    first, density = splines[labels, 0], splines[labels, 1]
    position = (math.log(mean_distance) - first) * density if mean_distance > 0 else 0.0
    if position <= 0:
        return cap
    interval = int(position)
    if interval >= KNOTS - 1:
        return 0.0
    t = (position - interval) / density
    first = 2 + 4 * interval
    a, b = splines[labels, first], splines[labels, first + 1]
    return ((a * t + b) * t + splines[labels, first + 2]) * t + splines[labels, first + 3]


@inner
def discordance(size, pairs, agreement, smoothing):
    """The share of discordant pairs among the observed ones.

    It is that after `smoothing` more rankings of as many pairs as the others have on average, in random order.
    """
    share = (pairs - agreement) / (2.0 * pairs)
    return (size * share + smoothing / 2) / (size + smoothing)


@inner
def mean_distance(size, pairs, agreement, labels, smoothing):
    """Mean distance from the centre: the share of discordant pairs, times all pairs."""
    return discordance(size, pairs, agreement, smoothing) * (labels * (labels - 1) / 2)


@inner
def worth_at_most(rules, size, pairs, agreement, labels):
    """A limit of `worth_of` that takes no logarithm."""
    if rules.criterion == CONCORDANCE:
        return pairs * rules.limits[labels, int((pairs - agreement) / (2.0 * pairs) * (2 * BINS))]
    return size * rules.limits[labels, int(discordance(size, pairs, agreement, rules.smoothing) * (2 * BINS))]


@inner
def worth_of(rules, size, pairs, agreement, labels):
    """What a set of rankings adds to the criterion; a split's gain is its children's worth minus the node's.

    MALLOWS: |T| θ as in equation (6), whose factor |T|^-1 is the same for all splits of a node. CONCORDANCE: the number
    of observed pairs times the logarithm of the share that agrees with the centre.
    """
    if rules.criterion == CONCORDANCE:
        return pairs * math.log2((pairs + agreement) / (2.0 * pairs))
    distance = mean_distance(size, pairs, agreement, labels, rules.smoothing)
    return size * capped_spread(distance, labels, rules.cap, rules.splines)
