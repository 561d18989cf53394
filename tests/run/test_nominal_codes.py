"""Codes of nominal features by hand, and that it does not matter which of two levels is 1."""

import numpy as np
import pytest
from scipy import sparse

from labelknn.errors import ConfigError
from labelknn.solvers._newton_cg import SQUARED_HINGE, fit_linear
from labelknn_papers.run.nominal_codes import CODES, CodedRAkEL

X = np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 0.0], [5.0, 0.0, 1.0]])
Y = np.array([[1, 0], [0, 1], [1, 1]])
CODED = {
    "indicators": [[1, 0, 0, 1, 0], [0, 0, 1, 0, 0], [0, 1, 0, 0, 1]],
    "number": [[1, 0, 2], [0, 0, 0], [0, 1, 5]],
    "left-out": [[1, 0], [0, 0], [0, 1]],
    "indicators-no-is-one": [[0, 1, 0, 1, 0], [1, 1, 1, 0, 0], [1, 0, 0, 0, 1]],
    "number-no-is-one": [[0, 1, 2], [1, 1, 0], [1, 0, 5]],
    "left-out-no-is-one": [[0, 1], [1, 1], [1, 0]],
}


@pytest.mark.parametrize("code", CODES)
def test_codes(code):
    model = CodedRAkEL(code=code, k=1, random_state=0).fit(X, Y)
    coded = model.coded(X)
    np.testing.assert_array_equal(coded.toarray() if sparse.issparse(coded) else coded, CODED[code])
    assert model.predict(X).shape == (3, 2)


def test_a_name_that_was_not_there_in_training_has_no_indicator():
    model = CodedRAkEL(k=1, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.coded(np.array([[4.0, 1.0, 1.0]])).toarray(), [[1, 1, 0, 0, 0]])


def test_at_the_minimum_turned_features_change_nothing():
    """The intercept is not penalised: it takes up what a feature that is turned round adds."""
    rng = np.random.default_rng(0)
    rows, targets = (rng.random((80, 12)) < 0.2).astype(float), rng.random((80, 3)) < 0.4
    decisions = []
    for features in (rows, 1 - rows):
        weights, intercepts = fit_linear(features, targets, SQUARED_HINGE, 1.0, 1e-9)
        decisions.append(features @ weights + intercepts)
    np.testing.assert_allclose(*decisions, atol=1e-6)


def test_an_unknown_code_is_refused():
    with pytest.raises(ConfigError, match="unknown code 'indicator'"):
        CodedRAkEL(code="indicator").fit(X, Y)
