"""Logistic regressions on a part of the rows, against neighbours and votes that are found one by one."""

import numpy as np
import pytest

from labelknn.errors import ConfigError
from labelknn.neighbors._euclidean import k_nearest
from labelknn.solvers._weka_logistic import fit_logistic
from labelknn_papers.run.logistic_rows import PARTS, LogisticRows

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 4)), RNG.random((60, 3)) < 0.4


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("searched", [False, True])
def test_neighbours_are_among_the_rows_of_the_ranking_model(part, searched):
    model = LogisticRows(part=part, k=3, ranker=None, random_state=5)
    model.fit(X, Y, neighbors=k_nearest(X, 12) if searched else None)
    order = np.random.default_rng(5).permutation(60)
    learned, rows = np.sort(order[12:]), np.sort(order[12:] if part == "learned" else order[:12])
    votes = []
    for row in rows:
        others = learned[learned != row]
        nearest = others[np.argsort(((X[others] - X[row]) ** 2).sum(axis=1), kind="stable")[:3]]
        votes.append(Y[nearest].ravel())
    coefficients, intercepts = fit_logistic(np.array(votes, float), Y[rows])
    np.testing.assert_allclose(model.coefficients_, coefficients)
    np.testing.assert_allclose(model.intercepts_, intercepts)


def test_the_ranking_is_that_of_the_same_division():
    ranked = LogisticRows(k=3, random_state=5).fit(X, Y)
    assert ranked.ranker_ is not None
    assert ranked.predict(X[:7]).shape == (7, 3)


def test_an_unknown_part_is_refused():
    with pytest.raises(ConfigError, match="unknown part 'all'"):
        LogisticRows(part="all").fit(X, Y)
