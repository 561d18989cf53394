"""Case-based multilabel ranking on label sets (Brinker & Hüllermeier 2007, section 5), with a gap of any width.

A label set is the bucket order (relevant labels, virtual label, irrelevant labels), so the prediction is that of
`CaseBasedRanking`: labels before the virtual one are relevant. What the paper leaves open is settled as there. Equal
mean ranks put the virtual label first, so a label must be better than it to be relevant.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from labelknn.neighbors._euclidean import Neighbors
from labelknn.ranking._base_case_based import CaseBased
from labelknn.ranking.stats._buckets import from_label_sets, relevant
from labelknn.utils._base import DecisionMixin, LabelSetMethod
from labelknn.utils._threads import threaded
from labelknn.utils._validation import check_dense_features, check_label_sets


class CaseBasedMultilabel(DecisionMixin, CaseBased, LabelSetMethod):
    """Label sets from those of the nearest neighbours, with a gap that p virtual labels broaden (section 5, Figure 1).

    For p = 1 the split point counts as much as any label in the aggregation. The larger p, the more a label's side of
    the split counts; for p = ∞ it decides, and the prediction is the per-label majority vote. A vote of exactly one
    half is decided by the mean ranks for p = 1, at every p: the label is relevant if the neighbours that have it have
    more labels, all together, than the other neighbours lack.

    Cost: the neighbour search, then O(k c + c log c) a query, whatever p is.

    Parameters
    ----------
    k : number of neighbours.
    p : number of virtual labels, 1, 2, ... or infinity.
    weights : of the neighbours, as in `CaseBasedRanking`.
    n_jobs : threads of the neighbour search; None for all that the process may use.

    References
    ----------
    brinker2007, section 5 and Figure 1.

    >>> import numpy as np
    >>> X = np.zeros((3, 1))
    >>> Y = np.array([[1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0]])
    >>> [CaseBasedMultilabel(k=3, p=p).fit(X, Y).predict(X[:1]).sum() for p in (1, 3)]
    [np.int64(0), np.int64(1)]
    """

    def __init__(self, k: int = 10, p: float = 1, weights: str = "uniform", n_jobs: int | None = None) -> None:
        self.k = k
        self.p = p
        self.weights = weights
        self.n_jobs = n_jobs

    @threaded
    def fit(
        self, X: np.ndarray, Y: np.ndarray | sparse.spmatrix, neighbors: Neighbors | None = None
    ) -> CaseBasedMultilabel:
        """Keep the rows; neighbours among the training rows are of no use here."""
        X = check_dense_features(self, X, fitting=True)
        self.k_ = self._given_k(len(X))
        self._remember(X, from_label_sets(check_label_sets(self, Y, len(X)).toarray()))
        return self

    @threaded
    def _output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Label sets, and as scores by how many places a label ranks before the split point: positive if relevant."""
        ranks = self._predicted(X, neighbors)
        return {"sets": relevant(ranks), "scores": (ranks[:, -1:] - ranks[:, :-1]).astype(float)}
