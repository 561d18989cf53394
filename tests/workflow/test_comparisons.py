"""A small comparison of methods, one of which is too slow on one data set and fails on another, and one too large."""

import pytest

from labelknn.datasets import load

from .test_workflow import embedded, outputs, rows, snakemake

pytestmark = [pytest.mark.workflow, pytest.mark.long]

MOODY = """
import numpy as np

class Moody:
    def __init__(self, gigabytes=0.0):
        self.gigabytes = gigabytes
    def fit(self, X, Y):
        rows = np.ones(int(125_000_000 * self.gigabytes))
        while self.gigabytes == 0 and len(X) < 150:
            sum(range(1000))
        raise ValueError("not today")
    def predict(self, X):
        return X
"""
CONFIG = embedded(
    title="Rankings",
    protocol={"kind": "cross-validation", "folds": 10, "missing": [0.0, 0.3]},
    datasets=["iris-generated", "wine-generated", "iris"],
    methods={"IBLR": "iblr", "LRT": "lrt", "ML-kNN": "mlknn", "Moody": "moody", "Large": "large", "Forest": "forest"},
    metrics=["kendall_tau"],
    time_limit=12,
    memory_limit=3,
    orderings=[{"paper": "cheng2009", "metric": "kendall_tau", "better": "IBLR", "than": ["LRT"]}],
) | {
    "comparisons": [],
    "modules": "mine",
    "methods": {
        "moody": {"title": "Moody", "class": "moody.Moody"},
        "large": {"title": "Large", "class": "moody:Moody", "params": {"gigabytes": 40.0}},
        "forest": {
            "title": "Forest",
            "class": "sklearn.multioutput.MultiOutputRegressor",
            "params": {"estimator": {"class": "sklearn.ensemble.RandomForestRegressor", "params": {"n_estimators": 5}}},
        },
    },
}


def test_values_where_there_are_some_and_reasons_elsewhere(tmp_path):
    for name in ("mirror", "mine"):
        (tmp_path / name).mkdir()
    (tmp_path / "mine/moody.py").write_text(MOODY)
    config = CONFIG | {"modules": str(tmp_path / "mine")}
    offline = {"LABELKNN_MIRROR": str(tmp_path / "mirror"), "LABELKNN_OFFLINE": "1"}
    run = snakemake(tmp_path, config, "--", "compare", **offline)
    assert run.returncode == 0, run.stderr
    folder = tmp_path / "out/comparison"
    found = {(row["method"], row["dataset"], row["condition"]): row for row in rows(folder / "embedded.csv")}
    assert len(found) == 6 * 3 * 2
    for rate in ("missing=0.0", "missing=0.3"):
        for dataset in ("iris-generated", "wine-generated"):
            for method in ("IBLR", "LRT", "Forest"):
                row = found[method, dataset, rate]
                assert float(row["low"]) < float(row["mean"]) < float(row["high"])
                assert row["splits"] == "10"
            assert "MLkNN is for multilabel data" in found["ML-kNN", dataset, rate]["note"]
            note = found["Large", dataset, rate]["note"]
            assert note.startswith("more than 3 GB of memory (unable to allocate 37.3 GiB")
        assert found["Moody", "iris-generated", rate]["note"] == "more than 12 s"
        assert found["Moody", "wine-generated", rate]["note"] == "ValueError: not today"
        assert found["IBLR", "iris", rate]["note"] == "source unreachable"
    tests = rows(folder / "embedded_tests.csv")
    ranked = {row["detail"] for row in tests if row["test"] == "average rank"}
    assert ranked == {"IBLR", "LRT", "Forest"}
    assert {row["detail"] for row in tests if row["test"] == "not ranked"} == {"ML-kNN", "Moody", "Large"}
    assert any(row["test"] == "Bayesian signed ranks" for row in tests)
    for kind in ("ranks", "heat", "properties", "time"):
        for rate in (0, 30):
            picture = folder / f"embedded_{kind}_kendall_tau_missing_{rate}.svg"
            assert picture.read_text().lstrip().startswith("<?xml")
    trade_off = rows(folder / "embedded_trade_off.csv")
    assert {row["method"] for row in trade_off} == {"IBLR", "LRT", "Forest"}
    assert {"fit_seconds", "predict_seconds"} < set(rows(folder / "embedded_times.csv")[0])
    page = (folder / "embedded.html").read_text()
    assert "more than 12 s" in page
    assert "Iris" in page, "titles, not ids"
    said = [row["about"] for row in rows(folder / "embedded_findings.csv")]
    assert {"coverage", "best", "ordering"} <= set(said)
    assert not (tmp_path / "out/index.html").exists(), "it is no part of the papers' run"

    again = snakemake(tmp_path, config, "--dry-run", "--", "compare", **offline)
    assert "Nothing to be done" in again.stdout + again.stderr
    # All but the seconds is the same when the tables and pictures are made again.
    before = outputs(folder, "embedded.csv", "embedded_tests.csv", "embedded_findings.csv", "embedded_heat_*")
    run = snakemake(tmp_path, config, "--forcerun", "compare_methods_embedded", "--", "compare", **offline)
    assert run.returncode == 0, run.stderr
    assert outputs(folder, "embedded.csv", "embedded_tests.csv", "embedded_findings.csv", "embedded_heat_*") == before


