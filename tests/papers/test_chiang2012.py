"""chiang2012's figures: what is drawn follows from the scores and the stored weights."""

import numpy as np
import pytest

from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.papers.chiang2012 import (
    draw_learned_weights,
    draw_oracle_gap,
    hamming_losses,
    learned_weights,
    oracle_gap,
    weight_shares,
)


def test_losses_are_those_of_the_learned_weights():
    scores = {
        ("d", "vote"): {("", "hamming_loss"): Estimate(0.3), ("", "one_error"): Estimate(0.9)},
        ("d", "ranked"): {
            ("weights=gps", "hamming_loss"): Estimate(0.2),
            ("weights=linear", "hamming_loss"): Estimate(0.1),
        },
    }
    assert hamming_losses(scores) == {("d", "vote"): Estimate(0.3), ("d", "ranked"): Estimate(0.2)}


def test_oracle_gap_is_a_multiple_of_the_oracles_loss():
    losses = {
        ("d", "vote"): Estimate(0.3, 0.01),
        ("d", "oracle-1"): Estimate(0.1),
        ("d", "oracle-5"): Estimate(0.15),
        ("without-oracle", "vote"): Estimate(0.4),
    }
    scores = {name: {("", "hamming_loss"): loss} for name, loss in losses.items()}
    table = oracle_gap(scores).rounded()
    assert table.rows[0] == ("d", "vote", 3.0, 0.196)
    (axes,) = draw_oracle_gap(table, {"vote": "A vote"}).axes
    assert axes.get_title() == "d"
    assert [text.get_text() for text in axes.get_yticklabels()] == ["A vote"]
    drawn = [line.get_xdata()[0] for line in axes.lines]
    np.testing.assert_allclose(sorted(drawn), [1, 1.5, 3])


def test_weights_are_shares_of_the_learned_setting():
    predictions = {
        (0, 0, "weights=gps"): {"weights": np.array([3.0, 1.0])},
        (0, 1, "weights=gps"): {"weights": np.array([0.5, 0.5])},
        (0, 0, "weights=linear"): {"scores": np.zeros((1, 1))},
    }
    shares = weight_shares(predictions)
    np.testing.assert_allclose(shares, [[0.75, 0.25], [0.5, 0.5]])
    table = learned_weights({("d", "ranked-svm"): predictions})
    assert table.records(order="re-ranked", rank=1)[0]["low"] == pytest.approx(0.525)
    (axes,) = draw_learned_weights(table, {}).axes
    np.testing.assert_allclose(axes.lines[0].get_ydata(), [0.625, 0.375])
    np.testing.assert_allclose(axes.lines[1].get_ydata(), [2 / 3, 1 / 3])
    assert [line.get_label() for line in axes.lines] == ["re-ranked", "linear weights"]


def test_without_data_there_are_no_rows():
    assert [table.rows for table in (oracle_gap({}), learned_weights({}))] == [[], []]
