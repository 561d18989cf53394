"""Mulan's multi-label files: which attributes are labels, how features are coded, and the real data sets."""

from collections import Counter

import numpy as np
import pytest
from scipy import sparse

from labelknn.datasets._container import TEST, TRAIN
from labelknn.datasets._mulan import read_labels, read_mulan
from labelknn.errors import ConfigError, DataError

XML = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="B"></label><label name="A"/></labels>'
HEADER = "@relation r\n@attribute A {0,1}\n@attribute x numeric\n@attribute B {0,1}\n"


@pytest.fixture
def make(tmp_path):
    """Writes files and reads them: one ARFF text, or a training and a test text."""

    def read(*arffs, xml=XML):
        (tmp_path / "l.xml").write_text(xml)
        names = ("all",) if len(arffs) == 1 else ("train", "test")
        for name, arff in zip(names, arffs, strict=True):
            (tmp_path / f"{name}.arff").write_text(arff)
        return read_mulan("toy", tmp_path, files={name: f"{name}.arff" for name in names}, xml="l.xml")

    return read


def test_labels_are_those_of_the_xml_in_its_order(make):
    data = make(HEADER + "@data\n0,1.5,1\n1,2.5,0\n1,3.5,1\n")
    assert (data.feature_names, data.label_names) == (("x",), ("B", "A"))
    assert data.Y.dtype == bool
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0], [0, 1], [1, 1]])
    np.testing.assert_array_equal(data.X, [[1.5], [2.5], [3.5]])
    assert data.part is None


def test_rows_of_a_sparse_file_stay_sorted_in_the_order_of_the_xml(make):
    data = make(HEADER + "@data\n{0 1,1 5,2 1}\n")
    np.testing.assert_array_equal(data.Y.indices, [0, 1])
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 1]])


def test_training_and_test_file_become_one_data_set(make):
    data = make(HEADER + "@data\n0,1,1\n1,2,0\n", HEADER + "@data\n1,3,1\n")
    np.testing.assert_array_equal(data.part, [TRAIN, TRAIN, TEST])
    np.testing.assert_array_equal(data.X[:, 0], [1, 2, 3])


@pytest.mark.parametrize("levels", ["{NO,YES}", "{YES,NO}"])
def test_yes_is_1_however_it_is_declared(make, levels):
    data = make(HEADER + f"@attribute motif {levels}\n@data\n0,1,1,YES\n1,2,0,NO\n")
    np.testing.assert_array_equal(data.X[:, 1], [1, 0])
    assert data.levels == {1: ("NO", "YES")}


def test_absent_from_a_sparse_row_is_the_first_level(make):
    data = make(HEADER + "@attribute motif {YES,NO}\n@attribute L {1,0}\n@data\n{1 2,3 NO,4 0}\n{0 1}\n", xml=XML)
    assert sparse.issparse(data.X)
    np.testing.assert_array_equal(data.X.toarray(), [[2, 0, 0], [0, 1, 1]])
    assert data.levels == {1: ("NO", "YES")}  # {1,0} is the numbers 0 and 1, in whatever order


def test_label_declared_with_1_first(make):
    header = HEADER.replace("A {0,1}", "A {1,0}")
    np.testing.assert_array_equal(make(header + "@data\n1,5,0\n0,5,1\n").Y.toarray(), [[0, 1], [1, 0]])
    np.testing.assert_array_equal(make(header + "@data\n{1 5}\n{0 0,2 1}\n").Y.toarray(), [[0, 1], [1, 0]])


def test_strings_have_one_coding_over_both_files(make):
    header = HEADER + "@attribute id string\n@data\n"
    data = make(header + "0,1,1,p\n1,2,0,q\n", header + "0,3,1,r\n1,4,0,p\n")
    assert data.levels == {1: ("p", "q", "r")}
    np.testing.assert_array_equal(data.X[:, 1], [0, 1, 2, 0])


def test_strings_of_sparse_files_have_one_coding(make):
    header = HEADER + "@attribute id string\n@data\n"
    data = make(header + "{3 p}\n{0 1,3 q}\n", header + "{3 r}\n{3 p}\n{}\n")
    assert data.levels == {1: ("", "p", "q", "r")}
    np.testing.assert_array_equal(data.X.toarray()[:, 1], [1, 2, 3, 1, 0])


def test_binary_features_of_a_dense_file_become_sparse_if_few_are_set(make):
    header = "@relation r\n@attribute A {0,1}\n@attribute B {0,1}\n" + "".join(
        f"@attribute f{i} {{0,1}}\n" for i in range(10)
    )
    assert sparse.issparse(make(header + "@data\n" + "0,1," + "0," * 9 + "1\n").X)
    full = make(header + "@data\n" + "0,1," + "1," * 9 + "1\n").X
    assert isinstance(full, np.ndarray)
    assert full.flags.c_contiguous


