"""Where the files of a run are."""

import pytest

from labelknn_papers.plan.paths import Paths
from labelknn_papers.plan.plan import Plan

from ..checkout import CONFIG
from ..conftest import ROOT

OURS = {
    "title": "Ours",
    "datasets": ["synthetic-multilabel", "emotions"],
    "protocol": {"kind": "cross-validation", "folds": 10},
    "methods": ["mlknn", "feature-knn-10w"],
    "metrics": ["hamming_loss", "one_error"],
    "cannot": [{"methods": ["ML-kNN"], "datasets": ["emotions"], "because": "not asked for"}],
}


@pytest.fixture(scope="module")
def paths():
    return Paths(Plan(CONFIG | {"data": "d", "figures": "f", "compare": {"ours": OURS}}, ROOT), ("svg", "png"))


def test_splits_are_shared_by_all_rates_of_missing_labels(paths):
    assert paths.splits("cv-5x10-missing-0-30-60", "iris") == "d/splits/cv-5x10/iris.npz"
    assert paths.splits("cv-5x10", "iris") == "d/splits/cv-5x10/iris.npz"


def test_what_a_config_has_made_is_its_own(paths):
    assert paths.results("cv-5x10/iris/run") == "d/results/f/cv-5x10/iris/run.csv"
    assert paths.costs("cv-5x10/iris/run") == "d/costs/f/cv-5x10/iris/run.csv"


def test_what_is_made_from_others_is_not_fetched(paths):
    assert paths.status(["iris", "iris-raw", "iris-generated"]) == ["d/raw/iris.json", "d/raw/iris-raw.json"]
    assert paths.prepared(["iris"], "json") == ["d/prepared/iris.json"]


def test_a_comparison_tries_what_could_be_had_and_is_not_known_to_fail(paths):
    cell = "cv-1x10/synthetic-multilabel"
    reached = [f"{cell}/mlknn", f"{cell}/feature-knn-10w"]
    assert [one.path for one in paths.tried("ours", ["emotions"])] == reached
    assert [one.path for one in paths.tried("ours", [])] == [*reached, "cv-1x10/emotions/feature-knn-10w"]


def test_diagrams_need_two_data_sets(paths):
    diagrams = [f"f/comparisons/ours_{metric}.{suffix}" for metric in OURS["metrics"] for suffix in ("svg", "png")]
    assert paths.comparison_diagrams("ours") == diagrams
    assert paths.trade_off("ours") == [f"f/comparisons/ours_trade_off.{suffix}" for suffix in ("csv", "svg", "png")]
    tables = [f"f/comparisons/ours{ending}" for ending in (".csv", ".md", "_tests.csv")]
    assert paths.comparison_files("ours") == [*tables, *diagrams, *paths.trade_off("ours")]
    assert paths.comparison_diagrams("every-method") == paths.trade_off("every-method") == []


def test_a_measurement_for_each_shape_and_scale(paths):
    files = paths.scale("feremans2017")
    assert files[0] == "d/scale/feremans2017/wiki-lshtc/0.0025.json"
    assert files[-1] == "d/scale/feremans2017/wiki-10/1.json"
    assert len(files) == 12
