"""LCIF (Feremans et al. 2017): a linear combination of instance and feature neighbours, and its parts and relatives.

=========================  =====================================  ========================
class                      confidence                             in the paper
=========================  =====================================  ========================
InstanceKNN                conf_INS                               section III-A1
SecondOrderInstanceKNN     conf_INS_2                             section III-A4
FeatureLabelKNN            conf_FL                                section III-B
LCIF                       λ conf_INS + (1 − λ) conf_FL           section III-C
LCIF2                      λ conf_INS_2 + (1 − λ) conf_FL         section III-C
=========================  =====================================  ========================

All of them threshold the confidences at the label cardinality of the training rows, scored without themselves
(`labelknn.solvers._confidence`), and all can choose their parameters for each metric on the training rows.

Departures from the paper: the threshold is exact instead of a multiple of .01. In the tuning (`grid_search`), one
threshold serves all ten folds. Feature values may be any non-negative numbers, where the paper's program takes 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Integral
from typing import TypeAlias

import numpy as np
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from labelknn.errors import DataError, unknown
from labelknn.solvers._confidence import Scorer, cardinality_threshold, thresholded
from labelknn.solvers._feature_confidence import FeatureNeighbors
from labelknn.solvers._instance_confidence import InstanceNeighbors
from labelknn.solvers._lcif_grid import LARGEST_K, TUNED, Fold, Setting, best_settings
from labelknn.solvers._second_order_confidence import SecondOrderNeighbors
from labelknn.utils._base import LabelSetMethod, ProbabilityMixin
from labelknn.utils._parameters import seed_of
from labelknn.utils._threads import threaded
from labelknn.utils._validation import check_label_sets, check_sparse_features

FOLDS = 10

# Rows are scored in blocks of this many, so that not all their candidates are in memory at once.
SCORED_ROWS = 4096

Output: TypeAlias = Mapping[str, sparse.csr_matrix]


class LCIF(ProbabilityMixin, LabelSetMethod):
    """Linear combination of instance and feature kNN.

    Nothing is made dense: X may be sparse (a dense one is converted), scores and label sets are CSR matrices.

    Cost: two sparse searches (`labelknn.neighbors`), rows against rows and features against labels, then
    O(n (k c + m k)) for n rows of c labels and m features each. Tuning costs one more search of rows against rows in
    ten parts, then about two operations per candidate label and setting of the grid.

    Parameters
    ----------
    k_instance, k_feature : numbers of neighbours of a row, and of nearest labels of a feature. Where there are fewer
        candidates, all of them count.
    weight : λ, the weight of the instance part.
    mean : how a feature part averages: "matching", "printed" or "max", see `labelknn.solvers._feature_confidence`.
    tune : choose k_instance, k_feature and λ by 10-fold cross-validation for this metric: "micro_f1", "macro_f1",
        "example_f1", "example_accuracy" or "hamming_loss". None takes them as they are given.
    random_state : seed of the folds.
    n_jobs : threads; None for all that the process may use.

    Attributes
    ----------
    setting_ : the numbers of neighbours and the weight that were used.
    threshold_ : labels with a confidence above it are predicted.

    References
    ----------
    feremans2017, section III-C.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]])
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> LCIF(k_instance=1, k_feature=1, weight=0.5).fit(X, Y).predict(np.array([[1, 0, 0, 0]]))
    array([[1, 0]])
    """

    def __init__(
        self,
        k_instance: int = 15,
        k_feature: int = 15,
        weight: float = 0.5,
        mean: str = "matching",
        tune: str | None = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.k_instance = k_instance
        self.k_feature = k_feature
        self.weight = weight
        self.mean = mean
        self.tune = tune
        self.random_state = random_state
        self.n_jobs = n_jobs

    _side_by_side = ("tune", "tuned")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True  # the feature part takes means with the features' values as weights
        return tags

    def _setting(self) -> Setting:
        return Setting(self.k_instance, self.k_feature, self.weight)

    def _instances(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> InstanceNeighbors | None:
        return InstanceNeighbors(X, Y, k)

    def _features(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> FeatureNeighbors | None:
        return FeatureNeighbors(X, Y, k, self.mean)

    @threaded
    def fit(self, X: np.ndarray | sparse.csr_matrix, Y: np.ndarray | sparse.csr_matrix) -> LCIF:
        """Learn from the rows of X, (n, d), and their label sets in Y, (n, q) of 0 and 1."""
        X = check_sparse_features(self, X, fitting=True)
        Y = check_label_sets(self, Y, X.shape[0])
        _check(given := self._setting())
        self._settings: dict[str | None, Setting] = {None: given}
        if self.tune is not None:
            metrics = self._values or (self.tune,)
            for metric in metrics:
                if metric not in TUNED:
                    raise unknown("metric to tune for", metric, TUNED, type(self).__name__)
            best = best_settings(self._folds(X, Y))
            self._settings = {metric: best[metric] for metric in metrics}
        settings = self._settings.values()
        self._instance_part = self._instances(X, Y, max(setting.k_instance for setting in settings))
        self._feature_part = self._features(X, Y, max(setting.k_feature for setting in settings))
        scorers = self._scorers(None)
        self._thresholds = {
            setting: cardinality_threshold((part.data for part in _combined(scorers, setting, X.shape[0])), Y.nnz)
            for setting in set(settings)
        }
        self.setting_ = self._settings[self.tune]
        self.threshold_ = self._thresholds[self.setting_]
        return self

    @threaded
    def _output(self, X: np.ndarray | sparse.csr_matrix) -> Output:
        """Confidences of the candidate labels as scores, and the label sets."""
        return self._at(X, [self.tune])[self.tune]

    @threaded
    def _outputs(self, X: np.ndarray | sparse.csr_matrix) -> Mapping[str | None, Output]:
        """The output with the choice for each metric."""
        return self._at(X, list(self._settings))

    def _at(self, X: np.ndarray | sparse.csr_matrix, metrics: list[str | None]) -> dict[str | None, Output]:
        check_is_fitted(self)
        X = check_sparse_features(self, X, fitting=False)
        scorers = self._scorers(X)
        outputs: dict[str | None, Output] = {}
        for metric in metrics:
            setting = self._settings[metric]
            scores = sparse.vstack(list(_combined(scorers, setting, X.shape[0])), format="csr")
            outputs[metric] = {"sets": thresholded(scores, self._thresholds[setting]), "scores": scores}
        return outputs

    def _scorers(self, queries: sparse.csr_matrix | None) -> tuple[Scorer | None, Scorer | None]:
        return _scorer(self._instance_part, queries), _scorer(self._feature_part, queries)

    def _folds(self, X: sparse.csr_matrix, Y: sparse.csr_matrix) -> list[Fold]:
        """Ten random parts of the rows, each scored by neighbours among the rest, found once at the largest k."""
        n = X.shape[0]
        if n < FOLDS:
            raise DataError(f"tuning divides the rows into {FOLDS} parts, but there are {n} rows only")
        folds = []
        for held_out in np.array_split(np.random.default_rng(seed_of(self.random_state)).permutation(n), FOLDS):
            held_out = np.sort(held_out)
            rest = np.setdiff1d(np.arange(n), held_out)
            instances = self._instances(X[rest], Y[rest], LARGEST_K)
            features = self._features(X[rest], Y[rest], LARGEST_K)
            folds.append(Fold(_scorer(instances, X[held_out]), _scorer(features, X[held_out]), Y[held_out]))
        return folds


class LCIF2(LCIF):
    """Linear combination of second-order instance kNN and feature kNN; parameters as in `LCIF`.

    References
    ----------
    feremans2017, section III-C.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]])
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> LCIF2(k_instance=1, k_feature=1).fit(X, Y).predict(np.array([[1, 0, 0, 0]]))
    array([[1, 0]])
    """

    def _instances(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> SecondOrderNeighbors:  # type: ignore[override]
        return SecondOrderNeighbors(X, Y, k)


class InstanceKNN(LCIF):
    """The instance part alone: k nearest rows by cosine, weighted by it.

    Parameters
    ----------
    k : number of neighbours.
    tune, random_state, n_jobs : as in `LCIF`.

    References
    ----------
    feremans2017, section III-A1.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]])
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> InstanceKNN(k=2).fit(X, Y).predict(np.array([[1, 0, 0, 0]]))
    array([[1, 0]])
    """

    def __init__(
        self, k: int = 15, tune: str | None = None, random_state: int | None = None, n_jobs: int | None = None
    ) -> None:
        self.k = k
        self.tune = tune
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = False  # a cosine takes any values
        return tags

    def _setting(self) -> Setting:
        return Setting(self.k, 1, 1.0)

    def _features(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> None:
        return None


class SecondOrderInstanceKNN(InstanceKNN):
    """The second-order instance part alone; parameters as in `InstanceKNN`. k counts both kinds of neighbours.

    References
    ----------
    feremans2017, section III-A4.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]])
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> SecondOrderInstanceKNN(k=2).fit(X, Y).predict(np.array([[1, 0, 0, 0]]))
    array([[1, 0]])
    """

    def _instances(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> SecondOrderNeighbors:  # type: ignore[override]
        return SecondOrderNeighbors(X, Y, k)


class FeatureLabelKNN(LCIF):
    """The feature part alone.

    Parameters
    ----------
    k : number of nearest labels of a feature.
    mean, tune, random_state, n_jobs : as in `LCIF`.

    References
    ----------
    feremans2017, section III-B.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]])
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> FeatureLabelKNN(k=1).fit(X, Y).predict(np.array([[1, 0, 0, 0]]))
    array([[1, 0]])
    """

    def __init__(
        self,
        k: int = 15,
        mean: str = "matching",
        tune: str | None = None,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.mean = mean
        self.tune = tune
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _setting(self) -> Setting:
        return Setting(1, self.k, 0.0)

    def _instances(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> None:
        return None


def _check(setting: Setting) -> None:
    for k in (setting.k_instance, setting.k_feature):
        if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
            raise DataError(f"k = {k!r} neighbours asked for; expected a whole number from 1")
    if not 0 <= setting.weight <= 1:
        raise DataError(f"the weight λ = {setting.weight} of the instance part is not between 0 and 1")


def _scorer(
    neighbors: InstanceNeighbors | SecondOrderNeighbors | FeatureNeighbors | None, queries: sparse.csr_matrix | None
) -> Scorer | None:
    return None if neighbors is None else neighbors.scorer(queries)


def _combined(scorers: tuple[Scorer | None, Scorer | None], setting: Setting, n: int) -> Iterator[sparse.csr_matrix]:
    """Equation (4), block by block of the n rows: the confidences of the candidate labels."""
    parts = zip(scorers, (setting.k_instance, setting.k_feature), (setting.weight, 1 - setting.weight), strict=True)
    used = [(scorer, k, np.float32(weight)) for scorer, k, weight in parts if scorer is not None and weight > 0]
    for start in range(0, n, SCORED_ROWS):
        rows = slice(start, min(start + SCORED_ROWS, n))
        first, *rest = (scorer([k], rows).at(0) * weight for scorer, k, weight in used)
        yield first + rest[0] if rest else first
