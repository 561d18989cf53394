"""A run can be verified, an edited method makes that fail, and an edit runs again what it concerns and nothing else."""

import re
import subprocess
import sys

import pytest
import yaml

from ..checkout import RUN, checkout
from ..conftest import ROOT
from .test_workflow import EMBEDDED, embedded, planned, rows, snakemake

pytestmark = pytest.mark.workflow

METHOD = '''
import numpy as np
from sklearn.base import BaseEstimator


class Frequent(BaseEstimator):
    """The labels of more than a share of the training rows, whatever the query."""

    def fit(self, X, Y):
        self.shares_ = np.asarray(Y.mean(axis=0)).ravel()
        return self

    def _output(self, X):
        scores = np.tile(self.shares_, (len(X), 1))
        return {"sets": scores > 0.5, "scores": scores}
'''
OWN = embedded(methods=["edited", "untouched"]) | {
    "modules": "methods",
    "methods": {name: {"title": name, "class": f"{name}:Frequent"} for name in ("edited", "untouched")},
}


def verify(folder, *arguments):
    """As `make verify`, with `folder` as the working directory."""
    command = [sys.executable, ROOT / "workflow/scripts/verify.py", "--configfile", folder / "own.yaml", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.mark.long
def test_a_changed_line_in_a_method_is_found(tmp_path):
    method = tmp_path / "methods/edited.py"
    method.parent.mkdir()
    for path in (method, method.with_name("untouched.py")):
        path.write_text(METHOD)
    run = snakemake(tmp_path, OWN)
    assert run.returncode == 0, run.stderr
    cells = [row["cell"] for row in rows(tmp_path / "out/digests.csv")]
    assert cells == ["cv-1x10/synthetic-multilabel/edited", "cv-1x10/synthetic-multilabel/untouched"]
    committed = (tmp_path / "out/digests.csv").read_bytes()
    cost = {row["stage"]: int(row["jobs"]) for row in rows(tmp_path / "out/cost.csv") if not row["algorithm"]}
    assert (cost["prepare"], cost["split"], cost["load"], cost["run"], cost["score"]) == (1, 1, 1, 2, 2)
    assert cost["elapsed"] == cost["total"], "all of it ran in this run"

    same = verify(tmp_path, "--share", "1", "--cores", "2")
    assert same.returncode == 0, same.stdout + same.stderr
    assert [line.split() for line in same.stdout.splitlines()[:2]] == [["same", cell] for cell in cells]
    assert not (tmp_path / "data/verify").exists()

    method.write_text(METHOD.replace("scores > 0.5", "scores > 0.3"))
    changed = verify(tmp_path, "--share", "1", "--cores", "2")
    assert changed.returncode == 1
    assert re.search(r"^DIFFERENT predictions and scores +\S+/edited$", changed.stdout, re.MULTILINE)
    assert re.search(r"^same +\S+/untouched$", changed.stdout, re.MULTILINE)
    assert "Not reproduced: cv-1x10/synthetic-multilabel/edited." in changed.stderr

    method.write_text("import nothing_of_that_name\n")
    broken = verify(tmp_path, "--share", "1", "--cores", "2")
    assert broken.returncode == 1
    assert [line.split()[:2] for line in broken.stdout.splitlines()[:2]] == [["NOT", "RUN"], ["same", cells[1]]]
    assert (tmp_path / "out/digests.csv").read_bytes() == committed


@pytest.mark.long
def test_cells_are_verified_by_name_and_not_run_twice(tmp_path):
    """Also those that share a search, and those of which labels are deleted: they come out as in the workflow."""
    config = embedded(methods=["brknn", "feature-knn-10w", "mlknn-k6-9"]) | {
        "comparisons": ["embedded", "embedded-rankings"],
        "only": {"embedded-rankings": {"methods": ["LRT"], "datasets": ["synthetic-ranking"], "folds": 3}},
    }
    run = snakemake(tmp_path, config)
    assert run.returncode == 0, run.stderr
    digests = tmp_path / "out/digests.csv"
    right = digests.read_text()
    digests.write_text(re.sub(r"(/brknn,\w+),\w+", r"\1,0", right))
    wrong = verify(tmp_path, "--cells", "*/brknn", "*-missing-*", "--cores", "2")
    assert wrong.returncode == 1
    lines = wrong.stdout.splitlines()
    assert lines[0].split() == ["DIFFERENT", "scores", "cv-1x10/synthetic-multilabel/brknn"]
    assert lines[1].split() == ["same", "cv-1x3-missing-0-30/synthetic-ranking/lrt"]
    assert "2 of 4 cells were run again" in lines[2]
    assert re.search(r"^2 of 2 \w+.*  cv-\S+ [\d.]+ s$", wrong.stderr, re.MULTILINE), "progress"

    made = {path: path.stat().st_mtime_ns for path in (tmp_path / "data/verify/data/cells").rglob("*.npz")}
    assert len(made) == 2
    again = verify(tmp_path, "--cells", "*/brknn", "*/feature-knn-10w")
    assert again.returncode == 1
    assert {path.stat().st_mtime_ns for path in made} == set(made.values()), "what is there is not run again"
    digests.write_text(right)
    whole = verify(tmp_path, "--share", "1")
    assert whole.returncode == 0, whole.stdout + whole.stderr
    assert not (tmp_path / "data/verify").exists()

    none = verify(tmp_path, "--cells", "*/mlkn")
    assert none.returncode == 1
    assert "labelknn: no cell with a digest is called '*/mlkn'" in none.stderr


def test_a_run_without_digests_cannot_be_verified(tmp_path):
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(EMBEDDED))
    run = verify(tmp_path)
    assert run.returncode == 1
    assert run.stderr.strip() == "labelknn: out/digests.csv does not exist; a complete run writes it"


