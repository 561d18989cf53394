"""Methods that need complete rankings with a split point, on others."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from labelknn import CaseBasedRanking
from labelknn_papers.run.completed_rankings import CompletedRankings

RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 3))
RANKS = np.argsort(np.argsort(-X @ RNG.normal(size=(3, 4)), axis=1), axis=1) + 1


class Seen(BaseEstimator):
    def fit(self, X, Y):
        self.seen_ = Y
        return self

    def predict(self, X):
        return self.seen_


def test_what_is_missing_is_put_where_it_is_on_average():
    Y = np.array([[1, 2, 3, 4], [2, 0, 1, 0], [0, 1, 2, 3], [0, 0, 0, 0]])
    found = CompletedRankings(Seen()).fit(None, Y)
    # Of two labels that are there, the first is at 5/3 and the other at 10/3; one that is missing is at 5/2.
    expected = [[1, 2, 3, 4, 5], [4, 2, 1, 3, 5], [2, 1, 3, 4, 5], [1, 2, 3, 4, 5]]
    np.testing.assert_array_equal(found.estimator_.seen_, expected)
    np.testing.assert_array_equal(found.predict(None), np.array(expected)[:, :4])


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_method_ranks_by_it(missing):
    Y = RANKS * (RNG.uniform(size=RANKS.shape) >= missing)
    found = CompletedRankings(CaseBasedRanking(k=3), random_state=1).fit(X, Y).predict(X)
    assert found.shape == RANKS.shape
    pairs = np.sign(found[:, :, None] - found[:, None]) * np.sign(RANKS[:, :, None] - RANKS[:, None])
    assert pairs.sum() / np.abs(pairs).sum() > 0.5, "most pairs are in the right order"
    if not missing:
        complete = np.column_stack([RANKS, np.full(60, 5)])
        same = CaseBasedRanking(k=3, random_state=1).fit(X, complete).predict(X)[:, :-1]
        np.testing.assert_array_equal(found, same)
