"""The one way to call a reader: what it checks before and after."""

import inspect

import pytest

from labelknn.datasets._readers import READERS, read
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
        ("ranking", "synthetic-multilabel", SYNTHETIC, "declared as 'ranking', but reader .* gave 'multilabel'"),
    ],
)
def test_mistakes(tmp_path, task, reader, options, reason):
    with pytest.raises(ConfigError, match=reason):
        read("toy", task, reader, tmp_path, options)


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_has_the_same_form(reader):
    name, folder, *options = inspect.signature(READERS[reader]).parameters.values()
    assert (name.name, folder.name) == ("name", "folder")
    assert all(option.kind is option.KEYWORD_ONLY for option in options)
