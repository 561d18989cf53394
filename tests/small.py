"""Every public estimator, with parameters that let it be fitted in milliseconds."""

import inspect

from labelknn import IBLRML, MLkNN
from labelknn.utils import all_estimators

ALL = dict(all_estimators())

SMALL = {
    "k": 3,
    "k_instance": 3,
    "k_feature": 3,
    "rounds": 4,
    "steps": 4,
    "starts": 5,
    "models": 3,
    "max_epochs": 5,
    "C": 1.0,
    "alpha": 5,
    "random_state": 1,
}

# Words and switches that take another way through the code; another number does not.
WORDS = {
    "BinaryRelevanceRanking": [{"kernel": "poly", "degree": 2}],
    "CRPC": [{"kernel": "poly", "degree": 2}],
    "CaseBasedRanking": [{"weights": "linear"}, {"weights": "inverse"}, {"targets": "bipartition"}, {"k": None}],
    "ConstraintClassification": [{"average": True}],
    "FeatureKNN": [{"weights": "linear"}],
    "FeatureLabelKNN": [{"mean": "printed"}, {"mean": "max"}],
    "IBLR": [{"k": None}],
    "IBLRML": [{"tolerance": 1e-3}],
    "LCIF": [{"mean": "printed"}, {"mean": "max"}, {"tune": "micro_f1"}],
    "LRT": [{"criterion": "concordance"}],
    "OneThreshold": [{"estimator": IBLRML(k=3)}],
    "RAkEL": [{"k": [2, 3], "grid": [1.0]}],
    "RankedNeighbors": [
        {"ranker": "pa"},
        {"ranker": "pm"},
        {"ranker": "pm-corrected", "differences": "signed"},
        {"ranker": None, "weights": "linear"},
        {"weights": "logistic"},
    ],
}


def small(name, **parameters):
    """An estimator by its name."""
    known = inspect.signature(ALL[name]).parameters
    chosen = {key: value for key, value in SMALL.items() if key in known}
    chosen |= {"RankSVM": {"degree": 2}, "OneThreshold": {"estimator": MLkNN(k=3)}}.get(name, {})
    return ALL[name](**chosen | parameters)


def variants():
    """Each estimator as it is, and with its words and switches."""
    return [small(name, **words) for name in ALL for words in ({}, *WORDS.get(name, ()))]
