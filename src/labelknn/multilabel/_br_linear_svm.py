"""Binary relevance with a linear support vector machine for each label: BR-SMO of Feremans et al. 2017.

The paper takes Weka's SMO as it is: a linear machine with the hinge loss, C = 1, on features scaled to [0, 1], which
the paper's data are from the start. Here the same problem is solved by dual coordinate descent (Hsieh et al. 2008). It
goes through the rows one by one, needs time for their non-zero features only, and leaves aside rows that have long been
on the right side (shrinking).

Coordinate descent wants the bias b in the penalty, SMO has it free. The penalty is therefore ½(b − c)², and c moves to
the b found until the two agree, which takes a few rounds (the proximal point method, Rockafellar 1976): at that point
the penalty is 0, and the solution is that of the machine with a free bias.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from labelknn.solvers._dual_descent import fit_machines
from labelknn.utils._base import DecisionMixin, LabelSetMethod
from labelknn.utils._parameters import check_real, check_whole
from labelknn.utils._threads import threaded
from labelknn.utils._validation import check_features, check_label_sets


class BRLinearSVM(DecisionMixin, LabelSetMethod):
    """A linear SVM for each label, min ½|w|² + C Σ max(0, 1 − t_i (w·x_i + b)), t_i = ±1; positive scores predict.

    Cost: for each label some tens of passes over the non-zero features of the rows, in parallel over the labels; the
    model is a (d + 1, q) matrix.

    Parameters
    ----------
    C : weight of the loss.
    tolerance : a label's machine is done when the projected gradients of all rows lie within this range, and so does
        the difference of b and c.
    max_epochs : passes over the rows after which it stops in any case.
    n_jobs : threads, each with a label at a time; None for all that the process may use.

    Attributes
    ----------
    coefficients_ : (q, d + 1) weights, the bias last.

    References
    ----------
    BR-SMO, a baseline in feremans2017; its solver is that of Hsieh et al. (2008).

    >>> import numpy as np
    >>> X = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> BRLinearSVM().fit(X, np.array([[1, 0], [1, 0], [0, 1], [0, 1]])).predict(np.array([[1.0, 0.0]]))
    array([[1, 0]])
    """

    def __init__(
        self, C: float = 1.0, tolerance: float = 0.01, max_epochs: int = 1000, n_jobs: int | None = None
    ) -> None:
        self.C = C
        self.tolerance = tolerance
        self.max_epochs = max_epochs
        self.n_jobs = n_jobs

    @threaded
    def fit(self, X: np.ndarray | sparse.csr_matrix, Y: np.ndarray | sparse.spmatrix) -> BRLinearSVM:
        """Learn from the rows of X, (n, d), and their label sets in Y, (n, q) of 0 and 1."""
        check_real(self, "C", "tolerance")
        check_whole(self, "max_epochs")
        X = sparse.csr_matrix(check_features(self, X, fitting=True))
        members = check_label_sets(self, Y, X.shape[0])
        self.coefficients_ = fit_machines(X, members, float(self.C), float(self.tolerance), self.max_epochs)
        return self

    def _output(self, X: np.ndarray | sparse.csr_matrix) -> Mapping[str, np.ndarray]:
        """Label sets, and the signed distances from the hyperplanes, up to their scale, as scores."""
        check_is_fitted(self)
        X = check_features(self, X, fitting=False)
        scores = np.asarray(X @ self.coefficients_[:, :-1].T) + self.coefficients_[:, -1]
        return {"sets": scores > 0, "scores": scores}
