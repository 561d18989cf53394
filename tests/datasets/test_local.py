"""Data of one's own: a CSV file with rankings, libsvm files, and entries that name them."""

import numpy as np
import pytest

from labelknn.datasets.local import local_files, read_libsvm, read_local, read_ranking_csv
from labelknn.errors import ConfigError, DataError


def test_rankings_by_hand(tmp_path):
    (tmp_path / "songs.csv").write_text(
        "tempo,mood,order\n120,sad,jazz > rock>pop\n90.5,glad,rock>pop\n60,sad,jazz > rock>pop\n"
    )
    data = read_ranking_csv("songs", tmp_path, file="songs.csv", ranking="order")
    assert data.task == "ranking"
    assert data.label_names == ("jazz", "pop", "rock")
    np.testing.assert_array_equal(data.Y, [[1, 3, 2], [0, 2, 1], [1, 3, 2]])
    np.testing.assert_array_equal(data.X, [[120, 0], [90.5, 1], [60, 0]])
    assert data.levels == {1: ("sad", "glad")}
    assert read_ranking_csv("songs", tmp_path, file="songs.csv", ranking="order", drop=["mood"]).d == 1


@pytest.mark.parametrize("ranking", ["a>>b", "a>b>a", ">", "a>"])
def test_what_is_no_ranking_is_refused(tmp_path, ranking):
    (tmp_path / "t.csv").write_text(f"x,ranking\n1,b>a\n2,{ranking}\n")
    with pytest.raises(DataError, match=r"t\.csv: ranking '.*'; expected distinct labels"):
        read_ranking_csv("t", tmp_path, file="t.csv")


def test_one_label_is_no_ranking(tmp_path):
    (tmp_path / "t.csv").write_text("x,ranking\n1,a\n2,a\n")
    with pytest.raises(DataError, match="1 label; expected at least 2"):
        read_ranking_csv("t", tmp_path, file="t.csv")


def test_libsvm_in_one_file_or_two(tmp_path):
    (tmp_path / "a.txt").write_text("0,2 1:0.5 4:1.25\n1 2:2\n")
    (tmp_path / "b.txt").write_text("2 1:-4\n")
    data = read_libsvm("t", tmp_path, files={"all": "a.txt"})
    np.testing.assert_array_equal(data.X.toarray(), [[0.5, 0, 0, 1.25], [0, 2, 0, 0]])
    np.testing.assert_array_equal(data.Y.toarray(), [[1, 0, 1], [0, 1, 0]])
    assert data.part is None
    both = read_libsvm("t", tmp_path, files={"train": "a.txt", "test": "b.txt"})
    assert both.part.tolist() == [0, 0, 1]


def test_entries_of_the_registry(tmp_path):
    (tmp_path / "t.csv").write_text("x,ranking\n1,b>a\n2,a>b\n")
    options = {"file": "t.csv"}
    entry = {"task": "ranking", "local": {"reader": "ranking-csv", "folder": str(tmp_path), "options": options}}
    assert read_local("mine", entry).n == 2
    assert local_files(entry) == [str(tmp_path / "t.csv")]
    mulan = {"local": {"reader": "mulan", "folder": "f", "options": {"files": {"all": "a"}, "xml": "b"}}}
    assert local_files(mulan) == ["f/a", "f/b"]
    with pytest.raises(ConfigError, match="declared as 'multilabel'"):
        read_local("mine", entry | {"task": "multilabel"})
    with pytest.raises(ConfigError, match="unknown option of reader 'ranking-csv' 'fiel'"):
        read_local("mine", entry | {"local": entry["local"] | {"options": {"fiel": "t.csv"}}})
