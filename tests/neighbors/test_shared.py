"""One search for all splits: whatever the part, the same as a search of its own."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from labelknn.errors import DataError
from labelknn.neighbors import _shared as shared
from labelknn.neighbors import _tree as tree
from labelknn.neighbors._euclidean import k_nearest
from labelknn.neighbors._shared import SharedSearch

# Few distinct values, so that ties and duplicates are the rule.
matrices = hnp.arrays(
    float, st.tuples(st.integers(4, 14), st.integers(1, 3)), elements=st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, 1e-9])
)


def assert_same(found, expected):
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.distances, expected.distances)


@given(matrices, st.floats(0.2, 1.0), st.data())
@settings(max_examples=100, deadline=None)
def test_equals_a_search_of_the_part(X, share, data):
    """Any part, any queries (some train as well, some come twice), whether the part keeps to the share or not."""
    numbers = st.integers(0, len(X) - 1)
    rows = np.array(sorted(data.draw(st.sets(numbers, min_size=2))))
    queries = np.array(data.draw(st.lists(numbers, min_size=1, max_size=6)))
    k = data.draw(st.integers(1, len(rows) - 1))
    search = SharedSearch(X, k, share)
    assert_same(search.restricted(rows, k=k), k_nearest(X[rows], k))
    assert_same(search.restricted(rows, queries, k=k), k_nearest(X[rows], k, X[queries]))


@pytest.fixture
def folds():
    return np.random.default_rng(0).permutation(600) % 10


@pytest.mark.parametrize("decimals", [0, 1, 15])
@pytest.mark.parametrize("tree_rows", [0, np.inf])
def test_equals_a_search_of_every_fold(folds, decimals, tree_rows, monkeypatch):
    monkeypatch.setattr(tree, "TREE_ROWS", tree_rows)
    X = np.random.default_rng(1).normal(size=(600, 3)).round(decimals)
    search = SharedSearch(X, 30, 0.9)
    for fold in range(10):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        assert_same(search.restricted(train, k=30), k_nearest(X[train], 30))
        assert_same(search.restricted(train, test, k=20), k_nearest(X[train], 20, X[test]))


def test_folds_need_no_second_search(folds, monkeypatch):
    """That is what the margin is for: a random tenth left out never takes too many of a row's neighbours."""
    search = SharedSearch(np.random.default_rng(2).normal(size=(600, 3)), 30, 0.9)
    monkeypatch.delattr(shared, "k_nearest")
    for fold in range(10):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        assert search.restricted(train, k=30).k == search.restricted(train, test, k=30).k == 30


def test_a_row_whose_neighbours_are_all_left_out_is_searched_again():
    """Rows 0..9 lie together; of these only row 0 trains, so its neighbours are far beyond those found first."""
    X = np.concatenate([np.arange(10) / 100, np.arange(50, 80)])[:, None]
    search = SharedSearch(X, 2, 0.9)
    train = np.array([0, *range(10, 40)])
    assert search.indices.shape[1] < 9
    np.testing.assert_array_equal(search.restricted(train, k=2).indices[0], [1, 2])
    np.testing.assert_array_equal(search.restricted(train, np.array([5]), k=2).indices, [[0, 1]])


def test_more_duplicates_than_neighbours():
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    search = SharedSearch(X, 3, 1.0)
    assert_same(search.restricted(np.arange(40), k=3), k_nearest(X, 3))


def test_blocks_and_threads_do_not_matter(monkeypatch):
    X = np.random.default_rng(3).integers(0, 4, (200, 3)) / 3
    whole = SharedSearch(X, 12, 0.8)
    monkeypatch.setattr(shared, "BLOCK_BYTES", 16 * 7 * 20)
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        pieces = SharedSearch(X, 12, 0.8)
        part = pieces.restricted(np.arange(0, 200, 2), k=12)
    finally:
        numba.set_num_threads(threads)
    assert_same(pieces, whole)
    assert_same(part, whole.restricted(np.arange(0, 200, 2), k=12))


@pytest.mark.parametrize(
    ("rows", "queries", "k", "message"),
    [
        ([0, 1, 2], None, 3, "k = 3 neighbours asked for, 2 rows to choose from"),
        ([0, 1, 2], [4], 4, "k = 4 neighbours asked for, 3 rows to choose from"),
        ([0, 1, 2], None, 0, "k = 0"),
        ([0, 2, 1], None, 1, "increasing order"),
        ([0, 1, 1], None, 1, "each once"),
    ],
)
def test_parts_that_cannot_be_searched(rows, queries, k, message):
    search = SharedSearch(np.arange(5.0)[:, None], 2, 0.6)
    with pytest.raises(DataError, match=message):
        search.restricted(np.array(rows), None if queries is None else np.array(queries), k=k)


@pytest.mark.parametrize(
    ("X", "k", "message"),
    [
        ([[0.0], [1.0]], 0, "k = 0 neighbours asked for, 1 rows"),
        ([[0.0]], 1, "k = 1 neighbours asked for, 0 rows"),
        ([[0.0], [np.nan], [1.0]], 1, r"X holds NaN in row 1, column 0"),
    ],
)
def test_data_that_cannot_be_searched(X, k, message):
    with pytest.raises(DataError, match=message):
        SharedSearch(np.array(X), k, 0.9)
