"""A part of the whole: the example of config/README.md, a method of one's own in one table, on one data set."""

import re

import pytest
import yaml

from labelknn_papers.plan.cells import LEFT_OUT
from labelknn_papers.plan.config import merge
from labelknn_papers.plan.plan import Plan

from ..checkout import CONFIG
from ..conftest import ROOT
from .test_workflow import rows, snakemake

EXAMPLE = re.search(r"```yaml\n(.*?)```", (ROOT / "config/README.md").read_text(), re.DOTALL)[1]


def test_an_own_method_in_one_table_on_one_data_set_takes_few_lines():
    assert len(EXAMPLE.splitlines()) <= 10
    plan = Plan(merge(CONFIG, yaml.safe_load(EXAMPLE)), ROOT)
    assert {cell.dataset for cell in plan.cells} == {"emotions"}
    assert {(target.published.table, target.published.dataset) for target in plan.own["chiang2012"]} == {
        ("table3", "emotions")
    }
    assert "mine" in {cell.method for cell in plan.cells}
    everything = Plan(CONFIG, ROOT)
    assert {cell for cell in plan.cells if cell.method != "mine"} <= set(everything.paper_cells("chiang2012"))


@pytest.mark.workflow
@pytest.mark.long
def test_it_runs_and_says_what_it_leaves_out(tmp_path, mirror):
    config = merge(yaml.safe_load(EXAMPLE), {"only": {"chiang2012": {"splits": 2}}})
    run = snakemake(tmp_path, config, LABELKNN_MIRROR=str(mirror), LABELKNN_OFFLINE="1", seconds=1200)
    assert run.returncode == 0, run.stderr
    folder = tmp_path / "mine/chiang2012"
    own = {(row["table"], row["dataset"], row["metric"]): row["ours"] for row in rows(folder / "own.csv")}
    assert own["table3", "emotions", "hamming_loss"]
    assert {place[:2] for place in own} == {("table3", "emotions")}
    comparison = rows(folder / "comparison.csv")
    assert {row["dataset"] for row in comparison if row["ours"]} == {"emotions"}
    assert {row["table"] for row in comparison if row["ours"]} == {"table3"}
    reasons = {row["reason"] for row in comparison if row["verdict"] == "not run" and row["table"] == "table2"}
    assert reasons == {LEFT_OUT}
    page = (tmp_path / "mine/index.html").read_text()
    assert "could not be reached" not in page
