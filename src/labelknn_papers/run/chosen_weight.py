"""The weight λ that LCIF2 chooses between its two parts (feremans2017, section IV-E1)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy import sparse

from labelknn.errors import DataError
from labelknn.multilabel import LCIF2
from labelknn.solvers._lcif_grid import best_settings
from labelknn.utils._threads import threaded
from labelknn.utils._validation import check_label_sets, check_sparse_features


class ChosenWeight(LCIF2):
    """Tunes as `LCIF2` does, for each of several metrics, and says the weight of its instance part. Nothing else."""

    @threaded
    def fit(self, X: np.ndarray | sparse.csr_matrix, Y: np.ndarray | sparse.csr_matrix) -> ChosenWeight:
        if self.tune is None:
            raise DataError("a weight that is given is not chosen: pass a metric as tune=")
        X = check_sparse_features(self, X, fitting=True)
        best = best_settings(self._folds(X, check_label_sets(self, Y, X.shape[0])))
        self.weights_ = {metric: best[metric].weight for metric in self._values or (self.tune,)}
        return self

    def _output(self, X: np.ndarray | sparse.csr_matrix) -> Mapping[str, np.ndarray]:
        return self._outputs(X)[self.tune]

    def _outputs(self, X: np.ndarray | sparse.csr_matrix) -> Mapping[str | None, Mapping[str, np.ndarray]]:
        return {metric: {"instance_weight": np.array(weight)} for metric, weight in self.weights_.items()}
