"""Rank-SVM (Elisseeff & Weston 2001): a kernel machine with a large margin between each row's labels and the others.

Label k has the score f_k(x) = ⟨w_k, φ(x)⟩, and training minimises

    ½ Σ_k |w_k|² + C Σ_i 1 / (|Y_i| |Ȳ_i|) Σ max(0, 1 − f_k(x_i) + f_l(x_i)),   the last sum over k ∈ Y_i, l ∉ Y_i,

with polynomial kernels here, (1 + ⟨x, y⟩)^degree: zhang2005 has degree 8 and C = 1. Label sets are the labels whose
score exceeds a threshold t(x), which is linear in the scores and fitted to the best thresholds of the training rows.

The dual has a variable 0 ≤ α ≤ C / (|Y_i| |Ȳ_i|) for each pair of labels and no other constraint, so it is solved one
variable at a time. All pairs of a row are visited in turn, a few times over, before the scores of the other rows are
brought up to date. The primal is strongly convex in w, so a duality gap g bounds the error of every score:
|f_k(x) − f*_k(x)| ≤ √(2 g K(x, x)).

Departures. The paper's f_k has a constant term b_k that is not penalised; here the constant of the kernel takes its
place, which frees the dual of its equality constraints. The paper uses the method of Frank and Wolfe and does not say
when it stops. Left open and settled here: where several thresholds are equally good for a training row the lowest is
taken; one that lies outside all scores is half a margin from the nearest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from labelknn.errors import DataError
from labelknn.utils._base import LabelSetMethod, warn_not_converged
from labelknn.utils._kernels import inner, kernel
from labelknn.utils._validation import check_dense_features, check_label_sets

# Visits of a row's pairs before the scores of the other rows are brought up to date.
VISITS = 10
# The margin that a label shall have from one that is not in the set; half of it lies on each side of the threshold.
MARGIN = 1.0


class RankSVM(LabelSetMethod):
    """Rank-SVM with a polynomial kernel.

    Cost: O(n² d) for the kernel matrix, which is kept (8 n² bytes), and O(n² q) an epoch.

    Rows that have no label, or all of them, say nothing about scores; they take part in fitting the threshold. At least
    one row must have some labels and not others. A label that no row has gets low scores, one that all have high ones.

    Parameters
    ----------
    C : weight of the ranking loss, > 0.
    degree : of the polynomial kernel.
    tol : training ends when the duality gap is at most this share of the primal objective.
    max_epochs : or after so many passes over the rows, with a ConvergenceWarning.

    Attributes
    ----------
    X_, coef_ : (n, d) the training rows and (n, q) their coefficients: f_k(x) = Σ_i coef_[i, k] K(x_i, x).
    threshold_ : (q + 1,) t(x) = threshold_[:q] · f(x) + threshold_[q].
    primal_, dual_, gap_ : the two objectives after the last epoch and their difference, which is at least 0.
    n_iter_ : number of epochs.

    References
    ----------
    Elisseeff & Weston (2001); a baseline in zhang2005, table II.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [0.8], [0.9], [1.0]])
    >>> Y = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    >>> RankSVM(C=10, degree=2).fit(X, Y).predict(np.array([[0.05], [0.95]]))
    array([[1, 0],
           [0, 1]])
    """

    def __init__(self, C: float = 1.0, degree: int = 8, tol: float = 1e-4, max_epochs: int = 1000) -> None:
        self.C = C
        self.degree = degree
        self.tol = tol
        self.max_epochs = max_epochs

    def fit(self, X: np.ndarray, Y: np.ndarray | sparse.spmatrix) -> RankSVM:
        """Learn from the rows of X, (n, d), and their label sets in Y, (n, q) of 0 and 1."""
        for name, value in self.get_params().items():
            if not 0 < value < np.inf:
                raise DataError(f"{name} must be positive and finite, got {value}")
        self.X_ = check_dense_features(self, X, fitting=True)
        members = check_label_sets(self, Y, len(self.X_)).toarray()
        n, q = members.shape
        sizes = members.sum(axis=1)
        pairs = sizes * (q - sizes)
        if not pairs.any():
            raise DataError(
                f"none of the {n} training rows has some of the {q} label(s) and not others: nothing to rank"
            )
        gram = self._kernel(self.X_)
        bounds = self.C / np.maximum(pairs, 1)
        first = np.concatenate([[0], np.cumsum(pairs)])
        alpha = np.zeros(first[-1])
        scratch = _Scratch(*np.empty((2, q)), *np.empty((2, q + 1), np.int64))
        self.coef_, scores = np.zeros((n, q)), np.zeros((n, q))
        for epoch in range(1, self.max_epochs + 1):
            _ascend(gram, members, bounds, first, alpha, self.coef_, scores, scratch)
            self.primal_, self.dual_ = _objectives(members, bounds, alpha, self.coef_, scores)
            self.gap_ = self.primal_ - self.dual_
            self.n_iter_ = epoch
            if self.gap_ <= self.tol * self.primal_:
                break
        else:
            warn_not_converged(
                f"Rank-SVM has a duality gap of {self.gap_ / self.primal_:.1e} of its objective after "
                f"{self.max_epochs} epochs; raise max_epochs or tol",
            )
        self.threshold_ = _fit_threshold(scores, _best_thresholds(scores, members))
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """How far the score of each label is above the row's threshold, (n, q): labels above 0 are predicted."""
        scores = self._scores(X)
        return scores - self._thresholds(scores)

    def _output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        """Label sets, and the scores f."""
        scores = self._scores(X)
        return {"sets": scores > self._thresholds(scores), "scores": scores}

    def _scores(self, X: np.ndarray) -> np.ndarray:
        check_is_fitted(self)
        X = check_dense_features(self, X, fitting=False)
        return np.einsum("ij,jk->ik", self._kernel(X), self.coef_)

    def _thresholds(self, scores: np.ndarray) -> np.ndarray:
        return (np.einsum("ik,k->i", scores, self.threshold_[:-1]) + self.threshold_[-1])[:, None]

    def _kernel(self, X: np.ndarray) -> np.ndarray:
        """(1 + ⟨x, y⟩)^degree for the rows of X and the training rows.

        Sums of products are left to einsum here and above: unlike those of BLAS, their last bits are the same whatever
        the number of threads.
        """
        with np.errstate(over="ignore"):
            kernel = (1 + np.einsum("ik,jk->ij", X, self.X_)) ** self.degree
        if not np.isfinite(kernel).all():
            raise DataError(f"feature values are too large for a kernel of degree {self.degree}; scale the features")
        return kernel


