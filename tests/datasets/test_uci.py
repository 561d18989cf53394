"""Classification and regression tables in all their forms, and every raw file of the mirror."""

import numpy as np
import pytest

from labelknn.datasets._uci import read_scikit_learn, read_table
from labelknn.errors import ConfigError, DataError

ARFF = (
    "@relation r\n@attribute part {Train, Test}\n@attribute x real\n@attribute CHAS { 0, 1}\n"
    "@attribute class {dog, cat}\n@data\nTrain,1,1,cat\nTest,2,0,dog\nTrain,?,0,dog\n"
)


@pytest.fixture
def make(tmp_path):
    def read(content, **options):
        (tmp_path / "t").write_text(content)
        return read_table("toy", tmp_path, file="t", **options)

    return read


def test_arff_classes_are_in_declared_order(make):
    data = make(ARFF, format="arff", target="class")
    assert (data.task, data.label_names, data.feature_names) == (
        "classification",
        ("dog", "cat"),
        ("part", "x", "CHAS"),
    )
    np.testing.assert_array_equal(data.Y, [1, 0, 0])
    np.testing.assert_array_equal(data.X, [[0, 1, 1], [1, 2, 0], [0, np.nan, 0]])
    assert data.levels == {0: ("Train", "Test")}


def test_regression_has_all_numeric_columns(make):
    data = make(ARFF, format="arff")
    assert (data.task, data.Y, data.feature_names, data.levels) == ("regression", None, ("x", "CHAS"), {})
    np.testing.assert_array_equal(data.X, [[1, 1], [2, 0], [np.nan, 0]])


def test_rows_drop_and_missing(make):
    options = {"format": "arff", "target": "class", "drop": ["part"], "rows": {"column": "part", "equals": "Train"}}
    data = make(ARFF, **options)
    np.testing.assert_array_equal(data.X, [[1, 1], [np.nan, 0]])
    np.testing.assert_array_equal(make(ARFF, **options, missing="drop").X, [[1, 1]])


def test_missing_values_of_unused_columns_do_not_count(make):
    assert make(ARFF, format="arff", target="class", drop=["x"], missing="drop").n == 3


def test_csv_with_quotes_spaces_and_crlf(make):
    data = make('"a b","c","k"\r\n1, 2 ,"x, y"\r\n3,?,z \r\n', format="csv", target="k")
    assert (data.feature_names, data.label_names) == (("a b", "c"), ("x, y", "z"))
    np.testing.assert_array_equal(data.X, [[1, 2], [3, np.nan]])


def test_csv_class_order(make):
    content = "x,k\n1,10\n2,9\n3,10\n"
    data = make(content, format="csv", target="k")
    assert data.label_names == ("9", "10")  # numbers ascend
    np.testing.assert_array_equal(data.Y, [1, 0, 1])
    assert make("x,k\n1,b\n2,a\n", format="csv", target="k").label_names == ("b", "a")  # names as they appear
    data = make(content, format="csv", target="k", classes=[10, 9])
    assert data.label_names == ("10", "9")
    np.testing.assert_array_equal(data.Y, [0, 1, 0])


def test_arff_class_numbers_keep_their_declaration(make):
    data = make("@attribute x real\n@attribute k {3,1,2}\n@data\n5,1\n6,3\n", format="arff", target="k")
    assert data.label_names == ("3", "1", "2")
    np.testing.assert_array_equal(data.Y, [1, 0])


def test_csv_without_header(make):
    data = make("1,a\n2,b\n", format="csv", columns=["x", "k"], target="k", rows={"column": "x", "equals": 2})
    np.testing.assert_array_equal(data.X, [[2]])
    assert data.label_names == ("a", "b")


def test_keel_with_and_without_header(make):
    header = "@relation r\n@attribute x real [0, 9]\n@attribute k {u, v}\n@inputs x\n@outputs k\n@data\n"
    rows = "1.5, v \n.5, u\n"
    with_header = make(header + rows, format="keel", target="k")
    without = make(rows, format="keel", columns=["x", "k"], classes=["u", "v"], target="k")
    for data in (with_header, without):
        assert data.label_names == ("u", "v")
        np.testing.assert_array_equal(data.X, [[1.5], [0.5]])
        np.testing.assert_array_equal(data.Y, [1, 0])


