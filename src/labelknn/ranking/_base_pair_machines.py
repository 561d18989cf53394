"""What CRPC and binary relevance share: support vector machines for pairs of labels, and the choice of parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelknn.errors import DataError, unknown
from labelknn.ranking.stats._buckets import generalised_ranks, relevant, spearman
from labelknn.solvers._hold_out import VALIDATION_SHARE, hold_out
from labelknn.solvers._smo import solve_path
from labelknn.utils._base import RankingMethod
from labelknn.utils._threads import threaded
from labelknn.utils._validation import check_bucket_orders, check_dense_features

# Section 6 of brinker2007: the degrees and the values of C that each kind of kernel is validated at.
GRIDS: Mapping[str, tuple[Sequence[int], Sequence[float]]] = {
    "linear": ((1,), tuple(2.0**power for power in range(-4, 5))),
    "poly": ((1, 2, 3, 4, 5), tuple(2.0**power for power in range(-2, 3))),
}


class PairMachines(RankingMethod):
    """A machine for each of some pairs of labels, and the choice of C and degree.

    A machine learns from the rows whose ranking orders its two labels which of them comes first. Subclasses say which
    pairs, and how decisions make a ranking.
    """

    def __init__(
        self,
        kernel: str = "linear",
        degree: int | None = None,
        C: float | None = None,
        random_state: int | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.C = C
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _pairs(self, q: int) -> np.ndarray:
        """The (m, 2) pairs of label numbers; q - 1 is the virtual label."""
        raise NotImplementedError

    def _rank(self, decisions: np.ndarray, q: int) -> np.ndarray:
        """Strict ranks, (n, q), from (m, n) decisions, positive where the first label of the pair comes first."""
        raise NotImplementedError

    @threaded
    def fit(self, X: np.ndarray, Y: np.ndarray) -> Self:
        """`Y` holds complete rankings of the labels and, in the last column, the virtual label; ties are welcome."""
        X = check_dense_features(self, X, fitting=True)
        orders = check_bucket_orders(self, Y, len(X))
        degrees, costs = self._grid()
        self.pairs_ = self._pairs(orders.shape[1])
        signs = np.sign(orders[:, self.pairs_[:, 1]] - orders[:, self.pairs_[:, 0]]).T
        if len(degrees) * len(costs) > 1:
            self._choose(X, orders, signs, degrees, costs)
        else:
            self.degree_, self.C_ = degrees[0], costs[0]
        self.X_ = X
        coefficients, constants = solve_path(_kernel_matrix(X, X, self.degree_), signs, (self.C_,))
        self.dual_coef_, self.intercept_ = coefficients[0], constants[0]
        return self

    def decisions(self, X: np.ndarray) -> np.ndarray:
        """The decision of each machine, (n, m): positive where the first label of the pair comes first."""
        check_is_fitted(self)
        X = check_dense_features(self, X, fitting=False)
        return _decide(_kernel_matrix(self.X_, X, self.degree_), self.dual_coef_, self.intercept_).T

    def _output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        """Strict ranks of all labels and the virtual one, (n, c + 1), and the split that they make, (n, c)."""
        ranks = self._rank(self.decisions(X).T, self.n_labels_)
        return {"ranks": ranks, "split": relevant(ranks)}

    def _grid(self) -> tuple[Sequence[int], Sequence[float]]:
        """Degrees and increasing costs to choose from."""
        if self.kernel not in GRIDS:
            raise unknown("kernel", self.kernel, GRIDS, type(self).__name__)
        degrees, costs = GRIDS[self.kernel]
        if self.degree is not None:
            if self.degree < 1 or (self.kernel == "linear" and self.degree > 1):
                raise DataError(
                    f"degree = {self.degree} with a {self.kernel} kernel, expected 1 (linear) or more (poly)"
                )
            degrees = (self.degree,)
        if self.C is not None:
            if not 0 < self.C < np.inf:
                raise DataError(f"C = {self.C}, expected a positive number")
            costs = (self.C,)
        return degrees, costs

    def _choose(
        self, X: np.ndarray, orders: np.ndarray, signs: np.ndarray, degrees: Sequence[int], costs: Sequence[float]
    ) -> None:
        """The setting with the best mean Spearman correlation on 30 % of the rows; the first of the grid if equal."""
        learned, validated = hold_out(len(X), VALIDATION_SHARE, self.random_state)
        truth = generalised_ranks(orders[validated])
        self.grid_spearman_ = {}
        for degree in degrees:
            path = solve_path(_kernel_matrix(X[learned], X[learned], degree), signs[:, learned], costs)
            judged = _kernel_matrix(X[learned], X[validated], degree)
            for cost, coefficients, constants in zip(costs, *path, strict=True):
                ranks = self._rank(_decide(judged, coefficients, constants), orders.shape[1])
                self.grid_spearman_[degree, cost] = float(spearman(truth, ranks).mean())
        self.degree_, self.C_ = max(self.grid_spearman_, key=lambda setting: self.grid_spearman_[setting])


def _kernel_matrix(X: np.ndarray, others: np.ndarray, degree: int) -> np.ndarray:
    """(1 + x·y)^degree. For degree 1 the constant changes nothing but the constant term: it is the linear kernel."""
    return (1.0 + X @ others.T) ** degree


def _decide(kernel: np.ndarray, coefficients: np.ndarray, constants: np.ndarray) -> np.ndarray:
    """(m, n) decisions of m machines about n rows from the (training rows, n) kernel matrix."""
    return coefficients @ kernel + constants[:, None]
