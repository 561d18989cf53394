"""Label-ranking data made from classification and regression data, and training rankings with labels taken away.

cheng2009 (section 6.1) generated its 16 data sets in two ways: the classes of a classification problem ordered by the
posteriors of naive Bayes (type A, `naive_bayes_rankings`), and some attributes of a regression problem ordered by size
(type B, `attribute_rankings`). `agreement` compares the result with the published files, which both ways meet in every
row; `mask_labels` makes the incomplete rankings of section 6.2.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from labelknn.datasets._container import Dataset
from labelknn.errors import ConfigError, DataError, unknown
from labelknn_papers.data.naive_bayes import ESTIMATORS, Estimator, WekaNaiveBayes, order

SCALES = ("standard", "symmetric", "none")

# The published files print features with 6 decimals or 6 significant digits.
PRINTED = 1e-5


class Agreement(NamedTuple):
    """exact: the share of instances with the same ranking. tau: the mean of Kendall's tau over the instances."""

    exact: float
    tau: float


def attribute_rankings(data: Dataset, predictors: list[str], labels: list[str]) -> Dataset:
    """Rank the attributes `labels` of each row by their standardised values, the largest first (type B).

    The features are the standardised predictors. Equal values go to the attribute that is listed first; in none of the
    published sets are there any.
    """
    if data.task != "regression":
        raise DataError(f"{data.name}: attribute rankings need a regression data set, not {data.task}")
    targets = _columns(data, labels)
    for name, column in zip(labels, targets.T, strict=True):
        if np.ptp(column) == 0:
            raise DataError(f"{data.name}: the label attribute {name!r} has the value {column[0]:g} in every row")
    orders = np.argsort(-standardise(targets), axis=1, kind="stable")
    features = standardise(_columns(data, predictors))
    return Dataset(data.name, "ranking", features, _ranks_of(orders), tuple(predictors), tuple(labels))


def naive_bayes_rankings(
    data: Dataset,
    estimator: str | Estimator = "weka",
    decimals: int | None = None,
    ties: str = "quicksort",
    scale: str = "standard",
) -> Dataset:
    """Rank the classes of each row by the posteriors of naive Bayes, trained on all rows (type A).

    estimator : "weka" and "gaussian", or an estimator with other settings.
    decimals : the posteriors are compared as printed with so many decimals. None: as they are.
    ties : "quicksort", as Weka's sort leaves them, or "index", the lower class number first.
    scale : "standard": the posteriors come from the features as they are, and the features are then standardised.
        "symmetric": the features are first scaled to [-1, 1] (see `symmetric`). "none": features as they are.

    Of the published sets, authorship, pendigits and segment are the default; iris, glass, vehicle, vowel and wine are
    ``decimals=3, ties="index", scale="symmetric"``.
    """
    if scale not in SCALES:
        raise unknown("scale", scale, SCALES, f"{data.name}: naive Bayes orderings")
    if isinstance(estimator, str):
        if estimator not in ESTIMATORS:
            raise unknown("estimator", estimator, ESTIMATORS, f"{data.name}: naive Bayes orderings")
        estimator = ESTIMATORS[estimator]
    X, y = _classified(data)
    if scale == "symmetric":
        X = symmetric(X)
    posteriors = estimator.posteriors(X, y, data.q)
    orders = order(posteriors, logarithmic=estimator.logarithmic, decimals=decimals, ties=ties)
    features = standardise(X) if scale == "standard" else X
    return Dataset(data.name, "ranking", features, _ranks_of(orders), data.feature_names, data.label_names)


def ablation(
    data: Dataset, published: Dataset, decimals: int | None = None, ties: str = "quicksort", scale: str = "standard"
) -> dict[str, Agreement]:
    """Agreement with the published rankings of Weka's naive Bayes ("complete"), and without each of its ingredients."""
    weka = WekaNaiveBayes()
    settings: dict[str, tuple[Estimator, int | None, str]] = {"complete": (weka, decimals, ties)}
    for ingredient in ("rounding", "interval", "floor", "underflow"):
        settings[ingredient] = (replace(weka, **{ingredient: False}), decimals, ties)
    if decimals is not None:
        settings["decimals"] = (weka, None, ties)
    if ties == "quicksort":
        settings["quicksort"] = (weka, decimals, "index")
    settings["all"] = (ESTIMATORS["gaussian"], None, "index")
    return {
        name: agreement(naive_bayes_rankings(data, *setting, scale=scale), published)
        for name, setting in settings.items()
    }


def mask_labels(ranks: np.ndarray, p: float, rng: np.random.Generator) -> np.ndarray:
    """Delete each label of each ranking with probability p (cheng2009, section 6.2): its rank becomes 0.

    The labels that stay keep their order and are numbered 1, 2, ... without gaps, ties included. Rankings of one label
    or none are kept: whether they tell a method anything is the method's business.
    """
    if not 0 <= p <= 1:
        raise ConfigError(f"missing labels: the probability of deletion is {p}, expected a number from 0 to 1")
    kept = (rng.random(ranks.shape) >= p) & (ranks > 0)
    return dense_ranks(ranks, kept)


