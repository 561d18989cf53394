"""BR-kNN (Spyromitros, Tsoumakas & Vlahavas 2008): every label by a vote of the k nearest neighbours.

As chiang2012 uses it: the share of the neighbours that have a label is its score, and one half is enough to predict it
(chiang2012, equation (9)). Neighbours that are equally far count by row index, so there are always exactly k.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from labelknn.neighbors._euclidean import Neighbors
from labelknn.solvers._votes import count_labels
from labelknn.utils._base import LazyMethod, ProbabilityMixin
from labelknn.utils._threads import threaded


class BRkNN(ProbabilityMixin, LazyMethod):
    """Binary relevance with k-nearest neighbours: a vote for each label.

    Cost: the neighbour search, then O(k c) a query for rows of c labels. Nothing is learned in `fit`.

    Parameters
    ----------
    k : number of neighbours.
    n_jobs : threads of the neighbour search; None for all that the process may use.

    References
    ----------
    Spyromitros, Tsoumakas & Vlahavas (2008); chiang2012, equation (9).

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [9.0]])
    >>> Y = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]])
    >>> BRkNN(k=2).fit(X, Y).predict_proba(np.array([[0.2]]))
    array([[1. , 0.5, 0. ]])
    """

    def __init__(self, k: int = 10, n_jobs: int | None = None) -> None:
        self.k = k
        self.n_jobs = n_jobs

    @threaded
    def _output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Label sets, and the shares of the neighbours' votes as scores."""
        found = self._query_neighbors(X, neighbors)
        counts = count_labels(found.indices, self.Y_)
        return {"sets": 2 * counts >= self.k, "scores": counts / self.k}
