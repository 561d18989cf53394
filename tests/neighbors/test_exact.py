"""The exact arithmetic of the neighbour searches against fractions, and what is built on it."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.neighbors._exact import all_products, exact_sum, inner_product, leading, product, two_sum
from labelknn.neighbors._measure import TILE, squared_distances
from labelknn.utils._kernels import kernel

# Kernels that only kernels call, for Python.
product, two_sum, squared_distances = (kernel(one.py_func) for one in (product, two_sum, squared_distances))

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
    parts = exact_sum(values)
    assert exactly(parts) == exactly(values)
    assert (parts != 0).all()
    assert (np.diff(np.abs(parts)) > 0).all()
    high, low = leading(parts)
    assert abs(Fraction(high) + Fraction(low) - exactly(values)) <= abs(exactly(values)) / 2**100
    assert exactly(inner_product(values, values[::-1].copy())) == sum(
        Fraction(a) * Fraction(b) for a, b in zip(values.tolist(), values.tolist()[::-1], strict=True)
    )
    assert exactly(all_products(values, values)) == exactly(values) ** 2


@given(st.lists(st.sampled_from([0.0, 0.1, 0.3, 1e-9, 1e7, 1e7 + 0.1]), min_size=3, max_size=3).map(np.array), lists)
@settings(max_examples=50, deadline=None)
def test_squared_distances_are_rounded_once(query, values):
    X = np.resize(values, (4, 3))
    rows = np.resize([2, 0], TILE + 3)
    distances = np.empty(len(rows))
    squared_distances(X, query, rows, len(rows), np.empty((4, TILE)), distances)
    for row, found in zip(rows, distances, strict=True):
        assert found == float(sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(X[row], query, strict=True)))
