"""The extreme classification format, libsvm's and MEKA's: against a slow reading, and with damaged files."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse

from labelknn.datasets import _extreme as extreme
from labelknn.datasets._container import TEST, TRAIN
from labelknn.datasets._extreme import read_extreme, read_meka
from labelknn.errors import ConfigError, DataError


@pytest.fixture
def make(tmp_path):
    def read(train, test="1 5 4\n0 0:1\n", **options):
        (tmp_path / "train").write_text(train)
        (tmp_path / "test").write_text(test)
        return read_extreme("toy", tmp_path, files={"train": "train", "test": "test"}, **options)

    return read


def test_by_hand(make):
    data = make("4 5 4\n3,1 0:0.25 4:-1.5e1\n 2:1\n\n0\n", "1 5 4\r\n2 3:.5\r\n")
    np.testing.assert_array_equal(
        data.X.toarray(), [[0.25, 0, 0, 0, -15], [0, 0, 1, 0, 0], [0] * 5, [0] * 5, [0, 0, 0, 0.5, 0]]
    )
    np.testing.assert_array_equal(
        data.Y.toarray(), [[0, 1, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]]
    )
    np.testing.assert_array_equal(data.part, [TRAIN] * 4 + [TEST])
    assert data.Y.dtype == bool
    assert data.X.has_canonical_format


def test_unordered_features_and_repeated_labels(make):
    data = make("1 5 4\n1,1 4:2 0:1 2:0\n")
    np.testing.assert_array_equal(data.X[0].toarray(), [[1, 0, 0, 0, 2]])
    assert data.X[0].nnz == 2  # 2:0 is no entry
    assert data.Y[0].nnz == 1


def test_libsvm_counts_features_from_1(make):
    data = make("0,2 1:1 3:2\n\n3:4\n", "1 2:5\n", header=False)
    np.testing.assert_array_equal(data.X.toarray(), [[1, 0, 2], [0, 0, 0], [0, 0, 4], [0, 5, 0]])
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0, 1], [0, 0, 0], [0, 0, 0], [0, 1, 0]])


def test_libsvm_from_0_if_a_0_occurs(make):
    np.testing.assert_array_equal(make("0 1:1\n", "1 0:5\n", header=False).X.toarray(), [[0, 1], [5, 0]])


values = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**17), 10**17)
numerals = st.one_of(
    values.map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-10, max_value=10).map(str),
    st.from_regex(r"[+-]?(\d{1,25}\.?\d{0,25}|\.\d{1,25})([eE][+-]?\d{1,2})?", fullmatch=True).filter(str.isascii),
)


@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 6)), st.dictionaries(st.integers(0, 8), numerals, max_size=6)),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_numbers_are_those_of_python(tmp_path, instances, end):
    lines = [f"{len(instances)} 9 7"]
    for labels, features in instances:
        lines.append(" ".join([",".join(map(str, labels)), *(f"{f}:{value}" for f, value in features.items())]))
    for part in ("train", "test"):
        (tmp_path / part).write_bytes(end.join([*lines, ""]).encode())
    data = read_extreme("toy", tmp_path, files={"train": "train", "test": "test"})
    X, Y = data.X.toarray(), data.Y.toarray()
    for row, (labels, features) in enumerate(instances):
        assert X[row].tolist() == [float(features.get(f, 0)) for f in range(9)]
        assert set(np.flatnonzero(Y[row])) == labels
    assert (X[len(instances) :] == X[: len(instances)]).all()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "train: the file is empty"),
        ("5 4\n", "line 1: expected the numbers of instances, features and labels, found '5 4'"),
        ("1 5 x\n", "line 1: expected the numbers"),
        ("0 0:1\n", "line 1: expected the numbers"),
        ("1 99999999999 4\n0 0:1\n", "line 1: 99999999999 features or labels"),
        ("3 5 4\n0 0:1\n1 1:1\n", "2 instances; the header announces 3, so that the file is cut off"),
        ("1 5 4\n0 0:1\n1 1:1\n", "line 3: an instance more than the 1"),
        ("2 5 4\n0 0:1\n4 1:1\n", "line 3: label '4' is out of range; expected a number below 4"),
        ("1 5 4\n0 5:1\n", "line 2: feature '5:1' is out of range; expected a number below 5"),
        ("1 5 4\n0 99999999999999999999:1\n", "line 2: feature .* is out of range"),
        ("1 5 4\n0,x 0:1\n", "line 2: expected a label's number, found 'x'"),
        ("1 5 4\n0, 0:1\n", "line 2: expected a label's number, found '0:1'"),
        ("1 5 4\n0;1 0:1\n", "line 2: expected a label's number, found '0;1'"),
        ("1 5 4\n-1 0:1\n", "line 2: expected feature:value, found '-1'"),
        ("1 5 4\n0 0:1 3\n", "line 2: expected feature:value, found '3'"),
        ("1 5 4\n0 0:1 3", "line 2: expected feature:value, found '3'"),
        ("1 5 4\n0 0:1 3:", "line 2: expected the value of a feature, found the end of the line"),
        ("1 5 4\n0 0:1 3:x\n", "line 2: expected the value of a feature, found 'x'"),
        ("1 5 4\n0 0:1.5.2\n", "line 2: expected the value"),
        ("1 5 4\n0 0:1e\n", "line 2: expected the value"),
        ("1 5 4\n0 0:nan\n", "line 2: expected the value"),
        ("2 5 4\n0 0:1\n0 0:1e999\n", "line 3: a value is too large"),
        ("2 5 4\n0 0:1\n0 2:1 1:3 2:1\n", "line 3: feature 2 occurs twice"),
        ("1 6 4\n0 0:1\n", "the headers differ"),
    ],
)
def test_malformed_files(make, content, reason):
    with pytest.raises(DataError, match=reason):
        make(content)


def test_absurd_index_without_header(make, monkeypatch):
    monkeypatch.setattr(extreme, "MAX_COLUMNS", 100)
    with pytest.raises(DataError, match="line 1: feature '101:1' is out of range"):
        make("0 101:1\n", "0 1:1\n", header=False)


def test_nothing_in_the_files(make):
    with pytest.raises(DataError, match="no features or no labels"):
        make("\n", "\n", header=False)


def test_missing_file_and_wrong_files(tmp_path):
    with pytest.raises(DataError, match="none: cannot be read"):
        read_extreme("toy", tmp_path, files={"train": "none", "test": "none"})
    with pytest.raises(ConfigError, match="expected 'train' and 'test'"):
        read_extreme("toy", tmp_path, files={"whole": "none"})


MEKA = (
    "@attribute A {0,1}\n@attribute B {0,1}\n@attribute x numeric\n@attribute y numeric\n@data\n{0 1,2 3}\n{1 1,3 1}\n"
)


def test_meka_labels_come_first(tmp_path):
    (tmp_path / "m.arff").write_text("@relation 'IMDB: -C 2 -split-number 1'\n" + MEKA)
    data = read_meka("toy", tmp_path, file="m.arff")
    assert (data.label_names, data.feature_names) == (("A", "B"), ("x", "y"))
    assert sparse.issparse(data.X)
    np.testing.assert_array_equal(data.X.toarray(), [[3, 0], [0, 1]])
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0], [0, 1]])


def test_meka_labels_come_last_if_negative(tmp_path):
    (tmp_path / "m.arff").write_text("@relation 'r: -C -1'\n" + MEKA)
    data = read_meka("toy", tmp_path, file="m.arff")
    assert (data.label_names, data.feature_names) == (("y",), ("A", "B", "x"))
    np.testing.assert_array_equal(data.Y.toarray(), [[0], [1]])


@pytest.mark.parametrize("relation", ["r", "'r: -C 0'", "'r: -C 4'", "'r: -C -9'"])
def test_meka_without_a_possible_number_of_labels(tmp_path, relation):
    (tmp_path / "m.arff").write_text(f"@relation {relation}\n" + MEKA)
    with pytest.raises(DataError, match="expected '-C labels' with 1 to 3 labels"):
        read_meka("toy", tmp_path, file="m.arff")


def test_one_file_without_a_public_split(tmp_path):
    (tmp_path / "all.txt").write_text("0,2 1:0.5 3:1\n1 2:2\n")
    data = read_extreme("toy", tmp_path, files={"all": "all.txt"}, header=False)
    assert data.part is None
    assert (data.n, data.d, data.q) == (2, 3, 3)
    assert data.Y.toarray().tolist() == [[True, False, True], [False, True, False]]
