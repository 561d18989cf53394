"""Generated data: the model's promises, and that neighbours find the structure."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from labelknn.datasets._synthetic import read_synthetic_multilabel, read_synthetic_ranking
from labelknn.errors import ConfigError

SIZE = {"n": 300, "features": 12, "labels": 6, "seed": 7}


def neighbours(X, k=10):
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    return distances.argsort(axis=1)[:, :k]


def test_label_sets_follow_the_model():
    data = read_synthetic_multilabel("toy", **SIZE)
    Y = data.Y.toarray()
    assert (data.X.shape, Y.shape, data.task) == ((300, 12), (300, 6), "multilabel")
    assert Y.any(axis=1).all()
    # Label j holds at least its share 1 / (2 + j); being the nearest may add some.
    assert (Y.sum(axis=0) >= np.floor(300 / (2 + np.arange(6)))).all()


def test_neighbours_predict_label_sets():
    data = read_synthetic_multilabel("toy", **SIZE)
    Y = data.Y.toarray()
    majority = Y[neighbours(data.X)].mean(axis=1) >= 0.5
    constant = np.broadcast_to(Y.mean(axis=0) >= 0.5, Y.shape)
    assert (majority != Y).mean() < 0.5 * (constant != Y).mean()


def test_neighbours_predict_rankings():
    data = read_synthetic_ranking("toy", **SIZE)
    assert (np.sort(data.Y, axis=1) == np.arange(1, 7)).all()

    def tau(predicted):
        return np.mean([kendalltau(p, truth).statistic for p, truth in zip(predicted, data.Y, strict=True)])

    constant = np.broadcast_to(data.Y.mean(axis=0), data.Y.shape)
    assert tau(data.Y[neighbours(data.X)].mean(axis=1)) > tau(constant) + 0.3


@pytest.mark.parametrize("reader", [read_synthetic_multilabel, read_synthetic_ranking])
def test_seed_decides(reader):
    first, again, other = (reader("toy", **SIZE | {"seed": seed}) for seed in (7, 7, 8))
    assert first.X.tobytes() == again.X.tobytes()
    assert (first.Y != again.Y).sum() == 0
    assert first.X.tobytes() != other.X.tobytes()


def test_first_numbers_of_a_seed():
    """Guards the stream: a change here changes every result that was published with these data."""
    data = read_synthetic_ranking("toy", n=3, features=2, labels=3, seed=1)
    np.testing.assert_array_equal(data.X, [[0.550508, -1.046216], [-0.707834, -0.453332], [-0.550455, -0.042455]])
    np.testing.assert_array_equal(data.Y, [[2, 1, 3], [3, 2, 1], [3, 2, 1]])


@pytest.mark.parametrize(("option", "value"), [("n", 1), ("features", 0), ("labels", 1), ("seed", -1), ("n", "600")])
def test_impossible_options(option, value):
    with pytest.raises(ConfigError, match=f"option '{option}' is {value!r}; expected a whole number"):
        read_synthetic_multilabel("toy", **SIZE | {option: value})
