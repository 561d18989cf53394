"""The examples in the docstrings of the whole package are true."""

import doctest
import importlib
import pkgutil

import pytest
import yaml

import labelknn

from .conftest import ROOT

MODULES = [module.name for module in pkgutil.walk_packages(labelknn.__path__, "labelknn.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_every_method_has_an_example():
    registry = yaml.safe_load((ROOT / "config/algorithms.yaml").read_text())
    methods = {entry["class"].partition(":")[0] for entry in registry.values()}
    finder = doctest.DocTestFinder()
    without = [
        name
        for name in sorted(methods)
        if not any(test.examples for test in finder.find(importlib.import_module(name)))
    ]
    assert without == []
