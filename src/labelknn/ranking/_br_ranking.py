"""Binary relevance, extended to rankings, as brinker2007 compares with it (section 3).

A support vector machine for each label learns whether the label is relevant. The labels rank by the machines' decision
values, and the virtual label stands at 0, where relevant ends. Training uses the split only, not the order on its two
sides. What the paper leaves open: a row in which a label ties with the split point is left out of its machine.
"""

from __future__ import annotations

import numpy as np

from labelknn.ranking._base_pair_machines import PairMachines
from labelknn.ranking.stats._buckets import strict_ranks


class BinaryRelevanceRanking(PairMachines):
    """Multilabel rankings by the decision values of one support vector machine for each label.

    Parameters and attributes are those of `CRPC`; each pair is a label and the virtual one.

    Cost: c machines on n rows, where CRPC has c (c + 1) / 2.

    References
    ----------
    brinker2007, section 3.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]])
    >>> ranks = np.array([[1, 2, 4, 3], [1, 2, 4, 3], [1, 1, 3, 2], [4, 3, 1, 2], [4, 3, 1, 2], [4, 3, 1, 2]])
    >>> BinaryRelevanceRanking(C=16.0).fit(X, ranks).predict(np.array([[0.05], [1.05]]))
    array([[1, 2, 4, 3],
           [3, 4, 1, 2]])
    """

    def _pairs(self, q: int) -> np.ndarray:
        return np.column_stack([np.arange(q - 1), np.full(q - 1, q - 1)])

    def _rank(self, decisions: np.ndarray, q: int) -> np.ndarray:
        return strict_ranks(np.column_stack([-decisions.T, np.zeros(decisions.shape[1])]))