def edit(path):
    with path.open("a") as file:
        file.write("\n# edited\n")


def cells(folder):
    """When the predictions of each cell were written, by its place in the store."""
    found = {}
    for path in (folder / "data/cells").rglob("predictions.npz"):
        protocol, dataset, method, digest, name = path.relative_to(folder / "data/cells").parts
        found[f"{protocol}/{dataset}", digest, method, name] = path.stat().st_mtime_ns
    return found


@pytest.mark.long
def test_an_edited_method_runs_its_own_cells_again(tmp_path):
    root = checkout(tmp_path / "checkout", parts=RUN)
    config = embedded(methods=["mlknn", "mlknn-k6-9", "adtboost-mh"]) | {
        "comparisons": ["embedded", "embedded-rankings"],
        "only": {"embedded-rankings": {"methods": ["IBLR", "LRT"], "datasets": ["synthetic-ranking"]}},
        "methods": {"adtboost-mh": {"params": {"steps": 1}}},
    }
    assert (run := snakemake(tmp_path, config, root=root)).returncode == 0, run.stderr
    after = snakemake(tmp_path, config, "--dry-run", root=root)
    assert "Nothing to be done" in after.stdout + after.stderr

    first = cells(tmp_path)
    edit(root / "src/labelknn/multilabel/_mlknn.py")
    jobs = planned(snakemake(tmp_path, config, "--dry-run", root=root))
    assert jobs["cells"] == {"protocol=cv-1x10, dataset=synthetic-multilabel, job=run"}
    assert not jobs.keys() & {"fetch", "list_sources", "prepare", "generate", "split"}
    assert {"page", "digest", "cost"} <= jobs.keys()
    digests = (tmp_path / "out/digests.csv").read_bytes()
    assert (run := snakemake(tmp_path, config, root=root)).returncode == 0, run.stderr
    assert (tmp_path / "out/digests.csv").read_bytes() == digests, "a comment changes no result"
    second = cells(tmp_path)
    added = {(method, name) for _, _, method, name in second.keys() - first.keys()}
    assert added == {("mlknn", "predictions.npz"), ("mlknn-k6-9", "predictions.npz")}
    assert first.items() <= second.items(), "nothing else is touched"

    edit(root / "src/labelknn/metrics/_multilabel.py")
    assert (run := snakemake(tmp_path, config, root=root)).returncode == 0, run.stderr
    assert cells(tmp_path) == second, "a new metric runs no model"
    tables = [path.parent for path in tmp_path.glob("data/cells/*/*/*/*/scores-*.csv")]
    assert len(tables) == len(first) + len(second), "but scores all of them again"

    # A checkpoint's file that is gone hides what hangs on it; so the target names it.
    (tmp_path / "data/sources/out/embedded.csv").unlink()
    assert "list_sources" in planned(snakemake(tmp_path, config, "--dry-run", root=root))
