"""Methods that need complete rankings with a split point, on others."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from labelknn import BinaryRelevanceRanking, CaseBasedRanking
from labelknn.metrics import kendall_tau
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


def test_the_split_point_can_be_among_the_labels():
    found = CompletedRankings(Seen(), relevant=0.5).fit(None, np.array([[4, 3, 2, 1], [1, 2, 3, 4]]))
    np.testing.assert_array_equal(found.estimator_.seen_, [[5, 4, 2, 1, 3], [1, 2, 4, 5, 3]])
    odd = CompletedRankings(Seen(), relevant=0.5).fit(None, np.array([[1, 2, 3]]))
    np.testing.assert_array_equal(odd.estimator_.seen_, [[1, 3, 4, 2]])
    np.testing.assert_array_equal(odd.predict(None), [[1, 2, 3]], "what is predicted has no gap there")


def test_binary_relevance_learns_from_it():
    """It learns on which side of the split point a label is: of labels that are all relevant, nothing."""
    method = BinaryRelevanceRanking(kernel="linear", C=1.0)
    learned = [CompletedRankings(method, share, random_state=1).fit(X, RANKS).predict(X) for share in (1.0, 0.5)]
    nothing, half = (kendall_tau(RANKS, ranks) for ranks in learned)
    assert len(np.unique(learned[0], axis=0)) == 1
    assert half > max(nothing, 0.5)


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
