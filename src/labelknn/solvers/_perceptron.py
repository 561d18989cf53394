"""The noise-tolerant perceptron that learns linear utilities from constraints on pairs of labels, one after the other.

Visits that cannot change anything are skipped. If every w_a − w_b has moved by less than s since an example was found
to have all margins above s |x|, they are still positive (Cauchy-Schwarz). The bound allows for rounding, so skipping
leaves every update, and so every bit of the weights, as it is. It pays where violations are rare (fried).
"""

from __future__ import annotations

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

# Skipping needs bookkeeping at each update: it starts after an epoch in which less than this share of visits made one.
QUIET = 0.1
# Displacements are measured from weights that are renewed so often: seldom, since each renewal lengthens the way gone,
# yet often enough to stay near the present weights. 4 to 16 make little difference.
EPOCHS_PER_ANCHOR = 10
# Labels whose utilities are summed side by side; the weights are padded to a multiple of it.
LANES = 4
# Examples are visited in random order, so the processor cannot foresee what memory it needs, and waiting for it took
# more than half of the time on fried. It is told so many visits before, and twice as many where the pairs are.
AHEAD = 6


@numba.njit(cache=True)
def constraints_of(ranks):
    """The constraints of all examples, (better, worse) labels in the order of visit; example i's begin at starts[i]."""
    n, q = ranks.shape
    starts = np.zeros(n + 1, np.int64)
    for i in range(n):
        observed = (ranks[i] > 0).sum()
        starts[i + 1] = starts[i] + observed * (observed - 1) // 2
    pairs = np.empty((starts[n], 2), np.uint16)
    label_at = np.empty(q, np.int64)
    k = 0
    for i in range(n):
        observed = 0
        for label in range(q):
            if ranks[i, label] > 0:
                label_at[ranks[i, label] - 1] = label
                observed += 1
        for better in range(observed):
            for worse in range(better + 1, observed):
                pairs[k, 0] = label_at[better]
                pairs[k, 1] = label_at[worse]
                k += 1
    return starts, pairs


@numba.njit(cache=True, nogil=True)
def train(X, starts, pairs, strikes, W, alpha, max_epochs, average, seed):
    """Runs the perceptron on W in place; returns what `fit` reports about the run."""
    n, d = X.shape
    first, last = starts[:-1], starts[1:].copy()  # an example's active constraints are first[i]..last[i] - 1
    order = np.flatnonzero(last > first).astype(np.int32)
    remaining = len(order)
    squares = np.empty(n)
    for i in range(n):
        squares[i] = _squared_length(X[i])
    lengths = np.sqrt(squares)
    u, wins = np.empty(len(W)), np.zeros(len(W))
    lag = np.zeros(W.shape)  # what the mean of the weights lacks to the last ones, times the number of visits
    visits = 0

    skipping, anchor_age = False, 0
    anchor, moved = W.copy(), np.zeros(len(W))
    travelled, away, size = 0.0, 0.0, 0.0  # way from anchor to anchor, from the last one to W, and the anchor's length
    safe_until = np.full(n, -np.inf)
    rounding = 16 * (d + 3) * np.finfo(np.float64).eps

    state, epochs, updates, ignored, skipped = seed, 0, 0, 0, 0
    converged = False
    while epochs < max_epochs and not converged:
        epochs += 1
        state = _shuffle(order, remaining, state)
        updates_before, changing_visits, ignored_before = updates, 0, ignored
        for t in range(remaining):
            i = order[t]
            way = travelled + away
            if t + 2 * AHEAD < remaining:
                _prefetch(first, order[t + 2 * AHEAD])
                _prefetch(last, order[t + 2 * AHEAD])
                _prefetch(squares, order[t + 2 * AHEAD])
                soon = order[t + AHEAD]
                if not (skipping and safe_until[soon] > way):
                    _prefetch(X, soon * d)
                    _prefetch(X, soon * d + d - 1)
                    _prefetch(pairs, 2 * first[soon])
                    _prefetch(strikes, first[soon])
            if skipping and safe_until[i] > way + rounding * (way + size):
                skipped += 1
                continue
            _utilities(W, X[i], u)
            violations, most_strikes, least_margin = _strike(pairs, strikes, first[i], last[i], squares[i], u, wins)
            if violations == 0:
                if skipping:
                    # Now `away` from the anchor, later at some other distance: at most their sum lies between.
                    safe_until[i] = least_margin / lengths[i] + travelled - away
                continue
            updates += violations
            changing_visits += 1
            for label in range(len(W)):
                if wins[label] != 0:
                    for f in range(d):
                        W[label, f] += wins[label] * X[i, f]
                    if average:
                        for f in range(d):
                            lag[label, f] += (visits + t) * wins[label] * X[i, f]
                    if skipping:
                        moved[label] = _squared_distance(W[label], anchor[label])
                    wins[label] = 0
            if skipping:
                away = _largest_pair(moved)
            if most_strikes >= alpha:
                active = _drop_ignored(pairs, strikes, first[i], last[i], alpha)
                ignored += last[i] - active
                last[i] = active
        visits += remaining
        converged = updates == updates_before
        if skipping or changing_visits < QUIET * remaining:
            anchor_age += 1
            if not skipping or anchor_age == EPOCHS_PER_ANCHOR:
                travelled += away
                away, anchor_age, skipping = 0.0, 0, True
                anchor[:] = W
                moved[:] = 0
                size = np.sqrt(_squared_length(W.ravel()))
        if ignored > ignored_before:
            remaining = _drop_finished(order, remaining, first, last)
    if average:
        W -= lag / visits
    return epochs, updates, ignored, skipped, converged


