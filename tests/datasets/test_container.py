"""The one array format: what it refuses, what it says about itself, and its file."""

import os

import numpy as np
import pytest
from scipy import sparse

from labelknn.datasets._container import TEST, TRAIN, Dataset, concatenate, describe, load, save
from labelknn.errors import DataError
from labelknn.utils._files import atomic, load_arrays, save_arrays


def label_sets(rows, name="toy", X=None, **more):
    Y = sparse.csr_matrix(np.array(rows, bool))
    X = np.arange(2.0 * len(rows)).reshape(-1, 2) if X is None else X
    return Dataset(name, "multilabel", X, Y, ("u", "v"), tuple("abc"[: Y.shape[1]]), **more)


def test_facts_by_hand():
    """Sets {a}, {a, b}, {a}, {}: 4 labels on 4 rows of 3 possible labels, three distinct sets."""
    data = label_sets([[1, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 0]], part=np.array([0, 0, 1, 1], np.int8))
    facts = describe(data)
    assert (facts["instances"], facts["features"], facts["labels"]) == (4, 2, 3)
    assert (facts["cardinality"], facts["density"], facts["distinct"]) == (1.0, pytest.approx(1 / 3), 3)
    assert (facts["train_instances"], facts["test_instances"], facts["train_cardinality"]) == (2, 2, 1.5)


def test_the_split_point_is_no_label():
    data = Dataset("r", "ranking", np.zeros((1, 1)), np.array([[1, 3, 2]]), ("x",), ("a", "b", "|"))
    assert describe(data)["labels"] == 2


@pytest.mark.parametrize(
    "data",
    [
        label_sets([[1, 0, 0], [0, 1, 1]], part=np.array([0, 1], np.int8), row_names=("r1", "r2")),
        label_sets([[1, 0, 1], [0, 0, 0]], X=sparse.csr_matrix([[0.0, 2.5], [0.0, 0.0]]), levels={1: ("no", "yes")}),
        Dataset("ranks", "ranking", np.ones((2, 1)), np.array([[1, 2], [0, 1]]), ("x",), ("ä", "b c")),
        Dataset("raw", "regression", np.array([[1.0, np.nan]]), None, ("x", "y")),
    ],
    ids=["dense", "sparse", "ranking", "regression"],
)
def test_a_data_set_survives_its_file(data, tmp_path):
    save(data, tmp_path / "one.npz")
    save(data, tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    loaded = load(tmp_path / "one.npz")
    for name in ("name", "task", "feature_names", "label_names", "row_names"):
        assert getattr(loaded, name) == getattr(data, name)
    assert dict(loaded.levels) == dict(data.levels)
    for name in ("X", "Y", "part"):
        before, after = (getattr(one, name) for one in (data, loaded))
        assert (before is None) == (after is None)
        if before is not None:
            before, after = (one.toarray() if sparse.issparse(one) else one for one in (before, after))
            np.testing.assert_array_equal(before, after)
            assert before.dtype == after.dtype


def test_training_and_test_file_become_one_data_set():
    training, test = label_sets([[1, 0, 0], [0, 1, 0]]), label_sets([[0, 0, 1]])
    both = concatenate("both", {TRAIN: training, TEST: test})
    np.testing.assert_array_equal(both.part, [TRAIN, TRAIN, TEST])
    np.testing.assert_array_equal(both.Y.toarray(), [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    other = Dataset("o", "multilabel", np.zeros((1, 2)), sparse.csr_matrix([[True]]), ("u", "v"), ("z",))
    with pytest.raises(DataError, match="both: the training and the test file have different features or labels"):
        concatenate("both", {TRAIN: training, TEST: other})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("toy", "clustering", np.zeros((1, 1)), None, ("x",)), "toy: unknown task 'clustering'"),
        (("toy", "regression", np.zeros((1, 2)), None, ("x",)), "toy: 2 feature columns but 1 feature names"),
        (("toy", "ranking", np.zeros((1, 1)), None, ("x",)), "toy: a ranking data set needs a target"),
        (("toy", "ranking", np.zeros((2, 1)), np.ones((1, 1)), ("x",), ("a",)), "2 rows of features but 1 rows"),
        (("toy", "ranking", np.zeros((1, 1)), np.ones((1, 2)), ("x",), ("a",)), "2 label columns but 1 label names"),
    ],
)
def test_what_does_not_fit_together_is_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        Dataset(*arguments)


def test_a_damaged_file_is_refused_by_name(tmp_path):
    path = tmp_path / "data.npz"
    save(label_sets([[1, 0, 0]]), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"data\.npz: cannot be read as an array file"):
        load(path)
    save_arrays(path, {"something": np.zeros(1)})
    with pytest.raises(DataError, match="not a prepared data set"):
        load(path)


def test_no_flipped_byte_changes_what_is_read(tmp_path):
    """Every byte of the file, flipped once: the data come back unchanged, or the file is refused."""
    path = tmp_path / "data.npz"
    save_arrays(path, {"x": np.arange(40.0), "y": np.array(["a", "bc"])})
    whole, refused = path.read_bytes(), 0
    for position in range(len(whole)):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 0xFF]) + whole[position + 1 :])
        try:
            arrays = load_arrays(path)
        except DataError:
            refused += 1
            continue
        np.testing.assert_array_equal(arrays["x"], np.arange(40.0))
        np.testing.assert_array_equal(arrays["y"], ["a", "bc"])
    assert refused > len(whole) / 2


def test_pickled_objects_are_never_loaded(tmp_path):
    np.savez(tmp_path / "evil.npz", x=np.array([{"a": 1}], dtype=object))
    with pytest.raises(DataError, match="cannot be read"):
        load_arrays(tmp_path / "evil.npz")


def test_a_failed_write_leaves_nothing(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("before")

    def half():
        with atomic(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        half()
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    killed = atomic(tmp_path / "[a].csv")
    killed.__enter__().write_text("half")
    atomic(tmp_path / "b.csv").__enter__()  # still at work on another file
    with atomic(tmp_path / "[a].csv") as temporary:
        temporary.write_text("whole")
    assert len(os.listdir(tmp_path)) == 2
    assert (tmp_path / "[a].csv").read_text() == "whole"
    with pytest.raises(FileNotFoundError):
        killed.__exit__(None, None, None)
    assert (tmp_path / "[a].csv").read_text() == "whole"
