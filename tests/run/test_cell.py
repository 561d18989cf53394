"""One cell: all settings from one search, training rows only, and files that come back as they went."""

import time

import numba
import numpy as np
import pytest
from scipy import sparse

from labelknn.datasets._container import Dataset
from labelknn.errors import ConfigError, DataError
from labelknn.metrics._multilabel import hamming_loss
from labelknn.multilabel._mlknn import MLkNN
from labelknn.ranking._iblr import IBLR
from labelknn.ranking._lrt import LRT
from labelknn.utils._base import MultilabelMethod
from labelknn_papers.plan.protocol import Protocol, make_splits
from labelknn_papers.run.cell import Stopwatch, _training_targets, run_cell, settings_of
from labelknn_papers.run.features import features_for
from labelknn_papers.run.predictions import load_predictions, save_predictions
from labelknn_papers.run.score import read_scores, score_cell, write_scores
from labelknn_papers.run.search import load_searched, save_searched, search_splits

SWEPT = {"class": "labelknn.multilabel._mlknn:MLkNN", "params": {"s": 1.0}, "sweep": {"k": [2, 5]}}


@pytest.fixture(scope="module")
def toy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = sparse.csr_matrix(X @ rng.normal(size=(3, 4)) > 0)
    return Dataset("toy", "multilabel", X, Y, ("a", "b", "c"), ("p", "q", "r", "s"))


@pytest.fixture(scope="module")
def splits(toy):
    return make_splits(Protocol("cross-validation", 1, 3), toy, 1)


def test_seconds_leave_out_what_it_takes_to_compile(splits):
    """A kernel that nobody has compiled yet, timed at its first call and at its second."""

    @numba.njit
    def kernel(values):
        for i in range(len(values)):
            values[i] = np.sqrt(values[i]) + np.log1p(values[i])
        return np.sort(values)

    clock = Stopwatch()
    start = time.perf_counter()
    for stage in ("first", "second"):
        clock.measure(splits[0], "", stage, lambda: kernel(np.ones(10)))
    whole = time.perf_counter() - start
    first, second = (seconds for *_, seconds in clock.rows)
    assert min(first, second) >= 0
    assert first + second < whole / 2, "most of the first call was compilation"


class AnyParameters(MultilabelMethod):
    """As wrappers of other libraries are: its parameters have no names of their own."""

    def __init__(self, **parameters):
        self.parameters = parameters

    def get_params(self, deep=True):
        return self.parameters

    def fit(self, X, Y):
        return self

    def output(self, X):
        return {"sets": np.full((len(X), 4), self.parameters["always"])}


def test_parameters_by_any_name(toy, splits):
    algorithm = {"class": f"{__name__}:AnyParameters", "params": {"always": True}}
    predictions, _ = run_cell(toy, splits, algorithm, 1)
    assert all(output["sets"].all() for output in predictions.values())


def test_a_sweep_equals_separate_runs(toy, splits):
    predictions, clock = run_cell(toy, splits, SWEPT, 1)
    assert set(predictions) == {(0, fold, f"k={k}") for fold in range(3) for k in (2, 5)}
    for split in splits:
        for k in (2, 5):
            alone = MLkNN(k).fit(toy.X[split.train], toy.Y[split.train]).output(toy.X[split.test])
            for what, array in alone.items():
                np.testing.assert_array_equal(predictions[0, split.fold, f"k={k}"][what], array)
    assert clock.rows[0][:4] == (0, 0, "", "search")
    assert {stage for *_, stage, _ in clock.rows[1:]} == {"search training", "search queries", "fit", "predict"}


