"""The examples in the docstrings of the whole package, in the README and in the guide are true."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import labelknn
from labelknn.metrics import METRICS
from labelknn.utils import all_estimators

from .conftest import ROOT

MODULES = [module.name for module in pkgutil.walk_packages(labelknn.__path__, "labelknn.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


@pytest.mark.parametrize(("name", "estimator"), all_estimators())
def test_every_estimator_has_an_example_and_its_place_in_a_paper(name, estimator):
    text = inspect.getdoc(estimator)
    examples = doctest.DocTestParser().get_examples(text)
    assert any(f"{name}(" in example.source for example in examples)
    assert "\nReferences\n----------\n" in text


GUIDE = [page for page in sorted((ROOT / "docs").glob("*/*.md")) if ">>> " in page.read_text()]


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_the_examples_of_the_guide(page):
    text = page.read_text().replace("```", "")  # the fences are no part of what is printed
    example = doctest.DocTestParser().get_doctest(text, {}, page.name, None, 0)
    assert doctest.DocTestRunner().run(example).failed == 0
    METRICS.pop("hits", None)  # one page declares it


@pytest.mark.mirror
def test_the_example_of_the_readme(mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("LABELKNN_MIRROR", str(mirror))
    monkeypatch.setenv("LABELKNN_CACHE", str(tmp_path))
    # Markdown's fences are no part of what is printed.
    text = (ROOT / "README.md").read_text().replace("```", "")
    example = doctest.DocTestParser().get_doctest(text, {}, "README.md", None, 0)
    assert len(example.examples) == 6
    assert doctest.DocTestRunner().run(example).failed == 0
