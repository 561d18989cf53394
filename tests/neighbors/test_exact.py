"""The exact arithmetic of the neighbour searches against fractions, and what is built on it."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.neighbors._exact import (
    SUM_ROOM,
    add_exactly,
    add_product_exactly,
    leading,
    multiply_exactly,
    product,
    two_sum,
)
from labelknn.neighbors._measure import TILE, squared_distances
from labelknn.utils._kernels import kernel

# Kernels that only kernels call, for Python.
product, two_sum, squared_distances = (kernel(one.py_func) for one in (product, two_sum, squared_distances))
add_exactly, add_product_exactly = (kernel(one.py_func) for one in (add_exactly, add_product_exactly))
multiply_exactly, leading = (kernel(one.py_func) for one in (multiply_exactly, leading))

# Any float64 whose products neither overflow nor lose digits below the smallest one.
numbers = st.floats(1e-120, 1e120) | st.floats(-1e120, -1e-120) | st.sampled_from([0.0, 1.0, -1.0, 0.1, 1 + 2.0**-52])
lists = st.lists(numbers, min_size=1, max_size=8).map(np.array)


def exactly(values):
    return sum(map(Fraction, np.asarray(values).tolist()))


@given(numbers, numbers)
@settings(max_examples=200, deadline=None)
def test_a_rounded_number_and_its_rest_are_the_exact_one(a, b):
    rounded, rest = product(a, b)
    assert rounded == a * b
    assert Fraction(rounded) + Fraction(rest) == Fraction(a) * Fraction(b)
    rounded, rest = two_sum(a, b)
    assert rounded == a + b
    assert Fraction(rounded) + Fraction(rest) == Fraction(a) + Fraction(b)


@given(lists)
@settings(max_examples=100, deadline=None)
def test_exact_sums(values):
    total, products, square = np.zeros((3, SUM_ROOM))
    for value, other in zip(values, values[::-1], strict=True):
        add_exactly(total, value)
        add_product_exactly(products, value, other)
    multiply_exactly(square, total, total)
    expected = exactly(values)
    assert exactly(parts_of(total)) == expected
    assert (np.diff(np.abs(parts_of(total))) > 0).all()
    assert exactly(parts_of(products)) == sum(
        Fraction(a) * Fraction(b) for a, b in zip(values.tolist(), values.tolist()[::-1], strict=True)
    )
    assert exactly(parts_of(square)) == expected**2
    high, low = leading(total)
    assert abs(Fraction(high) + Fraction(low) - expected) <= abs(expected) / 2**80


def parts_of(total):
    """A sum ends before its first 0."""
    return total[: np.flatnonzero(total == 0)[0]]


@given(st.lists(st.sampled_from([0.0, 0.1, 0.3, 1e-9, 1e7, 1e7 + 0.1]), min_size=3, max_size=3).map(np.array), lists)
@settings(max_examples=50, deadline=None)
def test_squared_distances_are_rounded_once(query, values):
    X = np.resize(values, (4, 3))
    rows = np.resize([2, 0], TILE + 3)
    distances = np.empty(len(rows))
    squared_distances(X, query, rows, len(rows), np.empty((4, TILE)), distances)
    for row, found in zip(rows, distances, strict=True):
        assert found == float(sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(X[row], query, strict=True)))
