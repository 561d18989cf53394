"""Logistic regressions on neighbours' labels that learn from a part of the training rows (chiang2012, section 4.4).

The paper divides training rows: a ranking model learns from 80 %, and weights from the other 20 %. It does not say
which rows its logistic regressions see; `labelknn.multilabel.RankedNeighbors` gives them all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from labelknn.errors import unknown
from labelknn.multilabel import RankedNeighbors
from labelknn.multilabel._ranked_neighbors import _among
from labelknn.neighbors._euclidean import Neighbors, k_nearest
from labelknn.neighbors._shared import restricted, width_for
from labelknn.solvers._weka_logistic import fit_logistic
from labelknn.utils._parameters import seed_of

PARTS = ("learned", "held-out")


class LogisticRows(RankedNeighbors):
    """`RankedNeighbors` with logistic weights from the rows of its ranking model, or from the others.

    Parameters
    ----------
    part : "learned" or "held-out". Either way the neighbours are among the learned rows.
    k, ranker, C, random_state : as in `RankedNeighbors`.
    """

    _side_by_side = None  # type: ignore[assignment]  # it learns one kind of weights

    def __init__(
        self,
        part: str = "learned",
        k: int = 10,
        ranker: str | None = "svm",
        C: float = 0.1,
        random_state: int | None = None,
    ) -> None:
        super().__init__(k=k, ranker=ranker, C=C, weights="logistic", random_state=random_state)
        self.part = part

    def fit(self, X: Any, Y: Any, neighbors: Neighbors | None = None) -> LogisticRows:
        """Learn from the rows of X, (n, d), and their label sets in Y, (n, q) of 0 and 1."""
        if self.part not in PARTS:
            raise unknown("part", self.part, PARTS, "LogisticRows")
        super().fit(X, Y, neighbors)
        n = len(self.X_)
        # The same seed gives the division that the ranking model was learned on.
        learned, held = self._divide(n, np.random.default_rng(seed_of(self.random_state)))
        found = neighbors or k_nearest(self.X_, max(self.k, min(width_for(self.k, 1 - self.held_out), n - 1)))
        rows, queries = (learned, None) if self.part == "learned" else (held, held)
        near = _among(learned, restricted(self.X_, found, learned, queries, k=self.k))
        votes = self._votes(self.rows_[rows], near).reshape(len(rows), -1).astype(float)
        self.coefficients_, self.intercepts_ = fit_logistic(votes, self.Y_[rows].toarray())
        return self
