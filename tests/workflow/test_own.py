"""With a method and data of one's own: two small files and no edit in the repository."""

import numpy as np
import pytest
import yaml

from ..conftest import ROOT
from .test_workflow import rows, snakemake

pytestmark = pytest.mark.workflow

METHOD = """
import numpy as np
from settings import SHARE

class Frequent:
    def __init__(self, factor=1.0):
        self.factor = factor
    def fit(self, X, Y):
        self.set_ = Y.mean(axis=0) > self.factor * SHARE
    def predict(self, X):
        return np.tile(self.set_, (X.shape[0], 1))
"""
XML = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="a"/><label name="b"/></labels>'
SOURCE = {
    "reader": "mulan",
    "files": {name: {"path": f"sets/{name}"} for name in ("train.arff", "test.arff", "toy.xml")},
    "options": {"files": {"train": "train.arff", "test": "test.arff"}, "xml": "toy.xml"},
}
# zhang2005 on the user's data, with the user's method in the place of all others too: the test stays short.
TABLES = {
    "table1": {"methods": {"mlknn": {"algorithm": "mine", "setting": ""}}},
    "table2": {"methods": {"rank-svm": "mine", "adtboost-mh": "mine", "boostexter": "mine"}},
}
CONFIG = {
    "figures": "out",
    "papers": ["zhang2005"],
    "studies": [],
    "python_path": "../methods",
    "algorithms": {"mine": {"title": "Mine", "class": "frequent:Frequent", "params": {"factor": 1.0}}},
    "datasets": {"toy": {"title": "Toy", "task": "multilabel", "sources": [SOURCE]}},
    "join": {"zhang2005": ["mine"]},
    "compare": {
        "datasets": ["toy"],
        "methods": ["BR-kNN", "mine"],
        "protocol": {"kind": "cross-validation", "folds": 3},
    },
    "override": {
        "papers": {
            "zhang2005": {
                "datasets": {"yeast": "toy"},
                "tables": TABLES,
                "figures": {"rounds": {"datasets": ["toy"]}, "adtree": {"datasets": ["toy"]}},
            }
        }
    },
}
TARGETS = ("--", "compare", "out/zhang2005/own.csv")


def arff(n, seed):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    head = "@relation toy\n@attribute x numeric\n@attribute y numeric\n@attribute a {0,1}\n@attribute b {0,1}\n@data\n"
    return head + "".join(f"{x:.3f},{y:.3f},{int(x > 0)},{int(x + y > -1)}\n" for x, y in X)


@pytest.fixture
def folder(tmp_path):
    """The working directory; the method lies in a folder beside it, the data in one below it."""
    work = tmp_path / "work"
    files = {
        tmp_path / "methods/frequent.py": METHOD,
        tmp_path / "methods/settings.py": "SHARE = 0.5\n",
        work / "sets/train.arff": arff(40, 1),
        work / "sets/test.arff": arff(20, 2),
        work / "sets/toy.xml": XML,
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return work


@pytest.mark.long
def test_a_method_and_data_of_ones_own(folder):
    run = snakemake(folder, CONFIG, *TARGETS)
    assert run.returncode == 0, run.stderr

    page = (folder / "out/compare.html").read_text()
    assert "mine" in page
    assert "toy" in page
    assert "the method gives no scores" in page, "what has no value is listed with the reason"
    table = {(row["metric"], row["method"]): row for row in rows(folder / "out/grand/multilabel.csv")}
    assert float(table["hamming_loss", "BR-kNN"]["mean"]) < float(table["hamming_loss", "mine"]["mean"])
    assert {row["method"] for row in rows(folder / "out/grand/times.csv")} == {"BR-kNN", "mine"}
    assert not list((folder / "out/grand").glob("*.svg")), "one data set has no ranks"

    own = rows(folder / "out/zhang2005/own.csv")
    assert {(row["table"], row["method"]) for row in own} == {("table2", "mine")}
    assert len([row for row in own if row["ours"]]) == 1, "of five metrics, one is of label sets"
    assert "mine" in (folder / "out/zhang2005/table_2.csv").read_text()
    comparison = rows(folder / "out/zhang2005/comparison.csv")
    assert "mine" not in {row["method"] for row in comparison}

    (folder.parent / "methods/settings.py").write_text("SHARE = 0.6\n")
    again = snakemake(folder, CONFIG, "--dry-run", "--quiet", "rules", *TARGETS)
    planned = again.stdout + again.stderr
    assert "attempt" in planned, "an edited method leaves no old result standing"
    assert "prepare" not in planned
    assert "split" not in planned, "everything else is up to date"


@pytest.mark.long
def test_the_template_runs(tmp_path):
    template = yaml.safe_load((ROOT / "config/template.yaml").read_text())
    run = snakemake(tmp_path, template, "--", "compare")
    assert run.returncode == 0, run.stderr
    assert "nearest-ranking" in (tmp_path / "mine/compare.html").read_text()


def test_a_wrong_import_path_is_refused_before_anything_runs(folder):
    wrong = CONFIG | {"algorithms": {"mine": {"title": "Mine", "class": "frequnt:Frequent"}}}
    run = snakemake(folder, wrong, *TARGETS)
    assert run.returncode != 0
    assert "algorithms, mine, class: module 'frequnt' cannot be found; expected it in" in run.stderr
    assert "Traceback" not in run.stderr
    assert not (folder / "data").exists()
