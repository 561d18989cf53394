"""KEBI's ranking files: both readings of the letters, against their definition and the file's own second form."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.datasets._kebi import read_kebi
from labelknn.errors import ConfigError, DataError


def write(folder, content):
    (folder / "k.txt").write_text(content)
    return folder


def test_order_by_hand(tmp_path):
    data = read_kebi("toy", write(tmp_path, "A1,A2,ranking\r\n1,-.5,b>a>c\r\n\r\n2,1e-3,c>a>b\r\n"), file="k.txt")
    np.testing.assert_array_equal(data.X, [[1, -0.5], [2, 0.001]])
    np.testing.assert_array_equal(data.Y, [[2, 1, 3], [2, 3, 1]])
    assert (data.task, data.feature_names, data.label_names) == ("ranking", ("A1", "A2"), ("a", "b", "c"))


def test_ranks_by_hand(tmp_path):
    folder = write(tmp_path, "A1,ranking,a,b,c\n1,c>a>b,whatever,,\n")
    np.testing.assert_array_equal(read_kebi("toy", folder, file="k.txt", ranking="ranks").Y, [[3, 1, 2]])


@given(st.integers(2, 8).flatmap(lambda q: st.lists(st.permutations(range(q)), min_size=1, max_size=5)))
@settings(max_examples=50, deadline=None)
def test_the_two_readings_are_inverse(tmp_path_factory, permutations):
    lines = [f"0,{'>'.join('abcdefgh'[label] for label in permutation)}" for permutation in permutations]
    folder = write(tmp_path_factory.mktemp("kebi"), "\n".join(["A1,ranking", *lines]))
    order, ranks = (read_kebi("toy", folder, file="k.txt", ranking=kind).Y for kind in ("order", "ranks"))
    for permutation, order_row, ranks_row in zip(permutations, order, ranks, strict=True):
        assert [order_row[label] for label in permutation] == list(range(1, len(permutation) + 1))
        assert (ranks_row - 1).tolist() == list(permutation)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("A1,A2\n1,2\n", "line 1: expected a header with a column 'ranking'"),
        ("", "line 1: expected a header"),
        ("ranking\na>b\n", "line 1: expected distinct feature columns"),
        ("A1,A1,ranking\n1,2,a>b\n", "line 1: expected distinct feature columns"),
        ("A1,ranking\n", "no rows"),
        ("A1,ranking\n1,a>b\n2\n", "line 3: 1 values, expected 1 features and a ranking"),
        ("A1,ranking\nx,a>b\n", "line 2: feature value 'x'"),
        ("A1,ranking\nnan,a>b\n", "line 2: feature value 'nan'"),
        ("A1,ranking\n1,a>c\n", "line 2: ranking 'a>c'; expected each of the labels a..b once"),
        ("A1,ranking\n1,a>a\n", "line 2: ranking 'a>a'"),
        ("A1,ranking\n1,a>b>c\n2,b>a\n", "line 3: ranking 'b>a'; expected each of the labels a..c once"),
        ("A1,ranking\n1,a>b\n2,b>a>c\n", "line 3: ranking 'b>a>c'"),
        ("A1,ranking\n1,\n", "line 2: ranking ''"),
    ],
)
def test_malformed_files(tmp_path, content, reason):
    with pytest.raises(DataError, match=reason):
        read_kebi("toy", write(tmp_path, content), file="k.txt")


def test_unknown_reading(tmp_path):
    with pytest.raises(ConfigError, match=r"unknown ranking 'orders'\. Did you mean 'order'"):
        read_kebi("toy", tmp_path, file="k.txt", ranking="orders")


@pytest.mark.mirror
def test_every_published_file_is_read(mirror):
    shapes = {}
    for path in sorted((mirror / "label-ranking" / "published").glob("*.txt")):
        data = read_kebi(path.stem, path.parent, file=path.name)
        assert (np.sort(data.Y, axis=1) == np.arange(1, data.q + 1)).all()
        shapes[path.stem] = (data.n, data.d, data.q)
    assert len(shapes) == 16
    assert shapes["fried"] == (40768, 9, 5)
    assert shapes["wisconsin"] == (194, 16, 16)


@pytest.mark.mirror
def test_columns_after_the_ranking_agree_with_order(mirror):
    """elevators repeats its rankings as places from 0."""
    folder = mirror / "label-ranking" / "published"
    places = np.loadtxt(folder / "elevators.txt", delimiter=",", skiprows=1, usecols=range(10, 19))
    np.testing.assert_array_equal(read_kebi("elevators", folder, file="elevators.txt").Y, places + 1)


@pytest.mark.mirror
def test_gene_files_share_their_features(mirror):
    folder = mirror / "yeast-expression"
    parts = [
        read_kebi(k, folder, file=f"kebi-{k}.txt", ranking="ranks") for k in ("spo", "heat", "dtt", "cold", "diau")
    ]
    assert [part.q for part in parts] == [11, 6, 4, 4, 7]
    assert all(part.X.shape == (2465, 24) and (part.X == parts[0].X).all() for part in parts)
