"""One cell: all settings from one search, training rows only, and files that come back as they went."""

import numpy as np
import pytest
from scipy import sparse

from labelknn.algorithms.mlknn import MLkNN
from labelknn.datasets.container import Dataset
from labelknn.errors import ConfigError, DataError
from labelknn.experiment.cell import run_cell, settings_of
from labelknn.experiment.predictions import load_predictions, save_predictions
from labelknn.experiment.protocol import Protocol, make_splits
from labelknn.experiment.score import read_scores, score_cell, write_scores
from labelknn.metrics.multilabel import hamming_loss

SWEPT = {"class": "labelknn.algorithms.mlknn:MLkNN", "params": {"s": 1.0}, "sweep": {"k": [2, 5]}}


@pytest.fixture(scope="module")
def toy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = sparse.csr_matrix(X @ rng.normal(size=(3, 4)) > 0)
    return Dataset("toy", "multilabel", X, Y, ("a", "b", "c"), ("p", "q", "r", "s"))


@pytest.fixture(scope="module")
def splits(toy):
    return make_splits(Protocol("cross-validation", 1, 3), toy, 1)


def test_a_sweep_equals_separate_runs(toy, splits):
    predictions, clock = run_cell(toy, splits, SWEPT, 1)
    assert set(predictions) == {(0, fold, f"k={k}") for fold in range(3) for k in (2, 5)}
    for split in splits:
        for k in (2, 5):
            alone = MLkNN(k).fit(toy.X[split.train], toy.Y[split.train]).output(toy.X[split.test])
            for what, array in alone.items():
                np.testing.assert_array_equal(predictions[0, split.fold, f"k={k}"][what], array)
    assert {stage for *_, stage, _ in clock.rows} == {"search training", "search queries", "fit", "predict"}


def test_test_labels_are_never_seen(toy, splits):
    changed = toy.Y.toarray()
    changed[splits[0].test] = ~changed[splits[0].test]
    other = Dataset("toy", "multilabel", toy.X, sparse.csr_matrix(changed), toy.feature_names, toy.label_names)
    before, after = (run_cell(data, splits[:1], SWEPT, 1)[0] for data in (toy, other))
    for key, output in before.items():
        np.testing.assert_array_equal(output["scores"], after[key]["scores"])


def test_predictions_and_scores_survive_their_files(toy, splits, tmp_path):
    predictions, _ = run_cell(toy, splits, SWEPT, 1)
    save_predictions(tmp_path / "p.npz", predictions)
    loaded = load_predictions(tmp_path / "p.npz")
    assert set(loaded) == set(predictions)
    for key, output in predictions.items():
        for what, array in output.items():
            np.testing.assert_array_equal(loaded[key][what], array)
            assert loaded[key][what].dtype == array.dtype

    scores = score_cell("cv-1x3", "swept", toy, splits, loaded)
    write_scores(tmp_path / "s.csv", scores)
    assert read_scores([tmp_path / "s.csv"]) == scores
    one = next(s for s in scores if (s.fold, s.setting, s.metric) == (1, "k=5", "hamming_loss"))
    assert one.value == hamming_loss(toy.Y[splits[1].test], predictions[0, 1, "k=5"]["sets"])


def test_same_predictions_same_bytes(toy, splits, tmp_path):
    for name in ("a.npz", "b.npz"):
        save_predictions(tmp_path / name, run_cell(toy, splits, SWEPT, 1)[0])
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_settings():
    assert settings_of(SWEPT) == {"k=2": {"s": 1.0, "k": 2}, "k=5": {"s": 1.0, "k": 5}}
    assert settings_of({"class": "x:Y"}) == {"": {}}


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"class": "labelknn.algorithms.mlknn:MLKNN"}, ConfigError, "MLKNN' cannot be loaded"),
        ({"class": "nowhere.at.all:X"}, ConfigError, "cannot be loaded"),
        ({"params": {"smooth": 1}}, ConfigError, "unknown parameter 'smooth'. Known: k, s"),
        ({"sweep": {"k": [40]}}, DataError, "toy, repeat 0, fold 0: k = 40 neighbours asked for, 39 rows"),
    ],
)
def test_bad_algorithms(toy, splits, change, error, message):
    with pytest.raises(error, match=message):
        run_cell(toy, splits, SWEPT | change, 1)


def test_a_method_on_data_of_another_task_is_refused(splits):
    ranking = Dataset("r", "ranking", np.zeros((60, 1)), np.ones((60, 2), int), ("x",), ("a", "b"))
    with pytest.raises(ConfigError, match="is for multilabel data, but r is a ranking data set"):
        run_cell(ranking, splits, SWEPT, 1)
