"""BoosTexter (Schapire & Singer 2000): real AdaBoost.MH on decision stumps, and the steps that boosting is made of.

A weight for each pair of a training row and a label says how much is still to be learned there. Each round finds the
stump (one feature, one threshold) with the smallest normaliser Z = 2 Σ_j Σ_l √(W+ W−), where W+ and W− are the weights
of rows on side j of the threshold that have label l, and that have not. The stump votes ½ ln((W+ + ε) / (W− + ε)) for
label l on side j, with ε = 1/(mk) for m rows and k labels (their sections 3 and 4; ε against infinite votes). Weights
are then multiplied by exp(−y · vote) and normalised. A label is predicted if the sum of its votes is positive.

The paper is about words that occur or not. On numeric features a stump asks for x ≤ threshold, as their program does.
What this leaves open is settled here: thresholds lie halfway between two neighbouring values; among equally good stumps
the first feature and the smallest threshold win; a sum of votes that is zero predicts nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numba
import numpy as np
from scipy import sparse

from labelknn.errors import DataError
from labelknn.neighbors._euclidean import finite_rows
from labelknn.utils._base import MultilabelMethod, as_label_sets, dense_rows
from labelknn.utils._estimator import check_is_fitted

# Weights sum to one, so this is far above the rounding of Z and far below any difference worth a choice.
EQUAL = 1e-12


class BoosTexter(MultilabelMethod):
    """Real AdaBoost.MH on decision stumps.

    Cost: O(n d q) a round, after sorting each feature once; O(n q) a round for predictions.

    Where no feature has two values, a stump has all rows on one side and the votes are the labels' prior log odds.
    A label that no training row has, or that all have, gets votes of one sign only.

    Parameters
    ----------
    rounds : number of stumps; the method has no rule for when to stop.

    Attributes
    ----------
    features_, thresholds_ : (rounds,) the stumps.
    votes_ : (rounds, 2, q) votes for the labels, where x ≤ threshold and where it is not.
    losses_ : (rounds,) mean exponential loss on the training rows after each round; it never rises.
    weights_ : (n, q) the distribution that a further round would learn from.

    References
    ----------
    Schapire & Singer (2000), sections 3 and 4; a rival in zhang2005, table II.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> Y = np.array([[1, 0], [1, 0], [0, 0], [0, 1]])
    >>> model = BoosTexter(rounds=5).fit(X, Y)
    >>> model.predict(X)
    array([[ True, False],
           [ True, False],
           [False, False],
           [False,  True]])
    >>> list(model.outputs(X))
    ['rounds=1', 'rounds=2', 'rounds=3', 'rounds=5']
    """

    def __init__(self, rounds: int = 1000) -> None:
        self.rounds = rounds

    def fit(self, X: np.ndarray, Y: np.ndarray | sparse.spmatrix) -> BoosTexter:
        if self.rounds < 1:
            raise DataError(f"the number of rounds must be at least 1, got {self.rounds}")
        training = BoostingData.prepare(X, Y)
        q = training.members.shape[1]
        everywhere = np.ones(len(training.X), dtype=bool)
        self.n_features_in_ = training.X.shape[1]
        self.features_ = np.empty(self.rounds, dtype=np.int64)
        self.thresholds_ = np.empty(self.rounds)
        self.votes_ = np.empty((self.rounds, 2, q))
        self.losses_ = np.empty(self.rounds)
        self.weights_ = training.uniform()
        loss = 1.0
        for i in range(self.rounds):
            _, feature, threshold = training.best_condition(self.weights_, everywhere)
            below = training.X[:, feature] <= threshold
            votes = np.stack([training.vote(self.weights_, below), training.vote(self.weights_, ~below)])
            self.weights_, normaliser = training.reweigh(self.weights_, np.where(below[:, None], *votes))
            loss *= normaliser
            self.features_[i], self.thresholds_[i] = feature, threshold
            self.votes_[i], self.losses_[i] = votes, loss
        return self

    def output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        """Label sets and the sums of votes after all rounds."""
        return by_sign(list(self._sums(X, [self.rounds]))[-1])

    def outputs(self, X: np.ndarray) -> dict[str, Mapping[str, np.ndarray]]:
        """The same after 1, 2, 3, 5, 10, 20, 30, 50, ... rounds and after all of them: "rounds=1" and so on."""
        stages = self.stages
        return {f"rounds={stage}": by_sign(sums) for stage, sums in zip(stages, self._sums(X, stages), strict=True)}

    @property
    def stages(self) -> list[int]:
        """The numbers of rounds that `outputs` tells of."""
        series = (step * 10**power for power in range(len(str(self.rounds))) for step in (1, 2, 3, 5))
        return [stage for stage in series if stage < self.rounds] + [self.rounds]

    def _sums(self, X: np.ndarray, stages: list[int]) -> Iterator[np.ndarray]:
        """The sums of votes at each stage."""
        check_is_fitted(self)
        X = query_rows(X, self.n_features_in_)
        sums = np.zeros((len(X), self.votes_.shape[2]))
        for done in range(self.rounds):
            below = X[:, self.features_[done]] <= self.thresholds_[done]
            sums += np.where(below[:, None], *self.votes_[done])
            if done + 1 in stages:
                yield sums.copy()


class BoostingData(NamedTuple):
    """Training rows as AdaBoost.MH looks at them again and again.

    members : (n, q) bool, the label sets.
    order, values : (d, n) the rows by each feature, and the feature's values in that order.
    """

    X: np.ndarray
    members: np.ndarray
    order: np.ndarray
    values: np.ndarray

    @classmethod
    def prepare(cls, X: np.ndarray, Y: np.ndarray | sparse.spmatrix) -> BoostingData:
        X = finite_rows(dense_rows(X), "the training rows")
        members = as_label_sets(Y, len(X)).toarray()
        if 0 in X.shape or not members.shape[1]:
            raise DataError(
                f"{len(X)} training rows of {X.shape[1]} features with {members.shape[1]} labels; expected at least one"
            )
        order = np.argsort(X.T, axis=1, kind="stable")
        return cls(X, members, order, np.take_along_axis(np.ascontiguousarray(X.T), order, axis=1))

    @property
    def smoothing(self) -> float:
        """ε = 1/(mk)."""
        return 1 / self.members.size

    def uniform(self) -> np.ndarray:
        """The weights that boosting starts from."""
        return np.full(self.members.shape, 1 / self.members.size)

    def best_condition(self, weights: np.ndarray, inside: np.ndarray) -> tuple[float, int, float]:
        """Z, feature and threshold of the best stump for the rows `inside`; the threshold is infinite if none helps."""
        positive = np.where(self.members, weights, 0.0)
        return best_condition(self.order, self.values, inside, positive, weights - positive)

    def vote(self, weights: np.ndarray, inside: np.ndarray) -> np.ndarray:
        """The smoothed vote for each label that rows `inside` cast."""
        chosen, members = weights[inside], self.members[inside]
        with_label = np.where(members, chosen, 0.0).sum(axis=0)
        without_label = np.where(members, 0.0, chosen).sum(axis=0)
        return 0.5 * np.log((with_label + self.smoothing) / (without_label + self.smoothing))

    def reweigh(self, weights: np.ndarray, votes: np.ndarray) -> tuple[np.ndarray, float]:
        """The weights after the rows got these votes, and the normaliser: the factor by which the loss has changed."""
        changed = weights * np.exp(np.where(self.members, -votes, votes))
        normaliser = float(changed.sum())
        return changed / normaliser, normaliser


def by_sign(sums: np.ndarray) -> Mapping[str, np.ndarray]:
    return {"sets": sums > 0, "scores": sums}


def query_rows(X: np.ndarray, d: int) -> np.ndarray:
    X = finite_rows(dense_rows(X), "the queries")
    if X.shape[1] != d:
        raise DataError(f"the queries have {X.shape[1]} features, the training rows had {d}")
    return X


@numba.njit(cache=True)
def best_condition(order, values, inside, positive, negative):
    """The threshold with the smallest Z = 2 Σ √(W+ W−) over both sides and all labels.

    The sums of the upper side come from a pass of their own: as differences from the totals they would have rounding
    errors where they are zero, and √(W+ W−) makes large errors of these.
    """
    d, n = order.shape
    with_label, without_label = np.empty(positive.shape[1]), np.empty(positive.shape[1])
    upper = np.empty(n)
    best, feature, threshold = np.inf, 0, np.inf
    for j in range(d):
        with_label[:] = 0.0
        without_label[:] = 0.0
        z = 0.0
        for place in range(n - 1, -1, -1):
            if inside[order[j, place]]:
                z = _join(with_label, without_label, positive[order[j, place]], negative[order[j, place]])
                upper[place] = z
        best = min(best, z)  # undivided
        with_label[:] = 0.0
        without_label[:] = 0.0
        last, z = -1, 0.0
        for place in range(n):
            row = order[j, place]
            if inside[row]:
                if last >= 0 and values[j, last] < values[j, place] and z + upper[place] < best - EQUAL:
                    best, feature = z + upper[place], j
                    threshold = values[j, last] + (values[j, place] - values[j, last]) / 2
                    if threshold >= values[j, place]:  # no float lies between the two
                        threshold = values[j, last]
                z = _join(with_label, without_label, positive[row], negative[row])
                last = place
    return best, feature, threshold


# Sums in any order are summed side by side, which is almost twice as fast. Their last bits may then depend on the
# processor, but not the condition found: Z is used for comparisons only, and these treat such differences as none.
@numba.njit(cache=True, fastmath={"reassoc"})
def _join(with_label, without_label, positive, negative):
    """A row joins one side of the threshold; that side's part of Z."""
    z = 0.0
    for label in range(with_label.size):
        with_label[label] += positive[label]
        without_label[label] += negative[label]
        z += np.sqrt(with_label[label] * without_label[label])
    return 2.0 * z
