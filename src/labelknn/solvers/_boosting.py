"""What boosting of label sets is made of (AdaBoost.MH): weights of rows and labels, conditions, and smoothed votes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from labelknn.errors import DataError
from labelknn.utils._kernels import inner, kernel

# Weights sum to one, so this is far above the rounding of Z and far below any difference worth a choice.
EQUAL = 1e-12


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
    def prepare(cls, X: np.ndarray, members: np.ndarray) -> BoostingData:
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
        scratch = np.empty((2, self.members.shape[1]))
        upper = np.empty(len(self.X))
        return best_condition(self.order, self.values, inside, positive, weights - positive, *scratch, upper)

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


@kernel
def best_condition(order, values, inside, positive, negative, with_label, without_label, upper):
    """The threshold with the smallest Z = 2 Σ √(W+ W−) over both sides and all labels.

    The sums of the upper side come from a pass of their own: as differences from the totals they would have rounding
    errors where they are zero, and √(W+ W−) makes large errors of these. The last three arguments are scratch space.
    """
    d, n = order.shape
    best, feature, threshold = np.inf, 0, np.inf
    for j in range(d):
        z = _begin(with_label, without_label)
        for place in range(n - 1, -1, -1):
            if inside[order[j, place]]:
                z = _join(with_label, without_label, positive[order[j, place]], negative[order[j, place]])
                upper[place] = z
        if z < best:  # undivided
            best = z
        last, z = -1, _begin(with_label, without_label)
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


@inner
def _begin(with_label, without_label):
    for label in range(len(with_label)):
        with_label[label] = without_label[label] = 0.0
    return 0.0


# Sums in any order are summed side by side, which is almost twice as fast. Their last bits may then depend on the
# processor, but not the condition found: Z is used for comparisons only, and these treat such differences as none.
@partial(inner, fastmath={"reassoc"})
def _join(with_label, without_label, positive, negative):
    """A row joins one side of the threshold; that side's part of Z."""
    z = 0.0
    for label in range(with_label.size):
        with_label[label] += positive[label]
        without_label[label] += negative[label]
        z += np.sqrt(with_label[label] * without_label[label])
    return 2.0 * z
