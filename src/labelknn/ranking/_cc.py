"""CC, cheng2009's baseline: constraint classification (Har-Peled, Roth & Zimak 2003) with a noise-tolerant perceptron.

Label a has the utility w_a · x + b_a, and a ranking that puts a before b says that a's is greater. Each such pair of an
example is a constraint. A violated constraint moves w_a by x and w_b by −x, one constraint after the other. One that
has been violated α times is taken for noise and ignored from then on (the α-trick, Khardon & Wachman 2007; cheng2009,
footnote 1, has α = 500).

What section 6 leaves open is settled here:

- Utilities have a constant term, and equal ones violate a constraint.
- An epoch visits the examples in a new random order, and an example's pairs in the order of its ranking: first with
  second, first with third, and so on. An example whose constraints are all ignored is visited no more.
- The weights are those after the first epoch without an update.
- Predicted utilities that are equal rank the lower label index first. A label that is in no pair has the utility 0.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelknn.errors import DataError
from labelknn.solvers._perceptron import Constraints, train
from labelknn.utils._base import RankingMethod, warn_not_converged
from labelknn.utils._parameters import check_whole, seed_of
from labelknn.utils._validation import check_dense_features, check_rankings


class ConstraintClassification(RankingMethod):
    """Linear utilities for the labels, learned from complete or incomplete rankings.

    Cost: O(n q (d + q)) an epoch and O(d) an update, at most α updates for each of up to n q (q − 1) / 2 constraints;
    the paper's sets take 2 to 5 α epochs unless they are separable, which ends sooner. Memory: 4 bytes a constraint.

    Parameters
    ----------
    alpha : how often a constraint may be violated before it is ignored; the time is nearly proportional to it.
    max_epochs : stop after so many epochs, with a ConvergenceWarning unless `average` is set.
    average : take the mean of the weights after each visit instead of the last weights. These are of use long before
        convergence: ``alpha=20, max_epochs=100, average=True`` is the quick form of the method.
    warm_start : start from the weights of the last `fit` instead of zeros.
    random_state : seed of the visiting orders.

    Attributes
    ----------
    coef_, intercept_ : (q, d) and (q,) weights of the utilities.
    n_iter_ : number of epochs.
    n_updates_ : number of violations that changed the weights.
    n_ignored_ : number of constraints that the α-trick removed.
    n_skipped_ : number of visits that were known to change nothing.
    converged_ : whether the last epoch made no update.

    References
    ----------
    Har-Peled, Roth & Zimak (2003); cheng2009, section 6 and footnote 1.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> ranks = np.array([[1, 2, 3], [1, 2, 0], [1, 2, 3], [3, 2, 1], [0, 2, 1], [3, 2, 1]])
    >>> ConstraintClassification().fit(X, ranks).predict(np.array([[0.05], [5.05]]))
    array([[1, 2, 3],
           [3, 2, 1]])
    """

    def __init__(
        self,
        alpha: int = 500,
        max_epochs: int = 20_000,
        average: bool = False,
        warm_start: bool = False,
        random_state: int | None = 0,
    ) -> None:
        self.alpha = alpha
        self.max_epochs = max_epochs
        self.average = average
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: np.ndarray, Y: np.ndarray) -> ConstraintClassification:
        """Learn from the rows of X, (n, d), and their rankings in Y, (n, q): 1 is best, 0 or NaN a missing label."""
        check_whole(self, "alpha", "max_epochs")
        rows = _with_constant(check_dense_features(self, X, fitting=True))
        ranks = check_rankings(self, Y, len(rows))
        if not np.isfinite(np.einsum("ij,ij->i", rows, rows)).all():
            raise DataError("feature values are too large: squared lengths overflow; scale the features")
        constraints = Constraints.of(ranks)
        if len(constraints.strikes) == 0:
            raise DataError(f"none of {len(ranks)} rankings has two labels; there is nothing to learn from")

        weights = self._first_weights(ranks.shape[1], rows.shape[1])
        seed = np.random.SeedSequence(seed_of(self.random_state)).generate_state(1, np.uint64)[0] | np.uint64(1)
        self.n_iter_, self.n_updates_, self.n_ignored_, self.n_skipped_, self.converged_ = train(
            rows, constraints, weights, self.alpha, self.max_epochs, self.average, seed
        )
        if not (self.converged_ or self.average):
            warn_not_converged(
                f"constraints are still violated after {self.max_epochs} epochs; increase max_epochs",
            )
        self.coef_, self.intercept_ = weights[:, :-1].copy(), weights[:, -1].copy()
        return self

    def utilities(self, X: np.ndarray) -> np.ndarray:
        """The utility of each label, (n, q) float: the greater, the better its rank."""
        check_is_fitted(self)
        X = check_dense_features(self, X, fitting=False)
        return X @ self.coef_.T + self.intercept_

    def _output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        order = np.argsort(-self.utilities(X), axis=1, kind="stable")
        ranks = np.empty(order.shape, np.int64)
        np.put_along_axis(ranks, order, np.arange(1, order.shape[1] + 1)[None, :], axis=1)
        return {"ranks": ranks}

    def _first_weights(self, q: int, d: int) -> np.ndarray:
        """One row of d weights for each label, the constant's last."""
        weights = np.zeros((q, d))
        if self.warm_start and hasattr(self, "coef_"):
            if self.coef_.shape != (q, d - 1):
                found = f"{self.coef_.shape[0]} labels and {self.coef_.shape[1]} features"
                raise DataError(f"warm start from weights for {found}, but the data have {q} and {d - 1}")
            weights[:, :-1], weights[:, -1] = self.coef_, self.intercept_
        return weights


def _with_constant(X: np.ndarray) -> np.ndarray:
    return np.column_stack([X, np.ones(len(X))])
