"""The examples in the docstrings of the whole package and in the README are true, and docs/api.md shows them."""

import doctest
import importlib
import pkgutil
import runpy

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
    registry = yaml.safe_load((ROOT / "config/methods.yaml").read_text())
    methods = {entry["class"].partition(":")[0] for entry in registry.values()}
    finder = doctest.DocTestFinder()
    without = [
        name
        for name in sorted(methods)
        if not any(test.examples for test in finder.find(importlib.import_module(name)))
    ]
    assert without == []


def test_the_page_of_the_estimators_is_up_to_date():
    page = runpy.run_path(str(ROOT / "docs/make_api.py"))
    assert page["PAGE"].read_text() == page["render"](), "call: make api"


@pytest.mark.mirror
def test_the_example_of_the_readme(mirror, tmp_path, monkeypatch):
    (tmp_path / "data/raw").mkdir(parents=True)
    (tmp_path / "data/raw/yeast").symlink_to(mirror / "multilabel/yeast")
    monkeypatch.chdir(tmp_path)
    # Markdown's fences are no part of what is printed.
    text = (ROOT / "README.md").read_text().replace("```", "")
    example = doctest.DocTestParser().get_doctest(text, {}, "README.md", None, 0)
    assert len(example.examples) == 10
    assert doctest.DocTestRunner().run(example).failed == 0
