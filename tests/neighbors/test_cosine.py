"""Exact cosine neighbours against a slow search in rational arithmetic."""

from fractions import Fraction
from math import sqrt

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from labelknn.datasets._container import TRAIN
from labelknn.datasets._mulan import read_mulan
from labelknn.errors import DataError
from labelknn.neighbors import _cosine_products as cosine_products
from labelknn.neighbors import _cosine_sets as cosine_sets
from labelknn.neighbors._cosine import nearest_cosine


def exact_similarity(x, y):
    """From the written order: the exact squared cosine, rounded once, and its root; 0 if the cosine is not positive."""
    x, y = [Fraction(float(a)) for a in x], [Fraction(float(b)) for b in y]
    dot = sum(a * b for a, b in zip(x, y, strict=True))
    if dot <= 0:
        return 0.0
    return sqrt(float(dot**2 / (sum(a * a for a in x) * sum(b * b for b in y))))


def slow_search(X, k, queries=None):
    indices, similarities = [], []
    for i, query in enumerate(X if queries is None else queries):
        found = {j: exact_similarity(X[j], query) for j in range(len(X)) if queries is not None or j != i}
        order = sorted((j for j in found if found[j] > 0), key=lambda j: (-found[j], j))[:k]
        missing = k - len(order)
        indices.append(order + [-1] * missing)
        similarities.append([found[j] for j in order] + [0.0] * missing)
    return np.array(indices), np.array(similarities)


def assert_equal(found, expected):
    np.testing.assert_array_equal(found.indices, expected[0])
    np.testing.assert_array_equal(found.similarities, expected[1])
    assert found.indices.dtype == np.int32


def assert_same(found, other):
    assert_equal(found, (other.indices, other.similarities))


