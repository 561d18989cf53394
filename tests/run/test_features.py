"""Scaled features: the bits of their definitions, ranges from training rows alone, sparse and dense alike."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelknn.datasets._container import Dataset
from labelknn.errors import ConfigError
from labelknn_papers.run.features import SCALINGS, features_for


def rows(X, levels=None):
    Y = sparse.csr_matrix(np.ones((X.shape[0], 1), bool))
    return Dataset("toy", "multilabel", X, Y, tuple(f"x{i}" for i in range(X.shape[1])), ("p",), levels or {})


def min_max(data, train):
    many = [column for column, levels in data.levels.items() if len(levels) > 2]
    scaled = from_zero_to_one(data.X, train)
    if not many:
        return scaled
    others = np.setdiff1d(np.arange(data.d), many)
    return stacked([scaled[:, others], *(indicators(data, column) for column in many)])


def from_zero_to_one(X, train):
    if sparse.issparse(X):
        low, high = (bound.toarray().ravel() for bound in (X[train].min(axis=0), X[train].max(axis=0)))
        if (low == 0).all():
            return sparse.csr_matrix(X @ sparse.diags(1 / np.where(high > 0, high, 1)))
        X = X.toarray()
    low, high = X[train].min(axis=0), X[train].max(axis=0)
    return (X - low) / np.where(high > low, high - low, 1)


def unit_rows(data, train):
    if sparse.issparse(data.X):
        lengths = np.sqrt(np.asarray(data.X.multiply(data.X).sum(axis=1)).ravel())
        return sparse.csr_matrix(sparse.diags(1 / np.where(lengths > 0, lengths, 1)) @ data.X)
    lengths = np.linalg.norm(data.X, axis=1, keepdims=True)
    return data.X / np.where(lengths > 0, lengths, 1)


def nominal_to_binary(data, train):
    many = [column for column, levels in data.levels.items() if len(levels) > 2]
    if not many:
        return data.X
    telling = [column for column in many if len(np.unique(level_numbers(data, column)[train])) <= 0.99 * len(train)]
    others = np.setdiff1d(np.arange(data.d), many)
    return stacked([data.X[:, others], *(indicators(data, column) * np.sqrt(2) for column in telling)])


def indicators(data, column):
    ones = np.full(data.n, 1 / np.sqrt(2))
    numbers = level_numbers(data, column)
    return sparse.csr_matrix((ones, (np.arange(data.n), numbers)), shape=(data.n, len(data.levels[column])))


def level_numbers(data, column):
    cells = data.X[:, [column]]
    return (cells.toarray() if sparse.issparse(cells) else cells).ravel().astype(int)


def stacked(blocks):
    if sparse.issparse(blocks[0]):
        return sparse.hstack(blocks, format="csr")
    return np.hstack([blocks[0], *(block.toarray() for block in blocks[1:])])


# What the results were computed with: each is a function of all rows and the training rows, and its bits count.
DEFINITIONS = {"min-max": min_max, "unit-rows": unit_rows, "nominal-to-binary": nominal_to_binary}


def assert_same_bits(found, expected):
    """The same numbers in the same structure, since methods sum in the order that they find."""
    assert type(found) is type(expected)
    assert found.shape == expected.shape
    if sparse.issparse(found):
        assert found.has_sorted_indices == expected.has_sorted_indices
        pairs = [(getattr(found, part), getattr(expected, part)) for part in ("data", "indices", "indptr")]
    else:
        assert found.strides == expected.strides
        pairs = [(found, expected)]
    for one, other in pairs:
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()


@st.composite
def data_sets(draw):
    """Numeric features, and nominal ones of two to four levels between them, dense or sparse."""
    n = draw(st.integers(2, 8))
    kinds = draw(st.lists(st.sampled_from(["number", "count", 2, 3, 4]), min_size=1, max_size=6))
    columns = []
    for kind in kinds:
        floats = st.floats(-1e6, 1e6, width=32) | st.just(0.0)
        cells = floats if kind == "number" else st.integers(0, 3 if kind == "count" else kind - 1)
        columns.append(draw(st.lists(cells, min_size=n, max_size=n)))
    X = np.array(columns, float).T
    X = draw(st.sampled_from([np.ascontiguousarray, np.asfortranarray, sparse.csr_matrix]))(X)
    levels = {i: tuple("abcd"[:kind]) for i, kind in enumerate(kinds) if kind not in ("number", "count")}
    return rows(X, dict(draw(st.permutations(list(levels.items())))))


@pytest.mark.parametrize("scaling", DEFINITIONS)
@given(data=data_sets(), choice=st.data())
@settings(max_examples=120, deadline=None)
def test_every_scaling_is_its_definition_to_the_bit(scaling, data, choice):
    train = np.array(choice.draw(st.lists(st.integers(0, data.n - 1), min_size=1, unique=True)))
    before = data.X.copy()
    assert_same_bits(features_for(data, train, scaling), DEFINITIONS[scaling](data, train))
    assert abs(data.X - before).max() == 0


@pytest.mark.parametrize("scaling", DEFINITIONS)
def test_wide_sparse_counts_have_the_bits_of_the_definition(scaling):
    X = sparse.random(200, 500, 0.02, "csr", np.float64, rng=np.random.default_rng(3))
    X.data[::7] = 0  # stored zeros
    assert_same_bits(
        features_for(rows(X), np.arange(0, 200, 2), scaling), DEFINITIONS[scaling](rows(X), np.arange(0, 200, 2))
    )


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


@given(data=data_sets(), choice=st.data())
@settings(max_examples=60, deadline=None)
def test_what_comparisons_show_is_made_of_these(data, choice):
    train = np.array(choice.draw(st.lists(st.integers(0, data.n - 1), min_size=1, unique=True)))
    assume(features_for(data, train, "nominal-to-binary").shape[1])  # not only names of rows, which are left out
    dense = {name: np.asarray(as_array(features_for(data, train, name))) for name in SCALINGS}
    np.testing.assert_array_equal(dense["zero-to-one"], np.clip(dense["min-max"], 0, 1))
    lengths = np.linalg.norm(dense["nominal-to-binary"], axis=1, keepdims=True)
    unit = dense["nominal-to-binary"] / np.where(lengths > 0, lengths, 1)
    np.testing.assert_allclose(dense["binary-unit-rows"], unit, atol=1e-12)


def as_array(found):
    return found.toarray() if sparse.issparse(found) else found


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
    with pytest.raises(
        ConfigError, match=r"unknown features 'minmax'.*Known: .*min-max, nominal-to-binary, unit-rows, zero-to-one"
    ):
        features_for(rows(np.eye(2)), np.arange(2), "minmax")
