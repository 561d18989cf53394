"""The one way to call a reader: what it checks before and after."""

import inspect

import pytest

from labelknn.datasets._readers import READERS, find_reader, read
from labelknn.errors import ConfigError

SYNTHETIC = {"n": 20, "features": 3, "labels": 3, "seed": 1}


def test_read(tmp_path):
    assert read("toy", "ranking", "synthetic-ranking", tmp_path, SYNTHETIC).task == "ranking"


@pytest.mark.parametrize(
    ("task", "reader", "options", "reason"),
    [
        ("ranking", "kebbi", {}, "data set 'toy': unknown reader 'kebbi'. Did you mean 'kebi'"),
        ("ranking", "kebi", {"fil": "a"}, "unknown option of reader 'kebi' 'fil'. Did you mean 'file'"),
        ("ranking", "kebi", {"folder": "a"}, "unknown option of reader 'kebi' 'folder'"),
        ("ranking", "kebi", {}, "reader 'kebi' needs the option 'file'"),
        ("ranking", "nowhere:read", {}, "data set 'toy': reader 'nowhere:read' cannot be imported .*nowhere"),
        ("ranking", "labelknn.datasets:fetch", {}, "reader 'labelknn.datasets:fetch' cannot be imported"),
        ("ranking", "mine:", {}, "reader 'mine:'; write one of your own as package.module:function"),
        ("ranking", "synthetic-multilabel", SYNTHETIC, "declared as 'ranking', but reader .* gave 'multilabel'"),
    ],
)
def test_mistakes(tmp_path, task, reader, options, reason):
    with pytest.raises(ConfigError, match=reason):
        read("toy", task, reader, tmp_path, options)


def test_a_reader_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "my_readers.py").write_text(
        "from labelknn.datasets._synthetic import read_synthetic_ranking\n"
        "def read_mine(name, folder, *, rows):\n"
        "    return read_synthetic_ranking(name, folder, n=rows, features=2, labels=3, seed=0)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert read("toy", "ranking", "my_readers:read_mine", tmp_path, {"rows": 7}).n == 7
    with pytest.raises(ConfigError, match="reader 'my_readers:read_mine' needs the option 'rows'"):
        read("toy", "ranking", "my_readers:read_mine", tmp_path, {})


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_has_the_same_form(reader):
    name, folder, *options = inspect.signature(find_reader(reader, "")).parameters.values()
    assert (name.name, folder.name) == ("name", "folder")
    assert all(option.kind is option.KEYWORD_ONLY for option in options)