SHOWN = ["Frequent", "BR-kNN", "ML-kNN", "k-NN (scikit-learn)", "BR-kNN (scikit-multilearn-ng)"]
FREQUENT = """
import numpy as np
from sklearn.base import BaseEstimator

class Frequent(BaseEstimator):
    def __init__(self, share=0.5):
        self.share = share
    def fit(self, X, Y):
        self.set_ = Y.mean(axis=0) > self.share
        return self
    def predict(self, X):
        return np.tile(self.set_, (X.shape[0], 1))
"""


@pytest.mark.mirror
def test_two_files_put_a_method_and_a_data_set_beside_the_others(tmp_path, mirror):
    """flags, from a CSV file; the same splits and options as in the comparison of all methods."""
    data = load("flags", mirror=mirror)
    names = [*(f"x{number}" for number in range(data.d)), *data.label_names]
    table = [",".join(f"{value:g}" for value in row) for row in [*map(list, zip(*data.X.T, *data.Y.T, strict=True))]]
    (tmp_path / "flags.csv").write_text("\n".join([",".join(names), *table]) + "\n")
    (tmp_path / "frequent.py").write_text(FREQUENT)
    source = {
        "reader": "csv",
        "files": {"flags.csv": {"path": "flags.csv"}},
        "options": {"file": "flags.csv", "labels": list(data.label_names)},
    }
    like = {"like": "multilabel", "datasets": ["my-flags"], "metrics": ["hamming_loss"], "preprocessing": "min-max"}
    config = {
        "figures": "mine",
        "papers": [],
        "comparisons": [],
        "modules": ".",
        "methods": {"frequent": {"title": "Frequent labels", "class": "frequent.Frequent", "params": {"share": 0.4}}},
        "datasets": {"my-flags": {"title": "My flags", "task": "multilabel", "sources": [source]}},
        "compare": {"flags": {**like, "title": "On my flags", "time_limit": 60, "methods": {"Frequent": "frequent"}}},
        "only": {"flags": {"methods": SHOWN, "folds": 3}},
    }
    run = snakemake(tmp_path, config, "--", "compare")
    assert run.returncode == 0, run.stderr
    found = {row["method"]: row for row in rows(tmp_path / "mine/comparison/flags.csv")}
    assert set(found) == set(SHOWN)
    for row in found.values():
        assert 0 < float(row["mean"]) < 0.6
        assert row["algorithm"].endswith("@min-max"), "all see the same features"
    page = (tmp_path / "mine/comparison/flags.html").read_text()
    assert "My flags" in page
    (covered, _) = rows(tmp_path / "mine/comparison/flags_coverage.csv")
    assert (covered["dataset"], covered["pairs"], covered["share"]) == ("my-flags", "5", "1.0000")
    (cause,) = rows(tmp_path / "mine/comparison/flags_peer_causes.csv")
    counts = [int(cause[name]) for name in ("labels", "differ", "made_alike", "same_neighbors")]
    assert counts[0] == data.n * data.q
    assert counts[1] > 0 == counts[3], "the reason and the order of neighbours explain every label"
    (peer,) = rows(tmp_path / "mine/comparison/flags_peers.csv")
    assert f"{counts[1]} of {counts[0]:,} labels differ. Where ours does the same, " in peer["because"]
    assert f"{counts[1]} of {counts[0]:,} predicted labels differ." in page

    config["methods"]["frequent"]["params"] = {"shares": 0.4}
    wrong = snakemake(tmp_path, config, "--", "compare")
    assert wrong.returncode != 0
    assert "unknown parameter 'shares'. Did you mean 'share'?" in wrong.stderr.strip().splitlines()[-1]
