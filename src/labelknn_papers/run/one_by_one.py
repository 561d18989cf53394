"""Support vector machines asked one after the other, each with a kernel matrix of its own (brinker2007, Table 1).

The library's machines of a task share one kernel matrix of the training rows and the queries. A program that knows
nothing of the other machines computes one for each, on its support vectors: testing then takes as many times as long as
there are machines. What is predicted is the same.
"""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from labelknn.ranking import CRPC, BinaryRelevanceRanking
from labelknn.ranking._base_pair_machines import PairMachines, _kernel_matrix
from labelknn.utils._validation import check_dense_features


class _OneByOne(PairMachines):
    def decisions(self, X: np.ndarray) -> np.ndarray:
        """The decision of each machine, (n, m): positive where the first label of the pair comes first."""
        check_is_fitted(self)
        X = check_dense_features(self, X, fitting=False)
        found = np.empty((len(X), len(self.pairs_)))
        for machine, (coefficients, constant) in enumerate(zip(self.dual_coef_, self.intercept_, strict=True)):
            support = np.flatnonzero(coefficients)
            kernel = _kernel_matrix(X, self.X_[support], self.degree_)
            found[:, machine] = kernel @ coefficients[support] + constant
        return found


class CRPCOneByOne(_OneByOne, CRPC):
    """CRPC whose machines are asked one after the other."""


class BinaryRelevanceOneByOne(_OneByOne, BinaryRelevanceRanking):
    """Binary relevance whose machines are asked one after the other."""
