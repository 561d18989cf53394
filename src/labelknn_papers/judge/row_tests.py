"""Two methods on the same test rows: is the first one better, measure by measure?

Papers with one split have no folds to test over, but rows. One-error is 0 or 1 on a row, so McNemar's exact test counts
the rows on which one method alone is wrong; the other measures are tested by Wilcoxon's signed ranks.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import scipy  # its parts are imported when they are used

from labelknn.metrics._comparison import Matrix, compare_scores, compare_sets

# The measures of zhang2005 that a row has a value of.
MEASURES = ("hamming_loss", "one_error", "coverage", "ranking_loss", "average_precision")
# Differences of shares that are equal on paper are equal to this many decimals in floats.
_DECIMALS = 9


def row_losses(truth: Matrix, output: Mapping[str, Matrix]) -> dict[str, np.ndarray]:
    """Each measure of each row, the lower the better."""
    sets, scores = compare_sets(truth, output["sets"]), compare_scores(truth, output["scores"])
    losses = {name: getattr(scores, name) for name in MEASURES[1:]}
    losses["average_precision"] = 1 - losses["average_precision"]
    return {"hamming_loss": sets.row_true + sets.row_predicted - 2 * sets.row_shared, **losses}


def p_of_better(measure: str, first: np.ndarray, second: np.ndarray) -> float:
    """One-sided: the probability of such an advantage of the first method, or a greater one, if there were none.

    Rows without a value (average precision without any label) are left out. Where all rows are equal it is 1/2.
    """
    differences = np.round(second - first, _DECIMALS)
    differences = differences[~np.isnan(differences) & (differences != 0)]
    if len(differences) == 0:
        return 0.5
    if measure == "one_error":
        return float(
            scipy.stats.binomtest(int((differences > 0).sum()), len(differences), alternative="greater").pvalue
        )
    return float(scipy.stats.wilcoxon(differences, alternative="greater", method="asymptotic").pvalue)
