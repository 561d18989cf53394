"""Mulan 1.5.0's OneThreshold without folds, as it really works: what feremans2017's baselines come from.

`labelknn.multilabel.OneThreshold` is the method that the paper describes. Mulan's differs in three ways:

- Its search for the threshold has two stages, steps of .1 from 0 to 1 and steps of .01 from .05 below the best to .05
  above it. The second has room for eleven thresholds, but adds up its steps: around 0, .2, .3 and .4 rounding carries
  the last one beyond the end, where no row is looked at. Micro F1 of nothing is 1 in Mulan, so this one wins unless an
  earlier one is perfect: the threshold is the first stage's plus .05.
- Without folds, training rows are scored by a model that does not know them for its own: each is its own neighbour.
- Neighbours come from Weka's LinearNNSearch, which keeps the k nearest in a heap. Which of several rows at the same
  distance are among them, and in which order they are listed, is up to the heap, not to the rows' order. Methods take
  the first k of the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from labelknn.errors import DataError
from labelknn.multilabel import MLkNN
from labelknn.neighbors._euclidean import Neighbors
from labelknn.utils._base import LabelSetMethod, ProbabilityMixin
from labelknn.utils._kernels import inner, kernel
from labelknn.utils._threads import over_rows
from labelknn.utils._validation import check_label_sets, check_sparse_features

COARSE, FINE = 0.1, 0.01


class MulanOneThreshold(ProbabilityMixin, LabelSetMethod):
    """A neighbour method whose probabilities are cut as Mulan 1.5.0 cuts them, for features of 0 and 1.

    Parameters
    ----------
    estimator : a method of this library that learns from `k` neighbours; None is ML-kNN.

    Attributes
    ----------
    threshold_ : probabilities from here on predict a label.
    estimator_ : the fitted estimator.

    >>> X = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1], [0, 0, 1]])
    >>> Y = np.array([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    >>> model = MulanOneThreshold(MLkNN(k=2)).fit(X, Y)
    >>> round(model.threshold_, 2)
    0.25
    """

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def fit(self, X: Any, Y: Any) -> MulanOneThreshold:
        """Learn from the rows of X, (n, d), and their label sets in Y, (n, q) of 0 and 1."""
        self.X_ = check_sparse_features(self, X, fitting=True)
        sets = check_label_sets(self, Y, self.X_.shape[0])
        self.estimator_ = clone(MLkNN() if self.estimator is None else self.estimator)
        self.estimator_.fit(X, Y, neighbors=weka_neighbors(self.X_, self.estimator_.k))
        self.threshold_ = faulty_threshold(sets.toarray(), self._scores(X))
        return self

    def _output(self, X: Any) -> Mapping[str, np.ndarray]:
        """Label sets, and the scores of the estimator."""
        check_is_fitted(self)
        scores = self._scores(X)
        return {"sets": scores >= self.threshold_, "scores": scores}

    def _scores(self, X: Any) -> np.ndarray:
        """Of any rows, also of those that were learnt from, which are then their own neighbours."""
        queries = check_sparse_features(self, X, fitting=False)
        found = weka_neighbors(self.X_, self.estimator_.k, queries)
        return self.estimator_._output(X, neighbors=found)["scores"]


def faulty_threshold(truth: np.ndarray, scores: np.ndarray) -> float:
    """The threshold of Mulan's two stages; in both the first of those with the largest micro F1.

    Around .1 it is sound, around .2 it has the threshold that no row was looked at for, which here predicts nothing.

    >>> truth = np.array([1, 0, 0, 0, 1])
    >>> faulty_threshold(truth, np.array([0.14, 0.122, 0.08, 0.08, 0.13]))
    0.13
    >>> faulty_threshold(truth, np.array([0.22, 0.12, 0.08, 0.08, 0.01]))
    0.25
    """
    best = _best_of(truth, scores, 0.0, 1.0, COARSE)
    return _best_of(truth, scores, best - 5 * FINE, best + 5 * FINE, FINE)


def _best_of(truth: np.ndarray, scores: np.ndarray, low: float, high: float, step: float) -> float:
    """The first of the best thresholds from `low` to `high`; those that the steps do not reach have F1 = 1."""
    f1 = np.ones(round((high - low) / step) + 1)
    for number, threshold in enumerate(steps_between(low, high, step)):
        predicted = scores >= threshold
        cells = np.count_nonzero(predicted) + np.count_nonzero(truth)
        if cells:
            f1[number] = 2 * np.count_nonzero(predicted & (truth > 0)) / cells
    return low + float(f1.argmax()) * step


def steps_between(low: float, high: float, step: float) -> list[float]:
    """The thresholds that Mulan's loop reaches, by adding up steps.

    >>> [len(steps_between(best - 0.05, best + 0.05, 0.01)) for best in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)]
    [10, 11, 10, 10, 10, 11]
    """
    found = []
    while low <= high:
        found.append(low)
        low += step
    return found


def weka_neighbors(X: sparse.csr_matrix, k: int, queries: sparse.csr_matrix | None = None) -> Neighbors:
    """The first k neighbours that Weka's linear search lists; without `queries`, of each row among the others.

    Weka scales each feature by its range, which leaves features of 0 and 1 as they are: others are refused.

    >>> weka_neighbors(sparse.csr_matrix(np.zeros((4, 1))), k=3, queries=sparse.csr_matrix([[1.0]])).indices
    array([[1, 2, 0]])
    """
    excluded = np.arange(X.shape[0])
    if queries is None:
        queries = X
    else:
        excluded = np.full(queries.shape[0], -1)
    for rows in (X, queries):
        if not (rows.data == 1).all():
            raise DataError("Weka's neighbours are searched here for features of 0 and 1 only")
    columns = X.tocsc()
    indices, squared = np.empty((queries.shape[0], k), np.int64), np.empty((queries.shape[0], k), np.int64)
    sizes, asked = (np.diff(rows.indptr).astype(np.int32) for rows in (X, queries))
    of_rows, of_queries = (columns.indptr, columns.indices, sizes), (queries.indptr, queries.indices, asked)
    over_rows(_search, len(indices), *of_rows, *of_queries, excluded, indices, squared)
    return Neighbors(indices, np.sqrt(squared))


@kernel
def _search(start, stop, ends, rows, sizes, query_ends, features, query_sizes, excluded, indices, squared):
    """`rows` of each feature, and the `features` of each query; distances are in how many features two rows differ."""
    n, k = len(sizes), indices.shape[1]
    shared = np.empty(n, np.int32)
    heap, far = np.empty(k + 1, np.int64), np.empty(k + 1, np.int64)
    for query in range(start, stop):
        shared[:] = 0
        for place in range(query_ends[query], query_ends[query + 1]):
            for entry in range(ends[features[place]], ends[features[place] + 1]):
                shared[rows[entry]] += 1
        size = 0
        for row in range(n):
            distance = sizes[row] + query_sizes[query] - 2 * shared[row]
            if row == excluded[query] or (size == k and distance >= far[1]):
                continue
            if size == k:
                size = _take_farthest(heap, far, size)
            size = _put(heap, far, size, row, distance)
        for rank in range(k - 1, -1, -1):
            indices[query, rank], squared[query, rank] = heap[1], far[1]
            size = _take_farthest(heap, far, size)


@inner
def _put(heap, far, size, row, distance):
    """At the end of the heap, from where it rises above those that are nearer."""
    size += 1
    place = size
    while place > 1 and far[place // 2] < distance:
        heap[place], far[place] = heap[place // 2], far[place // 2]
        place //= 2
    heap[place], far[place] = row, distance
    return size


@inner
def _take_farthest(heap, far, size):
    """The last of the heap takes its place, and sinks below those that are farther: to the right if both are alike."""
    row, distance = heap[size], far[size]
    size -= 1
    place = 1
    while 2 * place <= size:
        child = 2 * place
        if child < size and far[child] <= far[child + 1]:
            child += 1
        if far[child] <= distance:
            break
        heap[place], far[place] = heap[child], far[child]
        place = child
    heap[place], far[place] = row, distance
    return size
