"""The examples in the docstrings of the whole package are true."""

import doctest
import importlib
import pkgutil

import pytest

import labelknn

MODULES = [module.name for module in pkgutil.walk_packages(labelknn.__path__, "labelknn.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_every_method_has_an_example():
    modules = [name for name in MODULES if name.startswith("labelknn.algorithms.")]
    finder = doctest.DocTestFinder()
    without = []
    for name in modules:
        module = importlib.import_module(name)
        examples = [example for test in finder.find(module) for example in test.examples]
        methods = [thing for thing in vars(module).values() if getattr(thing, "__module__", "") == name]
        if any(hasattr(method, "output") for method in methods) and not examples and not name.endswith(".base"):
            without.append(name)
    assert without == []
