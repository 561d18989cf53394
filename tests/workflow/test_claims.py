"""A tiny run whose claims are decided, and one that refuses a claim before anything runs."""

import csv

import pytest

from ..checkout import RUN, checkout
from .test_workflow import ZHANG, rows, snakemake

pytestmark = pytest.mark.workflow


def claims(folder):
    return {row["id"]: row for row in rows(folder / "out/claims.csv")}


@pytest.mark.long
def test_without_data_the_printed_numbers_alone_are_asked(tmp_path):
    nothing = tmp_path / "mirror"
    nothing.mkdir()
    run = snakemake(tmp_path, ZHANG, LABELKNN_MIRROR=str(nothing), LABELKNN_OFFLINE="1")
    assert run.returncode == 0, run.stderr
    found = claims(tmp_path)
    assert len(found) == 12
    assert {row["verdict"] for row in found.values()} == {"cannot be decided"}
    assert found["mlknn-beats-adtboost"]["evidence"] == (
        "Missing: table1, yeast: source unreachable; table2, yeast: source unreachable."
    )
    assert found["advantage-significant"]["evidence"] == "Missing: row_tests, yeast: source unreachable."
    assert found["mlknn-beats-adtboost"]["verdict_printed"] == "holds"
    assert found["ranksvm-beats-adtboost"]["verdict_printed"] == "does not hold"
    page = (tmp_path / "out/index.html").read_text()
    assert 'id="claim-zhang2005-mlknn-beats-adtboost"' in page
    assert page.count('class="mark claimed cannot-be-decided"') == 12
    with (tmp_path / "out/claims_seconds.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["paper", "id", "verdict", "evidence"]], "none of these is about seconds"


@pytest.mark.long
@pytest.mark.mirror
def test_claims_are_decided_by_what_was_run(tmp_path, mirror):
    """Table I alone: what it is enough for is decided, and all else says what was left out."""
    only = {"zhang2005": {"tables": ["table1"], "figures": []}}
    run = snakemake(tmp_path, ZHANG | {"only": only}, "--", "out/claims.csv", LABELKNN_MIRROR=str(mirror))
    assert run.returncode == 0, run.stderr
    found = claims(tmp_path)
    decided = {name: row["verdict"] for name, row in found.items() if row["verdict"] != "cannot be decided"}
    assert decided == {"k7-best-on-ranking-criteria": "holds"}
    assert "yeast one_error 0.2366" in found["k7-best-on-ranking-criteria"]["evidence"]
    assert found["k-hamming-insensitive"]["evidence"] == "Missing: row_tests, yeast: left out of this run."
    assert "left out of this run" in found["mlknn-beats-boostexter"]["evidence"]


def test_a_bad_claim_is_refused_before_anything_runs(tmp_path):
    condition = {"function": "beats", "table": "table2", "methods": ["mlkn"], "over": ["rank-svm"], "metrics": []}
    claim = {"id": "one", "section": "", "claim": "", "evidence": "", "criterion": "", "holds": [condition]}
    root = checkout(tmp_path / "checkout", {"config/claims/zhang2005.yaml": {"claims": [claim]}}, RUN)
    run = snakemake(tmp_path, ZHANG, root=root)
    assert run.returncode != 0
    assert "config/claims/zhang2005.yaml, one, holds, beats: unknown method 'mlkn'" in run.stderr
    assert "Known: adtboost-mh, boostexter, rank-svm" in run.stderr
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "data").exists()