@pytest.fixture(scope="module", params=["as measured", "all frequent", "all rare", "few rows"])
def way(request):
    """What is a matter of speed alone: which features are frequent, and which queries meet few rows."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "as measured":
            patch.setattr(cosine_sets, "STEP_COST", 1e9 if request.param == "all frequent" else 0.0)
            patch.setattr(cosine_products, "DENSE_SHARE", 0.0 if request.param == "all frequent" else np.inf)
        if request.param == "few rows":
            # `cosine_sets` has this number compiled in; there, test_few_rows_of_many sees to it.
            patch.setattr(cosine_products, "FEW_ROWS", 1e6)
        yield request.param


# Few distinct values, so that ties, duplicates and rows that are multiples of each other are the rule.
BINARY = [0.0, 1.0]
POSITIVE = [0.0, 0.0, 0.1, 0.2, 0.3, 1.0]
SIGNED = [0.0, 0.0, 0.1, -0.3, 1.0, -1.0]
EXTREME = [0.0, 1e-200, 3e-200, 1e150, 5e-324]


@pytest.mark.parametrize("values", [BINARY, POSITIVE, SIGNED, EXTREME], ids=["binary", "positive", "signed", "extreme"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_equals_the_definition(way, values, data):
    shape = data.draw(st.tuples(st.integers(1, 12), st.integers(1, 5)))
    elements = st.sampled_from(values)
    X = data.draw(hnp.arrays(float, shape, elements=elements))
    queries = data.draw(st.none() | hnp.arrays(float, (3, shape[1]), elements=elements))
    k = data.draw(st.integers(1, 14))
    found = nearest_cosine(sparse.csr_matrix(X), k, None if queries is None else sparse.csr_matrix(queries))
    assert_equal(found, slow_search(X, k, queries))


def random_rows(n, d, share, seed, weighted):
    generator = np.random.default_rng(seed)
    popularity = np.minimum(1, 8 * share / np.arange(1, d + 1) ** 0.7)
    X = (generator.random((n, d)) < popularity).astype(float)
    return sparse.csr_matrix(X * generator.integers(1, 4, X.shape) if weighted else X)


def brute_force(X, k, queries=None):
    """In float64, for data of small whole numbers, whose inner products are exact."""
    Q = X if queries is None else queries
    dot = (Q @ X.T).toarray().astype(float)
    norms = [np.asarray(part.multiply(part).sum(axis=1)).ravel() for part in (Q, X)]
    with np.errstate(divide="ignore", invalid="ignore"):
        similarity = np.nan_to_num(np.sqrt(dot**2 / np.outer(*norms)))
    if queries is None:
        np.fill_diagonal(similarity, 0)
    order = np.argsort(-similarity, axis=1, kind="stable")[:, :k]
    similarity = np.take_along_axis(similarity, order, axis=1)
    return np.where(similarity > 0, order, -1), similarity


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("leave_one_out", [False, True])
def test_equals_brute_force_on_many_rows(way, weighted, leave_one_out):
    X = random_rows(900, 150, 0.1, 1, weighted)
    queries = None if leave_one_out else random_rows(70, 150, 0.1, 2, weighted)
    assert_equal(nearest_cosine(X, 25, queries), brute_force(X, 25, queries))


@pytest.mark.parametrize("weighted", [False, True])
def test_few_rows_of_many(weighted):
    """Queries that meet less than 5 % of the rows, beside some that meet more."""
    X = sparse.vstack([random_rows(1500, 400, 0.002, 3, weighted), random_rows(30, 400, 0.3, 4, weighted)]).tocsr()
    assert_equal(nearest_cosine(X, 12), brute_force(X, 12))


@pytest.fixture(params=["one", "all"])
def threads(request):
    before = numba.get_num_threads()
    numba.set_num_threads(1 if request.param == "one" else before)
    yield request.param
    numba.set_num_threads(before)


@pytest.mark.parametrize("memory", [1, 5000, 20000])
@pytest.mark.parametrize("weighted", [False, True])
def test_memory_and_threads_do_not_matter(weighted, memory, threads):
    X = random_rows(300, 60, 0.1, 5, weighted)
    assert_equal(nearest_cosine(X, 20, memory=memory), brute_force(X, 20))


def test_more_rows_than_16_bits_can_number():
    single = np.random.default_rng(6).integers(0, 50, 70_000)
    X = sparse.csr_matrix((np.ones(70_000, bool), single, np.arange(70_001)), (70_000, 50))
    queries = sparse.csr_matrix([np.arange(50) < 2])
    X = sparse.vstack([X[:65_600], queries, X[65_600:]]).tocsr()
    found = nearest_cosine(X, 3, queries)
    ones = np.flatnonzero(X[:, :2].sum(axis=1) > 0)
    np.testing.assert_array_equal(found.indices[0], [65_600, *ones[:2]])


def test_rows_of_more_features_than_16_bits_can_count():
    d = 70_000
    X = sparse.csr_matrix(np.vstack([np.ones(d), np.arange(d) < 66_000, np.arange(d) < 500]).astype(bool))
    found = nearest_cosine(X, 2)
    np.testing.assert_array_equal(found.indices, [[1, 2], [0, 2], [1, 0]])
    np.testing.assert_array_equal(found.similarities[0], np.sqrt([66_000 / d, 500 / d]))


def test_by_hand():
    # Sizes 2, 1, 3, 2; overlaps with row 0: 1, 2, 1. Cosines 1/√2, 2/√6, 1/2.
    X = sparse.csr_matrix([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0], [0, 1, 0, 1]])
    found = nearest_cosine(X, 3)
    np.testing.assert_array_equal(found.indices[0], [2, 1, 3])
    np.testing.assert_allclose(found.similarities[0], [2 / sqrt(6), 1 / sqrt(2), 0.5], rtol=1e-15)


def test_labels_of_features():
    """Feature–label search is the same search on columns (feremans2017, section III-B)."""
    X, Y = random_rows(40, 9, 0.2, 7, False), random_rows(40, 6, 0.2, 8, False)
    found = nearest_cosine(Y.T, 4, X.T)
    assert_equal(found, slow_search(Y.T.toarray(), 4, X.T.toarray()))


def test_multiples_are_as_similar():
    """The length of a row does not matter: rows of one value are sets, and multiples tie exactly."""
    X = random_rows(200, 30, 0.2, 9, False)
    lengths = np.random.default_rng(10).choice([0.1, 0.3, 1.0, 7.0], 200)
    assert_same(nearest_cosine(sparse.csr_matrix(X.multiply(lengths[:, None])), 10), nearest_cosine(X, 10))
    weighted = random_rows(100, 30, 0.2, 11, True)
    tripled = nearest_cosine(sparse.vstack([weighted * 0.3, weighted]).tocsr(), 2, weighted[:50])
    for query, (row, copy) in enumerate(tripled.indices):
        duplicates = np.flatnonzero((weighted - weighted[query][[0] * 100]).count_nonzero(axis=1) == 0)
        if len(duplicates) == 1 and weighted[query].nnz > 1:
            assert {row, copy} == {query, query + 100}


def test_sets_are_a_case_of_products():
    X = random_rows(300, 40, 0.2, 12, False)
    indices, similarities = np.full((300, 15), -1, np.int32), np.zeros((300, 15))
    cosine_products.search_products(X, X, np.arange(300), 2**20, indices, similarities)
    assert_equal(nearest_cosine(X, 15), (indices, similarities))


def test_empty_rows_and_unused_features():
    X = np.zeros((5, 4))
    X[1, 0] = X[3, 0] = X[3, 2] = 1
    found = nearest_cosine(sparse.csr_matrix(X), 4)
    np.testing.assert_array_equal(found.indices[[0, 2, 4]], -1)
    np.testing.assert_array_equal(found.indices[[1, 3]], [[3, -1, -1, -1], [1, -1, -1, -1]])
    assert (found.similarities[found.indices == -1] == 0).all()


def test_negative_values_are_not_counted_as_overlap():
    X = sparse.csr_matrix([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 2.0]])
    assert_equal(nearest_cosine(X, 3), slow_search(X.toarray(), 3))
    assert nearest_cosine(X, 3).indices[0].tolist() == [3, -1, -1]


def test_one_search_serves_all_smaller_k():
    X = random_rows(80, 20, 0.3, 13, False)
    widest = nearest_cosine(X, 20)
    for k in (1, 7, 20):
        assert_same(widest.nearest(k), nearest_cosine(X, k))
    with pytest.raises(ValueError, match="k = 21"):
        widest.nearest(21)


def test_squares_half_way_between_two_floats():
    """The squared cosine is 1e-33 of its size away from the middle between two float64, and must go to the nearer."""
    X, query = sparse.csr_matrix([[0, 0, 0, -0.3, -0.3]]), sparse.csr_matrix([[0, 0.1, 0.1, -0.3, 0.1]])
    found = nearest_cosine(X, 1, query)
    assert found.similarities[0, 0] == exact_similarity(X.toarray()[0], query.toarray()[0]) == 0.408248290463863


def test_products_that_cancel():
    """Inner products of 0, and of one part in 10^33, however the features are ordered."""
    big = 1 + 2.0**-40
    right_angle, rest = [big, -1.0, 0.5, 0.5], [big, -1.0, 0.5, 0.5 + 2.0**-53]
    query = [1.0, big, 0.25, -0.25]
    for order in ([0, 1, 2, 3], [3, 1, 0, 2], [2, 3, 1, 0]):
        X, Q = np.array([right_angle, rest])[:, order], -np.array([query])[:, order]
        found = nearest_cosine(sparse.csr_matrix(X), 2, sparse.csr_matrix(Q))
        assert_equal(found, slow_search(X, 2, Q))
        assert found.indices[0].tolist() == [1, -1]


def test_repeated_entries_and_stored_zeros():
    """[2, 0] as 1 + 1 and a stored 0; the caller's matrix stays as it is."""
    X = sparse.csr_matrix((np.array([1.0, 1.0, 0.0, 3.0]), np.array([0, 0, 1, 0]), np.array([0, 3, 4])), shape=(2, 2))
    found = nearest_cosine(X, 1)
    np.testing.assert_array_equal(found.similarities, 1)
    assert X.nnz == 4


