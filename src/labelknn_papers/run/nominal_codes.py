"""RAkEL on the nominal features of genbase, in the codes that programs have for them (chiang2012, table 3).

The paper gives neither the program nor how it hands nominal features to LIBLINEAR. Weka writes a level as its place in
the file's list, and genbase lists {YES, NO}: then NO is 1, and rows are nearly all ones. The name of the protein, which
has a level for every row, can be indicators, its place in the list, or left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from labelknn.errors import unknown
from labelknn.multilabel import RAkEL
from labelknn.utils._base import LabelSetMethod, ProbabilityMixin
from labelknn.utils._validation import check_dense_features

NAMES = ("indicators", "number", "left-out")
# The same with two levels the other way round.
TURNED = "-no-is-one"
CODES = (*NAMES, *(name + TURNED for name in NAMES))


class CodedRAkEL(ProbabilityMixin, LabelSetMethod):
    """RAkEL with a choice of codes for features that are level numbers.

    Parameters
    ----------
    code : one of `CODES`: what becomes of features of more than two levels, and whether those of two are turned round.
    k, grid, random_state : as in `RAkEL`.
    """

    def __init__(
        self,
        code: str = "indicators",
        k: int | Sequence[int] = 3,
        grid: Sequence[float] = (1.0,),
        random_state: int | None = None,
    ) -> None:
        self.code = code
        self.k = k
        self.grid = grid
        self.random_state = random_state

    def fit(self, X: Any, Y: Any) -> CodedRAkEL:
        """Learn from level numbers X, (n, d), and label sets in Y, (n, q) of 0 and 1."""
        if self.code not in CODES:
            raise unknown("code", self.code, CODES, "CodedRAkEL")
        X = check_dense_features(self, X, fitting=True)
        self.many_ = X.max(axis=0) > 1
        self.levels_ = [np.unique(column) for column in X[:, self.many_].T]
        self.model_ = RAkEL(k=self.k, grid=self.grid, random_state=self.random_state).fit(self.coded(X), Y)
        self._sparse_labels = self.model_._sparse_labels
        return self

    def _output(self, X: Any) -> Mapping[str, np.ndarray]:
        """Label sets, and the shares of the models' votes as scores."""
        check_is_fitted(self)
        return self.model_._output(self.coded(check_dense_features(self, X, fitting=False)))

    def coded(self, X: np.ndarray) -> np.ndarray | sparse.csr_matrix:
        """What RAkEL sees; a level that no training row has is no indicator's."""
        two, many = X[:, ~self.many_], X[:, self.many_]
        if self.code.endswith(TURNED):
            two = 1 - two
        names = self.code.removesuffix(TURNED)
        if names == "left-out":
            many = many[:, :0]
        elif names == "indicators":
            columns = zip(many.T, self.levels_, strict=True)
            many = np.hstack([many[:, :0], *(column[:, None] == levels for column, levels in columns)])
        coded = np.hstack([two, many.astype(float)])
        return coded if self.code.endswith(TURNED) else sparse.csr_matrix(coded)
