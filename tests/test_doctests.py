"""The examples in the docstrings of the whole package and in the README are true, and docs/api.md shows them."""

import doctest
import importlib
import inspect
import pkgutil
import runpy

import pytest

import labelknn
from labelknn.utils import all_estimators

from .conftest import ROOT

MODULES = [module.name for module in pkgutil.walk_packages(labelknn.__path__, "labelknn.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


@pytest.mark.parametrize(("name", "estimator"), all_estimators())
def test_every_estimator_has_an_example(name, estimator):
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(estimator))
    assert any(f"{name}(" in example.source for example in examples)


def test_the_page_of_the_estimators_is_up_to_date():
    page = runpy.run_path(str(ROOT / "docs/make_api.py"))
    assert page["PAGE"].read_text() == page["render"](), "call: make api"


@pytest.mark.mirror
def test_the_example_of_the_readme(mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("LABELKNN_MIRROR", str(mirror))
    monkeypatch.setenv("LABELKNN_CACHE", str(tmp_path))
    # Markdown's fences are no part of what is printed.
    text = (ROOT / "README.md").read_text().replace("```", "")
    example = doctest.DocTestParser().get_doctest(text, {}, "README.md", None, 0)
    assert len(example.examples) == 6
    assert doctest.DocTestRunner().run(example).failed == 0
