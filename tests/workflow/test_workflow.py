"""Whole tiny runs of the workflow, and what a user sees when something is wrong with the input."""

import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from labelknn_papers.show.measured import without_measured

from ..conftest import ROOT

pytestmark = pytest.mark.workflow

TEN_FOLDS = {"kind": "cross-validation", "repeats": 1, "folds": 10}


def embedded(**changes):
    """A run of one comparison, of ML-kNN on data that the project makes itself, or of what `changes` says of it."""
    comparison = {
        "title": "Runs anywhere",
        "protocol": TEN_FOLDS,
        "datasets": ["synthetic-multilabel"],
        "methods": ["mlknn"],
        "metrics": ["hamming_loss", "one_error", "coverage", "ranking_loss", "average_precision"],
    }
    return {
        "papers": [],
        "comparisons": ["embedded"],
        "compare": {"embedded": comparison | changes},
        "figures": "out",
    }


# A run that needs no data from outside, and one paper with its boosting cut short.
EMBEDDED = embedded()
SHORT = {
    "boostexter": {"params": {"rounds": 5}},
    "adtboost-mh": {"params": {"steps": 2}},
    "adtboost-mh-steps": {"sweep": {"steps": [1, 2]}},
}
ZHANG = EMBEDDED | {"papers": ["zhang2005"], "methods": SHORT}
RANKINGS = EMBEDDED | {
    "comparisons": ["embedded-rankings"],
    "only": {"embedded-rankings": {"datasets": ["synthetic-ranking"], "methods": ["IBLR", "LRT"]}},
}


# Of the cells; beside them stands what they took.
RESULTS = ("data/cells/**/predictions.npz", "data/cells/**/scores-*.csv")
MEASURED = ("out/cost.csv", "out/seconds.csv", "out/stages.csv")


def snakemake(folder, config, *arguments, cores=2, root=ROOT, seconds=300, **environment):
    """Run the workflow with `folder` as its working directory and `config` laid over the repository's own, for so many
    seconds at most."""
    (folder / "own.yaml").write_text(yaml.safe_dump(config))
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile"), "--directory", str(folder)]
    command += ["--cores", str(cores), "--configfile", str(folder / "own.yaml"), *arguments]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, timeout=seconds)


def planned(run):
    """The jobs of a dry run: for each rule, the set of their wildcards."""
    found = {}
    for rule, facts in re.findall(r"^(?:local)?(?:rule|checkpoint) (\w+):\n((?: +.*\n)*)", run.stdout, re.MULTILINE):
        wildcards = re.search(r"^ +wildcards: (.*)$", facts, re.MULTILINE)
        found.setdefault(rule, set()).add(wildcards[1] if wildcards else "")
    return found


def outputs(folder, *patterns):
    """The bytes of files by path; of a page, those that are the same in every run."""
    return {
        str(path.relative_to(folder)): (
            without_measured(path.read_text()).encode() if path.suffix == ".html" else path.read_bytes()
        )
        for pattern in patterns
        for path in folder.glob(pattern)
        if path.is_file()
    }


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_machine_that_reaches_nothing_still_gets_a_page(tmp_path):
    nothing = tmp_path / "mirror"
    nothing.mkdir()
    run = snakemake(tmp_path, ZHANG, LABELKNN_MIRROR=str(nothing), LABELKNN_OFFLINE="1")
    assert run.returncode == 0, run.stderr
    assert "NOT RUN  yeast: source unreachable" in run.stderr
    page = (tmp_path / "out/index.html").read_text()
    first = page.index("Yeast gene functional classes")
    assert first < page.index('<section id="zhang2005-table1"'), "the first lines say which data could not be reached"
    assert "LABELKNN_MIRROR" in page
    assert "Synthetic label sets" in page
    comparison = rows(tmp_path / "out/zhang2005/comparison.csv")
    judged = [row for row in comparison if row["published"]]
    assert {(row["verdict"], row["reason"]) for row in judged} == {("not run", "source unreachable")}
    unprinted = [(row["ours"], row["verdict"]) for row in comparison if not row["published"]]
    assert unprinted == [("", "")] * 2, "where N/A is printed, there is nothing to judge"
    assert page.count('data-record="') > 2 * 36, "the page has the repository's own numbers in their place"
    assert "On this machine: <b>0</b> numbers" in page
    record = {row["ours"] for row in rows(ROOT / "figures/zhang2005/comparison.csv") if "." in row["ours"]}
    for path in (tmp_path / "out").rglob("*"):
        if path.suffix in (".csv", ".md", ".tex"):
            assert not [value for value in record if value[:6] in path.read_text()], path
    (path,) = tmp_path.glob("data/cells/cv-1x10/synthetic-multilabel/mlknn/*/scores-*.csv")
    scores = rows(path)
    assert len({row["fold"] for row in scores}) == 10

    again = snakemake(tmp_path, ZHANG, "--dry-run", LABELKNN_MIRROR=str(nothing), LABELKNN_OFFLINE="1")
    assert "Nothing to be done" in again.stdout + again.stderr

    strict = snakemake(tmp_path, ZHANG | {"strict": True}, LABELKNN_MIRROR=str(nothing), LABELKNN_OFFLINE="1")
    assert strict.returncode != 0
    assert "strict run, but these data sets cannot be had: yeast (source unreachable)" in strict.stdout + strict.stderr


