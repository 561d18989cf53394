"""The files that a result is made of."""

import pytest

from labelknn.errors import ConfigError
from labelknn_papers.plan.config import merge, read_yaml
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.provenance import commit, config_digest, method_files, source_files

from ..conftest import ROOT


def names(module):
    return {path.name for path in source_files(module)}


def test_a_method_is_made_of_its_imports():
    assert names("labelknn.multilabel._mlknn") == {
        "_mlknn.py",
        "_votes.py",
        # What all methods are built on.
        "_base.py",
        "_kendall.py",
        "_kernels.py",
        "_parameters.py",
        "_scores.py",
        "_threads.py",
        "_validation.py",
        "_warnings.py",
        # The search.
        "_euclidean.py",
        "_exact.py",
        "_measure.py",
        "_order.py",
        "_tree.py",
        "_whole_numbers.py",
    }


def test_a_public_name_is_made_of_what_its_module_is():
    assert method_files({"class": "labelknn:MLkNN"}) == source_files("labelknn.multilabel._mlknn")
    around = {"class": "labelknn:OneThreshold", "params": {"estimator": {"class": "labelknn:IBLRML"}}}
    assert {"_one_threshold.py", "_mlknn.py", "_iblr_ml.py"} <= {path.name for path in method_files(around)}


def test_a_library_that_is_not_installed_has_no_files():
    """Then the method fails when it is run, and the others stand."""
    absent = {"class": "nowhere.neighbors:KNN", "params": {"inner": {"class": "labelknn:MLkNN"}}}
    assert method_files(absent) == source_files("labelknn.multilabel._mlknn")
    with pytest.raises(ConfigError, match=r"'nowhere\.neighbors' cannot be found"):
        method_files(absent, strict=True)


def test_imports_are_followed_further():
    assert {"prepare.py", "_readers.py", "_container.py"} <= names("labelknn_papers.data.prepare")
    assert {"_mulan.py", "_arff.py", "_arff_rows.py", "_container.py"} <= names("labelknn.datasets._mulan")


def test_unknown_modules_are_refused():
    with pytest.raises(ConfigError, match=r"'labelknn\.nothing' cannot be found"):
        source_files("labelknn.nothing")


def test_the_digest_of_a_config_is_about_its_content():
    config = read_yaml(ROOT / "config/config.yaml") | {"papers": ["zhang2005"], "comparisons": []}
    first, moved, other = (
        config_digest(Plan(merge(config, changes), ROOT))
        for changes in ({}, {"figures": "elsewhere", "data": "there"}, {"seed": 1})
    )
    assert first == moved != other


def test_a_folder_that_is_no_checkout_has_no_commit(tmp_path):
    assert commit(tmp_path) is None
