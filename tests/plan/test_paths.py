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


def test_a_comparison_tries_what_could_be_had(paths):
    tried = [f"cv-1x10/{name}/mlknn@nominal-to-binary" for name in ("synthetic-multilabel", "emotions")]
    tried += [f"cv-1x10/{name}/feature-knn-10w@min-max" for name in ("synthetic-multilabel", "emotions")]
    assert [one.path for one in paths.tried("ours", [])] == tried
    assert [one.path for one in paths.tried("ours", ["emotions"])] == tried[::2]


def test_pictures_need_two_data_sets(paths):
    pictures = [f"f/comparison/ours_ranks_{metric}" for metric in OURS["metrics"]]
    found = [f"{name}.{suffix}" for name in pictures for suffix in ("svg", "png")]
    assert paths.comparison_pictures("ours", ["ranks"]) == found
    assert set(found) < set(paths.comparison_files("ours"))
    assert paths.comparison_pictures("every-method", ["ranks", "time"]) == []
    rates = [f"f/comparison/cc-forms_ranks_kendall_tau_missing_{rate}.svg" for rate in (0, 30, 60)]
    assert paths.comparison_pictures("cc-forms", ["ranks"])[::2] == rates


def test_a_measurement_for_each_shape_and_scale(paths):
    files = paths.scale("feremans2017")
    assert files[0] == "d/scale/feremans2017/wiki-lshtc/0.0025.json"
    assert files[-1] == "d/scale/feremans2017/wiki-10/1.json"
    assert len(files) == 12
