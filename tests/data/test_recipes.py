"""Data sets made from others, as the registry declares them."""

import numpy as np
import pytest
import yaml

from labelknn.datasets._container import Dataset
from labelknn.datasets._readers import read
from labelknn.errors import ConfigError, DataError
from labelknn_papers.data.generate import agreement, attribute_rankings, naive_bayes_rankings, reorder_like
from labelknn_papers.data.prepare import check
from labelknn_papers.data.recipes import make
from labelknn_papers.plan.plan import Plan

from ..conftest import ROOT

PLAN = Plan(yaml.safe_load((ROOT / "config/config.yaml").read_text()), ROOT)
RANKINGS = [name for name in PLAN.datasets if name.endswith("-generated")]


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(0)
    return Dataset("raw", "regression", rng.normal(size=(9, 4)), None, tuple("wxyz"))


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(1)
    y = np.arange(30) % 3
    return Dataset("raw", "classification", rng.normal(size=(30, 2)) + y[:, None], y, ("u", "v"), tuple("abc"))


def test_recipes_are_the_functions_with_a_new_name(columns, classes):
    made = make("mine", "attributes", [columns], {"predictors": ["w"], "labels": ["y", "z"]})
    assert (made.name, made.task) == ("mine", "ranking")
    np.testing.assert_array_equal(made.Y, attribute_rankings(columns, ["w"], ["y", "z"]).Y)
    made = make("mine", "naive-bayes", [classes], {"decimals": 3, "ties": "index"})
    np.testing.assert_array_equal(made.Y, naive_bayes_rankings(classes, "weka", 3, "index").Y)


def test_the_gaussian_has_no_decimals_and_no_unstable_sort(classes):
    plain = naive_bayes_rankings(classes, "gaussian", None, "index", "symmetric")
    made = make("mine", "naive-bayes", [classes], {"estimator": "gaussian", "decimals": 3, "scale": "symmetric"})
    np.testing.assert_array_equal(made.Y, plain.Y)


@pytest.mark.parametrize(
    ("recipe", "options", "error", "message"),
    [
        ("atributes", {}, ConfigError, "'mine': unknown recipe 'atributes'. Did you mean 'attributes'"),
        ("attributes", {"predictors": ["w"], "label": ["y"]}, ConfigError, "'mine': unknown option .* 'label'"),
        ("attributes", {"predictors": ["w"]}, ConfigError, "'mine': recipe 'attributes' needs the option 'labels'"),
        ("attributes", {"predictors": ["w"], "labels": ["q"]}, DataError, "raw: there is no column 'q'"),
    ],
)
def test_bad_recipes(columns, recipe, options, error, message):
    with pytest.raises(error, match=message):
        make("mine", recipe, [columns], options)


def test_the_settings_of_a_paper_decide_for_all_of_a_kind():
    assert PLAN.recipe("iris-generated")["options"]["estimator"] == "weka"
    assert PLAN.recipe("iris-generated")["options"]["decimals"] == 3
    assert PLAN.recipe("alpha")["options"] == {"zero_level": "gene-mean", "task": "alpha"}
    assert PLAN.recipe("housing-generated")["options"].keys() == {"predictors", "labels"}


def test_bases_come_before_what_is_made_from_them():
    order = PLAN.with_bases(["alpha"])
    assert order[-2:] == ["yeast-genes", "alpha"]
    assert set(order) > set(PLAN.bases("yeast-genes"))


def test_generated_rankings_take_the_place_of_the_published_ones():
    generated = Plan({**PLAN.config, "settings": {"cheng2009": {"rankings": "generated"}}}, ROOT)
    assert {name for name in generated.paper_datasets("cheng2009") if "-" in name} >= set(RANKINGS)
    tables = [target.dataset for target in generated.targets["cheng2009"] if target.published.dataset == "iris"]
    assert set(tables) == {"iris-generated"}
    assert generated.paper_datasets("zhang2005") == PLAN.paper_datasets("zhang2005")


@pytest.mark.mirror
@pytest.mark.parametrize("name", RANKINGS)
def test_the_registry_regenerates_every_published_ranking(name, mirror):
    """16 of 16 sets, 100 % of the rows: what the registry declares, not what a test says."""
    published, raw = name.removesuffix("-generated"), name.replace("-generated", "-raw")
    data = {}
    for key, folder in ((published, "published"), (raw, "raw")):
        source = PLAN.datasets[key]["sources"][0]
        folder = mirror / "label-ranking" / folder
        data[key] = read(key, PLAN.datasets[key]["task"], source["reader"], folder, source["options"])
    recipe = PLAN.recipe(name)
    made = make(name, recipe["recipe"], [data[raw]], recipe["options"])
    check(made, PLAN.datasets[name]["expect"])
    if published == "fried":
        made = reorder_like(made, data[published])
    assert agreement(made, data[published]) == (1, 1)
