"""Lanes against NumPy: the same bits, also for what is not a number."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.utils._kernels import kernel
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
    spread,
    store,
    times,
)

lanes = st.lists(st.floats(width=64), min_size=LANES, max_size=LANES).map(np.array)
numbers = st.lists(st.floats(-1e3, 1e3) | st.just(0.0), min_size=LANES, max_size=LANES).map(np.array)


@kernel
def arithmetic(a, b, results):
    one, other, number = load(a, 0), load(b, 0), b[1]
    store(results, 0, plus(one, other))
    store(results, LANES, minus(one, other))
    store(results, 2 * LANES, times(one, other))
    store(results, 3 * LANES, minus(number, one))
    store(results, 4 * LANES, spread(3))


@given(lanes, lanes)
@settings(max_examples=50, deadline=None)
def test_arithmetic(a, b):
    found = np.empty((5, LANES))
    arithmetic(a, b, found.ravel())
    with np.errstate(all="ignore"):
        expected = np.array([a + b, a - b, a * b, b[1] - a, np.full(LANES, 3.0)])
    np.testing.assert_array_equal(found, expected)


@kernel
def compared(a, b):
    return none_above(load(a, 0), load(b, 0))


@given(lanes, lanes)
@settings(max_examples=50, deadline=None)
def test_none_above(a, b):
    bits = compared(a, b)
    with np.errstate(all="ignore"):
        expected = (a[:, None] - b) <= 0
    np.testing.assert_array_equal([bits >> place & 1 for place in range(LANES**2)], expected.ravel())


@kernel
def least(a, b, pairs, most):
    return least_of(least_margin(load(a, 0), load(b, 0), pairs, spread(most)))


@given(numbers, numbers, st.integers(0, 2 ** (LANES**2) - 1), st.floats(-1e3, 1e3) | st.just(np.inf))
@settings(max_examples=50, deadline=None)
def test_least_margin(a, b, pairs, most):
    chosen = np.array([pairs >> place & 1 for place in range(LANES**2)], bool).reshape(LANES, LANES)
    assert least(a, b, pairs, most) == min([most, *(a[:, None] - b)[chosen]])


def test_gather():
    @kernel
    def gathered(values, places, found):
        store(found, 0, gather(values, places, 2))

    values, places, found = np.arange(10.0), np.array([0, 0, 9, 3, 0, 5], np.uint16), np.empty(LANES)
    gathered(values, places, found)
    np.testing.assert_array_equal(found, values[places[2:]])


@pytest.mark.parametrize("place", [0, 1, 40, 62])
def test_first_bit(place):
    @kernel
    def found(bits):
        return first_bit(bits)

    assert found(2**place - 2**63) == place  # bits above are set as well
