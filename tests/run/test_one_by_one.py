"""Machines that are asked one after the other decide as those that share a kernel matrix."""

import numpy as np
import pytest

from labelknn.ranking import CRPC, BinaryRelevanceRanking
from labelknn_papers.run.one_by_one import BinaryRelevanceOneByOne, CRPCOneByOne

RNG = np.random.default_rng(6)
X = RNG.normal(size=(80, 4))
X /= np.linalg.norm(X, axis=1, keepdims=True)
RANKS = np.argsort(np.argsort(X @ RNG.normal(size=(4, 5)) + 0.2 * RNG.normal(size=(80, 5)), axis=1), axis=1) + 1


@pytest.mark.parametrize(
    ("one_by_one", "shared", "machines"),
    [(CRPCOneByOne, CRPC, 10), (BinaryRelevanceOneByOne, BinaryRelevanceRanking, 4)],
)
def test_they_decide_alike(one_by_one, shared, machines):
    parameters = {"kernel": "poly", "degree": 2, "C": 1.0}
    first, second = (method(**parameters).fit(X[:60], RANKS[:60]) for method in (one_by_one, shared))
    decisions = first.decisions(X[60:])
    assert decisions.shape == (20, machines)
    np.testing.assert_allclose(decisions, second.decisions(X[60:]), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(first.predict(X[60:]), second.predict(X[60:]))
    assert 0 < (first.dual_coef_ == 0).mean() < 1, "not every row is a support vector"
