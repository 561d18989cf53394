"""The files that a result is made of."""

import pytest

from labelknn.errors import ConfigError
from labelknn.experiment.provenance import source_files


def names(module):
    return {path.name for path in source_files(module)}


def test_a_method_is_made_of_its_imports():
    assert names("labelknn.algorithms.mlknn") == {"mlknn.py", "base.py", "dense.py"}


def test_imports_are_followed_further():
    assert {"prepare.py", "readers.py", "mulan.py", "arff.py", "container.py"} <= names("labelknn.datasets.prepare")


def test_unknown_modules_are_refused():
    with pytest.raises(ConfigError, match=r"'labelknn\.nothing' cannot be found"):
        source_files("labelknn.nothing")
