"""Learning of label rankings: `fit(X, Y)` with an (n, q) matrix of ranks, 1 is best, 0 or NaN a missing label."""

from typing import TYPE_CHECKING

from labelknn.utils._lazy import attach

if TYPE_CHECKING:
    from labelknn.ranking._br_ranking import BinaryRelevanceRanking
    from labelknn.ranking._case_based import CaseBasedRanking
    from labelknn.ranking._cc import ConstraintClassification
    from labelknn.ranking._crpc import CRPC
    from labelknn.ranking._iblr import IBLR
    from labelknn.ranking._lrt import LRT

__getattr__, __dir__, __all__ = attach(__name__)
