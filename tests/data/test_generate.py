"""Generated rankings: by hand, by properties, and against the published files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from labelknn import datasets
from labelknn.datasets._container import Dataset
from labelknn.datasets._readers import read
from labelknn.errors import ConfigError, DataError
from labelknn_papers.data.generate import (
    ablation,
    agreement,
    attribute_rankings,
    dense_ranks,
    mask_labels,
    naive_bayes_rankings,
    reorder_like,
    standardise,
    symmetric,
)

CONFIG = Path(__file__).parents[2] / "config"

OLDER = {"decimals": 3, "ties": "index", "scale": "symmetric"}
TYPE_A = {
    "authorship": {},
    "glass": OLDER,
    "iris": OLDER,
    "pendigits": {},
    "segment": {},
    "vehicle": OLDER,
    "vowel": OLDER,
    "wine": OLDER,
}
# Predictors and labels by the positions of the raw columns.
TYPE_B = {
    "bodyfat": (range(7), range(7, 14)),
    "calhousing": (range(4), range(4, 8)),
    "cpu-small": (range(6), range(6, 11)),
    "elevators": (range(9), range(9, 18)),
    "fried": (range(9), range(4, 9)),
    "housing": (range(6), range(6, 12)),
    "stock": (range(5), range(5, 10)),
}


def regression(columns):
    return Dataset("toy", "regression", np.column_stack(list(columns.values())).astype(float), None, tuple(columns))


def classification(X, y, names=("a", "b")):
    X = np.asarray(X, float)
    return Dataset("toy", "classification", X, np.array(y), tuple(f"x{j}" for j in range(X.shape[1])), names)


def rankings(X, Y, name="toy"):
    X, Y = np.asarray(X, float), np.asarray(Y)
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    return Dataset(name, "ranking", X, Y, names, tuple("abcdefghijklmnop"[: Y.shape[1]]))


def test_attributes_are_ranked_by_standardised_size():
    data = regression({"p": [1, 2, 3], "u": [0, 10, 20], "v": [3, 2, 1], "w": [1, 5, 0]})
    # Standardised: u -1 0 1, v 1 0 -1, w about -.38 1.13 -.76.
    made = attribute_rankings(data, ["p"], ["u", "v", "w"])
    assert made.Y.tolist() == [[3, 1, 2], [2, 3, 1], [1, 3, 2]]
    assert made.X.tolist() == [[-1], [0], [1]]
    assert (made.task, made.feature_names, made.label_names) == ("ranking", ("p",), ("u", "v", "w"))


@given(arrays(float, (6, 4), elements=st.integers(-50, 50)), st.floats(0.1, 10), st.floats(-5, 5))
@settings(max_examples=40, deadline=None)
def test_units_of_the_label_attributes_do_not_matter(values, unit, shift):
    values = values + np.arange(6)[:, None] * [101, 211, 307, 401]  # no constant column
    z = np.sort(standardise(values), axis=1)
    if np.diff(z, axis=1).min() < 1e-9:
        return
    names = ["a", "b", "c", "d"]
    first, second = (regression(dict(zip(names, v.T, strict=True))) for v in (values, values * unit + shift))
    np.testing.assert_array_equal(attribute_rankings(first, ["a"], names).Y, attribute_rankings(second, ["a"], names).Y)


def test_attribute_ranking_errors_name_the_data_set():
    data = regression({"p": [1, 2], "u": [3, 4], "c": [5, 5]})
    with pytest.raises(DataError, match=r"toy: there is no column 'q', expected one of p, u, c"):
        attribute_rankings(data, ["q"], ["u"])
    with pytest.raises(DataError, match=r"toy: the label attribute 'c' has the value 5 in every row"):
        attribute_rankings(data, ["p"], ["u", "c"])
    with pytest.raises(DataError, match="toy: column 'u' has the value nan in row 2"):
        attribute_rankings(regression({"p": [1, 2], "u": [3, np.nan]}), ["p"], ["u"])
    with pytest.raises(DataError, match="toy: attribute rankings need a regression"):
        attribute_rankings(classification([[1], [2]], [0, 1]), ["x0"], ["x0"])


def test_classes_are_ranked_by_their_posteriors():
    X = [[0.0], [1], [2], [3], [4], [5], [6], [7], [8]]
    data = classification(X, np.repeat([0, 1, 2], 3), ("low", "middle", "high"))
    for estimator in ("weka", "gaussian"):
        made = naive_bayes_rankings(data, estimator, ties="index")
        assert (made.Y[:3] == [1, 2, 3]).all()
        assert (made.Y[3:6, 1] == 1).all()
        assert (made.Y[6:] == [3, 2, 1]).all()
        assert made.label_names == ("low", "middle", "high")
        np.testing.assert_allclose(made.X, standardise(data.X))
    assert naive_bayes_rankings(data, scale="none").X.tolist() == X


def test_naive_bayes_errors_name_the_data_set():
    with pytest.raises(DataError, match=r"toy: class 'b' has 1 example\(s\)"):
        naive_bayes_rankings(classification([[1], [2], [3]], [0, 0, 1]))
    with pytest.raises(DataError, match=r"toy: class 'b' has 0 example\(s\)"):
        naive_bayes_rankings(classification([[1], [2], [3]], [0, 0, 0]))
    pairs = classification([[1], [2], [3], [4]], [0, 0, 1, 1])
    with pytest.raises(DataError, match="toy: the feature 'x0' is nominal"):
        naive_bayes_rankings(replace(pairs, levels={0: ("u", "v", "w", "x", "y")}))
    with pytest.raises(DataError, match="toy: column 'x0' has the value nan in row 1"):
        naive_bayes_rankings(replace(pairs, X=np.array([[np.nan], [2], [3], [4]])))
    with pytest.raises(DataError, match="toy: naive Bayes orderings need a classification"):
        naive_bayes_rankings(regression({"p": [1, 2]}))
    with pytest.raises(ConfigError, match=r"toy.*unknown estimator 'wekka'.*Did you mean 'weka'"):
        naive_bayes_rankings(pairs, "wekka")
    with pytest.raises(ConfigError, match=r"toy.*unknown scale 'minmax'"):
        naive_bayes_rankings(pairs, scale="minmax")


def test_scales():
    X = np.array([[1.0, 7, 1 / 3], [2, 7, 2 / 3], [4, 7, 1]])
    # 2/3 is half-way between 1/3 and 1, but not in single precision; the published iris has such values, too.
    np.testing.assert_array_equal(symmetric(X), [[-1, 0, -1], [-0.333333, 0, 4.47035e-08], [1, 0, 1]])
    np.testing.assert_allclose(standardise(X).std(axis=0, ddof=1), [1, 0, 1])
    np.testing.assert_allclose(standardise(X).mean(axis=0), 0, atol=1e-15)


def test_dense_ranks():
    values = np.array([[3.0, 1, 3, 2], [5, 5, 5, 5]])
    assert dense_ranks(values).tolist() == [[3, 1, 3, 2], [1, 1, 1, 1]]
    assert dense_ranks(values, np.array([[1, 0, 1, 1], [0, 0, 0, 0]], bool)).tolist() == [[2, 0, 2, 1], [0, 0, 0, 0]]


BUCKETS = arrays(np.int64, (5, 6), elements=st.integers(0, 6)).map(lambda ranks: dense_ranks(ranks, ranks > 0))


@given(BUCKETS, st.floats(0, 1), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_masking_keeps_the_order_of_what_it_keeps(ranks, p, seed):
    masked = mask_labels(ranks, p, np.random.default_rng(seed))
    assert (masked[ranks == 0] == 0).all()
    for before, after in zip(ranks, masked, strict=True):
        kept = np.flatnonzero(after)
        signs = [np.sign(row[kept][:, None] - row[kept]) for row in (before, after)]
        np.testing.assert_array_equal(*signs)
        assert set(after[kept]) == set(range(1, len(set(after[kept])) + 1))
    np.testing.assert_array_equal(masked, mask_labels(ranks, p, np.random.default_rng(seed)))


def test_masking_deletes_the_share_it_is_asked_for():
    ranks = np.tile(np.arange(1, 11), (4000, 1))
    for p in (0.0, 0.3, 0.6, 1.0):
        deleted = (mask_labels(ranks, p, np.random.default_rng(0)) == 0).mean()
        # Five standard deviations of a mean of 40,000 coins.
        assert deleted == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / 40_000))
    assert len(mask_labels(ranks, 0.9, np.random.default_rng(0))) == 4000


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_masking_refuses_what_is_no_probability(p):
    with pytest.raises(ConfigError, match="expected a number from 0 to 1"):
        mask_labels(np.array([[1, 2]]), p, np.random.default_rng(0))


def test_agreement_by_hand():
    ours = rankings([[0], [0], [0]], [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
    theirs = rankings([[0], [0], [0]], [[1, 2, 3], [2, 1, 3], [3, 2, 1]])
    assert agreement(ours, theirs) == pytest.approx((1 / 3, (1 + 1 / 3 - 1) / 3))
    with pytest.raises(DataError, match=r"toy: 3 generated rankings of 3 labels.*1 published rankings of 2"):
        agreement(ours, rankings([[0]], [[1, 2]]))


def test_rows_are_paired_by_their_features():
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(50, 3)), np.argsort(rng.random((50, 4)), axis=1) + 1
    shuffled = rng.permutation(50)
    published = rankings(X[shuffled].round(6), Y[shuffled])
    paired = reorder_like(rankings(X, Y), published)
    np.testing.assert_array_equal(paired.Y, published.Y)
    np.testing.assert_array_equal(paired.X, X[shuffled])
    with pytest.raises(DataError, match="cannot be paired by their features, 49 published rows"):
        reorder_like(rankings(X, Y), replace(published, X=published.X + np.eye(50, 3)[:, :1]))
    with pytest.raises(DataError, match="cannot be paired"):
        reorder_like(rankings(np.zeros((2, 1)), Y[:2]), rankings(np.zeros((2, 1)), Y[:2]))


@pytest.fixture(scope="module")
def registry():
    return datasets.registry() | yaml.safe_load((CONFIG / "datasets.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pair(mirror, registry):
    """The raw and the published data set of a name."""

    def read_pair(name):
        sources = {key: registry[key]["sources"][0] for key in (f"{name}-raw", name)}
        return tuple(
            read(key, registry[key]["task"], source["reader"], mirror / "label-ranking" / folder, source["options"])
            for (key, source), folder in zip(sources.items(), ("raw", "published"), strict=True)
        )

    return read_pair


@pytest.mark.long
@pytest.mark.mirror
@pytest.mark.parametrize("name", TYPE_B)
def test_every_published_attribute_ranking_is_regenerated(pair, name):
    raw, published = pair(name)
    predictors, labels = ([raw.feature_names[column] for column in columns] for columns in TYPE_B[name])
    made = attribute_rankings(raw, predictors, labels)
    if name == "fried":
        made = reorder_like(made, published)
    assert agreement(made, published) == (1, 1)
    np.testing.assert_allclose(made.X, published.X, atol=1e-6)


@pytest.mark.mirror
def test_every_published_ranking_of_wisconsin_is_regenerated(pair):
    raw, published = pair("wisconsin")
    names = list(raw.feature_names)
    first, middle = names.index("radius_mean"), names.index("compactness_se")
    predictors = ["lymph_node_status", *names[first:middle]]
    made = attribute_rankings(raw, predictors, names[middle : names.index("tumor_size") + 1])
    assert agreement(made, published) == (1, 1)
    np.testing.assert_allclose(made.X, published.X, atol=1e-6)


@pytest.mark.long
@pytest.mark.mirror
@pytest.mark.parametrize("name", TYPE_A)
def test_every_published_naive_bayes_ordering_is_regenerated(pair, name):
    raw, published = pair(name)
    made = naive_bayes_rankings(raw, **TYPE_A[name])
    assert agreement(made, published) == (1, 1)
    differs = np.abs(made.X - published.X) > 1e-6
    # One value of wine, a hue, is .91 in the raw file and .906 in the published one.
    assert differs.sum() == (name == "wine")


@pytest.mark.mirror
def test_each_ingredient_of_segment_counts(pair):
    found = ablation(*pair("segment"))
    assert found.pop("complete") == (1, 1)
    assert list(found) == ["rounding", "interval", "floor", "underflow", "quicksort", "all"]
    assert max(result.exact for result in found.values()) < 0.97


@pytest.mark.mirror
def test_three_decimals_of_glass_count(pair):
    found = ablation(*pair("glass"), **OLDER)
    assert found["complete"] == (1, 1)
    assert found["decimals"].exact < 0.1
