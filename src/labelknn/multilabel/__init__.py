"""Learning of label sets: `fit(X, Y)` with an (n, q) matrix of 0 and 1."""

from typing import TYPE_CHECKING

from labelknn.utils._lazy import attach

if TYPE_CHECKING:
    from labelknn.multilabel._adtboost import ADTBoostMH
    from labelknn.multilabel._boostexter import BoosTexter
    from labelknn.multilabel._br_linear_svm import BRLinearSVM
    from labelknn.multilabel._br_logistic import BRLogistic
    from labelknn.multilabel._brknn import BRkNN
    from labelknn.multilabel._case_based import CaseBasedMultilabel
    from labelknn.multilabel._feature_knn import FeatureKNN
    from labelknn.multilabel._iblr_ml import IBLRML
    from labelknn.multilabel._lcif import LCIF, LCIF2, FeatureLabelKNN, InstanceKNN, SecondOrderInstanceKNN
    from labelknn.multilabel._mlknn import MLkNN
    from labelknn.multilabel._one_threshold import OneThreshold
    from labelknn.multilabel._rakel import RAkEL
    from labelknn.multilabel._rank_svm import RankSVM
    from labelknn.multilabel._ranked_neighbors import RankedNeighbors

__getattr__, __dir__, __all__ = attach(__name__)