def test_one_paper_needs_its_own_data_only(tmp_path):
    config = {"papers": ["zhang2005", "cheng2009", "chiang2012"], "comparisons": ["every-method"], "figures": "out"}
    jobs = planned(snakemake(tmp_path, config, "--dry-run", "--", "zhang2005"))
    assert jobs["fetch"] == {"dataset=yeast"}
    assert jobs["list_sources"] == {"owner=zhang2005"}
    assert {"prepare", "split", "cells", "compare_zhang2005"} <= jobs.keys()
    assert not jobs.keys() & {"page", "generate", "list_all_sources"}
    others = planned(snakemake(tmp_path, config, "--dry-run", "--", "chiang2012"))
    assert "dataset=audio" in others["fetch"]
    assert "dataset=audio" not in others["prepare"], "what was never published is not waited for"
    assert not tmp_path.joinpath("data").exists()


@pytest.mark.long
def test_a_dry_run_says_how_many_jobs_there_will_be(tmp_path):
    def total(run):
        return int(re.findall(r"^total +(\d+)$", run.stdout + run.stderr, re.MULTILINE)[-1])

    config = embedded(datasets=["synthetic-multilabel", "lost"]) | {
        "datasets": {"lost": {"title": "Lost", "task": "multilabel", "unavailable": "never published"}}
    }
    said = total(snakemake(tmp_path, config, "--dry-run"))
    run = snakemake(tmp_path, config)
    assert run.returncode == 0, run.stderr
    assert f"{said} of {said} steps (100%) done" in run.stdout + run.stderr


def test_what_cannot_be_reached_falls_away_and_hides_nothing(tmp_path):
    """iris comes with scikit-learn and housing from a wheel; both are asked for, by two of fifty splits."""
    nothing = tmp_path / "mirror"
    nothing.mkdir()
    config = EMBEDDED | {
        "papers": ["cheng2009"],
        "comparisons": [],
        "settings": {"cheng2009": {"rankings": "generated"}},
        "only": {
            "cheng2009": {"datasets": ["iris", "housing"], "splits": 2, "methods": {"table2": ["lrt"]}, "figures": []}
        },
    }
    run = snakemake(tmp_path, config, LABELKNN_MIRROR=str(nothing), LABELKNN_OFFLINE="1")
    assert run.returncode == 0, run.stderr
    found = {}
    for row in rows(tmp_path / "out/cheng2009/comparison.csv"):
        found.setdefault((row["dataset"], row["method"]), []).append(
            (row["verdict"] == "not run", row["reason"].partition(";")[0])
        )
    assert set(found["iris", "lrt"]) == {(False, "2 of 50 splits")}
    assert found["iris", ""][1:] == [(False, "")] * 2, "its size is printed otherwise"
    assert set(found["housing", "lrt"]) == {(True, "source unreachable")}
    assert set(found["iris", "cc"]) == {(True, "left out of this run")}
    page = (tmp_path / "out/index.html").read_text()
    shown = re.findall(
        r'<td id="cheng2009-table2-(?!variants)[^"]*" class="([^"]*)"( data-record)?[^>]* data-dataset="(\w+)"', page
    )
    assert {(look, bool(record)) for look, record, dataset in shown if dataset == "housing"} == {("not-run", True)}
    assert {record for look, record, dataset in shown if dataset == "iris" and "shortened" in look} == {""}


@pytest.mark.long
@pytest.mark.parametrize("config", [pytest.param(ZHANG, marks=pytest.mark.mirror), RANKINGS])
def test_cores_do_not_change_a_byte(tmp_path, mirror, config):
    found = []
    for cores in (1, 2):
        folder = tmp_path / str(cores)
        folder.mkdir()
        run = snakemake(folder, config, cores=cores, LABELKNN_MIRROR=str(mirror))
        assert run.returncode == 0, run.stderr
        found.append(outputs(folder, *RESULTS, "out/**/*"))
        for measured in MEASURED:
            assert found[-1].pop(measured), "what the run cost differs from run to run"
    assert found[0].keys() == found[1].keys()
    assert len(found[0]) > 10
    for name, content in found[0].items():
        assert content == found[1][name], name


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"sead": 1}, "unknown key 'sead'. Did you mean 'seed'?"),
        (embedded(methods=["mlkn"]), "unknown method 'mlkn'. Did you mean 'mlknn'?"),
        ({"only": {"embeded": {}}}, "unknown paper, comparison or key 'embeded'. Did you mean 'embedded'?"),
        ({"mirror": "no/such/folder"}, "no/such/folder"),
    ],
)
def test_bad_config_is_refused_before_anything_runs(tmp_path, config, message):
    run = snakemake(tmp_path, EMBEDDED | config)
    assert run.returncode != 0
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "data").exists()
    assert not (tmp_path / "out").exists()


