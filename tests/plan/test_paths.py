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


def test_neighbours_are_shared_by_methods_that_look_at_the_same_ones(paths):
    place = "d/neighbors/cv-5x10/yeast"
    assert paths.neighbors("cv-5x10", "yeast", "brknn") == f"{place}/min-max-10-all-rows.npz"
    assert paths.neighbors("cv-5x10", "yeast", "brknn") == paths.neighbors("cv-5x10", "yeast", "iblr-ml")
    assert paths.neighbors("cv-5x10", "yeast", "oracle-1") == f"{place}/min-max-10-test-rows.npz"
    assert paths.neighbors("cv-5x10", "yeast", "mlknn-one-threshold") == f"{place}/given-29-all-rows.npz"
    assert paths.neighbors("cv-5x10", "yeast", "mlknn") is None


def test_what_is_made_from_others_is_not_fetched(paths):
    assert paths.status(["iris", "iris-raw", "iris-generated"]) == ["d/raw/iris.json", "d/raw/iris-raw.json"]
    assert paths.prepared(["iris"], "json") == ["d/prepared/iris.json"]


def test_a_comparison_takes_what_the_run_has_and_tries_the_rest(paths):
    cell = "cv-1x10/synthetic-multilabel"
    assert paths.comparison_scores("ours", ["emotions"]) == [
        f"d/scores/{cell}/mlknn.csv",
        f"d/scores/{cell}/feature-knn-10w.csv",
    ]
    assert paths.comparison_reasons("ours", ["emotions"]) == []
    tried = "cv-1x10/emotions/feature-knn-10w"
    assert paths.comparison_scores("ours", [])[-1] == f"d/attempts/{tried}.csv"
    assert paths.comparison_times("ours", [])[-1] == f"d/attempt_times/{tried}.csv"
    assert paths.comparison_reasons("ours", []) == [f"d/attempts/{tried}.txt"]
    assert len(paths.comparison_scores("ours", [])) == 3, "what is known not to run is not tried"


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
    assert len(files) == 11
