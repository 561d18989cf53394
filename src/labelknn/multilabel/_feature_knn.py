"""Feature-kNN (chiang2012, section 1.2): take over the labels of the nearest neighbours, or let them vote by distance.

With k = 1 the nearest neighbour's label set is the prediction. With more, each neighbour votes with the weight 1/d of
its distance d, and a label is predicted if it gets at least half of the votes. The paper cites Dudani (1976) without
saying which of his weights it used; the inverse distance is the one that comes out at its numbers, so this choice was
made with a look at published test results. Neighbours at distance 0 outvote all others, which is the limit of 1/d.

`weights="linear"` gives the nearest of k neighbours k votes and the farthest one (section 4.4, K+LW of table 5).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from labelknn.errors import unknown
from labelknn.neighbors._euclidean import Neighbors
from labelknn.solvers._votes import SLACK, weighted_votes
from labelknn.utils._base import LazyMethod, ProbabilityMixin
from labelknn.utils._threads import threaded

WEIGHTS = ("inverse", "linear")


class FeatureKNN(ProbabilityMixin, LazyMethod):
    """k-nearest neighbours whose votes are weighted by the inverse distance, or by their order.

    Cost: the neighbour search, then O(k c) a query for rows of c labels. Nothing is learned in `fit`.

    Parameters
    ----------
    k : number of neighbours.
    weights : "inverse", 1/d at distance d, or "linear", k for the nearest neighbour down to 1 for the farthest.
    n_jobs : threads of the neighbour search; None for all that the process may use.

    References
    ----------
    chiang2012, sections 1.2 and 4.4; Dudani (1976).

    >>> import numpy as np
    >>> X = np.array([[0.0], [3.0], [4.0]])
    >>> Y = np.array([[1, 0], [0, 1], [0, 1]])
    >>> FeatureKNN(k=3).fit(X, Y).predict_proba(np.array([[1.0]]))
    array([[0.54545455, 0.45454545]])
    """

    def __init__(self, k: int = 10, weights: str = "inverse", n_jobs: int | None = None) -> None:
        self.k = k
        self.weights = weights
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        if self.weights not in WEIGHTS:
            raise unknown("weights", self.weights, WEIGHTS, "FeatureKNN")

    @threaded
    def _output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Label sets, and the shares of the weighted votes as scores."""
        found = self._query_neighbors(X, neighbors)
        if self.weights == "inverse":
            weights = inverse_distance_weights(found.distances)
        else:
            by_order = np.arange(self.k, 0, -1.0)
            weights = np.tile(by_order / by_order.sum(), (len(found.indices), 1))
        scores = weighted_votes(found.indices, weights, self.Y_)
        return {"sets": scores >= 0.5 - SLACK, "scores": scores}


def inverse_distance_weights(distances: np.ndarray) -> np.ndarray:
    """1/d for each neighbour of each row, divided by their sum; only the neighbours at distance 0 if there are any."""
    equal = distances == 0
    # Relative to the nearest distance, so that the inverse of a tiny one does not overflow.
    nearest = distances.min(axis=1, keepdims=True)
    weights = np.where(equal.any(axis=1, keepdims=True), equal, nearest / np.where(equal, 1, distances))
    return weights / weights.sum(axis=1, keepdims=True)
