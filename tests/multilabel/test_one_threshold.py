"""OneThreshold against a walk over all thresholds, and against the methods that it wraps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn.errors import ConfigError, DataError
from labelknn.metrics._multilabel import micro_f1
from labelknn.multilabel._iblr_ml import IBLRML
from labelknn.multilabel._mlknn import MLkNN
from labelknn.multilabel._one_threshold import OneThreshold, best_threshold
from labelknn.neighbors._euclidean import k_nearest


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=40, deadline=None)
def test_no_multiple_of_a_hundredth_is_better(seed, on_the_grid):
    rng = np.random.default_rng(seed)
    truth, scores = rng.random((8, 5)) < 0.3, rng.random((8, 5))
    if on_the_grid:
        scores = np.round(scores, 2)
    best = max(micro_f1(truth, scores >= i / 100 - 1e-9) for i in range(101))
    assert micro_f1(truth, scores >= best_threshold(truth, scores) - 1e-9) == pytest.approx(best, abs=1e-12)


def test_threshold_by_hand():
    """Three labels that are there score .9, .6, .3, the others .5 and .4: F1 is best with two right and none wrong."""
    truth = np.array([[True, True, True, False, False]])
    assert best_threshold(truth, np.array([[0.9, 0.6, 0.3, 0.5, 0.4]])) == 0.6
    # With .45 in the place of .3, one wrong label is worth a third right one: F1 = 6/7 against 4/5.
    assert best_threshold(truth, np.array([[0.9, 0.6, 0.45, 0.5, 0.4]])) == 0.45


def test_no_labels_at_all():
    truth = np.zeros((3, 2), bool)
    assert best_threshold(truth, np.full((3, 2), 0.4)) == 1.0


@pytest.mark.parametrize(("name", "method"), [("mlknn", MLkNN), ("iblr-ml", IBLRML)])
def test_cuts_the_scores_of_the_method(name, method):
    rng = np.random.default_rng(1)
    X, Y, queries = rng.normal(size=(60, 3)), rng.random((60, 4)) < 0.3, rng.normal(size=(20, 3))
    alone = method(k=5).fit(X, Y)
    wrapped = OneThreshold(name, k=5).fit(X, Y)
    output = wrapped.output(queries)
    np.testing.assert_array_equal(output["scores"], alone.output(queries)["scores"])
    np.testing.assert_array_equal(output["sets"], output["scores"] >= wrapped.threshold_)
    # The threshold comes from training rows that do not count as their own neighbours.
    left_out = alone.output(X, neighbors=k_nearest(X, 5))["scores"]
    assert wrapped.threshold_ == best_threshold(Y, left_out)
    shared = clone(wrapped).fit(X, Y, neighbors=k_nearest(X, 9)).output(queries, neighbors=k_nearest(X, 9, queries))
    np.testing.assert_array_equal(output["sets"], shared["sets"])


def test_parameters_reach_the_method():
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(30, 3)), rng.random((30, 4)) < 0.3
    wrapped = OneThreshold(k=4, params={"s": 3.0}).fit(X, Y)
    np.testing.assert_array_equal(wrapped.method_.posterior_, MLkNN(4, 3.0).fit(X, Y).posterior_)


def test_bad_input():
    with pytest.raises(ConfigError, match="brknn"):
        OneThreshold("brknn").fit(np.zeros((4, 1)), np.ones((4, 1)))
    with pytest.raises(DataError, match="k = 4 neighbours asked for, 3 rows"):
        OneThreshold(k=4).fit(np.arange(4.0)[:, None], np.ones((4, 1)))
    with pytest.raises(NotFittedError):
        OneThreshold().predict(np.zeros((1, 1)))
