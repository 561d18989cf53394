"""Sparse multi-label data of the shapes of feremans2017's extreme sets, at any scale, drawn from a seed.

A scale of 1/20 keeps the numbers of features and labels per row and has a twentieth of the rows, features and labels.
All features are binary, as in the paper's implementation (section III-A2).

The model. How often features and labels occur follows Zipf's law. An instance has a main label, and most of its other
labels come from those that are related to the main one. Most features are words of the instance's labels, more often
of the first ones; each label has a vocabulary of its own, in which some words are likelier than others. The remaining
features are any words. Which labels are related, and which words a vocabulary has, is itself drawn from the Zipf
distributions. So these hold for the data as a whole, while instances with the same labels share rare features that a
neighbour search can find.

Random numbers come from a counter (SplitMix64; Steele, Lea and Flood, 2014), one stream for each row, and are used as
whole numbers and fractions in sums, products and comparisons only: the same seed gives the same data on every machine
and for any number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from labelknn.datasets._container import TEST, TRAIN, Dataset
from labelknn.errors import ConfigError, unknown
from labelknn.utils._kernels import inner, kernel
from labelknn.utils._threads import over_rows


@dataclass(frozen=True)
class Shape:
    """Rows, features and labels; and per row, on average, how many features and labels."""

    train: int
    test: int
    features: int
    labels: int
    row_features: float
    row_labels: float


# feremans2017, table I and section IV-A.
SHAPES = {
    "wiki-10": Shape(14_147, 6_617, 101_890, 30_940, 674.4, 18.64),
    "wiki-lshtc": Shape(1_778_352, 587_085, 1_617_899, 325_060, 42.2, 3.19),
}

RELATED_SHARE = 0.8
TOPICAL_SHARE = 0.75
# Mandelbrot's shift of Zipf's law, so that the most frequent labels do not belong to nearly every row.
LABEL_SHIFT = 10
# The numbers of features and labels of a row are at least this share of their averages, and at most 2 less this share.
LEAST_SHARE = 0.25
# So that a row's distinct features and labels can be drawn one by one without many repetitions.
LEAST_RATIO = 10

# What streams and tables are for: the second word of their seeds.
_ROW_STREAM, _FEATURE_IDS, _LABEL_IDS, _RELATED, _VOCABULARY = range(5)


def read_synthetic_extreme(
    name: str, folder: Path | None = None, *, shape: str, seed: int, scale: float = 1.0
) -> Dataset:
    """A multi-label data set with a training and a test part; no instance is without features or labels."""
    where = f"data set {name!r}"
    if shape not in SHAPES:
        raise unknown("shape", shape, SHAPES, where)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ConfigError(f"{where}: option 'seed' is {seed!r}; expected a whole number from 0")
    size = SHAPES[shape]
    least = LEAST_RATIO * max(size.row_features / size.features, size.row_labels / size.labels)
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not least <= scale <= 1:
        raise ConfigError(f"{where}: option 'scale' is {scale!r}; expected a number from {least:.3g} to 1")
    train, test, d, q = (round(scale * count) for count in (size.train, size.test, size.features, size.labels))
    n = train + test

    row_seeds = _hashes(seed, _ROW_STREAM, n)
    feature_counts = _counts(row_seeds, size.row_features, 1)
    label_counts = _counts(row_seeds, size.row_labels, 2)
    X, Y = _empty(feature_counts, d, np.float64), _empty(label_counts, q, bool)
    feature_table = _alias_table(_zipf(seed, _FEATURE_IDS, d, 0))
    label_table = _alias_table(_zipf(seed, _LABEL_IDS, q, LABEL_SHIFT))
    sizes = size.row_features / 2, 2 * size.row_labels
    ends = X.indptr.astype(np.int64), Y.indptr.astype(np.int64)

    def draw(start: int, stop: int) -> None:
        last_rows = np.full(d, -1), np.full(q, -1)
        tables = *feature_table, *label_table, *last_rows, *sizes
        _draw(start, stop, row_seeds, np.uint64(seed), *tables, ends[0], X.indices, ends[1], Y.indices)

    over_rows(draw, n)
    part = np.repeat(np.array([TRAIN, TEST], np.int8), [train, test])
    return Dataset(name, "multilabel", X, Y, tuple(map(str, range(d))), tuple(map(str, range(q))), part=part)


def _empty(counts: np.ndarray, columns: int, dtype: type) -> sparse.csr_matrix:
    """A matrix of ones with so many entries in each row, of which the columns are still to be drawn."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    indices = np.zeros(ends[-1], np.int32)
    return sparse.csr_matrix((np.ones(len(indices), dtype), indices, ends), shape=(len(counts), columns))


def _zipf(seed: int, purpose: int, count: int, shift: int) -> np.ndarray:
    """Weights 1 / (1 + shift), 1 / (2 + shift), ... in a random order."""
    weights = np.empty(count)
    weights[np.argsort(_hashes(seed, purpose, count), kind="stable")] = 1 / (np.arange(1, count + 1) + shift)
    return weights


