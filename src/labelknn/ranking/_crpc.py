"""CRPC, brinker2007's baseline: calibrated ranking by pairwise comparison (Brinker, Fürnkranz & Hüllermeier 2006).

A support vector machine for each pair of labels, the virtual one included, learns which of the two comes first. A label
ranks by the machines that vote for it, and the virtual label's place among the votes is the split.

What brinker2007 leaves open is settled here: a row in which two labels tie is left out of their machine; votes are 0 or
1, whatever the margin; equal numbers of votes rank the virtual label first, then the lower label index; a machine that
has nothing to learn from, because its labels always tie, gives each of them half a vote.
"""

from __future__ import annotations

import numpy as np

from labelknn.ranking._base_pair_machines import PairMachines
from labelknn.ranking.stats._buckets import strict_ranks


class CRPC(PairMachines):
    """Multilabel rankings from pairwise votes of support vector machines.

    Rows should be of about unit length: the kernels (1 + x·y)^degree grow with them, and C is relative to that.

    Cost: (c + 1) c / 2 machines on n rows, each O(n) a step of its solver and O(n d) a query; with the grid, 9 (linear)
    or 25 (poly) times that on 70 % of the rows. Memory: a kernel matrix, and n coefficients for each machine and C.

    Parameters
    ----------
    kernel : "linear", or "poly" for (1 + x·y)^degree.
    degree, C : the kernel's degree and the price of a margin error; None chooses from the grid of section 6 by the mean
        Spearman correlation on held-out training rows, then learns from all of them.
    random_state : seed of the rows held out.
    n_jobs : threads that solve the machines; None for all that the process may use.

    Attributes
    ----------
    degree_, C_ : the setting used.
    grid_spearman_ : mean Spearman correlation on the held-out rows by (degree, C), if there was a choice.
    pairs_ : (m, 2) the two labels of each machine.
    dual_coef_, intercept_ : (m, n) and (m,) the machines.

    References
    ----------
    Brinker, Fürnkranz & Hüllermeier (2006); a baseline in brinker2007, section 6.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]])
    >>> ranks = np.array([[1, 2, 4, 3], [1, 2, 4, 3], [1, 1, 3, 2], [4, 3, 1, 2], [4, 3, 1, 2], [4, 3, 1, 2]])
    >>> CRPC(C=16.0).fit(X, ranks).predict(np.array([[0.05], [1.05]]))
    array([[1, 2, 4, 3],
           [4, 3, 1, 2]])
    """

    def _pairs(self, q: int) -> np.ndarray:
        return np.column_stack(np.triu_indices(q, 1))

    def _rank(self, decisions: np.ndarray, q: int) -> np.ndarray:
        for_first = (1 + np.sign(decisions)) / 2
        votes = np.zeros((q, decisions.shape[1]))
        np.add.at(votes, self.pairs_[:, 0], for_first)
        np.add.at(votes, self.pairs_[:, 1], 1 - for_first)
        return strict_ranks(-votes.T)