@pytest.mark.parametrize(
    ("X", "k", "queries", "message"),
    [
        ([[1.0], [1.0]], 0, None, "k = 0 neighbours asked for; expected at least 1"),
        ([[0.0, 1.0], [0.0, np.nan]], 1, None, "X holds NaN in row 1, column 1; impute or drop it first"),
        ([[1.0]], 1, [[np.inf]], "the matrix of queries holds inf in row 0, column 0"),
        ([[1.0]], 1, [[0.0, 1.0]], "the queries have 2 features, the rows to search 1"),
    ],
)
def test_bad_input(X, k, queries, message):
    with pytest.raises(DataError, match=message):
        nearest_cosine(sparse.csr_matrix(X), k, None if queries is None else sparse.csr_matrix(queries))


@pytest.mark.mirror
def test_bibtex_equals_brute_force(mirror):
    folder = mirror / "multilabel/bibtex"
    files = {"train": "bibtex-train.arff", "test": "bibtex-test.arff"}
    data = read_mulan("bibtex", folder, files=files, xml="bibtex.xml")
    X, queries = data.X[data.part == TRAIN], data.X[data.part != TRAIN][:300]
    assert_equal(nearest_cosine(X, 30, queries), brute_force(X.astype(float), 30, queries.astype(float)))
