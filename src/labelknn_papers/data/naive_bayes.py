"""Naive Bayes as label-ranking data need it: posteriors of all classes, far-off ones included, and their order.

The rankings that cheng2009 used order all classes of an example by the posteriors of a naive Bayes classifier trained
on the whole set (section 6.1, type A). Most of these posteriors are far below 1e-16, so the order of the last places is
decided by the classifier's arithmetic more than by its model. `WekaNaiveBayes` therefore repeats the arithmetic of
Weka's NaiveBayes as it was at the time, ingredient by ingredient, and `order` the way its output was sorted; each
ingredient can be switched off to see what it does. `GaussianNaiveBayes` is the same model without these accidents.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import ndtr, softmax

from labelknn.errors import unknown

# Weka's smallest likelihood of a value, and the size below which all products of an example are scaled up.
SMALLEST = 1e-75
# Weka's precision of an attribute that has only one value.
DEFAULT_PRECISION = 0.01

TIES = ("index", "quicksort")


class Estimator(Protocol):
    """A naive Bayes classifier that is trained and applied on the same rows."""

    @property
    def logarithmic(self) -> bool:
        """Whether `posteriors` gives logarithms (up to a constant per row) instead of probabilities."""

    def posteriors(self, X: np.ndarray, y: np.ndarray, q: int) -> np.ndarray:
        """(n, q) posteriors of the classes 0..q-1 for the rows of X, whose classes are y."""


@dataclass(frozen=True)
class GaussianNaiveBayes:
    """One normal density per class and attribute, and sums of logarithms: nothing underflows, nothing ties."""

    logarithmic = True

    def posteriors(self, X: np.ndarray, y: np.ndarray, q: int) -> np.ndarray:
        from sklearn.naive_bayes import GaussianNB  # a second to import, and the other estimator does without

        return GaussianNB().fit(X, y).predict_joint_log_proba(X)


@dataclass(frozen=True)
class WekaNaiveBayes:
    """Weka's NaiveBayes with its default options, on numeric attributes without missing values.

    rounding : values are rounded to multiples of the attribute's precision, the mean gap between its distinct values.
    interval : a value's likelihood is the normal's mass over the precision's width around it; without: its density.
    floor : a standard deviation is at least a sixth of the precision, a likelihood at least 1e-75. Without, only a
        standard deviation of 0 is replaced, because a normal needs a spread.
    underflow : likelihoods are multiplied in double precision, attribute by attribute, so that far-off classes end at
        exactly 0 and tie; without: logarithms are added.
    """

    rounding: bool = True
    interval: bool = True
    floor: bool = True
    underflow: bool = True

    @property
    def logarithmic(self) -> bool:
        return not self.underflow

    def posteriors(self, X: np.ndarray, y: np.ndarray, q: int) -> np.ndarray:
        counts = np.bincount(y, minlength=q)
        priors = np.tile((counts + 1) / (len(y) + q), (len(y), 1))
        likelihoods = (self._likelihoods(values, y, counts) for values in X.T)
        return _multiply(priors, likelihoods) if self.underflow else _add_logarithms(priors, likelihoods)

    def _likelihoods(self, values: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """(n, q) likelihoods of one attribute's values in each class."""
        precision = _precision(values)
        if self.rounding:
            values = np.rint(values / precision) * precision
        means, deviations = _moments(values, y, counts)
        narrowest = precision / 6  # Weka: at most three standard deviations on either side within one interval
        deviations = np.maximum(deviations, narrowest) if self.floor else np.where(deviations, deviations, narrowest)
        centred = values[:, None] - means
        if self.interval:
            # A plain difference: in the upper tail both terms are close to 1, and what is left is a multiple of 1e-16.
            likelihoods = ndtr((centred + precision / 2) / deviations) - ndtr((centred - precision / 2) / deviations)
        else:
            likelihoods = np.exp(-0.5 * (centred / deviations) ** 2) / (np.sqrt(2 * np.pi) * deviations)
        return np.maximum(likelihoods, SMALLEST) if self.floor else likelihoods


ESTIMATORS: dict[str, Estimator] = {"weka": WekaNaiveBayes(), "gaussian": GaussianNaiveBayes()}


def order(posteriors: np.ndarray, *, logarithmic: bool, decimals: int | None, ties: str) -> np.ndarray:
    """(n, q) class numbers, the most probable first, of the posteriors as printed with so many decimals (None: all).

    ties : "index", the lower class number first (cheng2009, section 6.1), or "quicksort", where Weka's sort left them.
    """
    if ties not in TIES:
        raise unknown("rule for ties", ties, TIES, "naive Bayes orderings")
    if decimals is not None:
        posteriors = np.round(softmax(posteriors, axis=1) if logarithmic else posteriors, decimals)
    if ties == "index":
        return np.argsort(-posteriors, axis=1, kind="stable")
    return _quicksorted(posteriors)[:, ::-1]


def _precision(values: np.ndarray) -> float:
    gaps = np.diff(np.unique(values))
    # Weka adds the gaps one by one. The range divided by their number differs in the last bit, which decides where a
    # value half-way between two multiples of the precision is rounded to.
    return np.cumsum(gaps)[-1] / len(gaps) if len(gaps) else DEFAULT_PRECISION


def _moments(values: np.ndarray, y: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and population standard deviation of each class, from running sums as Weka keeps them."""
    sums = np.bincount(y, values, len(counts))
    squares = np.bincount(y, values * values, len(counts))
    means = sums / counts
    return means, np.sqrt(np.abs(squares - means * sums) / counts)


def _multiply(priors: np.ndarray, likelihoods: Iterable[np.ndarray]) -> np.ndarray:
    """Normalised products. A row is scaled up whenever its largest product gets small: only the leaders are safe."""
    joint = priors.copy()
    for likelihood in likelihoods:
        joint *= likelihood
        largest = joint.max(axis=1)
        joint[(largest > 0) & (largest < SMALLEST)] *= 1e75
    total = joint.sum(axis=1, keepdims=True)
    return joint / np.where(total > 0, total, 1)


def _add_logarithms(priors: np.ndarray, likelihoods: Iterable[np.ndarray]) -> np.ndarray:
    joint = np.log(priors)
    with np.errstate(divide="ignore"):  # without the floor, a likelihood of 0 has the logarithm -inf
        for likelihood in likelihoods:
            joint += np.log(likelihood)
    return joint


def _quicksorted(values: np.ndarray) -> np.ndarray:
    """Row by row, the column numbers in ascending order of the values; equal values end where the swaps take them."""
    orders = np.argsort(values, axis=1)
    ascending = np.take_along_axis(values, orders, axis=1)
    for row in np.flatnonzero((ascending[:, 1:] == ascending[:, :-1]).any(axis=1)):
        index = list(range(values.shape[1]))
        _quicksort(values[row].tolist(), index, 0, len(index) - 1)
        orders[row] = index
    return orders


def _quicksort(values: list[float], index: list[int], left: int, right: int) -> None:
    """Sort index[left..right] by value with Hoare's partition around the middle element.

    That Weka's sort worked like this is inferred: it explains every tie of authorship, pendigits and segment.
    """
    if left >= right:
        return
    pivot = values[index[(left + right) // 2]]
    low, high = left, right
    while low < high:
        while values[index[low]] < pivot and low < high:
            low += 1
        while values[index[high]] > pivot and low < high:
            high -= 1
        if low < high:
            index[low], index[high] = index[high], index[low]
            low += 1
            high -= 1
    if low == high and values[index[high]] > pivot:
        high -= 1
    _quicksort(values, index, left, high)
    _quicksort(values, index, high + 1, right)