@pytest.mark.parametrize(
    ("content", "options", "error", "reason"),
    [
        ("x,y\n1\n", {}, DataError, "line 2: 1 values, expected 2"),
        ("x,y\n1,2,3\n", {}, DataError, "line 2: 3 values, expected 2"),
        ("x,x\n1,2\n", {}, DataError, "column name 'x' is empty or occurs twice"),
        ("x,\n1,2\n", {}, DataError, "is empty or occurs twice"),
        ("", {}, DataError, "line 1: no header"),
        ("x,y\n", {}, DataError, "no rows"),
        ('x,y\n1,"2\n', {}, DataError, "line 2: not comma-separated values"),
        ("x,k\n1,a\n2,?\n", {"target": "k"}, DataError, "the target 'k' is missing in 1 rows"),
        ("x,k\n?,1\n", {"missing": "drop"}, DataError, "no rows or no columns are left"),
        ("k\na\n", {}, DataError, "no rows or no columns are left"),
        ("x,k\n1,a\n", {"target": "K"}, ConfigError, "unknown column of t 'K'"),
        ("x,k\n1,a\n", {"drop": ["y"]}, ConfigError, "unknown column of t 'y'"),
        (
            "x,k\n1,a\n",
            {"target": "k", "classes": ["b"]},
            ConfigError,
            r"classes are \['b'\]; expected each of \['a'\]",
        ),
        ("x,k\n1,a\n", {"target": "k", "classes": ["a", "a"]}, ConfigError, "classes are"),
        ("x,k\n1,a\n", {"rows": {"column": "k"}}, ConfigError, "expected the keys 'column' and 'equals'"),
        ("x,k\n1,a\n", {"rows": {"column": "k", "equals": "b"}}, ConfigError, "unknown value of column 'k' 'b'"),
        ("x,k\n1,a\n", {"missing": "mean"}, ConfigError, "unknown value of option 'missing' 'mean'"),
        ("x,k\n1,a\n", {"format": "xls"}, ConfigError, "unknown format 'xls'"),
        ("1,a\n", {"format": "keel"}, ConfigError, "name its columns with the option 'columns'"),
        (ARFF, {"format": "arff", "columns": ["x"]}, ConfigError, "the file declares its columns"),
    ],
)
def test_bad_input(make, content, options, error, reason):
    with pytest.raises(error, match=reason):
        make(content, **({"format": "csv"} | options))


@pytest.mark.parametrize(("loader", "shape"), [("load_iris", (150, 4, 3)), ("load_wine", (178, 13, 3))])
def test_scikit_learn(loader, shape):
    data = read_scikit_learn("toy", loader=loader)
    assert (data.n, data.d, data.q) == shape
    assert np.bincount(data.Y).tolist() == {"load_iris": [50, 50, 50], "load_wine": [59, 71, 48]}[loader]


def test_unknown_loader():
    with pytest.raises(ConfigError, match="unknown loader 'load_digits'"):
        read_scikit_learn("toy", loader="load_digits")


RAW = {
    "authorship.csv": ({"target": "target"}, (841, 70, 4)),
    "bodyfat.csv": ({}, (252, 14, 0)),
    "boston_housing.arff": ({}, (506, 14, 0)),
    "california_housing.arff": ({}, (20640, 9, 0)),
    "cpu_small.arff": ({}, (8192, 13, 0)),
    "elevators.arff": ({}, (16599, 19, 0)),
    "friedman.arff": ({}, (40768, 11, 0)),
    "glass.csv": ({"target": "Class", "drop": ["id"]}, (214, 9, 6)),
    "iris.arff": ({"target": "class"}, (150, 4, 3)),
    "pendigits.arff": ({"target": "class"}, (10992, 16, 10)),
    "segment.arff": ({"target": "class", "drop": ["region-pixel-count"]}, (2310, 18, 7)),
    "stock.arff": ({}, (950, 10, 0)),
    "vehicle.csv": ({"target": "Class", "classes": ["opel", "saab", "bus", "van"]}, (846, 18, 4)),
    "vowel.arff": (
        {
            "target": "Class",
            "rows": {"column": "Train or Test", "equals": "Train"},
            "drop": ["Train or Test", "Speaker Number", "Sex"],
        },
        (528, 10, 11),
    ),
    "wine.arff": ({"target": "class"}, (178, 13, 3)),
    "wpbc.csv": ({"drop": ["ID_number", "time"], "missing": "drop"}, (194, 32, 0)),
}


@pytest.mark.mirror
@pytest.mark.parametrize("file", RAW)
def test_every_raw_file(mirror, file):
    options, shape = RAW[file]
    data = read_table("toy", mirror / "label-ranking" / "raw", file=file, format=file.rpartition(".")[2], **options)
    assert (data.n, data.d, data.q) == shape
    assert np.isfinite(data.X).all()
    if data.q:
        assert set(data.Y.tolist()) == set(range(data.q))


@pytest.mark.mirror
def test_raw_files_are_all_listed(mirror):
    assert {path.name for path in (mirror / "label-ranking" / "raw").iterdir()} == set(RAW)


@pytest.mark.mirror
def test_scikit_learn_and_uci_have_the_same_wines(mirror):
    ours = read_table("wine", mirror / "label-ranking" / "raw", file="wine.arff", format="arff", target="class")
    theirs = read_scikit_learn("wine", loader="load_wine")
    np.testing.assert_array_equal(ours.Y, theirs.Y)
    assert (ours.X != theirs.X).sum() == 2  # a hue and a colour intensity, rounded in the ARFF