@pytest.mark.parametrize("protocol", [Protocol("cross-validation", 2, 5), Protocol("hold-out", 4, train=0.6)])
def test_one_search_for_all_splits_equals_separate_fits(protocol):
    """Points with ties and duplicates, complete and incomplete rankings, and a k that each split chooses itself."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2)).round(1)
    Y = rng.permuted(np.tile(np.arange(1, 5), (80, 1)), axis=1)
    data = Dataset("toy", "ranking", X, Y, ("a", "b"), ("p", "q", "r", "s"))
    cut = make_splits(protocol, data, 1)
    predictions, clock = run_cell(data, cut, {"class": "labelknn.ranking._iblr:IBLR"}, 1, missing=(0.0, 0.6))
    assert [stage for *_, stage, _ in clock.rows].count("search") == 1
    for split in cut:
        for setting, targets in _training_targets(data, split, 1, (0.0, 0.6)).items():
            alone = IBLR().fit(X[split.train], targets).output(X[split.test])
            for what, array in alone.items():
                np.testing.assert_array_equal(predictions[split.repeat, split.fold, setting][what], array)


def test_a_single_split_is_searched_directly(toy, splits):
    _, clock = run_cell(toy, splits[:1], SWEPT, 1)
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
        ({"class": "labelknn.multilabel._mlknn:MLKNN"}, ConfigError, "MLKNN' cannot be loaded"),
        ({"class": "nowhere.at.all:X"}, ConfigError, "cannot be loaded"),
        ({"params": {"smooth": 1}}, ConfigError, "unknown parameter 'smooth'. Known: k, s"),
        ({"sweep": {"k": [40]}}, DataError, "toy, repeat 0, fold 0: k = 40 neighbours asked for, 39 rows"),
    ],
)
def test_bad_algorithms(toy, splits, change, error, message):
    with pytest.raises(error, match=message):
        run_cell(toy, splits, SWEPT | change, 1)


def test_features_that_are_no_numbers_are_named(toy, splits):
    X = toy.X.copy()
    X[7, 1] = np.nan
    broken = Dataset("toy", "multilabel", X, toy.Y, toy.feature_names, toy.label_names)
    with pytest.raises(DataError, match=r"toy: the rows to search contain NaN \(row 7, column 1\)"):
        run_cell(broken, splits, SWEPT, 1)


def test_a_method_on_data_of_another_task_is_refused(splits):
    ranking = Dataset("r", "ranking", np.zeros((60, 1)), np.ones((60, 2), int), ("x",), ("a", "b"))
    with pytest.raises(ConfigError, match="is for multilabel data, but r is a ranking data set"):
        run_cell(ranking, splits, SWEPT, 1)


def test_missing_labels_are_settings_on_the_same_splits():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(90, 2))
    ranks = np.argsort(np.argsort(-X @ rng.normal(size=(2, 4)), axis=1), axis=1) + 1
    data = Dataset("r", "ranking", X, ranks, ("x", "y"), tuple("abcd"))
    splits = make_splits(Protocol("cross-validation", 1, 3), data, 1)
    algorithm = {"class": "labelknn.ranking._lrt:LRT"}
    predictions, _ = run_cell(data, splits, algorithm, 1, missing=(0.0, 0.6))
    assert set(predictions) == {(0, fold, setting) for fold in range(3) for setting in ("missing=0.0", "missing=0.6")}
    for split in splits:
        alone = LRT().fit(X[split.train], ranks[split.train]).predict(X[split.test])
        np.testing.assert_array_equal(predictions[0, split.fold, "missing=0.0"]["ranks"], alone)
    again, _ = run_cell(data, splits, algorithm, 1, missing=(0.6,))
    for fold in range(3):
        found = (one[0, fold, "missing=0.6"]["ranks"] for one in (predictions, again))
        np.testing.assert_array_equal(*found)
    scores = score_cell("p", "lrt", data, splits, predictions)
    assert {score.metric for score in scores} >= {"kendall_tau", "leaves"}


def test_the_masks_of_a_split():
    """Another fold has another mask, and what is missing at a low rate is missing at a higher one."""
    data = Dataset("r", "ranking", np.zeros((400, 1)), np.tile([1, 2, 3, 4], (400, 1)), ("x",), tuple("abcd"))
    first, second, *_ = make_splits(Protocol("cross-validation", 1, 10), data, 1)
    low, high = _training_targets(data, first, 1, (0.3, 0.6)).values()
    assert ((high == 0) >= (low == 0)).all()
    assert abs((low == 0).mean() - 0.3) < 0.05
    other = _training_targets(data, second, 1, (0.3,))["missing=0.3"]
    assert not np.array_equal(low, other)


def test_labels_of_label_sets_cannot_be_deleted(toy, splits):
    with pytest.raises(ConfigError, match="toy: labels can be deleted from rankings only"):
        run_cell(toy, splits, SWEPT, 1, missing=(0.3,))


def test_a_share_of_missing_labels_that_is_none_names_the_data_set():
    data = Dataset("r", "ranking", np.zeros((9, 1)), np.tile([1, 2], (9, 1)), ("x",), ("a", "b"))
    splits = make_splits(Protocol("cross-validation", 1, 3), data, 1)
    with pytest.raises(DataError, match=r"r, repeat 0, fold 0: missing labels: .* is 1\.5"):
        run_cell(data, splits, {"class": "labelknn.ranking._lrt:LRT"}, 1, missing=(1.5,))


@pytest.mark.parametrize("scaling", [None, "min-max"])
@pytest.mark.parametrize(("method", "training"), [("mlknn:MLkNN", True), ("feature_knn:FeatureKNN", False)])
def test_a_search_made_for_several_methods_changes_nothing(toy, splits, tmp_path, scaling, method, training):
    algorithm = {"class": f"labelknn.multilabel._{method}", "params": {"k": 3}}
    algorithm |= {"preprocessing": scaling} if scaling else {}
    save_searched(tmp_path / "n.npz", search_splits(toy, splits, scaling, 5, training))
    alone, clock = run_cell(toy, splits, algorithm, 1)
    assert ("search training" in {stage for *_, stage, _ in clock.rows}) == training
    shared, clock = run_cell(toy, splits, algorithm, 1, searched=load_searched(tmp_path / "n.npz"))
    assert {stage for *_, stage, _ in clock.rows} == {"fit", "predict"}
    for key, output in alone.items():
        np.testing.assert_array_equal(output["scores"], shared[key]["scores"])


def test_scaling_is_learnt_from_training_rows(toy, splits):
    scaled, _ = run_cell(toy, splits[:1], {**SWEPT, "preprocessing": "min-max"}, 1)
    (split,) = splits[:1]
    X = features_for(toy, split.train, "min-max")
    alone = MLkNN(2).fit(X[split.train], toy.Y[split.train]).output(X[split.test])
    np.testing.assert_array_equal(scaled[0, 0, "k=2"]["scores"], alone["scores"])


class Rounds(MultilabelMethod):
    """Two predictions from one fit."""

    def __init__(self, bias=0.0):
        self.bias = bias

    def fit(self, X, Y):
        self.share_ = np.asarray(Y.mean(axis=0)).ravel()
        return self

    def output(self, X):
        return self.outputs(X)["rounds=2"]

    def outputs(self, X):
        return {
            f"rounds={number}": {"scores": sparse.csr_matrix(np.tile(self.share_ + number + self.bias, (len(X), 1)))}
            for number in (1, 2)
        }


class Peeking(Rounds):
    sees_truth = True
    outputs = None

    def output(self, X, truth):
        return {"sets": truth}


def test_several_predictions_of_one_fit(toy, splits, tmp_path):
    algorithm = {"class": f"{__name__}:Rounds", "sweep": {"bias": [0.0, 1.0]}}
    predictions, clock = run_cell(toy, splits[:1], algorithm, 1)
    assert [setting for *_, setting in predictions] == [
        f"bias={bias};rounds={number}" for bias in (0.0, 1.0) for number in (1, 2)
    ]
    assert len(clock.rows) == 4
    save_predictions(tmp_path / "p.npz", predictions)
    for key, output in load_predictions(tmp_path / "p.npz").items():
        assert sparse.issparse(output["scores"])
        np.testing.assert_array_equal(output["scores"].toarray(), predictions[key]["scores"].toarray())


def test_only_an_oracle_sees_the_truth(toy, splits):
    predictions, _ = run_cell(toy, splits[:1], {"class": f"{__name__}:Peeking"}, 1)
    assert hamming_loss(toy.Y[splits[0].test], predictions[0, 0, ""]["sets"]) == 0
