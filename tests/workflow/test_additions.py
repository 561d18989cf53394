"""What is added in how many files: a paper in three, a method in one and its entry. Nothing else has to be changed."""

import pytest

from labelknn_papers.plan.config import read_yaml
from labelknn_papers.plan.plan import Plan

from ..checkout import CONFIG, RUN, checkout
from .test_workflow import rows, snakemake

pytestmark = pytest.mark.workflow

PAPER = """
title: Made-up Neighbours
authors: Nobody
venue: Nowhere
year: 2026
protocol: { kind: cross-validation, repeats: 2, folds: 3 }
datasets: { Toys: synthetic-multilabel }
tables:
  table1:
    title: Table 1
    caption: Two methods.
    runs:
      - { name: knn, method: case-based-sets }
      - { name: knn, method: brknn, role: variant }
      - { name: vote, method: nearest-sets }
    layout: { rows: [method], columns: [metric] }
figures:
  label_counts:
    title: Labels
    caption: How many rows have each label.
    datasets: [synthetic-multilabel]
    needs: [data]
"""
PUBLISHED = """table,dataset,method,metric,setting,value,note
table1,Toys,knn,hamming_loss,,.2,
table1,Toys,vote,hamming_loss,,.25,
table1,Toys,vote,one_error,,,N/A
"""
FIGURES = '''"""toy2026's figure."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from labelknn.datasets._container import Dataset
from labelknn_papers.show.figures import Table, new_figure


def label_counts(data: Mapping[str, Dataset]) -> Table:
    counts = [np.asarray(one.Y.sum(axis=0)).ravel() for one in data.values()]
    return Table(("label", "rows"), [row for of_one in counts for row in enumerate(map(int, of_one))])


def draw_label_counts(table: Table, names: Mapping[str, str]) -> Figure:
    with new_figure(3, 2) as (figure, axes):
        axes.bar(*zip(*table.rows))
        return figure
'''
VOTE = {"title": "Majority", "class": "labelknn_papers.example:NearestSets", "params": {"k": 5}}
TOY = {"papers": ["toy2026"], "comparisons": [], "figures": "out", "methods": {"nearest-sets": VOTE}}


@pytest.fixture
def root(tmp_path):
    """A checkout with a sixth paper: one yaml, one csv and its figures."""
    root = checkout(tmp_path / "checkout", parts=RUN)
    (root / "config/papers/toy2026.yaml").write_text(PAPER)
    (root / "config/published/toy2026.csv").write_text(PUBLISHED)
    (root / "src/labelknn_papers/papers/toy2026.py").write_text(FIGURES)
    return root


def test_a_sixth_paper_is_planned(root):
    plan = Plan(CONFIG | TOY, root)
    assert [cell.path for cell in plan.cells] == [
        f"cv-2x3/synthetic-multilabel/{method}" for method in ("case-based-sets", "nearest-sets", "brknn")
    ]
    assert set(Plan(CONFIG, root).papers) == set(CONFIG["papers"]), "it is run where a config asks for it"


def test_a_sixth_paper_has_a_target_of_its_own(tmp_path, root):
    run = snakemake(tmp_path, TOY, "--dry-run", "--", "toy2026", root=root)
    assert run.returncode == 0, run.stderr
    jobs = {line.split()[0] for line in run.stdout.splitlines() if line}
    assert {"compare_toy2026", "draw_toy2026_label_counts", "toy2026"} <= jobs


@pytest.mark.long
def test_a_sixth_paper_runs_through(tmp_path, root):
    run = snakemake(tmp_path, TOY, "--", "toy2026", "out/index.html", root=root)
    assert run.returncode == 0, run.stderr
    found = {(row["method"], row["metric"]): row for row in rows(tmp_path / "out/toy2026/comparison.csv")}
    assert found["knn", "hamming_loss"]["published"] == ".2"
    assert 0 < float(found["vote", "hamming_loss"]["ours"]) < 1
    assert found["vote", "one_error"]["verdict"] == ""
    assert {row["method"] for row in rows(tmp_path / "out/toy2026/variants.csv")} == {"brknn"}
    assert (tmp_path / "out/toy2026/label_counts.svg").stat().st_size
    assert len(rows(tmp_path / "out/toy2026/label_counts.csv")) > 1
    page = (tmp_path / "out/index.html").read_text()
    assert 'id="toy2026-label_counts"' in page
    assert "Made-up Neighbours" in page


METHOD = '''"""The label sets that most training rows have."""

import numpy as np
from sklearn.base import BaseEstimator


class Commonest(BaseEstimator):
    def fit(self, X, Y):
        sets, counts = np.unique(np.asarray(Y), axis=0, return_counts=True)
        self.set_ = sets[counts.argmax()]
        return self

    def predict(self, X):
        return np.tile(self.set_, (X.shape[0], 1))
'''
COMMONEST = {"title": "Commonest set", "class": "labelknn.multilabel._commonest:Commonest"}


@pytest.mark.long
def test_a_method_is_one_file_and_one_entry(tmp_path):
    """In the library, and in config/methods.yaml; a config names it by its id."""
    entry = {"config/methods.yaml": {"commonest": COMMONEST}}
    root = checkout(tmp_path / "checkout", entry, RUN)
    assert read_yaml(root / "config/methods.yaml")["commonest"] == COMMONEST
    (root / "src/labelknn/multilabel/_commonest.py").write_text(METHOD)
    ours = {
        "title": "Ours",
        "datasets": ["synthetic-multilabel"],
        "protocol": {"kind": "cross-validation", "folds": 2},
        "methods": ["brknn", "commonest"],
        "metrics": ["hamming_loss"],
    }
    config = {"papers": [], "comparisons": [], "figures": "out", "compare": {"ours": ours}}
    run = snakemake(tmp_path, config, "--", "compare", root=root)
    assert run.returncode == 0, run.stderr
    found = {row["method"]: row for row in rows(tmp_path / "out/comparison/ours.csv")}
    assert list(found) == ["BR-kNN", "Commonest set"]
    assert float(found["Commonest set"]["mean"]) > 0
