"""Rank-SVM as its authors' program trains it: Frank and Wolfe's method, stopped after some iterations.

`labelknn.multilabel.RankSVM` solves the problem without constant terms, and to the end. Elisseeff and Weston's has a
constant b_k in each label's score, which is not penalised. So the dual has an equality constraint for each label,

    Σ_i β_ik = 0,    β_ik = Σ α_ikl − Σ α_ilk,    0 ≤ α_ikl ≤ C / (|Y_i| |Ȳ_i|),

and an iteration of Frank and Wolfe's method is a linear programme: the feasible α with the largest product with the
gradient 1 − f_k(x_i) + f_l(x_i). Then α moves towards it as far as the dual rises. The program makes 50 iterations at
most, and converges slowly: what comes out is not the minimum. The constants follow from the pairs strictly between
their bounds, at which f_k + b_k − f_l − b_l = 1: by least squares, since not all can be met.

The constraints are those of a flow between labels, each α an arc. A price for each label decides all arcs but those
whose gain it equals, and prices change little from one iteration to the next: so the programme is solved for the arcs
near the last prices, and again with those others that want to change, until there are none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.utils.validation import check_is_fitted

from labelknn.errors import DataError
from labelknn.multilabel import RankSVM
from labelknn.multilabel._rank_svm import _best_thresholds, _fit_threshold
from labelknn.utils._validation import check_dense_features, check_label_sets

# The share of the arcs that a linear programme starts with.
NEAR = 0.4
# What a gain may miss a price by, relative to the largest gain.
SLACK = 1e-9


class RankSVMFrankWolfe(RankSVM):
    """Rank-SVM after a number of iterations of Frank and Wolfe's method, with constant terms.

    Parameters
    ----------
    C, degree : as in `RankSVM`.
    iterations : number of steps.

    Attributes
    ----------
    duals_ : the objective after each iteration, which never falls.

    >>> X = np.array([[0.0], [0.1], [0.2], [0.8], [0.9], [1.0]])
    >>> Y = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    >>> RankSVMFrankWolfe(C=10, degree=2, iterations=10).fit(X, Y).predict(np.array([[0.05], [0.95]]))
    array([[1, 0],
           [0, 1]])
    """

    _side_by_side = ("iterations", "iterations")

    def __init__(self, C: float = 1.0, degree: int = 8, iterations: int = 50) -> None:
        self.C = C
        self.degree = degree
        self.iterations = iterations

    def fit(self, X: np.ndarray, Y: np.ndarray | sparse.spmatrix) -> RankSVMFrankWolfe:
        """Learn from the rows of X, (n, d), and their label sets in Y, (n, q) of 0 and 1."""
        self.X_ = check_dense_features(self, X, fitting=True)
        members = check_label_sets(self, Y, len(self.X_)).toarray()
        pairs = _Pairs(members, self.C)
        if not len(pairs.rows):
            raise DataError("no training row has some of the labels and not others: nothing to rank")
        gram = self._kernel(self.X_)
        alpha, coef, scores = np.zeros(len(pairs.rows)), np.zeros(members.shape), np.zeros(members.shape)
        prices = np.zeros(members.shape[1])
        self.stages_, duals = {}, []
        for iteration in range(1, self.iterations + 1):
            gains = pairs.missing(scores)
            target, prices = pairs.best_flow(gains, prices)
            towards = pairs.coefficients(target - alpha)
            change = np.einsum("ij,jk->ik", gram, towards)
            # Along the way the dual is a parabola.
            slope, bend = gains @ (target - alpha), (towards * change).sum()
            length = min(1.0, slope / bend) if bend > 0 else 1.0
            alpha += length * (target - alpha)
            coef += length * towards
            scores += length * change
            duals.append(alpha.sum() - (coef * scores).sum() / 2)
            if iteration in (self.iterations, *self._values):
                constants = pairs.constants(alpha, scores)
                shifted = scores + constants
                threshold = _fit_threshold(shifted, _best_thresholds(shifted, members))
                self.stages_[iteration] = coef.copy(), constants, threshold
        self.duals_ = np.array(duals)
        return self

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return self._staged_scores(X, [self.iterations])[self.iterations]

    def _output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        return self._outputs_at(X, [self.iterations])[self.iterations]

    def _outputs(self, X: np.ndarray) -> dict[int, Mapping[str, np.ndarray]]:
        """The same after several numbers of iterations."""
        return self._outputs_at(X, self._values)

    def _outputs_at(self, X: np.ndarray, iterations: Sequence[int]) -> dict[int, Mapping[str, np.ndarray]]:
        outputs: dict[int, Mapping[str, np.ndarray]] = {}
        for iteration, scores in self._staged_scores(X, iterations).items():
            self.threshold_ = self.stages_[iteration][2]
            outputs[iteration] = {"sets": scores > self._thresholds(scores), "scores": scores}
        return outputs

    def _staged_scores(self, X: Any, iterations: Sequence[int]) -> dict[int, np.ndarray]:
        check_is_fitted(self)
        kernel = self._kernel(check_dense_features(self, X, fitting=False))
        stages = {iteration: self.stages_[iteration] for iteration in iterations}
        return {at: np.einsum("ij,jk->ik", kernel, coef) + constants for at, (coef, constants, _) in stages.items()}


class _Pairs:
    """The pairs (i, k, l) of a row, a label of its set and another one: the arcs of a flow from l to k.

    rows, wanted, others : i, k and l of each pair.
    capacity : the upper bounds of α.
    """

    def __init__(self, members: np.ndarray, C: float) -> None:
        self.shape = members.shape
        self.rows, self.wanted, self.others = np.nonzero(members[:, :, None] & ~members[:, None, :])
        sizes = members.sum(axis=1)
        self.capacity = (C / np.maximum(sizes * (members.shape[1] - sizes), 1))[self.rows]
        count = len(self.rows)
        ends = (np.append(self.wanted, self.others), np.tile(np.arange(count), 2))
        self.balance = sparse.csc_matrix((np.repeat([1.0, -1.0], count), ends), shape=(members.shape[1], count))

    def missing(self, scores: np.ndarray) -> np.ndarray:
        """1 − f_k(x_i) + f_l(x_i)."""
        return 1 - scores[self.rows, self.wanted] + scores[self.rows, self.others]

    def coefficients(self, alpha: np.ndarray) -> np.ndarray:
        """β, (n, q)."""
        n, q = self.shape
        into, out = (
            np.bincount(self.rows * q + labels, alpha, minlength=n * q).reshape(n, q)
            for labels in (self.wanted, self.others)
        )
        return into - out

    def best_flow(self, gains: np.ndarray, prices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The balanced flow within the capacities with the largest gain, and its prices.

        prices : those that the search starts from.
        """
        rest, slack = self._rest(gains, prices), SLACK * np.abs(gains).max()
        opened = np.zeros(len(gains), bool)
        opened[np.argsort(np.abs(rest), kind="stable")[: int(np.ceil(NEAR * len(gains)))]] = True
        while True:
            flow = np.where(rest > 0, self.capacity, 0.0)
            flow[opened] = 0
            found = linprog(
                -gains[opened],
                A_eq=self.balance[:, opened],
                b_eq=-(self.balance @ flow),
                bounds=np.column_stack([np.zeros(opened.sum()), self.capacity[opened]]),
                method="highs-ds",
            )
            if found.status != 0:  # too few arcs to balance the others
                if opened.all():
                    raise DataError(f"the linear programme was not solved: {found.message}")
                opened[:] = True
                continue
            flow[opened] = found.x
            prices = -found.eqlin.marginals
            left = self._rest(gains, prices)
            unsettled = ((flow == 0) & (left > slack) | (flow == self.capacity) & (left < -slack)) & ~opened
            if not unsettled.any():
                return flow, prices
            opened |= unsettled

    def _rest(self, gains: np.ndarray, prices: np.ndarray) -> np.ndarray:
        """What is left of each gain when the prices of its labels are paid."""
        return gains - prices[self.wanted] + prices[self.others]

    def constants(self, alpha: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """The b with b_k − b_l = 1 − f_k + f_l for the pairs between their bounds; the shortest by least squares."""
        inside = (alpha > SLACK * self.capacity) & (alpha < (1 - SLACK) * self.capacity)
        design = self.balance[:, inside]
        squares = (design @ design.T).toarray()
        return np.linalg.pinv(squares, rcond=1e-12, hermitian=True) @ (design @ self.missing(scores)[inside])
