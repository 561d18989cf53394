"""Neighbour oracles (chiang2012, section 1.2): how good a prediction the neighbours' label sets could give.

**Not a method of prediction**: an oracle is told the true label sets of the queries. Of the k nearest neighbours it
picks those whose label sets are closest to the truth in Hamming distance, and lets them vote. What it reaches bounds
what a method that re-ranks the same neighbours can hope for.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from labelknn.errors import DataError
from labelknn.neighbors._euclidean import Neighbors
from labelknn.solvers._votes import count_labels, hamming_distances
from labelknn.utils._base import LazyMethod
from labelknn.utils._validation import as_label_sets


class NeighborOracle(LazyMethod):
    """Votes of the `best` of the k nearest neighbours, chosen by looking at the true label sets.

    Among neighbours whose label sets are equally close, the nearer one is chosen. Half of the votes predict a label.
    Cost: the neighbour search, then O(k q) a query.

    Parameters
    ----------
    k : number of neighbours.
    best : how many of them vote; 1 is the paper's Oracle-1, 5 its Oracle-5.

    References
    ----------
    chiang2012, section 1.2.

    >>> import numpy as np
    >>> X, Y = np.array([[0.0], [1.0]]), np.array([[1, 0, 0], [0, 1, 1]])
    >>> oracle = NeighborOracle(k=2, best=1).fit(X, Y)
    >>> oracle._output(np.array([[0.1]]), truth=np.array([[1, 1, 1]]))["sets"]
    array([[False,  True,  True]])
    """

    sees_truth = True

    def __init__(self, k: int = 10, best: int = 1) -> None:
        self.k = k
        self.best = best

    def _output(
        self,
        X: np.ndarray,
        neighbors: Neighbors | None = None,
        *,
        truth: np.ndarray | sparse.spmatrix | None = None,
    ) -> Mapping[str, np.ndarray]:
        """Label sets, and the shares of the chosen neighbours' votes as scores, given the `truth` about X."""
        found = self._query_neighbors(X, neighbors)
        if truth is None:
            raise DataError("an oracle predicts nothing: pass the true label sets of the queries as truth=")
        if not 1 <= self.best <= self.k:
            raise DataError(f"best = {self.best} of k = {self.k} neighbours asked for, expected 1 to {self.k}")
        true_sets = as_label_sets(truth, len(found.indices))
        if true_sets.shape[1] != self.Y_.shape[1]:
            raise DataError(f"the truth has {true_sets.shape[1]} labels, the training rows {self.Y_.shape[1]}")
        distances = hamming_distances(found.indices, self.Y_.toarray(), true_sets.toarray())
        order = np.argsort(distances, axis=1, kind="stable")[:, : self.best]
        chosen = np.take_along_axis(found.indices, order, axis=1)
        counts = count_labels(chosen, self.Y_)
        return {"sets": 2 * counts >= self.best, "scores": counts / self.best}
