"""Generated data of extreme shapes: the model's promises, and that neighbours find the structure."""

import numba
import numpy as np
import pytest
from scipy import sparse

from labelknn.datasets._container import TEST, TRAIN, describe
from labelknn.errors import ConfigError
from labelknn.metrics._multilabel import micro_f1
from labelknn.neighbors._cosine import nearest_cosine
from labelknn.utils._kernels import kernel
from labelknn_papers.data.extreme_synthetic import SHAPES, _alias_table, _pick, read_synthetic_extreme

SMALL = {"wiki-10": 0.08, "wiki-lshtc": 0.002}


@pytest.fixture(scope="module", params=SMALL)
def data(request):
    return read_synthetic_extreme("toy", shape=request.param, scale=SMALL[request.param], seed=1)


@pytest.mark.parametrize("shape", SMALL)
def test_the_shape_is_the_published_one(shape):
    data = read_synthetic_extreme("toy", shape=shape, scale=SMALL[shape], seed=3)
    size, scale, facts = SHAPES[shape], SMALL[shape], describe(data)
    assert facts["train_instances"] == round(scale * size.train)
    assert facts["test_instances"] == round(scale * size.test)
    assert (data.d, data.q) == (round(scale * size.features), round(scale * size.labels))
    assert facts["feature_cardinality"] == pytest.approx(size.row_features, rel=0.05)
    assert facts["cardinality"] == pytest.approx(size.row_labels, rel=0.05)


def test_rows_are_sets(data):
    for matrix in (data.X, data.Y):
        assert matrix.has_canonical_format  # sorted, none twice
        assert (matrix.data == 1).all()
        assert (np.diff(matrix.indptr) > 0).all()


def test_frequencies_fall_as_zipf_says(data):
    """Features that are in few rows: twice the rank, half the frequency."""
    frequency = np.sort(np.bincount(data.X.indices, minlength=data.d))[::-1] / data.n
    rank = int(np.argmax(frequency < 0.1))
    assert frequency[2 * rank] / frequency[rank] == pytest.approx(0.5, abs=0.1)


def test_neighbours_beat_the_constant_prediction(data):
    training, test = data.part == TRAIN, data.part == TEST
    Y, truth = data.Y[training], data.Y[test]
    nearest = nearest_cosine(data.X[training], 10, data.X[test]).indices
    votes = sum(Y[nearest[:, i]].astype(int) for i in range(10))
    constant = np.zeros(data.q, bool)
    constant[np.argsort(-np.bincount(Y.indices, minlength=data.q))[: round(truth.nnz / len(nearest))]] = True
    baseline = micro_f1(truth, sparse.csr_matrix(np.broadcast_to(constant, truth.shape)))
    assert micro_f1(truth, votes >= 3) > 1.1 * baseline


def test_seed_decides_and_threads_do_not():
    def draw(seed):
        data = read_synthetic_extreme("toy", shape="wiki-lshtc", scale=0.0005, seed=seed)
        return data.X.indices.tobytes() + data.Y.indices.tobytes()

    threads = numba.get_num_threads()
    first = draw(7)
    numba.set_num_threads(1)
    try:
        again = draw(7)
    finally:
        numba.set_num_threads(threads)
    assert first == again
    assert first != draw(8)


def test_alias_table_keeps_the_weights():
    """Column i gets 1/n of what it keeps, and 1/n of what the columns give up that have it as alias."""
    weights = 1 / np.arange(1, 41)
    keep, alias = _alias_table(weights)
    share = keep + np.bincount(alias, weights=1 - keep, minlength=40)
    np.testing.assert_allclose(share / 40, weights / weights.sum(), rtol=1e-12)
    words = np.random.default_rng(2).integers(0, 2**64, 40_000, dtype=np.uint64)
    pick = kernel(_pick.py_func)
    picked = np.bincount([pick(keep, alias, word) for word in words], minlength=40) / len(words)
    np.testing.assert_allclose(picked, weights / weights.sum(), atol=0.01)


def test_first_columns_of_a_seed():
    """Guards the stream: a change here changes every result that was published with these data."""
    data = read_synthetic_extreme("toy", shape="wiki-lshtc", scale=0.0005, seed=1)
    assert data.X.indices[:6].tolist() == [12, 24, 29, 39, 40, 56]
    assert data.Y.indices[:4].tolist() == [144, 41, 92, 132]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"shape": "wiki10"}, "unknown shape 'wiki10'. Did you mean 'wiki-10'"),
        ({"seed": -1}, "option 'seed' is -1; expected a whole number from 0"),
        ({"scale": 0.001}, "option 'scale' is 0.001; expected a number from 0.0662 to 1"),
        ({"scale": 2}, "option 'scale' is 2; expected a number from"),
    ],
)
def test_impossible_options(options, reason):
    with pytest.raises(ConfigError, match=reason):
        read_synthetic_extreme("toy", **{"shape": "wiki-10", "seed": 1} | options)
