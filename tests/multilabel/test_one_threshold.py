"""OneThreshold against a walk over all thresholds, and against the methods that it wraps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from labelknn import IBLRML, LCIF, BoosTexter, BRLogistic, MLkNN, OneThreshold
from labelknn.errors import ConfigError, DataError
from labelknn.metrics._multilabel import micro_f1
from labelknn.multilabel._one_threshold import best_threshold
from labelknn.neighbors._euclidean import k_nearest


def random_data(seed, n=60):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)), rng.random((n, 4)) < 0.3, rng.normal(size=(20, 3))


def probabilities(fitted, X):
    """(n, q), whichever way an estimator gives them."""
    found = fitted.predict_proba(X)
    if not isinstance(found, list):
        return found
    return np.column_stack(
        [
            columns[:, list(known).index(1)] if 1 in known else np.zeros(len(X))
            for columns, known in zip(found, fitted.classes_, strict=True)
        ]
    )


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


@pytest.mark.parametrize("method", [MLkNN(k=5), IBLRML(k=5)])
def test_cuts_the_scores_of_a_neighbour_method(method):
    X, Y, queries = random_data(1)
    alone = clone(method).fit(X, Y)
    wrapped = OneThreshold(method).fit(X, Y)
    output = wrapped._output(queries)
    np.testing.assert_array_equal(output["scores"], alone.predict_proba(queries))
    np.testing.assert_array_equal(output["sets"], output["scores"] >= wrapped.threshold_)
    # The threshold comes from training rows that do not count as their own neighbours.
    left_out = alone._output(X, neighbors=k_nearest(X, 5))["scores"]
    assert wrapped.threshold_ == best_threshold(Y, left_out)
    shared = clone(wrapped).fit(X, Y, neighbors=k_nearest(X, 9))._output(queries, neighbors=k_nearest(X, 9, queries))
    np.testing.assert_array_equal(output["sets"], shared["sets"])


@pytest.mark.parametrize(
    "method", [BRLogistic(), LCIF(), KNeighborsClassifier(3), make_pipeline(MinMaxScaler(), MLkNN(k=3))]
)
def test_cuts_the_scores_of_any_estimator(method):
    """Probabilities by label as ours, or by label and class as scikit-learn's; training rows by cross-validation."""
    X, Y, queries = random_data(2)
    X, queries = abs(X), abs(queries)
    Y[:, 0] = True  # of which scikit-learn's classifiers know one class only
    Y[:, 1] = False
    folds = KFold(3)
    wrapped = OneThreshold(method, cv=folds).fit(X, Y)
    left_out = np.empty(Y.shape)
    for train, test in folds.split(X):
        left_out[test] = probabilities(clone(method).fit(X[train], Y[train].astype(int)), X[test])
    assert wrapped.threshold_ == best_threshold(Y, left_out)
    scores = wrapped.predict_proba(queries)
    np.testing.assert_array_equal(scores, probabilities(clone(method).fit(X, Y.astype(int)), queries))
    np.testing.assert_array_equal(wrapped.predict(queries), scores >= wrapped.threshold_)


def test_parameters_reach_the_method():
    X, Y, _ = random_data(3, n=30)
    wrapped = OneThreshold(MLkNN(k=4)).set_params(estimator__s=3.0).fit(X, Y)
    np.testing.assert_array_equal(wrapped.estimator_.posterior_, MLkNN(4, 3.0).fit(X, Y).posterior_)
    assert wrapped.estimator is not wrapped.estimator_
    assert OneThreshold().get_params() == {"estimator": None, "cv": 5}


def test_bad_input():
    X, Y = np.arange(4.0)[:, None], np.ones((4, 1))
    with pytest.raises(ConfigError, match=r"with fit and predict_proba, got BoosTexter\(rounds=1\)"):
        OneThreshold(BoosTexter(1)).fit(X, Y)
    with pytest.raises(ConfigError, match="predict_proba, got 'brknn'"):
        OneThreshold("brknn").fit(X, Y)
    with pytest.raises(DataError, match="k = 4 neighbours asked for, 3 rows"):
        OneThreshold(MLkNN(k=4)).fit(X, Y)
    with pytest.raises(NotFittedError):
        OneThreshold().predict(np.zeros((1, 1)))
