"""IBLR-ML (Cheng & Hüllermeier 2009, Machine Learning 76): logistic regression on the labels of the neighbours.

For each label a logistic regression whose features are, for all labels, how many of the k nearest neighbours have them
(chiang2012, equations (3) to (5)); a training row's neighbours are those among the other training rows. What the papers
leave open is settled here:

- The regressions are Weka's, which the papers used; for separable labels, whose likelihood has no maximum, its path
  decides (see `labelknn.solvers._weka_logistic`). With hundreds of labels that takes hours; a `tolerance` asks for
  Newton's method on all labels at once instead (`labelknn.solvers`), and decides where separable labels end.
- A label without positive (or negative) training rows has the probability 0 (or 1).
- One half is enough to predict a label.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse
from scipy.special import expit

from labelknn.neighbors._euclidean import Neighbors
from labelknn.solvers._newton_cg import LOGISTIC, fit_linear
from labelknn.solvers._votes import count_labels
from labelknn.solvers._weka_logistic import RIDGE, fit_logistic
from labelknn.utils._base import LabelSetMethod, NeighborMethod, ProbabilityMixin
from labelknn.utils._parameters import check_real
from labelknn.utils._threads import threaded
from labelknn.utils._validation import check_features, check_label_sets


class IBLRML(ProbabilityMixin, NeighborMethod, LabelSetMethod):
    """Instance-based logistic regression for label sets.

    Cost: the neighbour searches, then O(n q²) for a step of all q models on n rows, of which some 100 are needed;
    memory for n × q numbers.

    Parameters
    ----------
    k : number of neighbours.
    ridge : penalty ridge |α|² on the weights of a label's model, for standardised counts; with a tolerance
        ridge/2 |α|², for the counts as they are.
    tolerance : None for Weka's optimisation; else Newton's method ends when a label's gradient is this share of what it
        was at the start.
    n_jobs : threads of the neighbour searches; None for all that the process may use.

    Attributes
    ----------
    coefficients_ : (q, q) the weights α by neighbours' label and predicted label.
    intercepts_ : (q,) the bias terms ω0; infinite for a label that all or no training rows have.

    References
    ----------
    Cheng & Hüllermeier (2009), Machine Learning 76; chiang2012, equations (3) to (5).

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]])
    >>> Y = np.array([[1, 0], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [0, 1]])
    >>> IBLRML(k=2).fit(X, Y).predict(np.array([[0.05], [5.05]]))
    array([[1, 0],
           [0, 1]])
    """

    def __init__(
        self, k: int = 10, ridge: float = RIDGE, tolerance: float | None = None, n_jobs: int | None = None
    ) -> None:
        self.k = k
        self.ridge = ridge
        self.tolerance = tolerance
        self.n_jobs = n_jobs

    @threaded
    def fit(self, X: np.ndarray, Y: np.ndarray | sparse.spmatrix, neighbors: Neighbors | None = None) -> IBLRML:
        """Learn from the rows of X, (n, d), and their label sets in Y, (n, q) of 0 and 1."""
        check_real(self, "ridge", zero=True)
        if self.tolerance is not None:
            check_real(self, "tolerance")
        self.X_ = check_features(self, X, fitting=True)
        self.Y_ = check_label_sets(self, Y, self.X_.shape[0])
        found = self._training_neighbors(neighbors)
        counts, targets = self._counts(found), self.Y_.toarray()
        if self.tolerance is None:
            self.coefficients_, self.intercepts_ = fit_logistic(counts, targets, self.ridge)
        else:
            self.coefficients_, self.intercepts_ = fit_linear(counts, targets, LOGISTIC, self.ridge, self.tolerance)
        return self

    @threaded
    def _output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Label sets, and the probabilities as scores."""
        counts = self._counts(self._query_neighbors(X, neighbors))
        scores = expit(counts @ self.coefficients_ + self.intercepts_)
        return {"sets": scores >= 0.5, "scores": scores}

    def _counts(self, found: Neighbors) -> np.ndarray:
        """Equation (5)."""
        return count_labels(found.indices, self.Y_).astype(float)
