"""BR-LR: binary relevance with logistic regression, chiang2012's baseline that looks at no neighbours.

One logistic regression on the features for each label, by Weka's method, which the paper used: where a label is
separable, that decides what comes out (see `labelknn.solvers._weka_logistic`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse
from scipy.special import expit

from labelknn.solvers._newton_cg import finite_features
from labelknn.solvers._weka_logistic import RIDGE, fit_logistic
from labelknn.utils._base import MultilabelMethod, as_label_sets
from labelknn.utils._estimator import check_is_fitted


class BRLogistic(MultilabelMethod):
    """A logistic regression for each label.

    Cost: for each label some 100 steps, each with two products with n rows of d features (or what X stores of them) and
    up to 800 with vectors of d weights.

    Parameters
    ----------
    ridge : penalty ridge |w|² on the weights of a label's model, for standardised features.

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

    def __init__(self, ridge: float = RIDGE) -> None:
        self.ridge = ridge

    def fit(self, X: np.ndarray | sparse.csr_matrix, Y: np.ndarray | sparse.spmatrix) -> BRLogistic:
        X = finite_features(X)
        targets = as_label_sets(Y, X.shape[0]).toarray()
        self.n_features_in_ = X.shape[1]
        self.coefficients_, self.intercepts_ = fit_logistic(X, targets, self.ridge)
        return self

    def output(self, X: np.ndarray | sparse.csr_matrix) -> Mapping[str, np.ndarray]:
        """Label sets, and the probabilities as scores."""
        check_is_fitted(self)
        scores = expit(finite_features(X, self.n_features_in_) @ self.coefficients_ + self.intercepts_)
        return {"sets": scores >= 0.5, "scores": scores}