def dense_ranks(values: np.ndarray, present: np.ndarray | None = None) -> np.ndarray:
    """Ranks of each row's values, the smallest is 1, equal ones share a rank and the next rank follows; absent: 0."""
    values = np.asarray(values, float)
    if present is not None:
        values = np.where(present, values, np.inf)
    positions = np.argsort(values, axis=1, kind="stable")
    ascending = np.take_along_axis(values, positions, axis=1)
    ranks = np.ones(values.shape, np.int64)
    steps = np.cumsum(ascending[:, 1:] != ascending[:, :-1], axis=1) + 1
    np.put_along_axis(ranks, positions[:, 1:], steps, axis=1)
    return ranks if present is None else np.where(present, ranks, 0)


def agreement(generated: Dataset, published: Dataset) -> Agreement:
    """How far two data sets with the same instances, in the same order, have the same complete rankings."""
    ours, theirs = np.asarray(generated.Y), np.asarray(published.Y)
    if ours.shape != theirs.shape:
        raise DataError(
            f"{generated.name}: {ours.shape[0]} generated rankings of {ours.shape[1]} labels cannot be compared with "
            f"{theirs.shape[0]} published rankings of {theirs.shape[1]} labels"
        )
    q = ours.shape[1]
    signs = np.zeros(len(ours), np.int64)
    for first in range(q):
        for second in range(first + 1, q):
            signs += np.sign(ours[:, first] - ours[:, second]) * np.sign(theirs[:, first] - theirs[:, second])
    return Agreement(float(np.mean(np.all(ours == theirs, axis=1))), float(np.mean(signs) / (q * (q - 1) / 2)))


def reorder_like(generated: Dataset, published: Dataset) -> Dataset:
    """The generated instances in the order of the published ones, which have the same features but for their printing.

    The published fried is in another order than its source.
    """
    distances, rows = cKDTree(generated.X).query(published.X, distance_upper_bound=PRINTED)
    if generated.n != published.n or np.isinf(distances).any() or len(np.unique(rows)) != published.n:
        raise DataError(
            f"{generated.name}: the {generated.n} generated and the {published.n} published rows cannot be paired by "
            f"their features, {int(np.isfinite(distances).sum())} published rows have a counterpart"
        )
    return replace(generated, X=generated.X[rows], Y=np.asarray(generated.Y)[rows])


def standardise(X: np.ndarray) -> np.ndarray:
    """Columns with mean 0 and sample standard deviation 1 (n - 1, as in the published files); a constant becomes 0."""
    centred = X - X.mean(axis=0)
    constant = np.ptp(X, axis=0) == 0
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, X.std(axis=0, ddof=1)))


def symmetric(X: np.ndarray) -> np.ndarray:
    """Columns scaled to [-1, 1], as in the five older published sets; a constant becomes 0.

    These were scaled from single-precision values and printed with six significant digits. Repeating both gives every
    published number, and matters: naive Bayes rounds values that lie half-way between two multiples of a precision.
    """
    values = X.astype(np.float32).astype(np.float64)
    low, high = values.min(axis=0), values.max(axis=0)
    constant = low == high
    scaled = np.where(constant, 0.0, 2 * (values - low) / np.where(constant, 1.0, high - low) - 1)
    return np.array([float(f"{value:.6g}") for value in scaled.flat]).reshape(X.shape)


def _columns(data: Dataset, names: list[str]) -> np.ndarray:
    missing = [name for name in names if name not in data.feature_names]
    if missing:
        raise DataError(
            f"{data.name}: there is no column {missing[0]!r}, expected one of {', '.join(data.feature_names)}"
        )
    columns = _dense(data)[:, [data.feature_names.index(name) for name in names]]
    _check_numbers(data, columns, names)
    return columns


def _classified(data: Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Features and classes that naive Bayes can work with, or a DataError that says what stands in the way."""
    if data.task != "classification":
        raise DataError(f"{data.name}: naive Bayes orderings need a classification data set, not {data.task}")
    if data.levels:
        nominal = data.feature_names[min(data.levels)]
        raise DataError(f"{data.name}: the feature {nominal!r} is nominal, naive Bayes orderings need numeric features")
    y = np.asarray(data.Y)
    counts = np.bincount(y, minlength=data.q)
    if counts.min() < 2:
        rarest = int(counts.argmin())
        raise DataError(
            f"{data.name}: class {data.label_names[rarest]!r} has {counts[rarest]} example(s), naive Bayes needs at "
            "least 2 of each class to estimate a standard deviation"
        )
    X = _dense(data)
    _check_numbers(data, X, data.feature_names)
    return X, y


def _dense(data: Dataset) -> np.ndarray:
    return data.X if isinstance(data.X, np.ndarray) else data.X.toarray()


def _check_numbers(data: Dataset, columns: np.ndarray, names: list[str] | tuple[str, ...]) -> None:
    unusable = ~np.isfinite(columns)
    if unusable.any():
        row, column = np.argwhere(unusable)[0]
        raise DataError(
            f"{data.name}: column {names[column]!r} has the value {columns[row, column]} in row {row + 1}, expected a "
            "finite number"
        )


def _ranks_of(orders: np.ndarray) -> np.ndarray:
    """Ranks from orders: the inverse permutation of each row, counted from 1."""
    return np.argsort(orders, axis=1) + 1
