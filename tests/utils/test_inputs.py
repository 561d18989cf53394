"""What estimators refuse, and what they take for the same, beside what scikit-learn's own checks ask for."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline

from labelknn import (
    IBLR,
    LCIF,
    LRT,
    BRkNN,
    BRLinearSVM,
    BRLogistic,
    ConstraintClassification,
    FeatureKNN,
    MLkNN,
    OneThreshold,
    RankedNeighbors,
)
from labelknn.errors import DataError
from labelknn.metrics import scorer

RNG = np.random.default_rng(3)
X = RNG.random((30, 4))
SETS = pd.DataFrame((RNG.random((30, 3)) < 0.5).astype(int), columns=["a", "b", "c"])
RANKS = pd.DataFrame(np.argsort(RNG.random((30, 3)), axis=1) + 1, columns=["a", "b", "c"])


def test_a_score_needs_the_labels_of_the_training():
    model = LRT().fit(X, RANKS)
    for columns in (2, 5):
        with pytest.raises(DataError, match=f"{columns} labels to compare with, but 3 in training"):
            model.score(X, np.tile(np.arange(1, columns + 1), (30, 1)))


@pytest.mark.parametrize(("method", "Y", "measure"), [(MLkNN(k=3), SETS, "micro_f1"), (IBLR(k=3), RANKS, "spearman")])
def test_labels_in_another_order_are_refused(method, Y, measure):
    method.fit(X, Y)
    for score in (method.score, lambda X, Y: scorer(measure)(method, X, Y)):
        assert np.isfinite(score(X, Y))
        with pytest.raises(DataError, match="in the same order: a, b, c; found c, a, b"):
            score(X, Y[["c", "a", "b"]])


def test_0_based_ranks_with_missing_labels_are_refused():
    ranks = RANKS.to_numpy(float) - 1
    ranks[0, 0] = np.nan
    with pytest.raises(DataError, match="both 0 and NaN"):
        IBLR(k=3).fit(X, ranks)


def test_a_row_that_lacks_a_label_can_be_scored_alone():
    ranks = RANKS.to_numpy().copy()
    ranks[ranks == 3] = 0
    model = LRT().fit(X, RANKS)
    assert -1 <= model.score(X[:1], ranks[:1]) <= 1


def test_missing_values_of_pandas_and_none():
    ranks = RANKS.to_numpy(float).copy()
    ranks[ranks == 2] = np.nan
    ranks[ranks == 3] = 2
    expected = IBLR(k=3).fit(X, ranks).predict(X)
    for same in (pd.DataFrame(ranks).astype("Int64"), pd.DataFrame(ranks).astype(object).where(~np.isnan(ranks), None)):
        np.testing.assert_array_equal(IBLR(k=3).fit(X, same).predict(X), expected)
    np.testing.assert_array_equal(
        MLkNN(k=3).fit(X, SETS.astype("Int64")).predict(X), MLkNN(k=3).fit(X, SETS).predict(X)
    )
    with pytest.raises(DataError, match="found a missing value"):
        MLkNN(k=3).fit(X, SETS.astype("Int64").replace({"a": {0: pd.NA}}))


@pytest.mark.parametrize(
    ("method", "said"),
    [
        (BRkNN(k=5.0), r"k = 5\.0, expected a whole number from 1"),
        (BRkNN(k=True), "k = True, expected a whole number"),
        (MLkNN(k=None), "k = None, expected a whole number"),
        (MLkNN(n_jobs=0), "n_jobs = 0, expected None"),
        (LCIF(k_instance=2.5), r"k = 2\.5 neighbours asked for"),
        (FeatureKNN(k=3, weights="distance"), "unknown weights 'distance'"),
        (BRLogistic(ridge=-1), "ridge = -1, expected a number from 0"),
        (BRLinearSVM(tolerance=-1), "tolerance = -1, expected a positive number"),
        (BRLinearSVM(max_epochs=0), "max_epochs = 0, expected a whole number from 1"),
        (RankedNeighbors(k=3, C=-1), "C = -1, expected a positive number"),
        (RankedNeighbors(k=3, steps=2.5), r"steps = 2\.5, expected a whole number"),
        (RankedNeighbors(k=3, random_state="x"), "random_state = 'x', expected None"),
    ],
)
def test_numbers_that_are_none_are_refused_by_fit(method, said):
    with pytest.raises(ValueError, match=said):
        method.fit(X, SETS)


def test_any_random_state():
    first, second = (ConstraintClassification(random_state=np.random.RandomState(0)).fit(X, RANKS) for _ in range(2))
    np.testing.assert_array_equal(first.predict(X), second.predict(X))


def test_label_sets_are_no_rankings():
    with pytest.raises(DataError, match=r"estimators of labelknn\.multilabel"):
        LRT().fit(X, SETS)


def test_a_threshold_around_a_pipeline_of_named_columns():
    frame = pd.DataFrame(X, columns=["p", "q", "r", "s"])
    forest = RandomForestClassifier(n_estimators=5, random_state=0)
    inner = make_pipeline(make_column_transformer(("passthrough", ["p", "r"])), forest)
    model = OneThreshold(inner, cv=3).fit(frame, SETS)
    assert model.predict(frame).shape == (30, 3)
    assert model.n_features_in_ == 4
