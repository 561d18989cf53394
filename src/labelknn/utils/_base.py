"""What the estimators share: scikit-learn's contract, and neighbours that may be handed in.

A method is one file with one class. `fit` learns; `_output` gives everything that the method has to say about queries,
a mapping of arrays from which the public predictions are made:

==========  ==========  ================================================================================
task        key         array
==========  ==========  ================================================================================
multilabel  sets        (n, q) bool: the predicted label sets
multilabel  scores      (n, q) float: the larger, the more likely the label; ranks the labels
ranking     ranks       (n, q) int: place of each label, 1 is best
==========  ==========  ================================================================================

A method may add keys of its own (a reliability, say). A single number about the model (how many leaves it has, say) is
a score by itself, under its own name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from labelknn.errors import DataError
from labelknn.neighbors._euclidean import Neighbors, k_nearest
from labelknn.ranking.stats._kendall import taus
from labelknn.utils._parameters import check_whole
from labelknn.utils._scores import check_label_names
from labelknn.utils._validation import Rows, as_ranks, check_features, check_label_sets
from labelknn.utils._warnings import warn


class Method(BaseEstimator):
    """An estimator of this library.

    Some methods can learn several values of one parameter in one fit. `_side_by_side` names the parameter, and how the
    reproduction calls the results ("rounds=30"); it sets `_values` before `fit` and asks `_outputs` for one at each.
    """

    _task: str
    _uses_neighbors = False
    _side_by_side: tuple[str, str] | None = None
    _values: Sequence[Any] = ()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.two_d_labels = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags

    def _output(self, X: Any) -> Mapping[str, Any]:
        raise NotImplementedError


class LabelSetMethod(ClassifierMixin, Method):
    """Learns label sets: `Y` is an (n, q) indicator matrix, dense or sparse, or a DataFrame with the labels' names.

    Predictions are dense or sparse as `Y` was. Every method has `predict_proba` or `decision_function`, see below. A
    label that no training row has cannot be learnt: `fit` warns.
    """

    _task = "multilabel"
    _sparse_labels: bool

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        return tags

    def predict(self, X: Any) -> np.ndarray | sparse.csr_matrix:
        """The predicted label sets, (n, q) of 0 and 1."""
        return self._contained(self._output(X)["sets"].astype(np.int64))

    def score(self, X: Any, Y: Any, sample_weight: Any = None) -> float:
        """The share of exactly right label sets: scikit-learn's own score for them."""
        check_label_names(self, Y)
        return super().score(X, Y, sample_weight)

    def _contained(self, found: Any) -> np.ndarray | sparse.csr_matrix:
        """In the container that `fit` got."""
        if self._sparse_labels:
            return sparse.csr_matrix(found)
        return found.toarray() if sparse.issparse(found) else found


class ProbabilityMixin:
    """For methods whose scores are probabilities, or shares of votes."""

    _output: Any

    def predict_proba(self, X: Any) -> np.ndarray | sparse.csr_matrix:
        """The probability of each label, or its share of the votes, (n, q).

        A method that scores candidate labels only gives a sparse matrix if `fit` got sparse label sets.
        """
        scores = self._output(X)["scores"]
        return self._contained(scores) if sparse.issparse(scores) else scores  # type: ignore[attr-defined]


class DecisionMixin:
    """For methods whose scores have no scale of their own."""

    _output: Any

    def decision_function(self, X: Any) -> np.ndarray:
        """A score for each label, (n, q): labels above 0 are predicted, and sorting by it ranks the labels."""
        return self._output(X)["scores"]


class RankingMethod(Method):
    """Learns rankings: `Y` is an (n, q) matrix of ranks, 1 is best, and 0 or NaN a label missing from the ranking."""

    _task = "ranking"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True  # made dense
        return tags

    def predict(self, X: Any) -> np.ndarray:
        """The predicted ranks, (n, q) int; every label is ranked."""
        return self._output(X)["ranks"]

    def score(self, X: Any, Y: Any) -> float:
        """Mean Kendall's tau between the rankings in `Y` and the predicted ones, over the rows that order labels."""
        check_label_names(self, Y)
        ranks = self.predict(X)
        truth = as_ranks(Y, len(ranks))
        if truth.shape != ranks.shape:
            raise DataError(f"{truth.shape[1]} labels to compare with, but {ranks.shape[1]} in training")
        return float(np.nanmean(taus(truth, ranks)))


class NeighborMethod(Method):
    """Learns from the `k` nearest rows, which it searches itself unless the caller has them already.

    Several methods on the same rows, or one method at several k, share one search at the largest k: pass
    ``neighbors=k_nearest(X, largest)`` to `fit` and ``neighbors=k_nearest(X, largest, queries)`` to `_output`.
    """

    k: int | None
    X_: Rows

    _uses_neighbors = True
    # Whether `fit` looks at the training rows' neighbours; `_output` always looks at those of the queries.
    _learns_from_neighbors = True

    def _neighbors_needed(self, n: int) -> int:
        """How many neighbours a shared search among n training rows must find for this method."""
        check_whole(self, "k")
        assert self.k is not None
        return self.k

    def _training_neighbors(self, neighbors: Neighbors | None) -> Neighbors:
        """Each training row's neighbours among the others."""
        k = self._neighbors_needed(self.X_.shape[0])
        return (k_nearest(self.X_, k) if neighbors is None else neighbors).nearest(k)

    def _query_neighbors(self, X: Any, neighbors: Neighbors | None) -> Neighbors:
        check_is_fitted(self)
        queries = check_features(self, X, fitting=False)
        # k_ is the choice of a method that makes one.
        k = getattr(self, "k_", None) or self._neighbors_needed(self.X_.shape[0])
        return (k_nearest(self.X_, k, queries) if neighbors is None else neighbors).nearest(k)


class LazyMethod(NeighborMethod, LabelSetMethod):
    """A method that only keeps its training rows in `fit`: all work is done for a query and its k neighbours."""

    k: int
    _learns_from_neighbors = False

    def fit(self, X: Any, Y: Any, neighbors: Neighbors | None = None) -> Self:
        """Keep the rows; the neighbours of the training rows are not looked at."""
        self.X_ = check_features(self, X, fitting=True)
        self._check_parameters()
        n = self.X_.shape[0]
        k = self._neighbors_needed(n)
        if not 1 <= k <= n:
            raise DataError(f"k = {k} neighbours asked for, {n} rows to choose from (n_samples = {n})")
        self.Y_ = check_label_sets(self, Y, n)
        return self

    def _check_parameters(self) -> None:
        """Refuse what the method does not know; the number of neighbours is checked for all."""


def warn_not_converged(message: str) -> None:
    """scikit-learn's warning, at the line that called `fit`."""
    warn(message, ConvergenceWarning)
