"""ML-kNN (Zhang & Zhou 2005): count the neighbours that have a label, then decide by maximum a posteriori.

Departures from the paper: none. Two things its Figure 1 leaves open are settled here. N(x_i) of a training instance is
searched among the *other* training instances (step 4 would otherwise count each instance as its own neighbour), and a
label whose two posteriors are equal (step 18) is not predicted.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from labelknn.neighbors._euclidean import Neighbors
from labelknn.solvers._votes import count_labels
from labelknn.utils._base import LabelSetMethod, NeighborMethod, ProbabilityMixin
from labelknn.utils._kernels import kernel
from labelknn.utils._parameters import check_real
from labelknn.utils._threads import threaded
from labelknn.utils._validation import check_features, check_label_sets


class MLkNN(ProbabilityMixin, NeighborMethod, LabelSetMethod):
    """Multi-label k-nearest neighbours.

    Cost: the neighbour searches (`labelknn.neighbors`), then O(n k c) for n rows of c labels each; the model is
    one table of q × (k + 1) posteriors.

    Parameters
    ----------
    k : number of neighbours.
    s : strength of the uniform prior; 1 is Laplace smoothing, as in the paper.
    n_jobs : threads of the neighbour searches; None for all that the process may use.

    Attributes
    ----------
    prior_ : (q,) P(H1), steps (1)-(3) of Figure 1.
    posterior_ : (q, k + 1) P(H1 | E_j), step (19), by label and number j of neighbours that have it.

    References
    ----------
    zhang2005, Figure 1.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> Y = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    >>> MLkNN(k=2).fit(X, Y).predict(np.array([[0.05], [5.05]]))
    array([[1, 0],
           [0, 1]])
    """

    k: int

    def __init__(self, k: int = 10, s: float = 1.0, n_jobs: int | None = None) -> None:
        self.k = k
        self.s = s
        self.n_jobs = n_jobs

    @threaded
    def fit(self, X: np.ndarray, Y: np.ndarray | sparse.spmatrix, neighbors: Neighbors | None = None) -> MLkNN:
        """Learn from the rows of X, (n, d), and their label sets in Y, (n, q) of 0 and 1."""
        check_real(self, "s")
        self.X_ = check_features(self, X, fitting=True)
        self.Y_ = check_label_sets(self, Y, self.X_.shape[0])
        found = self._training_neighbors(neighbors)
        m = self.Y_.shape[0]
        members = np.asarray(self.Y_.sum(axis=0)).ravel()
        self.prior_ = (self.s + members) / (2 * self.s + m)

        with_label, without_label = _count_by_membership(self._count(found), self.Y_.toarray(), self.k)
        likelihood = (self.s + with_label) / (self.s * (self.k + 1) + members[:, None])
        unlikelihood = (self.s + without_label) / (self.s * (self.k + 1) + (m - members)[:, None])
        relevant = self.prior_[:, None] * likelihood
        irrelevant = (1 - self.prior_[:, None]) * unlikelihood
        self.predicted_ = relevant > irrelevant
        self.posterior_ = relevant / (relevant + irrelevant)
        return self

    @threaded
    def _output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Label sets, and the posteriors as scores (the paper's vectors y_t and r_t)."""
        counts = self._count(self._query_neighbors(X, neighbors))
        labels = np.arange(counts.shape[1])
        return {"sets": self.predicted_[labels, counts], "scores": self.posterior_[labels, counts]}

    def _count(self, found: Neighbors) -> np.ndarray:
        """Equation (7), the membership counting vectors."""
        return count_labels(found.indices, self.Y_)


def _count_by_membership(counts: np.ndarray, members: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Steps (6)-(11): c[j] and c'[j] for every label, as two (q, k + 1) tables."""
    with_label, without_label = np.zeros((2, counts.shape[1], k + 1))
    _add_counts(counts, members, with_label, without_label)
    return with_label, without_label


@kernel
def _add_counts(counts, members, with_label, without_label):
    for i in range(counts.shape[0]):
        for label in range(counts.shape[1]):
            if members[i, label]:
                with_label[label, counts[i, label]] += 1
            else:
                without_label[label, counts[i, label]] += 1
