"""The readers for one's own files: by paths, with what `load` gives."""

import numpy as np
import pytest
from scipy import sparse

from labelknn.datasets import read_csv, read_extreme, read_kebi, read_meka, read_mulan
from labelknn.errors import DataError, LabelknnError

ARFF = "@relation {}\n@attribute a {{0,1}}\n@attribute x numeric\n@attribute y numeric\n@data\n"
XML = '<labels><label name="a"/></labels>'


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def test_mulan(write):
    one, two = write("one.arff", ARFF.format("r") + "1,2,3\n0,4,5\n"), write("two.arff", ARFF.format("r") + "1,6,7\n")
    data = read_mulan(one, write("labels.xml", XML), test=two)
    assert repr(data) == "Dataset('one', multilabel: 3 rows, 2 features, 1 labels, public split 2/1)"
    assert data.Y.tolist() == [[1], [0], [1]]
    assert data.Y.dtype == int
    alone = read_mulan(str(one), str(one.with_name("labels.xml")), name="mine")
    assert (alone.name, alone.n, alone.part) == ("mine", 2, None)


def test_csv(write):
    one, two = write("one.csv", "id,x,a,b\n1,u,1,0\n2,v,0,1\n"), write("two.csv", "id,x,a,b\n3,w,1,1\n")
    data = read_csv(one, ["b", "a"], test=two, drop=["id"])
    assert repr(data) == "Dataset('one', multilabel: 3 rows, 1 features, 2 labels, public split 2/1)"
    assert data.X.tolist() == [[0], [1], [2]]
    assert data.levels == {0: ("u", "v", "w")}
    assert data.Y.tolist() == [[0, 1], [1, 0], [1, 1]]
    assert data.Y.dtype == int
    alone = read_csv(str(one), 2, name="mine")
    assert (alone.name, alone.label_names, alone.part) == ("mine", ("a", "b"), None)


def test_meka(write):
    path = write("m.arff", ARFF.format("'Mine: -C 1'") + "{0 1, 2 3.5}\n{1 2}\n")
    data = read_meka(path)
    assert (data.name, data.label_names, data.feature_names) == ("m", ("a",), ("x", "y"))
    assert sparse.issparse(data.Y)
    assert data.Y.dtype == int
    assert data.Y.toarray().tolist() == [[1], [0]]
    assert data.X.toarray().tolist() == [[0, 3.5], [2, 0]]


def test_extreme(write):
    one, two = write("one.txt", "2 3 2\n1 0:1.5\n0,1 2:1\n"), write("two.txt", "1 3 2\n0 1:2\n")
    data = read_extreme(one, test=two)
    assert [part.shape for part in data.train_test()] == [(2, 3), (1, 3), (2, 2), (1, 2)]
    assert data.Y.toarray().tolist() == [[0, 1], [1, 1], [1, 0]]
    libsvm = read_extreme(write("svm.txt", "1 1:1.5\n0,1 3:1\n"), header=False)
    assert libsvm.X.toarray().tolist() == [[1.5, 0, 0], [0, 0, 1]]


def test_kebi(write):
    path = write("k.txt", "u,v,ranking\n1,2,c>a>b\n3,4,a>b>c\n")
    np.testing.assert_array_equal(read_kebi(path).Y, [[2, 3, 1], [1, 2, 3]])
    np.testing.assert_array_equal(read_kebi(path, ranking="ranks").Y, [[3, 1, 2], [1, 2, 3]])


@pytest.mark.parametrize(
    "read", [read_kebi, read_meka, read_extreme, lambda path: read_mulan(path, path), lambda path: read_csv(path, 1)]
)
def test_a_missing_file_is_named(read, tmp_path):
    with pytest.raises(DataError, match=r"nothing\.txt: cannot be read \(No such file"):
        read(tmp_path / "nothing.txt")


def test_an_option_that_does_not_exist(write):
    with pytest.raises(LabelknnError, match=r"unknown ranking 'rank'\. Did you mean 'ranks'"):
        read_kebi(write("k.txt", "u,ranking\n1,a>b\n"), ranking="rank")
