"""Exact nearest neighbours against a slow search in rational arithmetic."""

from fractions import Fraction

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from labelknn.errors import DataError
from labelknn.neighbors import _euclidean as dense
from labelknn.neighbors import _tree as tree
from labelknn.neighbors._euclidean import k_nearest, nearest_sets
from labelknn.neighbors._order import stable_order
from labelknn.utils._kernels import kernel


@pytest.fixture(scope="module", autouse=True, params=["products", "tree"])
def way(request):
    """Every test here holds for both ways to the neighbours."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "TREE_ROWS", 0 if request.param == "tree" else np.inf)
        yield request.param


def exact_squared_distance(x, y):
    return sum((Fraction(float(a)) - Fraction(float(b))) ** 2 for a, b in zip(x, y, strict=True))


def slow_search(X, k, queries=None):
    """From the written order: exact squared distance, rounded once, then row index."""
    result = []
    for i, query in enumerate(X if queries is None else queries):
        rows = [j for j in range(len(X)) if queries is not None or j != i]
        rows.sort(key=lambda j: (float(exact_squared_distance(X[j], query)), j))
        result.append(rows[:k])
    return np.array(result)


# Few distinct values, so that ties and duplicates are the rule.
grid = st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, -0.1, 1e-9])
matrices = hnp.arrays(float, st.tuples(st.integers(3, 12), st.integers(1, 4)), elements=grid)


@given(matrices, st.integers(1, 2))
@settings(max_examples=100, deadline=None)
def test_leave_one_out_equals_the_definition(X, k):
    found = k_nearest(X, k)
    np.testing.assert_array_equal(found.indices, slow_search(X, k))
    np.testing.assert_array_equal(nearest_sets(X, k), np.sort(found.indices, axis=1))


@given(matrices, st.data())
@settings(max_examples=100, deadline=None)
def test_queries_equal_the_definition(X, data):
    queries = data.draw(hnp.arrays(float, (3, X.shape[1]), elements=grid))
    expected = slow_search(X, 3, queries)
    np.testing.assert_array_equal(k_nearest(X, 3, queries).indices, expected)
    np.testing.assert_array_equal(nearest_sets(X, 3, queries), np.sort(expected, axis=1))


def test_a_far_away_cloud_keeps_its_order():
    """Far from the origin the BLAS formula loses nearly all digits; the result must not."""
    rng = np.random.default_rng(0)
    X = 1e7 + rng.normal(size=(60, 3))
    np.testing.assert_array_equal(k_nearest(X, 5).indices, slow_search(X, 5))


def test_distances_are_right():
    rng = np.random.default_rng(1)
    X, queries = rng.normal(size=(40, 7)), rng.normal(size=(9, 7))
    found = k_nearest(X, 4, queries)
    expected = np.sqrt(((queries[:, None] - X[found.indices]) ** 2).sum(axis=2))
    np.testing.assert_allclose(found.distances, expected, rtol=1e-14)
    assert (np.diff(found.distances, axis=1) >= 0).all()


def test_block_size_and_threads_do_not_matter():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 4, size=(300, 5)) / 3  # many ties
    reference = k_nearest(X, 20)
    threads = numba.get_num_threads()
    for block_bytes in (1, 8 * 300 * 7, 2**20):
        for count in {1, threads}:
            numba.set_num_threads(count)
            try:
                found = k_nearest(X, 20, block_bytes=block_bytes)
            finally:
                numba.set_num_threads(threads)
            np.testing.assert_array_equal(found.indices, reference.indices)
            np.testing.assert_array_equal(found.distances, reference.distances)


@pytest.mark.parametrize("leave_one_out", [True, False])
@pytest.mark.parametrize("decimals", [0, 1, 15])
def test_the_tree_changes_nothing(leave_one_out, decimals, monkeypatch):
    """From ties and duplicates nearly everywhere, which the tree leaves to the products, to none at all."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(400, 3)).round(decimals)
    queries = None if leave_one_out else rng.normal(size=(50, 3)).round(decimals)
    ways = []
    for rows in (0, np.inf):
        monkeypatch.setattr(tree, "TREE_ROWS", rows)
        ways.append(k_nearest(X, 17, queries))
    np.testing.assert_array_equal(ways[0].indices, ways[1].indices)
    np.testing.assert_array_equal(ways[0].distances, ways[1].distances)


@pytest.mark.parametrize(("decimals", "left"), [(0, True), (15, False)])
def test_the_tree_leaves_only_ties_to_the_products(decimals, left):
    X = np.random.default_rng(10).normal(size=(400, 3)).round(decimals)
    decided, _ = tree.tree_candidates(X, X, 17, leave_one_out=True)
    assert (not decided.all()) == left


