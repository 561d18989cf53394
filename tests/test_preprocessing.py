"""The transformers as scikit-learn's own: its checks, pipelines, names of features, sparse rows, what is refused."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from labelknn.errors import ConfigError, DataError
from labelknn.preprocessing import NominalMinMaxScaler, NominalToBinary, UnitRows

TRANSFORMERS = [NominalMinMaxScaler(), NominalToBinary(), UnitRows()]
NOMINAL = [NominalMinMaxScaler, NominalToBinary]

# A number, a nominal feature of three levels, a count, and a nominal feature of two levels.
MIXED = np.array([[1.5, 2, 4, 0], [0.5, 0, 0, 1], [2.5, 1, 2, 1], [0.5, 1, 0, 0]])
LEVELS = {1: ("red", "green", "blue"), 3: ("no", "yes")}


@parametrize_with_checks(TRANSFORMERS)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_scikit_learn_agrees_where_no_feature_is_nominal():
    X = np.random.default_rng(0).normal(size=(30, 5))
    np.testing.assert_allclose(NominalMinMaxScaler().fit_transform(X), MinMaxScaler().fit_transform(X), atol=1e-15)
    np.testing.assert_allclose(UnitRows().fit_transform(X), Normalizer().fit_transform(X), rtol=1e-14)


def test_a_worked_example():
    root = np.sqrt(0.5)
    np.testing.assert_allclose(
        NominalMinMaxScaler(LEVELS).fit_transform(MIXED),
        [[0.5, 1, 0, 0, 0, root], [0, 0, 1, root, 0, 0], [1, 0.5, 1, 0, root, 0], [0, 0, 0, 0, root, 0]],
    )
    np.testing.assert_array_equal(
        NominalToBinary(LEVELS).fit_transform(MIXED),
        [[1.5, 4, 0, 0, 0, 1], [0.5, 0, 1, 1, 0, 0], [2.5, 2, 1, 0, 1, 0], [0.5, 0, 0, 0, 1, 0]],
    )


@pytest.mark.parametrize("transformer", NOMINAL)
def test_levels_by_column_by_name_and_by_number(transformer):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(MIXED, columns=["size", "colour", "count", "new"])
    expected = transformer(LEVELS).fit(MIXED)
    named = transformer({"colour": ["red", "green", "blue"], "new": 2}).fit(frame)
    np.testing.assert_array_equal(named.transform(frame), expected.transform(MIXED))
    np.testing.assert_array_equal(transformer({1: 3}).fit_transform(MIXED), expected.transform(MIXED))
    assert list(named.get_feature_names_out()) == ["size", "count", "new", "colour=red", "colour=green", "colour=blue"]
    assert list(expected.get_feature_names_out())[-1] == "x1=blue"
    assert list(transformer({1: 3}).fit(MIXED).get_feature_names_out())[-1] == "x1=2"
    as_frame = clone(named).set_output(transform="pandas").fit_transform(frame)
    assert list(as_frame.columns) == list(named.get_feature_names_out())


@pytest.mark.parametrize("transformer", [NominalMinMaxScaler(LEVELS), NominalToBinary(LEVELS), UnitRows()])
@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array, sparse.csc_array])
def test_sparse_rows_stay_sparse_and_of_their_kind(transformer, container):
    # Level 0 occurs, so that 0 is the smallest value of every feature.
    X = MIXED - [0.5, 0, 0, 0]
    fitted = clone(transformer).fit(container(X))
    found = fitted.transform(container(X))
    assert sparse.issparse(found)
    assert found.format == "csr"
    assert isinstance(found, sparse.sparray) == issubclass(container, sparse.sparray)
    np.testing.assert_allclose(found.toarray(), clone(transformer).fit_transform(X), rtol=1e-15)
    # What was learned from either holds for the other.
    np.testing.assert_allclose(fitted.transform(X), found.toarray(), rtol=1e-15)
    np.testing.assert_allclose(clone(transformer).fit(X).transform(container(X)).toarray(), found.toarray())


def test_sparse_rows_whose_smallest_values_are_not_0_become_an_array():
    found = NominalMinMaxScaler().fit_transform(sparse.csr_matrix(MIXED))
    assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(found, NominalMinMaxScaler().fit_transform(MIXED))


def test_what_is_learned_is_kept():
    scaler = NominalMinMaxScaler(LEVELS).fit(MIXED[:3])
    np.testing.assert_array_equal(scaler.low_, [0.5, 0, 0, 0])
    np.testing.assert_array_equal(scaler.high_, [2.5, 2, 4, 1])
    assert scaler.levels_ == {1: ("red", "green", "blue")}
    assert scaler.transform([[4.5, 0, 0, 0]])[0, 0] == 2
    again = pickle.loads(pickle.dumps(scaler))
    np.testing.assert_array_equal(again.transform(MIXED), scaler.transform(MIXED))
    assert repr(NominalMinMaxScaler({1: 3})) == "NominalMinMaxScaler(levels={1: 3})"


def test_names_are_left_out_by_what_training_rows_say():
    X = np.column_stack([np.arange(4.0), [0, 1, 2, 3], [0, 1, 2, 2]])
    to_binary = NominalToBinary({1: 4, 2: 3}).fit(X)
    assert list(to_binary.get_feature_names_out()) == ["x0", "x2=0", "x2=1", "x2=2"]
    # Exactly 99 % of the rows is not more than that.
    many = np.arange(100.0)[:, None]
    many[99] = 98
    assert NominalToBinary({0: 100}).fit_transform(many).shape == (100, 100)
    assert NominalToBinary({0: 100}).fit_transform(np.arange(100.0)[:, None]).shape == (100, 0)


@pytest.mark.parametrize("transformer", NOMINAL)
def test_inside_a_pipeline(transformer):
    pipeline = make_pipeline(transformer(LEVELS), KNeighborsClassifier(1))
    assert (pipeline.fit(MIXED, [0, 1, 1, 0]).predict(MIXED) == [0, 1, 1, 0]).all()
    pipeline.set_params(**{f"{transformer.__name__.lower()}__levels": None}).fit(MIXED, [0, 1, 1, 0])
    assert pipeline[0].transform(MIXED).shape == MIXED.shape


@pytest.mark.parametrize("transformer", TRANSFORMERS)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (-np.inf, "-inf")])
def test_values_that_are_not_finite_are_named_with_their_place(transformer, container, value, name):
    X = MIXED.copy()
    X[2, 3] = value
    with pytest.raises(DataError, match=rf"the rows contain {name} \(row 2, column 3\)"):
        clone(transformer).fit(container(X))
    with pytest.raises(DataError, match=r"row 2, column 3"):
        clone(transformer).fit(MIXED).transform(container(X))


@pytest.mark.parametrize("transformer", NOMINAL)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("value", [3, -1, 0.5])
def test_what_is_no_level_is_refused(transformer, container, value):
    X = MIXED.copy()
    X[2, 1] = value
    message = rf"column 1 is nominal, but row 2 has {value}; expected 0 to 2"
    with pytest.raises(DataError, match=message):
        transformer(LEVELS).fit(MIXED).transform(container(X))


@pytest.mark.parametrize("transformer", NOMINAL)
def test_columns_that_are_not_there_are_refused(transformer):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="levels: column 4, expected a number from 0 to 3"):
        transformer({4: 3}).fit(MIXED)
    frame = pandas.DataFrame(MIXED, columns=["size", "colour", "count", "new"])
    with pytest.raises(ConfigError, match=r"unknown feature 'color'\. Did you mean 'colour'"):
        transformer({"color": 3}).fit(frame)
    fitted = transformer({"colour": 3}).fit(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.transform(frame[["colour", "size", "count", "new"]])
