"""The metadata of a results folder: every file is there, nothing that differs from run to run is."""

import hashlib
import json

import pytest

from labelknn.errors import DataError
from labelknn.experiment.crate import METADATA, crate, describe_run, write_json

from ..conftest import ROOT

PAPERS = {"zhang2005": {"title": "T", "authors": "A and B", "venue": "V", "year": 2005}}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "zhang2005").mkdir()
    (tmp_path / "index.html").write_text("<html>")
    (tmp_path / "zhang2005/table_1.csv").write_text("a,b\n")
    (tmp_path / "cost.csv").write_text("1 s")
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / ".index.html.x1").write_text("unfinished")
    return tmp_path


def test_a_crate_by_its_rules(folder):
    found = crate(folder, PAPERS, "2026-01-31")
    entities = {entity["@id"]: entity for entity in found["@graph"]}
    assert len(entities) == len(found["@graph"])
    assert entities[METADATA]["about"] == {"@id": "./"}
    root = entities["./"]
    assert root["datePublished"] == "2026-01-31"
    parts = [part["@id"] for part in root["hasPart"]]
    assert parts == ["cost.csv", "index.html", "run.json", "zhang2005/table_1.csv"]
    assert entities["zhang2005/table_1.csv"]["sha256"] == hashlib.sha256(b"a,b\n").hexdigest()
    assert entities["zhang2005/table_1.csv"]["encodingFormat"] == "text/csv"
    for entity in found["@graph"]:
        for value in entity.values():
            for reference in value if isinstance(value, list) else [value]:
                if isinstance(reference, dict) and not reference["@id"].startswith("https://w3id.org/ro/"):
                    assert reference["@id"] in entities


def test_the_same_results_have_the_same_metadata(folder):
    first = crate(folder, PAPERS, "2026-01-31")
    write_json(folder / METADATA, first)
    (folder / "cost.csv").write_text("200 s")
    (folder / "run.json").write_text('{"machine": 2}')
    assert crate(folder, PAPERS, "2026-01-31") == first == json.loads((folder / METADATA).read_text())
    (folder / "index.html").write_text("<html lang=en>")
    assert crate(folder, PAPERS, "2026-01-31") != first


def test_a_folder_without_a_page_is_no_result(tmp_path):
    with pytest.raises(DataError, match=r"no index\.html"):
        crate(tmp_path, PAPERS, "2026-01-31")


def test_a_run_says_what_it_was_made_with(tmp_path):
    (tmp_path / "iris.npz").write_bytes(b"data")
    found = describe_run({"seed": 3, "papers": []}, ROOT, [str(tmp_path / "iris.npz")])
    assert found["seed"] == 3
    assert found["data_sha256"] == {"iris": hashlib.sha256(b"data").hexdigest()}
    assert {"python", "numpy", "labelknn"} <= set(found["versions"])
    assert describe_run({"papers": [], "seed": 3}, tmp_path, [])["config_sha256"] == found["config_sha256"]
    assert describe_run({"papers": [], "seed": 3}, tmp_path, [])["commit"] is None
    json.dumps(found)