class _Scratch(NamedTuple):
    """What an epoch needs for one row after the other, by label: its scores and what changes in its coefficients; the
    labels of its set, and the others."""

    own: np.ndarray
    change: np.ndarray
    relevant: np.ndarray
    others: np.ndarray


@kernel
def _ascend(gram, members, bounds, first, alpha, coef, scores, scratch):
    """One epoch: maximise the dual over the pairs of each row in turn; changes alpha, coef and scores.

    The dual's derivative by the α of (i, k, l) is 1 − f_k(x_i) + f_l(x_i), its curvature −2 K(x_i, x_i).
    """
    own, change, relevant, others = scratch
    for i in range(len(members)):
        if first[i] == first[i + 1]:
            continue
        size = 0
        for label in range(len(own)):
            own[label], change[label] = scores[i, label], 0.0
            relevant[size], others[label - size] = label, label
            size += members[i, label]
        for _ in range(VISITS):
            largest = 0.0
            pair = first[i]
            for k in relevant[:size]:
                for other in others[: len(own) - size]:
                    wanted = alpha[pair] + (MARGIN - own[k] + own[other]) / (2 * gram[i, i])
                    if wanted < 0.0:
                        wanted = 0.0
                    step = (bounds[i] if wanted > bounds[i] else wanted) - alpha[pair]
                    if step != 0.0:
                        alpha[pair] += step
                        change[k] += step
                        change[other] -= step
                        own[k] += step * gram[i, i]
                        own[other] -= step * gram[i, i]
                        if abs(step) > largest:
                            largest = abs(step)
                    pair += 1
            if largest <= 1e-3 * bounds[i]:
                break
        _update(i, gram[i], change, coef, scores)


@inner
def _update(i, similarities, change, coef, scores):
    changed = False
    for label in range(len(change)):
        if change[label] != 0.0:
            changed = True
            coef[i, label] += change[label]
    if changed:
        for row in range(len(scores)):
            for label in range(len(change)):
                scores[row, label] += similarities[row] * change[label]


@kernel
def _objectives(members, bounds, alpha, coef, scores):
    """The primal and the dual objective; |w_k|² summed over k is Σ coef · scores."""
    n, q = members.shape
    norm, loss, total = 0.0, 0.0, 0.0
    for i in range(n):
        for k in range(q):
            norm += coef[i, k] * scores[i, k]
            if members[i, k]:
                for other in range(q):
                    missing = MARGIN - scores[i, k] + scores[i, other]
                    if not members[i, other] and missing > 0.0:
                        loss += bounds[i] * missing
    for value in alpha:
        total += value
    return norm / 2 + loss, total - norm / 2


def _best_thresholds(scores: np.ndarray, members: np.ndarray) -> np.ndarray:
    """For each row the middle of the interval in which a threshold puts the fewest labels on the wrong side."""
    order = np.argsort(scores, axis=1, kind="stable")
    ascending = np.take_along_axis(scores, order, axis=1)
    relevant = np.take_along_axis(members, order, axis=1)
    # A cut after c labels errs on the labels of the set below it and on the others above it.
    missed = np.pad(np.cumsum(relevant, axis=1), ((0, 0), (1, 0)))
    wrong = missed + (~relevant).sum(axis=1, keepdims=True) - np.pad(np.cumsum(~relevant, axis=1), ((0, 0), (1, 0)))
    wrong[:, 1:-1][ascending[:, 1:] == ascending[:, :-1]] = members.shape[1] + 1  # equal scores cannot be cut apart
    middles = np.column_stack(
        [ascending[:, 0] - MARGIN / 2, (ascending[:, 1:] + ascending[:, :-1]) / 2, ascending[:, -1] + MARGIN / 2]
    )
    return middles[np.arange(len(scores)), wrong.argmin(axis=1)]


def _fit_threshold(scores: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Least squares of the thresholds on the scores and a constant.

    The scores of a row sum to zero, so there are many solutions; the shortest is taken.
    """
    design = np.column_stack([scores, np.ones(len(scores))])
    squares = np.einsum("ij,ik->jk", design, design)
    return np.linalg.pinv(squares, rcond=1e-12, hermitian=True) @ np.einsum("ij,i->j", design, thresholds)
