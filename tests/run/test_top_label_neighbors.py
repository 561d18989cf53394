"""Neighbours as classifiers of the top label."""

import numpy as np
import pytest

from labelknn.datasets._container import Dataset
from labelknn.errors import DataError
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.cell import run_cell
from labelknn_papers.run.score import score_cell
from labelknn_papers.run.top_label_neighbors import TopLabelKNN, TopLabelOracle

X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0]])
RANKS = np.array([[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 1, 3], [3, 2, 1]])
QUERY = np.array([[0.5]])


def test_votes_rank_the_labels():
    """Two of three neighbours put label 0 first, one label 1; label 2 has no vote."""
    assert TopLabelKNN(k=3).fit(X, RANKS)._output(QUERY)["ranks"].tolist() == [[1, 2, 3]]
    assert TopLabelKNN(k=5).fit(X, RANKS)._output(QUERY)["ranks"].tolist() == [[1, 2, 3]], "ties by the index"
    assert TopLabelKNN(k=1).fit(X, RANKS)._output(np.array([[9.0]]))["ranks"].tolist() == [[2, 3, 1]]


@pytest.mark.parametrize(
    ("best", "truth", "loss"),
    [
        (1, [2, 1, 3], 0.0),  # one of four neighbours has the right label
        (1, [3, 2, 1], 2 / 3),  # none has; the nearest says 0
        (4, [1, 2, 3], 1 / 3),  # two of four votes each predict both labels
        (4, [2, 1, 3], 1 / 3),
    ],
)
def test_the_loss_of_the_best_neighbour_and_of_all_votes(best, truth, loss):
    oracle = TopLabelOracle(k=4, best=best).fit(X, RANKS)
    assert oracle._output(QUERY, truth=np.array([truth]))["hamming_loss"] == pytest.approx(loss)


def test_an_oracle_needs_the_truth():
    with pytest.raises(DataError, match="truth="):
        TopLabelOracle(k=2).fit(X, RANKS)._output(QUERY)


def test_the_loss_is_a_score_of_the_cell():
    data = Dataset("toy", "ranking", X, RANKS, ("x",), ("a", "b", "c"))
    splits = [Split(0, 0, np.arange(4), np.array([4]))]
    entry = {"class": "labelknn_papers.run.top_label_neighbors:TopLabelOracle", "params": {"k": 2, "best": 2}}
    predictions, _ = run_cell(data, splits, entry, 1)
    (score,) = score_cell("p", "oracle", data, splits, predictions)
    assert (score.metric, score.value) == ("hamming_loss", pytest.approx(2 / 3))
