"""Tests of two methods over the rows of one test set."""

from math import comb

import numpy as np
import pytest

from labelknn.metrics import METRICS
from labelknn_papers.judge.row_tests import MEASURES, p_of_better, row_losses


def test_losses_average_to_the_measures():
    rng = np.random.default_rng(0)
    truth = rng.random((30, 5)) < 0.4
    truth[:, 0] |= ~truth.any(axis=1)
    scores = rng.random((30, 5))
    output = {"scores": scores, "sets": scores > 0.5}
    for name, losses in row_losses(truth, output).items():
        value = METRICS[name].function(truth, output[METRICS[name].needs])
        found = losses.mean() / 5 if name == "hamming_loss" else losses.mean()
        assert found == pytest.approx(1 - value if name == "average_precision" else value), name
    assert set(row_losses(truth, output)) == set(MEASURES)


def test_mcnemar_counts_the_rows_on_which_one_alone_is_wrong():
    """The first is right where the second is wrong on 9 rows, the other way round on 2."""
    first = np.array([0] * 9 + [1] * 2 + [0] * 50 + [1] * 20)
    second = np.array([1] * 9 + [0] * 2 + [0] * 50 + [1] * 20)
    expected = sum(comb(11, wins) for wins in range(9, 12)) / 2**11
    assert p_of_better("one_error", first, second) == pytest.approx(expected)
    assert p_of_better("one_error", second, first) == pytest.approx(sum(comb(11, w) for w in range(2, 12)) / 2**11)


def test_signed_ranks_and_their_direction():
    rng = np.random.default_rng(1)
    first = rng.random(200)
    second = first + 0.1 + 0.2 * rng.standard_normal(200)
    assert p_of_better("ranking_loss", first, second) < 1e-6
    assert p_of_better("ranking_loss", second, first) > 1 - 1e-6


def test_equal_rows_say_nothing_and_rows_without_a_value_are_left_out():
    losses = np.array([0.1, 0.2, np.nan])
    assert p_of_better("average_precision", losses, losses) == 0.5
    assert p_of_better("coverage", np.array([0.1 + 0.2]), np.array([0.3])) == 0.5, "rounding is no difference"
