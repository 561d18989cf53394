"""Neighbours of sparse rows of whole numbers: the written order, and the same as of dense rows to the last bit."""

import numpy as np
import pytest
from scipy import sparse

from labelknn import IBLRML, BRkNN, MLkNN, OneThreshold
from labelknn.datasets import load
from labelknn.neighbors import _euclidean as module
from labelknn.neighbors._euclidean import k_nearest, nearest_sets
from labelknn.neighbors._whole_numbers import are_whole_numbers


def counts(rng, n, d, largest=1):
    """Sparse rows with many ties, some of them twice and some without an entry."""
    X = rng.integers(1, largest + 1, (n, d)) * rng.choice([-1, 1], (n, d)) if largest > 1 else np.ones((n, d))
    X = np.where(rng.random((n, d)) < 0.08, X, 0).astype(float)
    X[n // 2] = X[0]
    X[n // 3] = 0
    return sparse.csr_matrix(X)


def by_definition(X, k, queries=None):
    """Squared distances as Python's own integers; equal ones by row."""
    X = X.toarray().astype(int).tolist()
    asked = X if queries is None else queries.toarray().astype(int).tolist()
    found = []
    for number, query in enumerate(asked):
        measured = [(sum((a - b) ** 2 for a, b in zip(query, row, strict=True)), i) for i, row in enumerate(X)]
        if queries is None:
            del measured[number]
        found.append(sorted(measured)[:k])
    return np.array([[i for _, i in one] for one in found]), np.array([[d for d, _ in one] for one in found])


@pytest.mark.parametrize("largest", [1, 3])
@pytest.mark.parametrize("k", [1, 7, 59])
@pytest.mark.parametrize("asked", [False, True])
def test_the_written_order(monkeypatch, largest, k, asked):
    rng = np.random.default_rng(largest)
    X = counts(rng, 60, 40, largest)
    queries = counts(rng, 25, 40, largest) if asked else None
    assert are_whole_numbers(X)
    monkeypatch.setattr(module, "_search_products", lambda *_: pytest.fail("went through products of dense rows"))
    indices, squared = by_definition(X, k, queries)
    found = k_nearest(X, k, queries)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_array_equal(found.distances, np.sqrt(squared))
    np.testing.assert_array_equal(nearest_sets(X, k, queries), np.sort(indices, axis=1))


def test_dense_rows_have_the_same_neighbors():
    rng = np.random.default_rng(5)
    X, queries = counts(rng, 1500, 100), counts(rng, 40, 100)
    for asked in (None, queries):
        one = k_nearest(X, 15, asked)
        other = k_nearest(X.toarray(), 15, None if asked is None else asked.toarray())
        np.testing.assert_array_equal(one.indices, other.indices)
        np.testing.assert_array_equal(one.distances, other.distances)
        assert (one.indices.dtype, one.distances.dtype) == (other.indices.dtype, other.distances.dtype)


def repeated(X):
    """Every entry in two halves."""
    return sparse.csr_matrix((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X * 0.5,
        lambda X: X * 2.0**14,
        lambda X: X * 1e200,
        lambda X: repeated(X * 2),
        lambda X: sparse.csr_matrix(X.toarray() + 1),
    ],
    ids=["halves", "large", "huge", "twice stored", "dense"],
)
def test_other_sparse_rows_are_made_dense(change):
    X = change(counts(np.random.default_rng(6), 80, 30, 3))
    assert not are_whole_numbers(X)
    if X.data.max() < 1e100:
        one, other = k_nearest(X, 5), k_nearest(X.toarray(), 5)
        np.testing.assert_array_equal(one.indices, other.indices)
        np.testing.assert_array_equal(one.distances, other.distances)


def test_large_numbers_are_exact():
    """Squared lengths just below the limit, of either sign: nothing overflows."""
    X = np.diag([16383.0, -16383.0, 16383.0] + [1.0] * 17)
    X[1, :2] = 11000.0, -11000.0
    X = sparse.csr_matrix(X)
    assert are_whole_numbers(X)
    indices, squared = by_definition(X, 19)
    found = k_nearest(X, 19)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_array_equal(found.distances, np.sqrt(squared))


@pytest.mark.parametrize("method", [MLkNN(k=5), BRkNN(k=5), IBLRML(k=5), OneThreshold(MLkNN(k=5))])
def test_estimators_keep_sparse_rows_sparse(method):
    rng = np.random.default_rng(7)
    X, queries = counts(rng, 200, 60), counts(rng, 30, 60)
    Y = (rng.random((200, 4)) < 0.4).astype(int)
    from_sparse = method.fit(X, Y)._output(queries)
    kept = getattr(method, "estimator_", method).X_
    assert sparse.issparse(kept)
    from_dense = method.fit(X.toarray(), Y)._output(queries.toarray())
    for key, values in from_dense.items():
        np.testing.assert_array_equal(from_sparse[key], values)


@pytest.mark.mirror
@pytest.mark.parametrize("name", ["medical", "enron", "corel5k"])
def test_real_words(name, mirror, tmp_path):
    X, queries, _, _ = load(name, mirror=mirror, cache=tmp_path).train_test()
    assert are_whole_numbers(X, queries)
    for asked in (None, queries):
        one = k_nearest(X, 29, asked)
        other = k_nearest(X.toarray(), 29, None if asked is None else asked.toarray())
        np.testing.assert_array_equal(one.indices, other.indices)
        np.testing.assert_array_equal(one.distances, other.distances)
