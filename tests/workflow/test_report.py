"""Snakemake's own report of a run: every table and figure, under its paper, with its caption."""

import json
import re
import zipfile

import pytest

from .test_workflow import EMBEDDED, snakemake

pytestmark = [pytest.mark.workflow, pytest.mark.long]


def test_the_report_has_every_table_and_figure_with_its_caption(tmp_path):
    nothing = tmp_path / "mirror"
    nothing.mkdir()
    config = EMBEDDED | {"papers": ["zhang2005"], "comparisons": []}
    environment = {"LABELKNN_MIRROR": str(nothing), "LABELKNN_OFFLINE": "1"}
    run = snakemake(tmp_path, config, **environment)
    assert run.returncode == 0, run.stderr
    run = snakemake(tmp_path, config, "--report", "report.zip", **environment)
    assert run.returncode == 0, run.stderr
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        page = archive.read("report/report.html").decode()
        held = {name.rpartition("/")[2] for name in archive.namelist()}
    pictures = {path.name for path in (tmp_path / "out").glob("**/*.svg")}
    tables = {path.with_suffix(".csv").name for path in (tmp_path / "out").glob("*/*.tex")}
    assert pictures >= {"scorecard.svg", "overview.svg"}
    assert tables
    assert pictures | tables <= held
    captions = [json.loads(text) for text in re.findall(r'"caption": ("(?:[^"\\]|\\.)*")', page)]
    assert len(captions) == len(pictures | tables)
    assert all(caption.startswith("<p><strong>") for caption in captions)
    assert any("ML-kNN on the yeast data for different numbers of neighbours." in caption for caption in captions)
    makers = set(re.findall(r'"job_properties": \{"rule": "(\w+)"', page))
    assert makers == {"compare_zhang2005", "draw_zhang2005_rounds", "draw_zhang2005_adtree", "page"}