@intrinsic
def _prefetch(typing_context, array, place):
    """Begin to load the memory of an array's entry, by its place in memory: numba has no name for this instruction."""

    def generate(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
        flags = [cgutils.int32_t(flag) for flag in (0, 3, 1)]  # to read, to keep in all caches, data
        kind = ir.FunctionType(ir.VoidType(), [address.type, *(flag.type for flag in flags)])
        instruction = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(instruction, [address, *flags])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@numba.njit(cache=True)
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


@numba.njit(cache=True)
def _utilities(W, x, u):
    """u = W x; each sum runs over the features in order, several labels at a time to fill the processor's pipeline."""
    for label in range(0, len(W), LANES):
        u0, u1, u2, u3 = 0.0, 0.0, 0.0, 0.0
        for f in range(len(x)):
            u0 += W[label, f] * x[f]
            u1 += W[label + 1, f] * x[f]
            u2 += W[label + 2, f] * x[f]
            u3 += W[label + 3, f] * x[f]
        u[label], u[label + 1], u[label + 2], u[label + 3] = u0, u1, u2, u3


@numba.njit(cache=True)
def _strike(pairs, strikes, first, last, square, u, wins):
    """One visit: counts and corrects the violated constraints.

    Returns how many there are, the most strikes that one of them has by now, and the least margin of the others.
    A correction changes the utilities of the example itself by ±|x|². The weights follow after the visit: label a's by
    wins[a] times x.
    """
    violations, most_strikes, least_margin = 0, 0, np.inf
    for k in range(first, last):
        better, worse = pairs[k, 0], pairs[k, 1]
        margin = u[better] - u[worse]
        if margin <= 0:
            violations += 1
            strikes[k] += 1
            most_strikes = max(most_strikes, strikes[k])
            u[better] += square
            u[worse] -= square
            wins[better] += 1
            wins[worse] -= 1
        elif margin < least_margin:
            least_margin = margin
    return violations, most_strikes, least_margin


@numba.njit(cache=True)
def _drop_ignored(pairs, strikes, first, last, alpha):
    """Removes constraints that were violated alpha times, keeps the others in order; returns the new end."""
    end = first
    for k in range(first, last):
        if strikes[k] < alpha:
            pairs[end, 0], pairs[end, 1], strikes[end] = pairs[k, 0], pairs[k, 1], strikes[k]
            end += 1
    return end


@numba.njit(cache=True)
def _drop_finished(order, count, first, last):
    """Keeps the examples that have active constraints, in order; returns how many there are."""
    kept = 0
    for i in order[:count]:
        if last[i] > first[i]:
            order[kept] = i
            kept += 1
    return kept


@numba.njit(cache=True)
def _squared_length(x):
    total = 0.0
    for value in x:
        total += value * value
    return total


@numba.njit(cache=True)
def _squared_distance(x, y):
    total = 0.0
    for f in range(len(x)):
        total += (x[f] - y[f]) * (x[f] - y[f])
    return total


@numba.njit(cache=True)
def _largest_pair(squares):
    """How far any w_a − w_b can have moved, given the squared way of each w: the sum of the two longest, rounded up."""
    longest, second = 0.0, 0.0
    for square in squares:
        if square > longest:
            longest, second = square, longest
        elif square > second:
            second = square
    return (np.sqrt(longest) + np.sqrt(second)) * (1 + 1e-9)
