"""Case-based multilabel ranking (Brinker & Hüllermeier 2007): the mean ranks of the nearest neighbours' bucket orders.

What the paper leaves open is settled here:

- Equal mean ranks ("ties are broken arbitrarily"): the virtual label first, then the lower label index.
- A label that ties with the split point is not relevant; trained on "bipartition", it is among the irrelevant ones.
- k-NN* weighs "by the distances" without saying how. Ours is "linear": 1 - d / dmax, where dmax is the width of the
  training rows, twice their largest distance from their mean. (With the distance of the k-th neighbour for dmax the
  weights would be proportional to Dudani's, and so give the same predictions.)
- k is validated as the SVMs' parameters are: the best mean Spearman correlation on 30 % of the training rows with the
  other 70 % to search, the smaller k if two are equal. Queries then search all training rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from labelknn.errors import DataError, unknown
from labelknn.neighbors._euclidean import Neighbors, k_nearest
from labelknn.ranking._base_case_based import CaseBased
from labelknn.ranking.stats._buckets import from_label_sets, generalised_ranks, relevant, spearman
from labelknn.solvers._hold_out import VALIDATION_SHARE, hold_out
from labelknn.utils._base import RankingMethod
from labelknn.utils._threads import threaded
from labelknn.utils._validation import check_bucket_orders, check_dense_features

# Section 6: k from {1, 3, ..., 11, 21, ..., 151}.
GRID = (1, 3, 5, 7, 9, 11, *range(21, 152, 10))

TARGETS = ("ranking", "bipartition")


class CaseBasedRanking(CaseBased, RankingMethod):
    """Multilabel rankings from those of the nearest neighbours: k-NN, k-NN* and their "-r" versions of section 6.

    `Y` holds ranks of c labels and, in the last column, of the virtual label; ties are welcome, missing labels are not.

    Cost: the neighbour search (`labelknn.neighbors`), then O(k c + c log c) a query. Choosing k costs a search
    and a pass over the neighbours at the largest k of the grid; each further k costs a query one sort of its labels.

    Parameters
    ----------
    k : number of neighbours; None chooses it from `grid`.
    grid : the numbers of neighbours to choose from. Those that the training part is too small for are left out.
    weights : of the neighbours. "uniform" is k-NN; "linear" (1 - d / dmax), "inverse" (1 / d; only neighbours at
        distance 0, if there are any) and "dudani" ((d_k - d) / (d_k - d_1)) are forms of k-NN*. Weights that are all 0
        are all 1 instead.
    targets : learn from the whole "ranking", or from its "bipartition" only (the suffix "-r").
    p : number of virtual labels at the split point; any number costs the same, also infinity.
    random_state : seed of the rows that k is validated on.
    n_jobs : threads of the neighbour searches; None for all that the process may use.

    Attributes
    ----------
    k_ : the number of neighbours used.
    grid_spearman_ : mean Spearman correlation on the validation rows by k, if k was chosen.

    References
    ----------
    brinker2007, Theorem 1 and section 6.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> ranks = np.array([[1, 2, 4, 3], [1, 2, 4, 3], [1, 1, 3, 2], [3, 2, 1, 4], [4, 3, 1, 2], [4, 3, 1, 2]])
    >>> CaseBasedRanking(k=3).fit(X, ranks).predict(np.array([[0.05], [5.05]]))
    array([[1, 2, 4, 3],
           [4, 3, 1, 2]])
    """

    def __init__(
        self,
        k: int | None = None,
        grid: Sequence[int] = GRID,
        weights: str = "uniform",
        targets: str = "ranking",
        p: float = 1,
        random_state: int | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.grid = grid
        self.weights = weights
        self.targets = targets
        self.p = p
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _neighbors_needed(self, n: int) -> int:
        return self._candidates(int(VALIDATION_SHARE * n))[-1] if self.k is None else self.k

    @threaded
    def fit(self, X: np.ndarray, Y: np.ndarray, neighbors: Neighbors | None = None) -> CaseBasedRanking:
        """Keep the rows, and choose k if it is not given; neighbours among the training rows are of no use here."""
        if self.targets not in TARGETS:
            raise unknown("targets", self.targets, TARGETS, type(self).__name__)
        X = check_dense_features(self, X, fitting=True)
        orders = check_bucket_orders(self, Y, len(X))
        learned = orders if self.targets == "ranking" else from_label_sets(relevant(orders))
        if self.k is None:
            self._choose_k(X, orders, learned)
        else:
            self.k_ = self._given_k(len(X))
        self._remember(X, learned)
        return self

    @threaded
    def _output(self, X: np.ndarray, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Strict ranks of all labels and the virtual one, (n, c + 1), and the split that they make, (n, c)."""
        ranks = self._predicted(X, neighbors)
        return {"ranks": ranks, "split": relevant(ranks)}

    def _candidates(self, n: int) -> list[int]:
        """The grid, increasing, as far as n rows to search allow."""
        candidates = sorted({k for k in self.grid if k <= n})
        if not candidates or candidates[0] < 1:
            raise DataError(
                f"the grid of k, {list(self.grid)}, must be positive and have a value up to {n}, 70 % of rows"
            )
        return candidates

    def _choose_k(self, X: np.ndarray, orders: np.ndarray, learned: np.ndarray) -> None:
        searched, validated = hold_out(len(X), VALIDATION_SHARE, self.random_state)
        candidates = self._candidates(len(searched))
        self._remember(X[searched], learned[searched])
        predicted = self._ranks(k_nearest(self.X_, candidates[-1], X[validated]), candidates)
        means = spearman(generalised_ranks(orders[validated]), predicted).mean(axis=1)
        self.grid_spearman_ = dict(zip(candidates, means.tolist(), strict=True))
        self.k_ = candidates[int(np.argmax(means))]
