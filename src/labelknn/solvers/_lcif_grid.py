"""The best k and λ for a metric, by cross-validation on the training rows (feremans2017, section IV-D).

A grid of 15 × 15 × 11 settings costs one neighbour search per fold. The confidences at a larger k continue those at a
smaller one, a linear combination is one multiplication per candidate label, and the threshold of section III-C is a
quantile of the confidences, read from a histogram. Two passes over the held-out rows are made: the first counts the
confidences of all rows by size, which gives each setting its threshold (the same for all folds), the second predicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from labelknn.solvers._confidence import Confidences, Scorer, aligned, no_confidences
from labelknn.utils._kernels import inner, kernel
from labelknn.utils._threads import over_rows

# The metrics of the paper's tables, in the order of the kernel, and which of them are losses.
TUNED = ("example_accuracy", "example_f1", "hamming_loss", "micro_f1", "macro_f1")
LOSSES = ("hamming_loss",)

# Section IV-D1: "between 1 and 30 in steps of 2", and to 60 where the best is at the end.
FIRST_KS = tuple(range(1, 30, 2))
MORE_KS = 5
LARGEST_K = 59
WEIGHTS = tuple(step / 10 for step in range(11))

# Thresholds are multiples of 1 / BINS; a power of two, so that confidences are binned without rounding.
BINS = 2048

# So much of the confidences is kept from the first pass to the second; what is more is computed again.
KEPT_BYTES = 2**30


@dataclass(frozen=True)
class Setting:
    """Numbers of neighbours, and the weight λ of the instance part in equation (4)."""

    k_instance: int
    k_feature: int
    weight: float


@dataclass(frozen=True)
class Fold:
    """Held-out rows: what the two kinds of neighbours among the other rows say of them (if used), and their labels."""

    instance: Scorer | None
    feature: Scorer | None
    truth: sparse.csr_matrix

    def confidences(self, k_instance: Sequence[int], k_feature: Sequence[int]) -> tuple[Confidences, Confidences]:
        n, q = self.truth.shape
        parts = (
            no_confidences(n, q) if scorer is None else scorer(ks, slice(0, n))
            for scorer, ks in ((self.instance, k_instance), (self.feature, k_feature))
        )
        return aligned(*parts)


def best_settings(folds: Sequence[Fold]) -> dict[str, Setting]:
    """The setting with the best mean over the folds, for each metric of `TUNED`; of equal ones the smallest."""
    use_instances, use_features = folds[0].instance is not None, folds[0].feature is not None
    axes = [list(FIRST_KS) if used else [1] for used in (use_instances, use_features)]
    weights = WEIGHTS if use_instances and use_features else (float(use_instances),)
    scores = mean_scores(folds, axes[0], axes[1], weights)
    while True:
        best = {metric: _best(scores[number], metric in LOSSES) for number, metric in enumerate(TUNED)}
        longer = [
            axis
            for axis, used in enumerate((use_instances, use_features))
            if used
            and axes[axis][-1] < LARGEST_K
            and any(place[axis] == len(axes[axis]) - 1 for place in best.values())
        ]
        if not longer:
            break
        axis = longer[0]
        more = list(range(axes[axis][-1] + 2, LARGEST_K + 1, 2))[:MORE_KS]
        block = [more if axis == other else axes[other] for other in (0, 1)]
        scores = np.concatenate((scores, mean_scores(folds, block[0], block[1], weights)), axis=1 + axis)
        axes[axis] += more
    return {metric: Setting(axes[0][i], axes[1][j], weights[w]) for metric, (i, j, w) in best.items()}


def mean_scores(
    folds: Sequence[Fold], k_instance: Sequence[int], k_feature: Sequence[int], weights: Sequence[float]
) -> np.ndarray:
    """Mean over the folds of each metric at each setting: (metric, k_instance, k_feature, weight)."""
    shape = len(k_instance), len(k_feature), len(weights)
    shares = np.asarray(weights, np.float32)
    counts = np.zeros((shape[0] * shape[1], shape[2], BINS + 1), np.int64)
    kept: dict[int, tuple[Confidences, Confidences]] = {}
    room = KEPT_BYTES
    for number, fold in enumerate(folds):
        instance, feature = fold.confidences(k_instance, k_feature)
        over_rows(_count_by_size, len(counts), instance.values, feature.values, shares, counts)
        room -= instance.values.nbytes + feature.values.nbytes
        if room >= 0:
            kept[number] = instance, feature
    _spread(counts, shape, shares)
    cuts = _cardinality_cuts(counts, sum(fold.truth.nnz for fold in folds))
    scores = np.zeros((len(TUNED), *counts.shape[:2]))
    for number, fold in enumerate(folds):
        known = number in kept
        instance, feature = kept.pop(number) if known else fold.confidences(k_instance, k_feature)
        indptr, labels = fold.truth.indptr.astype(np.int64), fold.truth.indices.astype(np.int32)
        relevant, q = np.empty(len(instance.labels), bool), instance.q
        _find_relevant(instance.indptr, instance.labels, indptr, labels, np.zeros(q, bool), relevant)
        fold_scores = np.empty(scores.shape)
        candidates = instance.indptr, instance.labels, relevant, instance.values, feature.values
        truth = np.diff(indptr), np.bincount(labels, minlength=q), fold.truth.nnz
        over_rows(_predict_pairs, len(counts), q, *candidates, shares, cuts, *truth, fold_scores)
        for of_metric in fold_scores:
            _spread(of_metric, shape, shares)
        scores += fold_scores
    return (scores / len(folds)).reshape(len(TUNED), *shape)


def _spread(values: np.ndarray, shape: tuple[int, int, int], weights: np.ndarray) -> None:
    """Where one part has no weight its number of neighbours does not matter, and the kernels know only the first."""
    by_setting = values.reshape(*shape, *values.shape[2:])
    for number, weight in enumerate(weights):
        if weight == 1:
            by_setting[:, 1:, number] = by_setting[:, :1, number]
        elif weight == 0:
            by_setting[1:, :, number] = by_setting[:1, :, number]


@inner
def _is_known(pair, width, weight):
    """Whether another pair, of the `width` for each number of instance neighbours, gives the same with this weight."""
    return (weight == 1 and pair % width > 0) or (weight == 0 and pair >= width)


def _best(scores: np.ndarray, lower_is_better: bool) -> tuple[int, int, int]:
    place = scores.argmin() if lower_is_better else scores.argmax()
    return tuple(int(index) for index in np.unravel_index(place, scores.shape))  # type: ignore[return-value]


def _cardinality_cuts(counts: np.ndarray, total: int) -> np.ndarray:
    """The bin from which on labels are predicted, such that about `total` are; of two, the one that predicts fewer."""
    predicted = np.cumsum(counts[..., ::-1], axis=-1)
    return BINS - np.abs(predicted - total).argmin(axis=-1)


@kernel
def _find_relevant(indptr, labels, true_indptr, true_labels, true, relevant):
    """Which of the candidates are true labels. `true` are zeros."""
    for i in range(len(indptr) - 1):
        for e in range(true_indptr[i], true_indptr[i + 1]):
            true[true_labels[e]] = True
        for e in range(indptr[i], indptr[i + 1]):
            relevant[e] = true[labels[e]]
        for e in range(true_indptr[i], true_indptr[i + 1]):
            true[true_labels[e]] = False


@kernel
def _count_by_size(start, stop, first, second, weights, counts):
    """Add the combined confidences of all candidates to the histogram of each setting."""
    for pair in range(start, stop):
        a, b = first[pair // len(second)], second[pair % len(second)]
        for w in range(len(weights)):
            weight, rest = weights[w], np.float32(1) - weights[w]
            if _is_known(pair, len(second), weight):
                continue
            histogram = counts[pair, w]
            for e in range(len(a)):
                confidence = weight * a[e] + rest * b[e]
                if confidence > 0:
                    histogram[int(confidence * np.float32(BINS))] += 1


def _predict_pairs(start: int, stop: int, q: int, *arguments: Any) -> None:
    _predict(start, stop, *np.empty((2, q), np.int64), *arguments)


@kernel
def _predict(
    start, stop, label_predicted, label_shared, indptr, labels, relevant, first, second, weights, cuts,
    row_true, label_true, true, scores,
):  # fmt: skip
    """Fill in the metrics of `TUNED` on one fold, by metric, pair of k and weight."""
    n, q = len(row_true), len(label_true)
    for pair in range(start, stop):
        a, b = first[pair // len(second)], second[pair % len(second)]
        for w in range(len(weights)):
            weight, rest = weights[w], np.float32(1) - weights[w]
            if _is_known(pair, len(second), weight):
                continue
            for label in range(q):
                label_predicted[label] = label_shared[label] = 0
            cut = np.float32(cuts[pair, w]) / np.float32(BINS)
            accuracy, f1 = 0.0, 0.0
            for i in range(n):
                predicted, shared = 0, 0
                for e in range(indptr[i], indptr[i + 1]):
                    confidence = weight * a[e] + rest * b[e]
                    if confidence >= cut and confidence > 0:
                        predicted += 1
                        label_predicted[labels[e]] += 1
                        if relevant[e]:
                            shared += 1
                            label_shared[labels[e]] += 1
                if predicted == 0:
                    top, highest = -1, np.float32(0)
                    for e in range(indptr[i], indptr[i + 1]):
                        confidence = weight * a[e] + rest * b[e]
                        if confidence > highest or (confidence == highest and top >= 0 and labels[e] < labels[top]):
                            top, highest = e, confidence
                    if top >= 0:
                        predicted, shared = 1, int(relevant[top])
                        label_predicted[labels[top]] += 1
                        label_shared[labels[top]] += shared
                sizes = row_true[i] + predicted
                accuracy += shared / (sizes - shared) if sizes > 0 else 1.0
                f1 += 2 * shared / sizes if sizes > 0 else 1.0
            predicted, shared, macro = 0, 0, 0.0
            for label in range(q):
                predicted += label_predicted[label]
                shared += label_shared[label]
                sizes = label_true[label] + label_predicted[label]
                macro += 2 * label_shared[label] / sizes if sizes > 0 else 1.0
            scores[0, pair, w] = accuracy / n
            scores[1, pair, w] = f1 / n
            scores[2, pair, w] = (true + predicted - 2 * shared) / (n * q)
            scores[3, pair, w] = 2 * shared / (true + predicted) if true + predicted > 0 else 1.0
            scores[4, pair, w] = macro / q
