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


def snakemake(folder, config, *arguments, cores=2, root=ROOT, **environment):
    """Run the workflow with `folder` as its working directory and `config` laid over the repository's own."""
    (folder / "own.yaml").write_text(yaml.safe_dump(config))
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile"), "--directory", str(folder)]
    command += ["--cores", str(cores), "--configfile", str(folder / "own.yaml"), *arguments]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, timeout=300)


def outputs(folder, *patterns):
    return {
        str(path.relative_to(folder)): path.read_bytes()
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
    assert page.index("yeast") < page.index("zhang2005-table1"), "the first lines say which data could not be reached"
    assert "LABELKNN_MIRROR" in page
    assert "synthetic-multilabel" in page
    comparison = rows(tmp_path / "out/zhang2005/comparison.csv")
    judged = [row for row in comparison if row["published"]]
    assert {(row["verdict"], row["reason"]) for row in judged} == {("not run", "source unreachable")}
    unprinted = [(row["ours"], row["verdict"]) for row in comparison if not row["published"]]
    assert unprinted == [("", "")] * 2, "where N/A is printed, there is nothing to judge"
    (path,) = tmp_path.glob("data/cells/cv-1x10/synthetic-multilabel/mlknn/*/scores-*.csv")
    scores = rows(path)
    assert len({row["fold"] for row in scores}) == 10

    again = snakemake(tmp_path, ZHANG, "--dry-run", LABELKNN_MIRROR=str(nothing), LABELKNN_OFFLINE="1")
    assert "Nothing to be done" in again.stdout + again.stderr

    strict = snakemake(tmp_path, ZHANG | {"strict": True}, LABELKNN_MIRROR=str(nothing), LABELKNN_OFFLINE="1")
    assert strict.returncode != 0
    assert "strict run, but these data sets cannot be had: yeast (source unreachable)" in strict.stdout + strict.stderr


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
        ({"only": {"embeded": {}}}, "unknown paper or comparison 'embeded'. Did you mean 'embedded'?"),
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
