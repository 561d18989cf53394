"""BR-LR: binary relevance with logistic regression, chiang2012's baseline that looks at no neighbours.

One logistic regression on the features for each label, by Weka's method, which the paper used: where a label is
separable, that decides what comes out (see `labelknn.solvers._weka_logistic`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from labelknn.solvers._weka_logistic import RIDGE, fit_logistic
from labelknn.utils._base import LabelSetMethod, ProbabilityMixin
from labelknn.utils._parameters import check_real
from labelknn.utils._validation import check_features, check_label_sets


class BRLogistic(ProbabilityMixin, LabelSetMethod):
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
    BR-LR, a baseline in chiang2012.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> Y = np.array([[0, 1], [1, 1], [0, 1], [1, 0], [0, 1], [1, 0]])
    >>> BRLogistic().fit(X, Y).predict(np.array([[-1.0], [6.0]]))
    array([[0, 1],
           [1, 0]])
    """

    def __init__(self, ridge: float = RIDGE) -> None:
        self.ridge = ridge

    def fit(self, X: np.ndarray | sparse.csr_matrix, Y: np.ndarray | sparse.spmatrix) -> BRLogistic:
        """Learn from the rows of X, (n, d), and their label sets in Y, (n, q) of 0 and 1."""
        check_real(self, "ridge", zero=True)
        X = check_features(self, X, fitting=True)
        targets = check_label_sets(self, Y, X.shape[0]).toarray()
        self.coefficients_, self.intercepts_ = fit_logistic(X, targets, self.ridge)
        return self

    def _output(self, X: np.ndarray | sparse.csr_matrix) -> Mapping[str, np.ndarray]:
        """Label sets, and the probabilities as scores."""
        check_is_fitted(self)
        scores = expit(check_features(self, X, fitting=False) @ self.coefficients_ + self.intercepts_)
        return {"sets": scores >= 0.5, "scores": scores}
