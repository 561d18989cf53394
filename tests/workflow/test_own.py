"""With a method and data of one's own: two small files and no edit in the repository."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

from ..checkout import RUN, checkout
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
CONFIG = {
    "figures": "out",
    "papers": ["zhang2005"],
    "comparisons": [],
    "modules": "../methods",
    "methods": {"mine": {"title": "Mine", "class": "frequent:Frequent", "params": {"factor": 1.0}}},
    "datasets": {"toy": {"title": "Toy", "task": "multilabel", "sources": [SOURCE]}},
    "runs": {"zhang2005": [{"method": "mine", "role": "joined"}]},
    "compare": {
        "ours": {
            "title": "Ours",
            "datasets": ["toy"],
            "methods": {"BR-kNN": "brknn", "mine": "mine"},
            "metrics": ["hamming_loss", "ranking_loss"],
            "protocol": {"kind": "cross-validation", "folds": 3},
        }
    },
}
# zhang2005 on the user's data, with k-NN in the place of the paper's methods: the test stays short.
PAPER = {
    "datasets": {"yeast": "toy"},
    "tables": {
        "table2": {
            "runs": [{"name": name, "method": "case-based-sets"} for name in ("rank-svm", "adtboost-mh", "boostexter")],
            "explanations": [],
        }
    },
    "figures": {"rounds": {"datasets": ["toy"]}, "adtree": {"datasets": ["toy"]}},
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
    root = checkout(folder.parent / "checkout", {"config/papers/zhang2005.yaml": PAPER}, RUN)
    run = snakemake(folder, CONFIG, *TARGETS, root=root)
    assert run.returncode == 0, run.stderr

    page = (folder / "out/comparison/ours.html").read_text()
    assert "mine" in page
    assert "Toy" in page
    assert "the method gives no scores" in page, "what has no value is listed with the reason"
    table = {(row["metric"], row["method"]): row for row in rows(folder / "out/comparison/ours.csv")}
    assert float(table["hamming_loss", "BR-kNN"]["mean"]) < float(table["hamming_loss", "mine"]["mean"])
    assert {row["method"] for row in rows(folder / "out/comparison/ours_times.csv")} == {"BR-kNN", "mine"}
    assert not list((folder / "out/comparison").glob("*.svg")), "one data set has no ranks"

    own = rows(folder / "out/zhang2005/own.csv")
    assert {(row["table"], row["method"]) for row in own} == {("table2", "mine")}
    assert len([row for row in own if row["ours"]]) == 1, "of five metrics, one is of label sets"
    assert "mine" in (folder / "out/zhang2005/table_2.csv").read_text()
    comparison = rows(folder / "out/zhang2005/comparison.csv")
    assert "mine" not in {row["method"] for row in comparison}

    (folder.parent / "methods/settings.py").write_text("SHARE = 0.6\n")
    again = snakemake(folder, CONFIG, "--dry-run", "--quiet", "rules", *TARGETS, root=root)
    planned = again.stdout + again.stderr
    assert "cells" in planned, "an edited method leaves no old result standing"
    assert "prepare" not in planned
    assert "split" not in planned, "everything else is up to date"


@pytest.mark.long
def test_data_in_csv_of_ones_own(folder):
    X = np.random.default_rng(3).normal(size=(40, 2))
    rows = [f"{x:.3f},{'big' if y > 0 else 'small'},{int(x > 0)},{x + y > -1}\n" for x, y in X]
    table = folder / "sets/birds.csv"
    table.write_text("length,size,red,green\n" + "".join(rows))
    source = {"reader": "csv", "files": {"birds.csv": {"path": "sets/birds.csv"}}}
    source["options"] = {"file": "birds.csv", "labels": ["green", "red"]}
    comparison = CONFIG["compare"]["ours"] | {"datasets": ["birds"], "methods": {"BR-kNN": "brknn"}}
    config = {
        "figures": "out",
        "papers": [],
        "comparisons": [],
        "datasets": {"birds": {"title": "Birds", "task": "multilabel", "sources": [source]}},
        "compare": {"ours": comparison},
    }
    run = snakemake(folder, config, "--", "compare")
    assert run.returncode == 0, run.stderr
    first = (folder / "out/comparison/ours.csv").read_text()
    assert "birds" in first

    table.write_text(table.read_text().replace(",False", ",0").replace(",True", ",2"))
    again = snakemake(folder, config, "--", "compare")
    assert again.returncode != 0
    said = (folder / "logs/prepare/birds.log").read_text()
    assert "birds.csv: label 'green' has a value that is missing or neither 0 nor 1" in said
    assert len(said.strip().splitlines()) == 1
    assert "Traceback" not in again.stdout + again.stderr
    assert not list(folder.glob("data/prepared/*"))
    assert (folder / "out/comparison/ours.csv").read_text() == first


@pytest.mark.long
def test_the_template_runs(tmp_path):
    template = yaml.safe_load((ROOT / "config/template.yaml").read_text())
    run = snakemake(tmp_path, template, "--", "compare")
    assert run.returncode == 0, run.stderr
    assert "Mean ranks" in (tmp_path / "mine/comparison/rankings.html").read_text()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"class": "frequnt:Frequent"}, "mine, class: module 'frequnt' cannot be found; expected it in"),
        (
            {"class": "frequent.Frequent", "params": {"factr": 2}},
            "mine, params: frequent:Frequent: unknown parameter 'factr'. Did you mean 'factor'? Known: factor",
        ),
    ],
)
def test_a_wrong_method_is_refused_before_anything_runs(folder, entry, message):
    run = snakemake(folder, CONFIG | {"methods": {"mine": {"title": "Mine", **entry}}}, *TARGETS)
    assert run.returncode != 0
    assert run.stderr.strip().splitlines()[-1].startswith(f"labelknn: methods, {message}"), "it comes last"
    assert "Traceback" not in run.stderr
    assert not (folder / "data").exists()


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_compare_names_the_line_of_a_broken_file(folder):
    """Snakemake reads it before any of our files, and says only that it is not valid."""
    (folder / "mine.yaml").write_text("figures: mine\ncompare:\n  ours: [toy\n")
    ready = ("-o", ".venv/ready", f"BIN={Path(sys.executable).parent}")
    command = ["make", "-C", str(ROOT), *ready, "compare", f"CONFIG={folder / 'mine.yaml'}"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode != 0
    assert f"labelknn: {folder / 'mine.yaml'}, line 4: not valid YAML (" in run.stderr
    assert "SNAKEMAKE" not in run.stdout + run.stderr
