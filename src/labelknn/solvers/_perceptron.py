"""The noise-tolerant perceptron that learns linear utilities from constraints on pairs of labels, one after the other.

Visits that cannot change anything are skipped. If every w_a − w_b has moved by less than s since an example was found
to have all margins above s |x|, they are still positive (Cauchy-Schwarz). The bound allows for rounding, so skipping
leaves every update, and so every bit of the weights, as it is. It pays where violations are rare (fried).

The others are made several labels at a time. Weights are kept by feature. Utilities are put in the order of the
example's ranking, so that one comparison of `LANES` places with `LANES` places tells by bits which of their constraints
are violated. Each sum runs over the features, or over the visits, in their order.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from labelknn.utils._kernels import inner, kernel
from labelknn.utils._lanes import (
    LANES,
    first_bit,
    gather,
    least_margin,
    least_of,
    load,
    minus,
    none_above,
    plus,
    prefetch,
    spread,
    store,
    times,
)

# Skipping needs bookkeeping at each update: it starts after an epoch in which less than this share of visits made one.
QUIET = 0.1
# Displacements are measured from weights that are renewed so often: seldom, since each renewal lengthens the way gone,
# yet often enough to stay near the present weights. 4 to 16 make little difference.
EPOCHS_PER_ANCHOR = 10
# Examples are visited in random order, so the processor cannot foresee what memory it needs, and waiting for it took
# more than half of the time on fried. It is told so many visits before, and twice as many where the strikes are.
AHEAD = 6
# Row i has a 1 in lane i.
ONE = np.eye(LANES)


class Constraints(NamedTuple):
    """Pairs of places in an example's ranking; the first one's label should have the greater utility.

    sizes : (n,) how many labels each ranking has.
    labels : (n, width) labels by place, then any others; width is a multiple of LANES.
    active : (n, width / LANES, width / LANES) the constraints that are not ignored, as bits: bit LANES · i + j of block
        (a, b) is that of the places LANES · a + i and LANES · b + j.
    starts, strikes : how often each constraint was violated, those of example i from starts[i] on: first place with
        second, first with third, and so on.
    """

    sizes: np.ndarray
    labels: np.ndarray
    active: np.ndarray
    starts: np.ndarray
    strikes: np.ndarray

    @classmethod
    def of(cls, ranks: np.ndarray) -> Constraints:
        """All pairs of observed labels."""
        n, q = ranks.shape
        blocks = -(-q // LANES)
        sizes = np.count_nonzero(ranks, axis=1)
        labels = np.zeros((n, blocks * LANES), np.uint16)
        labels[:, :q] = np.argsort(np.where(ranks > 0, ranks, q + 1), axis=1, kind="stable")
        places = np.arange(blocks * LANES)
        pairs = (places[:, None] < places) & (places < np.arange(q + 1)[:, None, None])  # by size
        by_block = pairs.reshape(-1, blocks, LANES, blocks, LANES).swapaxes(2, 3).reshape(-1, blocks, blocks, LANES**2)
        active = np.packbits(by_block, axis=3, bitorder="little").view("<u2")[..., 0][sizes]
        starts = np.concatenate([[0], np.cumsum(sizes * (sizes - 1) // 2)])
        return cls(sizes, labels, active, starts, np.zeros(starts[-1], np.int32))


class _Scratch(NamedTuple):
    """What training needs beside data and weights.

    lengths, squares : (n,) |x| and |x|².
    left : (n,) how many active constraints an example has.
    safe_until : (n,) the way of the weights up to which a visit changes nothing.
    anchor : weights from which displacements are measured; moved : (width,) each label's squared way from there.
    utilities, wins : (width,) by label; ranked : (width,) utilities by place.
    violated : (width / LANES,) bits as in `Constraints.active`, for the better places of one block.
    """

    lengths: np.ndarray
    squares: np.ndarray
    left: np.ndarray
    safe_until: np.ndarray
    anchor: np.ndarray
    moved: np.ndarray
    utilities: np.ndarray
    ranked: np.ndarray
    wins: np.ndarray
    violated: np.ndarray


def train(
    X: np.ndarray, constraints: Constraints, W: np.ndarray, alpha: int, max_epochs: int, average: bool, seed: np.uint64
) -> tuple[int, int, int, int, bool]:
    """Run the perceptron on the weights W, (q, d), in place; returns what `fit` reports about the run."""
    (n, d), q, width = X.shape, len(W), constraints.labels.shape[1]
    squares = np.zeros(n)
    for feature in X.T:
        squares += feature * feature
    weights = np.zeros((d, width))
    weights[:, :q] = W.T
    # What the mean of the weights lacks to the last ones, times the number of visits.
    lag = np.zeros((d if average else 0, width))
    left = np.diff(constraints.starts)
    moved, utilities, ranked, wins = np.zeros((4, width))
    violated = np.empty(width // LANES, np.int64)
    never_safe = np.full(n, -np.inf)
    scratch = _Scratch(
        np.sqrt(squares), squares, left, never_safe, weights.copy(), moved, utilities, ranked, wins, violated
    )
    order = np.flatnonzero(left).astype(np.int32)
    rounding = 16 * (d + 3) * np.finfo(np.float64).eps
    *counts, converged, visits = _train(
        X, constraints, weights, lag, order, scratch, int(alpha), int(max_epochs), seed, rounding
    )
    if average:
        weights -= lag / visits
    W[:] = weights.T[:q]
    return (*counts, converged)


@kernel
def _train(X, constraints, W, lag, order, scratch, alpha, max_epochs, state, rounding):
    sizes, labels, active, starts, strikes = constraints
    lengths, squares, left, safe_until, anchor, moved, utilities, ranked, wins, violated = scratch
    d, width = W.shape
    remaining, visits = len(order), 0

    skipping, anchor_age = False, 0
    travelled, away, size = 0.0, 0.0, 0.0  # way from anchor to anchor, from the last one to W, and the anchor's length

    epochs, updates, ignored, skipped = 0, 0, 0, 0
    converged = False
    while epochs < max_epochs and not converged:
        epochs += 1
        state = _shuffle(order, remaining, state)
        updates_before, changing_visits, ignored_before = updates, 0, ignored
        for t in range(remaining):
            i = order[t]
            way = travelled + away
            if t + 2 * AHEAD < remaining:
                prefetch(starts, order[t + 2 * AHEAD])
                prefetch(sizes, order[t + 2 * AHEAD])
                prefetch(squares, order[t + 2 * AHEAD])
                soon = order[t + AHEAD]
                if not (skipping and safe_until[soon] > way):
                    prefetch(X, soon * d)
                    prefetch(X, soon * d + d - 1)
                    prefetch(labels, soon * width)
                    prefetch(active, soon * (width // LANES) ** 2)
                    prefetch(strikes, starts[soon])
            if skipping and safe_until[i] > way + rounding * (way + size):
                skipped += 1
                continue
            _utilities(W, X[i], utilities)
            for place in range(0, sizes[i], LANES):
                store(ranked, place, gather(utilities, labels[i], place))
            found, dropped = _strike(
                sizes[i], labels[i], active[i], starts[i], strikes, alpha, squares[i], ranked, wins, violated
            )
            if found == 0:
                if skipping:
                    # Now `away` from the anchor, later at some other distance: at most their sum lies between.
                    least = _least_margin(sizes[i], active[i], ranked)
                    safe_until[i] = least / lengths[i] + travelled - away
                continue
            updates += found
            changing_visits += 1
            ignored += dropped
            left[i] -= dropped
            for label in range(0, width, LANES):
                won = load(wins, label)
                _add(W, label, won, X[i])
                if len(lag):
                    _add(lag, label, times(won, visits + t), X[i])
                store(wins, label, spread(0.0))
            if skipping:
                _squared_distances(W, anchor, moved)
                away = _largest_pair(moved)
        visits += remaining
        converged = updates == updates_before
        if skipping or changing_visits < QUIET * remaining:
            anchor_age += 1
            if not skipping or anchor_age == EPOCHS_PER_ANCHOR:
                travelled += away
                away, anchor_age, skipping = 0.0, 0, True
                size = _copy(W, anchor)
        if ignored > ignored_before:
            remaining = _drop_finished(order, remaining, left)
    return epochs, updates, ignored, skipped, converged, visits


@inner
def _shuffle(order, count, state):
    """Fisher and Yates's shuffle of the first `count` entries by Marsaglia's xorshift (2003); returns its next state.

    A number below m is drawn as the upper half of a 32-bit number times m, which is uniform up to m / 2^32.
    """
    for m in range(count, 1, -1):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        j = np.int64(((state >> np.uint64(32)) * np.uint64(m)) >> np.uint64(32))
        order[m - 1], order[j] = order[j], order[m - 1]
    return state


@inner
def _utilities(W, x, utilities):
    width = W.shape[1]
    for label in range(0, width, LANES):
        total = spread(0.0)
        for f in range(len(x)):
            total = plus(total, times(load(W, f * width + label), x[f]))
        store(utilities, label, total)


# A call of its own would hand over some sixty numbers, which takes a tenth of the time.
@partial(inner, forceinline=True)
def _strike(size, labels, active, first, strikes, alpha, square, ranked, wins, violated):
    """One visit: counts and corrects the violated constraints.

    Returns how many there are, and how many of them are ignored from now on. A correction changes the utilities of the
    example itself by ±|x|². The weights follow after the visit: label a's by wins[a] times x.

    After the corrections of one place, those behind it are compared anew. What is found violated at a place may hold
    after the corrections before it, but not the other way round.
    """
    violations, dropped = 0, 0
    for start in range(0, size - 1, LANES):
        a, done = start // LANES, 0
        while done < min(LANES, size - 1 - start):
            any_violated = 0
            for b in range(a, (size + LANES - 1) // LANES):
                violated[b] = none_above(load(ranked, start), load(ranked, b * LANES)) & active[a, b]
                violated[b] &= -1 << done * LANES
                any_violated |= violated[b]
            if any_violated == 0:
                break
            done = first_bit(any_violated) // LANES
            place = start + done
            own, k = ranked[place], first + place * (2 * size - place - 1) // 2 - place - 1
            for b in range(a, (size + LANES - 1) // LANES):
                bits = violated[b] >> done * LANES & 2**LANES - 1
                while bits:
                    other = b * LANES + first_bit(bits)
                    if own - ranked[other] <= 0:
                        violations += 1
                        own += square
                        _add_at(ranked, other, -square)
                        _add_at(wins, np.int64(labels[place]), 1.0)
                        _add_at(wins, np.int64(labels[other]), -1.0)
                        strikes[k + other] += 1
                        if strikes[k + other] == alpha:
                            dropped += 1
                            active[a, b] &= ~((bits & -bits) << done * LANES)
                    bits &= bits - 1
            done += 1
    return violations, dropped


@inner
def _add_at(array, place, value):
    """Add to one entry, but write its neighbours too: what was written in parts cannot be read as a whole at once."""
    lane = place % LANES
    start = place - lane
    store(array, start, plus(load(array, start), times(load(ONE, lane * LANES), value)))


@inner
def _add(W, label, won, x):
    width = W.shape[1]
    for f in range(len(x)):
        store(W, f * width + label, plus(load(W, f * width + label), times(won, x[f])))


@inner
def _least_margin(size, active, ranked):
    """The least margin of an active constraint."""
    least = spread(np.inf)
    for start in range(0, size - 1, LANES):
        for other in range(start, size, LANES):
            pairs = np.int64(active[start // LANES, other // LANES])
            least = least_margin(load(ranked, start), load(ranked, other), pairs, least)
    return least_of(least)


@inner
def _squared_distances(W, anchor, moved):
    d, width = W.shape
    for label in range(0, width, LANES):
        total = spread(0.0)
        for f in range(d):
            way = minus(load(W, f * width + label), load(anchor, f * width + label))
            total = plus(total, times(way, way))
        store(moved, label, total)


@inner
def _largest_pair(squares):
    """How far any w_a − w_b can have moved, given the squared way of each w: the sum of the two longest, rounded up."""
    longest, second = 0.0, 0.0
    for square in squares:
        if square > longest:
            longest, second = square, longest
        elif square > second:
            second = square
    return (np.sqrt(longest) + np.sqrt(second)) * (1 + 1e-9)


@inner
def _copy(W, anchor):
    """Make the anchor these weights; returns their length."""
    total = 0.0
    for label in range(W.shape[1]):
        for f in range(len(W)):
            anchor[f, label] = W[f, label]
            total += W[f, label] * W[f, label]
    return np.sqrt(total)


@inner
def _drop_finished(order, count, left):
    """Keeps the examples that have active constraints, in order; returns how many there are."""
    kept = 0
    for t in range(count):
        order[kept] = order[t]
        kept += left[order[t]] > 0
    return kept
