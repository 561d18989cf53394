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
from typing import TypeAlias

import numpy as np
from scipy import sparse

from labelknn.errors import DataError
from labelknn.neighbors._euclidean import finite_rows
from labelknn.solvers._confidence import Scorer, cardinality_threshold, thresholded
from labelknn.solvers._feature_confidence import FeatureNeighbors
from labelknn.solvers._instance_confidence import InstanceNeighbors
from labelknn.solvers._lcif_grid import LARGEST_K, Fold, Setting, best_settings
from labelknn.solvers._second_order_confidence import SecondOrderNeighbors
from labelknn.utils._base import MultilabelMethod, as_label_sets
from labelknn.utils._estimator import check_is_fitted

FOLDS = 10

# Rows are scored in blocks of this many, so that not all their candidates are in memory at once.
SCORED_ROWS = 4096

Output: TypeAlias = Mapping[str, sparse.csr_matrix]


class LCIF(MultilabelMethod):
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
    tune : choose k_instance, k_feature and λ by 10-fold cross-validation, once for each metric of
        `labelknn.solvers._lcif_grid.TUNED`. `outputs` predicts with all of these choices, `output` with that for
        micro F1.
    random_state : seed of the folds.

    Attributes
    ----------
    settings_ : the settings by name, "tuned=micro_f1" and so on; one with an empty name without tuning.
    thresholds_ : the threshold of each setting.

    References
    ----------
    feremans2017, section III-C.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]])
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> LCIF(k_instance=1, k_feature=1, weight=0.5).fit(X, Y).predict(np.array([[1, 0, 0, 0]])).toarray()
    array([[ True, False]])
    """

    def __init__(
        self,
        k_instance: int = 15,
        k_feature: int = 15,
        weight: float = 0.5,
        mean: str = "matching",
        tune: bool = False,
        random_state: int | None = None,
    ) -> None:
        self.k_instance = k_instance
        self.k_feature = k_feature
        self.weight = weight
        self.mean = mean
        self.tune = tune
        self.random_state = random_state

    def _setting(self) -> Setting:
        return Setting(self.k_instance, self.k_feature, self.weight)

    def _instances(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> InstanceNeighbors | None:
        return InstanceNeighbors(X, Y, k)

    def _features(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> FeatureNeighbors | None:
        return FeatureNeighbors(X, Y, k, self.mean)

    def fit(self, X: np.ndarray | sparse.csr_matrix, Y: np.ndarray | sparse.csr_matrix) -> LCIF:
        X = as_sparse_rows(X)
        Y = as_label_sets(Y, X.shape[0])
        self.n_features_in_ = X.shape[1]
        self.settings_ = {"": self._setting()}
        _check(self.settings_[""])
        if self.tune:
            best = best_settings(self._folds(X, Y))
            self.settings_ = {f"tuned={metric}": setting for metric, setting in best.items()}
        self._learn(X, Y)
        total = Y.nnz
        scorers = self._scorers(None)
        thresholds = {
            setting: cardinality_threshold((part.data for part in _combined(scorers, setting, X.shape[0])), total)
            for setting in set(self.settings_.values())
        }
        self.thresholds_ = {name: thresholds[setting] for name, setting in self.settings_.items()}
        return self

    def output(self, X: np.ndarray | sparse.csr_matrix) -> Output:
        """Confidences of the candidate labels as scores, and the label sets; tuned for micro F1 if tuned."""
        name = "tuned=micro_f1" if self.tune else ""
        return self._outputs(X, [name])[name]

    def outputs(self, X: np.ndarray | sparse.csr_matrix) -> dict[str, Output]:
        """The output at each of the settings."""
        check_is_fitted(self)
        return self._outputs(X, list(self.settings_))

    def _outputs(self, X: np.ndarray | sparse.csr_matrix, names: list[str]) -> dict[str, Output]:
        check_is_fitted(self)
        X = as_sparse_rows(X)
        if X.shape[1] != self.n_features_in_:
            raise DataError(f"the queries have {X.shape[1]} features, the training rows {self.n_features_in_}")
        scorers = self._scorers(X)
        outputs: dict[str, Output] = {}
        for name in names:
            scores = sparse.vstack(list(_combined(scorers, self.settings_[name], X.shape[0])), format="csr")
            outputs[name] = {"sets": thresholded(scores, self.thresholds_[name]), "scores": scores}
        return outputs

    def _learn(self, X: sparse.csr_matrix, Y: sparse.csr_matrix) -> None:
        settings = self.settings_.values()
        self.instances_ = self._instances(X, Y, max(setting.k_instance for setting in settings))
        self.features_ = self._features(X, Y, max(setting.k_feature for setting in settings))

    def _scorers(self, queries: sparse.csr_matrix | None) -> tuple[Scorer | None, Scorer | None]:
        return _scorer(self.instances_, queries), _scorer(self.features_, queries)

    def _folds(self, X: sparse.csr_matrix, Y: sparse.csr_matrix) -> list[Fold]:
        """Ten random parts of the rows, each scored by neighbours among the rest, found once at the largest k."""
        n = X.shape[0]
        if n < FOLDS:
            raise DataError(f"tuning divides the rows into {FOLDS} parts, but there are {n} rows only")
        folds = []
        for held_out in np.array_split(np.random.default_rng(self.random_state).permutation(n), FOLDS):
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
    >>> LCIF2(k_instance=1, k_feature=1).fit(X, Y).predict(np.array([[1, 0, 0, 0]])).toarray()
    array([[ True, False]])
    """

    def _instances(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> SecondOrderNeighbors:  # type: ignore[override]
        return SecondOrderNeighbors(X, Y, k)


class InstanceKNN(LCIF):
    """The instance part alone: k nearest rows by cosine, weighted by it.

    Parameters
    ----------
    k : number of neighbours.
    tune, random_state : as in `LCIF`.

    References
    ----------
    feremans2017, section III-A1.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]])
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> InstanceKNN(k=2).fit(X, Y).predict(np.array([[1, 0, 0, 0]])).toarray()
    array([[ True, False]])
    """

    def __init__(self, k: int = 15, tune: bool = False, random_state: int | None = None) -> None:
        self.k = k
        self.tune = tune
        self.random_state = random_state

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
    >>> SecondOrderInstanceKNN(k=2).fit(X, Y).predict(np.array([[1, 0, 0, 0]])).toarray()
    array([[ True, False]])
    """

    def _instances(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> SecondOrderNeighbors:  # type: ignore[override]
        return SecondOrderNeighbors(X, Y, k)


class FeatureLabelKNN(LCIF):
    """The feature part alone.

    Parameters
    ----------
    k : number of nearest labels of a feature.
    mean, tune, random_state : as in `LCIF`.

    References
    ----------
    feremans2017, section III-B.

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 1]])
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> FeatureLabelKNN(k=1).fit(X, Y).predict(np.array([[1, 0, 0, 0]])).toarray()
    array([[ True, False]])
    """

    def __init__(
        self, k: int = 15, mean: str = "matching", tune: bool = False, random_state: int | None = None
    ) -> None:
        self.k = k
        self.mean = mean
        self.tune = tune
        self.random_state = random_state

    def _setting(self) -> Setting:
        return Setting(1, self.k, 0.0)

    def _instances(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> None:
        return None


def as_sparse_rows(X: np.ndarray | sparse.csr_matrix) -> sparse.csr_matrix:
    """Rows as CSR of float64 without stored zeros; the caller's matrix is not changed."""
    rows = X if sparse.issparse(X) else finite_rows(X, "the rows")
    X = sparse.csr_matrix(rows, dtype=np.float64, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    if not np.isfinite(X.data).all():
        raise DataError("the features hold NaN or infinity")
    return X


def _check(setting: Setting) -> None:
    for k in (setting.k_instance, setting.k_feature):
        if k < 1:
            raise DataError(f"k = {k} neighbours asked for; expected at least 1")
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
