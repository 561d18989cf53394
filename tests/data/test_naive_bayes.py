"""Weka's arithmetic against a slow twin and by hand; the order of posteriors with and without ties."""

from dataclasses import replace
from math import erf, erfc, exp, log, pi, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from labelknn.errors import ConfigError
from labelknn_papers.data.naive_bayes import GaussianNaiveBayes, WekaNaiveBayes, order


def slow_cdf(z):
    if abs(z) < 1:
        return 0.5 + 0.5 * erf(z / sqrt(2))
    tail = 0.5 * erfc(abs(z) / sqrt(2))
    return 1 - tail if z > 0 else tail


def slow_likelihood(value, mean, deviation, precision, settings):
    if settings.interval:
        half = precision / 2
        likelihood = slow_cdf((value - mean + half) / deviation) - slow_cdf((value - mean - half) / deviation)
    else:
        likelihood = exp(-0.5 * ((value - mean) / deviation) ** 2) / (sqrt(2 * pi) * deviation)
    return max(likelihood, 1e-75) if settings.floor else likelihood


def slow_attribute(column, y, q, settings):
    """likelihood[row][class] of one attribute, value by value."""
    distinct = sorted(set(column))
    precision = (distinct[-1] - distinct[0]) / (len(distinct) - 1) if len(distinct) > 1 else 0.01
    if settings.rounding:
        column = [round(value / precision) * precision for value in column]
    normals = []
    for label in range(q):
        values = [value for value, other in zip(column, y, strict=True) if other == label]
        mean = sum(values) / len(values)
        deviation = sqrt(sum((value - mean) ** 2 for value in values) / len(values))
        if settings.floor or deviation < 1e-9:
            deviation = max(deviation, precision / 6)
        normals.append((mean, deviation))
    return [[slow_likelihood(value, *normal, precision, settings) for normal in normals] for value in column]


def slow_log_posteriors(X, y, q, settings):
    priors = [(sum(y == label) + 1) / (len(y) + q) for label in range(q)]
    attributes = [slow_attribute(column.tolist(), y, q, settings) for column in X.T]
    return np.array(
        [
            [log(priors[label]) + sum(log(attribute[row][label]) for attribute in attributes) for label in range(q)]
            for row in range(len(y))
        ]
    )


def clusters(seed, q=3, per_class=8, attributes=4):
    """Overlapping classes with two decimals, so that no likelihood is lost in a tail."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(q), per_class)
    X = rng.normal(y[:, None] * 0.7, 1, (len(y), attributes)).round(2)
    return X, y


INGREDIENTS = ("rounding", "interval", "floor", "underflow")
VARIANTS = [WekaNaiveBayes(), *(replace(WekaNaiveBayes(), **{ingredient: False}) for ingredient in INGREDIENTS)]


@pytest.mark.parametrize("estimator", VARIANTS, ids=["complete", *INGREDIENTS])
@pytest.mark.parametrize("seed", range(3))
def test_posteriors_equal_the_definition(estimator, seed):
    X, y = clusters(seed)
    expected = slow_log_posteriors(X, y, 3, estimator)
    found = estimator.posteriors(X, y, 3)
    if not estimator.logarithmic:
        expected = np.exp(expected) / np.exp(expected).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_a_worked_example():
    # Gaps 1 1 2 1 1: precision 6/5, and 0 1 2 4 5 6 are rounded to 0 1.2 2.4 3.6 4.8 6.
    X, y = np.array([[0.0], [1], [2], [4], [5], [6]]), np.array([0, 0, 0, 1, 1, 1])
    low, high = NormalDist(1.2, 1.2 * sqrt(2 / 3)), NormalDist(4.8, 1.2 * sqrt(2 / 3))
    near, far = low.cdf(3.0) - low.cdf(1.8), high.cdf(3.0) - high.cdf(1.8)
    np.testing.assert_allclose(WekaNaiveBayes().posteriors(X, y, 2)[2], np.array([near, far]) / (near + far))


def test_priors_are_counts_plus_one():
    X, y = np.ones((5, 1)), np.array([0, 0, 0, 1, 1])
    np.testing.assert_allclose(WekaNaiveBayes().posteriors(X, y, 2), np.tile([4 / 7, 3 / 7], (5, 1)))


def test_far_classes_underflow_and_tie_but_the_leader_survives():
    y = np.repeat([0, 1, 2], 4)
    X = np.tile((1000.0 * y + np.tile(np.arange(4), 3))[:, None], 60)
    products = WekaNaiveBayes().posteriors(X, y, 3)
    np.testing.assert_array_equal(products, np.eye(3)[y])
    # With logarithms the two far classes stay finite.
    sums = WekaNaiveBayes(underflow=False).posteriors(X, y, 3)
    assert np.isfinite(sums).all()
    assert (sums.argmax(axis=1) == y).all()


def test_without_a_floor_a_lost_likelihood_is_zero():
    y = np.repeat([0, 1], 4)
    X = (1000.0 * y + np.tile(np.arange(4), 2))[:, None]
    assert WekaNaiveBayes(floor=False, underflow=False).posteriors(X, y, 2)[0, 1] == -np.inf


@given(st.integers(0, 100), st.floats(0.01, 100))
@settings(max_examples=20, deadline=None)
def test_the_unit_of_measurement_does_not_matter_to_gaussian_naive_bayes(seed, unit):
    X, y = clusters(seed)
    logs, scaled = (GaussianNaiveBayes().posteriors(x, y, 3) for x in (X, X * unit))
    np.testing.assert_allclose(np.diff(logs, axis=1), np.diff(scaled, axis=1), rtol=1e-5, atol=1e-6)


def ordered(posteriors, **options):
    options = {"logarithmic": False, "decimals": None, "ties": "index"} | options
    return order(np.atleast_2d(np.array(posteriors, float)), **options).tolist()[0]


def test_ties_by_index_and_by_quicksort():
    assert ordered([0.1, 0.5, 0.1, 0.3]) == [1, 3, 0, 2]
    # Three equal values: the first pass swaps places 0 and 2, the second places 0 and 1, giving 1 2 0 from the end.
    assert ordered([0, 0, 0]) == [0, 1, 2]
    assert ordered([0, 0, 0], ties="quicksort") == [0, 2, 1]


def test_decimals_make_ties():
    assert ordered([0.0001, 0.9995, 0.0004]) == [1, 2, 0]
    assert ordered([0.0001, 0.9995, 0.0004], decimals=3) == [1, 0, 2]
    assert ordered(np.log([0.0001, 0.9995, 0.0004]), logarithmic=True, decimals=3) == [1, 0, 2]


@given(arrays(float, (4, 6), elements=st.integers(0, 3)))
@settings(max_examples=60, deadline=None)
def test_quicksort_sorts(values):
    orders = order(values, logarithmic=False, decimals=None, ties="quicksort")
    assert (np.sort(orders, axis=1) == np.arange(6)).all()
    assert (np.diff(np.take_along_axis(values, orders, axis=1), axis=1) <= 0).all()


@given(st.permutations(range(7)))
@settings(max_examples=30, deadline=None)
def test_without_ties_both_rules_agree(values):
    assert ordered(values) == ordered(values, ties="quicksort")


def test_unknown_rule_for_ties():
    with pytest.raises(ConfigError, match=r"'quicksrt'.*Did you mean 'quicksort'"):
        ordered([1, 2], ties="quicksrt")