def test_nested_labels_are_flattened_in_document_order(tmp_path):
    path = tmp_path / "l.xml"
    path.write_text('<labels><label name="a"><label name="b"/><label name="c"/></label><label name="d"/></labels>')
    assert read_labels(path) == ("a", "b", "c", "d")


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><labels><label name="&b;"/></labels>'


@pytest.mark.parametrize(
    ("xml", "reason"),
    [
        ('<labels><label name="A"/>\n<label name="A"/></labels>', r"l\.xml, line 2: label 'A' is listed twice"),
        ('<labels><label name="A"/>', r"l\.xml, line 1: not well-formed XML"),
        ("<labels></labels>", "lists no labels"),
        ('<labels><tag name="A"/></labels>', "expected <label name=...>, found <tag>"),
        ("<labels><label/></labels>", "expected <label name=...>"),
        (BOMB, "DOCTYPE is not allowed"),
        ('<!DOCTYPE labels SYSTEM "file:///etc/hostname"><labels/>', "DOCTYPE is not allowed"),
        ('<?xml version="1.0" encoding="no-such-code"?><labels/>', "not well-formed XML"),
        ('<labels><label name="C"/></labels>', r"all\.arff: no attribute for the label 'C' that .*l\.xml lists"),
        ('<labels><label name="x"/></labels>', r"label 'x' has a value that is missing or neither 0 nor 1"),
    ],
)
def test_bad_xml(make, xml, reason):
    with pytest.raises(DataError, match=reason):
        make(HEADER + "@data\n0,1.5,1\n", xml=xml)


def test_bad_labels(make):
    with pytest.raises(DataError, match=r"label 'A' has the levels '\{a,b\}'; expected \{0,1\}"):
        make(HEADER.replace("A {0,1}", "A {a,b}") + "@data\na,1,1\n")
    with pytest.raises(DataError, match="label 'B' has a value that is missing"):
        make(HEADER + "@data\n0,1,?\n")


def test_different_training_and_test_files(make):
    with pytest.raises(DataError, match="different features or labels"):
        make(HEADER + "@data\n0,1,1\n", HEADER.replace("x", "y") + "@data\n0,1,1\n")
    with pytest.raises(DataError, match="different levels"):
        make(HEADER + "@attribute c {u,v,w}\n@data\n0,1,1,u\n", HEADER + "@attribute c {v,u,w}\n@data\n0,1,1,u\n")


def test_files_option(tmp_path):
    with pytest.raises(ConfigError, match=r"files are \['train'\]; expected 'train' and 'test', or 'all'"):
        read_mulan("toy", tmp_path, files={"train": "a.arff"}, xml="l.xml")


def real(mirror, name, whole=False, stem=None, suffix=""):
    stem = stem or name
    files = {"all": f"{stem}.arff"} if whole else {p: f"{stem}-{p}{suffix}.arff" for p in ("train", "test")}
    return read_mulan(name, mirror / "multilabel" / name, files=files, xml=f"{stem}.xml")


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("name", "n", "d", "q", "labels_set"),
    [("emotions", 593, 72, 6, 1108), ("medical", 978, 1449, 45, 1218), ("genbase", 662, 1186, 27, 829)],
)
def test_real_sets(mirror, name, n, d, q, labels_set):
    data = real(mirror, name)
    assert (data.n, data.d, data.q, data.Y.nnz) == (n, d, q, labels_set)


@pytest.mark.mirror
def test_delicious_has_an_escaped_label(mirror):
    data = real(mirror, "delicious")
    assert (data.n, data.d, data.q) == (16105, 500, 983)
    assert "TAG_m\\'usica" in data.label_names


def rows(data):
    X = data.X.toarray() if sparse.issparse(data.X) else data.X
    return Counter(row.tobytes() for row in np.hstack([X, data.Y.toarray()]) + 0.0)


@pytest.mark.mirror
@pytest.mark.parametrize("name", ["yeast", "emotions", "medical"])
def test_training_and_test_rows_are_the_rows_of_the_whole_file(mirror, name):
    split, whole = real(mirror, name), real(mirror, name, whole=True)
    assert split.feature_names == whole.feature_names
    assert rows(split) == rows(whole)


@pytest.mark.mirror
def test_genbase_split_has_one_protein_twice_and_lacks_another(mirror):
    split, whole = real(mirror, "genbase"), real(mirror, "genbase", whole=True)
    assert split.levels == whole.levels
    proteins = split.levels[0]
    only_split, only_whole = rows(split) - rows(whole), rows(whole) - rows(split)
    ids = [[proteins[int(np.frombuffer(row)[0])] for row in part.elements()] for part in (only_split, only_whole)]
    assert ids == [["Q9XEL8"], ["O88658"]]
    # A few motifs per protein are YES: the coding does not turn the absent ones into ones.
    assert split.X[:, 1:].nnz / split.n < 5
