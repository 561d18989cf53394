"""Scaled features: ranges from training rows alone, nominal features by levels, sparse and dense alike."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelknn.datasets._container import Dataset
from labelknn.errors import ConfigError
from labelknn_papers.run.features import features_for


def rows(X, levels=None):
    Y = sparse.csr_matrix(np.ones((X.shape[0], 1), bool))
    return Dataset("toy", "multilabel", X, Y, tuple(f"x{i}" for i in range(X.shape[1])), ("p",), levels or {})


def test_ranges_are_those_of_the_training_rows():
    X = np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 7.0]])
    np.testing.assert_array_equal(
        features_for(rows(X), np.array([0, 1]), "min-max"), [[0, 0], [1, 0], [2, 2]]
    )  # the second feature is constant in training, the third row is a test row


@given(
    hnp.arrays(float, hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6), elements=st.integers(-3, 3)),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_sparse_rows_are_scaled_as_dense_ones(X, data):
    train = np.array(sorted(data.draw(st.sets(st.integers(0, len(X) - 1), min_size=1))))
    dense = features_for(rows(X), train, "min-max")
    assert dense[train].min() >= 0
    assert dense[train].max() <= 1
    for scaling in ("min-max", "unit-rows"):
        found = features_for(rows(sparse.csr_matrix(X)), train, scaling)
        found = found.toarray() if sparse.issparse(found) else found
        np.testing.assert_allclose(found, features_for(rows(X), train, scaling), atol=1e-15)


def test_counts_stay_sparse():
    X = sparse.csr_matrix(np.array([[0.0, 4.0], [2.0, 0.0]]))
    scaled = features_for(rows(X), np.array([0, 1]), "min-max")
    assert sparse.issparse(scaled)
    np.testing.assert_array_equal(scaled.toarray(), [[0, 1], [1, 0]])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_two_levels_of_a_nominal_feature_are_one_apart(form):
    X = form(np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0]]))
    scaled = features_for(rows(X, {0: ("a", "b", "c"), 1: ("no", "yes")}), np.arange(3), "min-max")
    scaled = scaled.toarray() if sparse.issparse(scaled) else scaled
    squared = ((scaled[:, None] - scaled[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared, [[0, 1, 2], [1, 0, 2], [2, 2, 0]], atol=1e-15)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_nominal_to_binary_leaves_names_out(form):
    X = np.array([[0.0, 2.0, 7.0], [1.0, 0.0, 7.0], [2.0, 2.0, 5.0], [3.0, 1.0, 5.0]])
    data = rows(form(X), {0: tuple("abcd"), 1: tuple("xyz")})
    found = features_for(data, np.arange(4), "nominal-to-binary")
    found = found.toarray() if sparse.issparse(found) else found
    np.testing.assert_allclose(found, [[7, 0, 0, 1], [7, 1, 0, 0], [5, 0, 0, 1], [5, 0, 1, 0]])
    # Two training rows with different levels of the second feature: it is a name, as far as they say.
    assert features_for(data, np.array([0, 1]), "nominal-to-binary").shape == (4, 1)


def test_unit_rows():
    scaled = features_for(rows(np.array([[3.0, 4.0], [0.0, 0.0]])), np.array([0]), "unit-rows")
    np.testing.assert_allclose(scaled, [[0.6, 0.8], [0, 0]])


def test_unscaled_features_are_the_data_sets_own():
    data = rows(np.eye(3))
    assert features_for(data, np.arange(2), None) is data.X


def test_unknown_scaling():
    with pytest.raises(ConfigError, match=r"unknown features 'minmax'.*Known: min-max, nominal-to-binary, unit-rows"):
        features_for(rows(np.eye(2)), np.arange(2), "minmax")