ARFF = "@relation toy\n@attribute x numeric\n@attribute a {0,1}\n@data\n" + "1.5,1\n2.5,0\n" * 10
XML = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="a"></label></labels>'


def toy_config(files):
    """A comparison of ML-kNN on a data set of one's own, with the SHA-256 of what its files should be."""
    entries = {
        name: {"sha256": hashlib.sha256(content.encode()).hexdigest(), "mirror": name}
        for name, content in files.items()
    }
    source = {"reader": "mulan", "files": entries, "options": {"files": {"all": "toy.arff"}, "xml": "toy.xml"}}
    toy = {"title": "Toy", "task": "multilabel", "sources": [source]}
    return embedded(datasets=["toy"]) | {"datasets": {"toy": toy}}


def run_toy(folder, files, config=None):
    mirror = folder / "mirror"
    mirror.mkdir()
    for name, content in files.items():
        (mirror / name).write_text(content)
    return snakemake(folder, config or toy_config(files), LABELKNN_MIRROR=str(mirror))


@pytest.mark.long
@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"toy.arff": ARFF + "3.5\n", "toy.xml": XML}, "toy.arff, line 25: "),
        ({"toy.arff": ARFF, "toy.xml": XML.replace('"a"', '"b"')}, "'b'"),
    ],
    ids=["row with too few values", "label missing from the ARFF"],
)
def test_bad_data_are_named_and_leave_nothing_behind(tmp_path, files, message):
    run = run_toy(tmp_path, files)
    assert run.returncode != 0
    said = (tmp_path / "logs/prepare/toy.log").read_text()
    assert message in said
    assert len(said.strip().splitlines()) == 1
    assert said.strip() in run.stdout + run.stderr
    assert not list((tmp_path / "data").glob("prepared/*"))
    assert not (tmp_path / "out/index.html").exists()


@pytest.mark.long
def test_own_data_run_through(tmp_path):
    run = run_toy(tmp_path, {"toy.arff": ARFF, "toy.xml": XML})
    assert run.returncode == 0, run.stderr
    assert "toy" in (tmp_path / "out/index.html").read_text()
    check_crate(tmp_path / "out")
    origin = json.loads((tmp_path / "data/provenance/out.json").read_text())
    assert {"commit", "config_sha256", "machine", "seed", "versions"} == origin.keys()


def check_crate(folder):
    """An RO-Crate of all results but measured times, with the raw data and the five papers."""
    crate = json.loads((folder / "ro-crate-metadata.json").read_text())
    assert crate["@context"][0] == "https://w3id.org/ro/crate/1.1/context"
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(entities) == len(crate["@graph"])
    assert entities["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    root, run = entities["./"], entities["#run"]
    assert {"name", "description", "datePublished", "license"} <= root.keys()
    assert "ComputationalWorkflow" in entities[root["mainEntity"]["@id"]]["@type"]
    assert len(root["citation"]) == 5
    listed = {entity["@id"] for entity in entities.values() if entity["@type"] == "File"}
    assert listed == {part["@id"] for part in root["hasPart"]}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert listed == there - {"ro-crate-metadata.json", "cost.csv", "seconds.csv", "stages.csv"}
    for name in listed:
        assert entities[name]["sha256"] == hashlib.sha256((folder / name).read_bytes()).hexdigest()
    given = [entities[one["@id"]] for one in run["object"]]
    assert hashlib.sha256(ARFF.encode()).hexdigest() in {one.get("sha256") for one in given}
    assert {"seed", "config-sha256"} <= {one["name"] for one in given}
    # Every reference inside the crate leads somewhere.
    referred = set(re.findall(r'\{"@id": "(#[^"]*)"\}', json.dumps(crate)))
    assert referred <= entities.keys()


class Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        status, body, length = self.server.answers[self.path.rpartition("/")[2]]
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.long
@pytest.mark.parametrize(
    ("status", "body", "length"),
    [(200, b"something else", 14), (200, ARFF.encode()[:50], 50), (200, ARFF.encode()[:50], len(ARFF)), (500, b"", 0)],
    ids=["wrong hash", "cut-off file", "cut-off transfer", "server error"],
)
def test_bad_downloads_never_stay(tmp_path, server, status, body, length):
    server.answers = {"toy.arff": (status, body, length), "toy.xml": (200, XML.encode(), len(XML))}
    address = f"http://127.0.0.1:{server.server_port}"
    config = toy_config({"toy.arff": ARFF, "toy.xml": XML})
    for name, entry in config["datasets"]["toy"]["sources"][0]["files"].items():
        entry["urls"] = [f"{address}/{name}"]
        del entry["mirror"]
    run = run_toy(tmp_path, {}, config | {"strict": True})
    assert run.returncode != 0
    said = "".join(Path(path).read_text() for path in (tmp_path / "logs").rglob("*.log"))
    assert "toy.arff" in said
    assert "Traceback" not in said
    assert not list((tmp_path / "data").rglob("*toy.arff*"))
    assert not list((tmp_path / "data").glob("prepared/*"))
