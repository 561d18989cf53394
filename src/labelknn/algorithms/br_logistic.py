"""BR-LR: binary relevance with logistic regression, chiang2012's baseline that looks at no neighbours.

One logistic regression on the features for each label. The ridge of 1e-8 is Weka's, which the paper used: small enough
to leave a likelihood that has a maximum alone, it keeps the weights of separable labels finite.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from labelknn.algorithms.base import MultilabelMethod, as_label_sets
from labelknn.algorithms.linear import LOGISTIC, TOLERANCE, finite_features, fit_linear


class BRLogistic(MultilabelMethod):
    """A logistic regression for each label.

    Cost: O(n d q) for a conjugate-gradient step of all q models on n rows of d features (n d the stored entries where X
    is sparse), of which some hundreds are needed if labels are nearly separable.

    Parameters
    ----------
    ridge : penalty ridge/2 |w|² on the weights of a label's model.
    tolerance : the optimisation ends when the gradient is this share of what it was at the start.

    Attributes
    ----------
    coefficients_ : (d, q) weights.
    intercepts_ : (q,); infinite for a label that all or no training rows have.

    References
    ----------
    BR-LR, a rival in chiang2012.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> Y = np.array([[0, 1], [1, 1], [0, 1], [1, 0], [0, 1], [1, 0]])
    >>> BRLogistic().fit(X, Y).predict(np.array([[-1.0], [6.0]]))
    array([[False,  True],
           [ True, False]])
    """

    def __init__(self, ridge: float = 1e-8, tolerance: float = TOLERANCE) -> None:
        self.ridge = ridge
        self.tolerance = tolerance

    def fit(self, X: np.ndarray | sparse.csr_matrix, Y: np.ndarray | sparse.spmatrix) -> BRLogistic:
        X = finite_features(X)
        targets = as_label_sets(Y, X.shape[0]).toarray()
        self.n_features_in_ = X.shape[1]
        self.coefficients_, self.intercepts_ = fit_linear(X, targets, LOGISTIC, self.ridge, self.tolerance)
        return self

    def output(self, X: np.ndarray | sparse.csr_matrix) -> Mapping[str, np.ndarray]:
        """Label sets, and the probabilities as scores."""
        check_is_fitted(self)
        scores = expit(finite_features(X, self.n_features_in_) @ self.coefficients_ + self.intercepts_)
        return {"sets": scores >= 0.5, "scores": scores}
