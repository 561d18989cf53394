"""What decides a prepared data set."""

import pytest

from labelknn.errors import ConfigError
from labelknn_papers.data.prepare import prepare_modules


def test_the_modules_of_all_readers_decide():
    readers = ("table", "scikit-learn", "my_readers:read_mine")
    assert prepare_modules("iris", {"sources": [{"reader": reader} for reader in readers]}) == [
        "labelknn_papers.data.prepare",
        "labelknn.datasets._uci",
        "my_readers",
    ]


def test_an_unknown_reader_is_refused():
    with pytest.raises(ConfigError, match=r"data set 'toy': unknown reader 'mula'\. Did you mean 'mulan'"):
        prepare_modules("toy", {"sources": [{"reader": "mula"}]})