@pytest.mark.parametrize("scale", [1e-130, 1e-6, 1.0, 1e150])
@pytest.mark.parametrize("tail", [1, 8, 40])
def test_values_far_apart_and_tiny_ones(scale, tail):
    """A histogram of distances must not lose rows where one bin has nearly all of them."""
    X = scale * np.exp(tail * np.random.default_rng(11).normal(size=(60, 3)).clip(-1.5, 0))
    expected = slow_search(X, 9)
    np.testing.assert_array_equal(k_nearest(X, 9).indices, expected)
    np.testing.assert_array_equal(nearest_sets(X, 9), np.sort(expected, axis=1))


@pytest.mark.parametrize(
    ("decimals", "outlier", "left"), [(15, 1.0, range(1)), (15, 1e6, range(290, 301)), (0, 1.0, range(100, 300))]
)
def test_what_single_precision_leaves_open_is_found_in_double_precision(decimals, outlier, left, monkeypatch):
    """A row far away makes the others all alike in single precision; rounded values make many rows equally far."""
    monkeypatch.setattr(tree, "TREE_ROWS", np.inf)
    X = np.random.default_rng(14).normal(size=(300, 2)).round(decimals)
    X[0] *= outlier
    found, squared = np.empty((300, 5), np.intp), np.empty((300, 5))
    others = dense._search_products(
        X, X, np.arange(300), np.float32, 20, dense.BLOCK_BYTES, np.arange(300), True, found, squared
    )
    assert len(others) in left
    expected = slow_search(X, 5)
    decided = np.setdiff1d(np.arange(300), others)
    np.testing.assert_array_equal(found[decided], expected[decided])
    np.testing.assert_array_equal(k_nearest(X, 5).indices, expected)
    np.testing.assert_array_equal(nearest_sets(X, 5), np.sort(expected, axis=1))


@pytest.mark.parametrize("ordered", [True, False])
def test_many_rows_in_general_position(ordered):
    """Some thousand, so that counting, halving and the choice among the last few all have work to do."""
    rng = np.random.default_rng(15)
    X, queries = rng.normal(size=(3000, 12)), rng.normal(size=(40, 12))
    expected = np.argsort(((queries[:, None] - X) ** 2).sum(axis=2), axis=1)[:, :150]
    found = k_nearest(X, 150, queries).indices if ordered else nearest_sets(X, 150, queries)
    np.testing.assert_array_equal(found, expected if ordered else np.sort(expected, axis=1))


@pytest.mark.parametrize("repeated", [1, 40])
@pytest.mark.parametrize("power", [1, 60])
def test_order_is_stable(repeated, power):
    values = np.repeat(np.random.default_rng(12).random(100) ** power, repeated)
    np.random.default_rng(13).shuffle(values)
    n, order = len(values), np.empty(len(values), int)
    kernel(stable_order.py_func)(values, n, np.empty(n + 2, int), order)
    np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))


def test_one_search_serves_all_smaller_k():
    X = np.random.default_rng(3).normal(size=(50, 4)).round(1)
    widest = k_nearest(X, 20)
    for k in (1, 7, 20):
        np.testing.assert_array_equal(widest.nearest(k).indices, k_nearest(X, k).indices)
    with pytest.raises(ValueError, match="k = 21"):
        widest.nearest(21)


def test_a_point_is_not_its_own_neighbour_but_its_duplicate_is():
    X = np.array([[5.0, 5.0], [1.0, 1.0], [5.0, 5.0], [9.0, 9.0], [5.0, 5.0]])
    found = k_nearest(X, 2)
    np.testing.assert_array_equal(found.indices[[0, 2, 4]], [[2, 4], [0, 4], [0, 2]])
    assert (found.distances[[0, 2, 4]] == 0).all()


def test_a_search_order_example_by_hand():
    # Distances from 0: 2, 1, 1, 3. The tie at distance 1 goes to the lower row.
    X = np.array([[2.0], [-1.0], [1.0], [3.0]])
    np.testing.assert_array_equal(k_nearest(X, 3, np.array([[0.0]])).indices, [[1, 2, 0]])


@pytest.mark.parametrize(
    ("X", "k", "queries", "message"),
    [
        ([[0.0], [1.0]], 2, None, "k = 2 neighbours asked for, 1 rows"),
        ([[0.0], [1.0]], 0, None, "k = 0"),
        ([[0.0], [np.nan]], 1, None, r"X holds NaN in row 1, column 0"),
        ([[0.0], [1.0]], 1, [[np.inf]], "the matrix of queries holds inf in row 0, column 0"),
        ([[0.0], [1.0]], 1, [[0.0, 1.0]], "2 features"),
        ([0.0, 1.0], 1, None, "must be a matrix"),
        ([[1e200], [0.0]], 1, None, "too large"),
    ],
)
def test_bad_input(X, k, queries, message):
    with pytest.raises(DataError, match=message):
        k_nearest(np.array(X), k, None if queries is None else np.array(queries))
