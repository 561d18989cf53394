"""chiang2012's figures: what is drawn follows from the scores and the stored weights."""

import numpy as np

from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.papers.oracle_gap import draw_learned_weights, draw_oracle_gap, hamming_losses, weight_shares
from labelknn_papers.plan.cells import Cell
from labelknn_papers.plan.protocol import Protocol

PROTOCOL = Protocol("cross-validation", repeats=1, folds=2)


def test_losses_are_those_of_the_learned_weights():
    cells = {("d", name): Cell(PROTOCOL, "d", name) for name in ("vote", "ranked", "not-run")}
    estimates = {
        (PROTOCOL.id, "d", "vote", "", "hamming_loss"): Estimate(0.3),
        (PROTOCOL.id, "d", "ranked", "weights=gps", "hamming_loss"): Estimate(0.2),
        (PROTOCOL.id, "d", "ranked", "weights=linear", "hamming_loss"): Estimate(0.1),
    }
    assert hamming_losses(cells, estimates) == {("d", "vote"): Estimate(0.3), ("d", "ranked"): Estimate(0.2)}


def test_oracle_gap_is_a_multiple_of_the_oracles_loss():
    losses = {
        ("d", "vote"): Estimate(0.3, 0.01),
        ("d", "oracle-1"): Estimate(0.1),
        ("d", "oracle-5"): Estimate(0.15),
        ("without-oracle", "vote"): Estimate(0.4),
    }
    figure = draw_oracle_gap(losses, {"vote": "A vote"})
    (axes,) = figure.axes
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
    (axes,) = draw_learned_weights({("d", "re-ranked"): shares}).axes
    np.testing.assert_allclose(axes.lines[0].get_ydata(), [0.625, 0.375])
    np.testing.assert_allclose(axes.lines[1].get_ydata(), [2 / 3, 1 / 3])


def test_nothing_to_show_without_data():
    for figure in (draw_oracle_gap({}, {}), draw_learned_weights({})):
        assert figure.axes[0].texts[0].get_text().startswith("not run")