@inner
def _mix(word):
    """SplitMix64's scrambling of a counter."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inner
def _hash(a, b, c):
    """A random word for each triple of numbers."""
    step = np.uint64(0x9E3779B97F4A7C15)
    return _mix(_mix(_mix(np.uint64(a) + step) + np.uint64(b) + step) + np.uint64(c) + step)


@inner
def _fraction(word):
    return (word >> np.uint64(11)) * 2.0**-53


def _hashes(seed: int, purpose: int, count: int) -> np.ndarray:
    words = np.empty(count, np.uint64)
    _fill_hashes(seed, purpose, words)
    return words


@kernel
def _fill_hashes(seed, purpose, words):
    for i in range(len(words)):
        words[i] = _hash(seed, purpose, i)


def _counts(row_seeds: np.ndarray, average: float, purpose: int) -> np.ndarray:
    """Whole numbers around the average, spread evenly; rounding up is as likely as the fraction is large."""
    counts = np.empty(len(row_seeds), np.int64)
    _fill_counts(row_seeds, average, purpose, counts)
    return counts


@kernel
def _fill_counts(row_seeds, average, purpose, counts):
    for i in range(len(row_seeds)):
        spread, rounding = _fraction(_hash(row_seeds[i], purpose, 0)), _fraction(_hash(row_seeds[i], purpose, 1))
        share = LEAST_SHARE + (2 - 2 * LEAST_SHARE) * spread
        count = int(np.floor(share * average + rounding))
        counts[i] = count if count > 1 else 1


def _alias_table(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Walker's alias method (Vose 1991): column i is kept with probability keep[i], else replaced by alias[i]."""
    n = len(weights)
    keep, alias = np.empty(n), np.arange(n)
    _fill_alias_table(weights, keep, alias, *np.empty((2, n), np.int64))
    return keep, alias


@kernel
def _fill_alias_table(weights, keep, alias, small, large):
    n, total = len(weights), 0.0
    for i in range(n):
        total += weights[i]  # one after the other: NumPy's sum is another number
    smalls = larges = 0
    for i in range(n):
        keep[i] = weights[i] * (n / total)
        if keep[i] < 1:
            small[smalls] = i
            smalls += 1
        else:
            large[larges] = i
            larges += 1
    while smalls and larges:
        smalls -= 1
        less, more = small[smalls], large[larges - 1]
        alias[less] = more
        keep[more] -= 1 - keep[less]
        if keep[more] < 1:
            larges -= 1
            small[smalls] = more
            smalls += 1
    for i in range(smalls):
        keep[small[i]] = 1  # what is left is 1 up to rounding


@inner
def _pick(keep, alias, word):
    """The column that a random word stands for: its upper half gives the place, the word mixed again the coin."""
    place = np.int64((word >> np.uint64(32)) * np.uint64(len(keep)) >> np.uint64(32))
    return place if _fraction(_mix(word)) < keep[place] else alias[place]


@inner
def _place(word, size):
    """A place in a list of this size, where earlier places are likelier."""
    fraction = _fraction(word)
    return int(fraction * fraction * size)


@kernel
def _draw(
    start, stop, row_seeds, seed, feature_keep, feature_alias, label_keep, label_alias, last_row_of_feature,
    last_row_of_label, vocabulary, relatives, feature_ends, features, label_ends, labels,
):  # fmt: skip
    for row in range(start, stop):
        state = row_seeds[row]
        mine = labels[label_ends[row] : label_ends[row + 1]]
        number = 0
        while number < len(mine):
            state += np.uint64(0x9E3779B97F4A7C15)
            word = _mix(state)
            if number and _fraction(_mix(word + np.uint64(1))) < RELATED_SHARE:
                word = _hash(seed + np.uint64(_RELATED), mine[0], _place(word, relatives))
            label = _pick(label_keep, label_alias, word)
            if last_row_of_label[label] != row:
                last_row_of_label[label] = row
                mine[number] = label
                number += 1
        words = features[feature_ends[row] : feature_ends[row + 1]]
        number = 0
        while number < len(words):
            state += np.uint64(0x9E3779B97F4A7C15)
            word = _mix(state)
            if _fraction(_mix(word + np.uint64(1))) < TOPICAL_SHARE:
                label = mine[_place(_mix(word + np.uint64(2)), len(mine))]
                word = _hash(seed + np.uint64(_VOCABULARY), label, _place(word, vocabulary))
            feature = _pick(feature_keep, feature_alias, word)
            if last_row_of_feature[feature] != row:
                last_row_of_feature[feature] = row
                words[number] = feature
                number += 1
        _sort(mine)
        _sort(words)


@inner
def _sort(values):
    """Shell's."""
    gap = len(values) // 2
    while gap > 0:
        for i in range(gap, len(values)):
            moved, place = values[i], i
            while place >= gap and values[place - gap] > moved:
                values[place] = values[place - gap]
                place -= gap
            values[place] = moved
        gap //= 2
