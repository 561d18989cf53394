"""A method of one's own beside those of a paper: in its tables, tests and diagrams, and on the page."""

import csv

import numpy as np
import pytest
import yaml

from labelknn_papers.judge.comparison import write_comparison
from labelknn_papers.judge.files import side_tables
from labelknn_papers.judge.findings import judge_paper, read_findings, write_findings
from labelknn_papers.judge.own import write_own
from labelknn_papers.plan.config import merge
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.score import Score
from labelknn_papers.show.content import paper_report
from labelknn_papers.show.contents import pictures_of
from labelknn_papers.show.diagrams import critical_difference_panels
from labelknn_papers.show.page import render_page
from labelknn_papers.show.tables import lay_out

from ..conftest import ROOT

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
SVG = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'
OWN = {
    "papers": ["chiang2012"],
    "comparisons": [],
    "methods": {"mine": {"title": "Mine", "class": "mine:Mine"}},
    "runs": {"chiang2012": [{"method": "mine", "role": "joined"}]},
}
UNREACHED = {"audio": "never published"}


@pytest.fixture(scope="module")
def plan():
    return Plan(merge(CONFIG, OWN), ROOT)


def made_up(plan, gives=("hamming_loss", "strict_one_error")):
    """Two splits of scores for all that can be had; those of `mine` are the best, and only of the metrics it gives."""
    rng = np.random.default_rng(0)
    scores = {}
    for target in [*plan.targets["chiang2012"], *plan.own["chiang2012"]]:
        cell = target.cell
        if not cell or cell.dataset in UNREACHED or (cell.method == "mine" and target.metric not in gives):
            continue
        for fold in range(2):
            value = 0.001 * (fold + 1) if cell.method == "mine" else 0.1 + rng.random()
            key = (cell.protocol.id, cell.dataset, cell.method, target.setting, 0, fold, target.metric)
            scores.setdefault(key, value)
    return [Score(*key, value) for key, value in scores.items()]


def judge(plan, scores):
    return judge_paper(plan, "chiang2012", scores, {}, UNREACHED, [])


@pytest.fixture(scope="module")
def scores(plan):
    return made_up(plan)


@pytest.fixture(scope="module")
def judged(plan, scores):
    return judge(plan, scores)


@pytest.fixture(scope="module")
def folder(plan, judged, tmp_path_factory):
    folder = tmp_path_factory.mktemp("chiang2012")
    write_findings(folder, plan, "chiang2012", judged)
    return folder


@pytest.fixture(scope="module")
def found(plan, folder):
    return read_findings(folder, plan, "chiang2012")


def test_values_or_reasons(plan, judged, tmp_path):
    write_own(tmp_path / "own.csv", judged.own)
    with (tmp_path / "own.csv").open(newline="") as file:
        rows = {(row["table"], row["dataset"], row["metric"]): row for row in csv.DictReader(file)}
    assert len(rows) == 6 + 4 * 6 + 6
    assert (rows["table3", "yeast", "one_error"]["ours"], rows["table3", "yeast", "one_error"]["se"]) == (
        "0.0015",
        "0.0005",
    )
    assert rows["table3", "yeast", "rmse"]["note"] == "the method gives no scores"
    assert rows["table1", "audio", "hamming_loss"]["note"] == "never published"
    assert "own" in side_tables(plan, "chiang2012")


def test_one_row_for_each_published_number_as_before(plan, scores, tmp_path):
    without = Plan(merge(CONFIG, OWN | {"runs": {}}), ROOT)
    for name, one in {"with": plan, "without": without}.items():
        write_comparison(tmp_path / name, judge(one, scores).comparisons)
    assert (tmp_path / "with").read_bytes() == (tmp_path / "without").read_bytes()


def test_it_stands_in_the_table_with_as_many_decimals_as_the_others(plan, found):
    table = [one for one in found.in_tables if one.published.table == "table1"]
    frame = lay_out(table, plan.papers["chiang2012"]["tables"]["table1"]["layout"]).set_index("method")
    assert frame.loc["mine", "yeast paper"] == ""
    printed = frame.loc["mlknn", "yeast paper"]
    assert frame.loc["mine", "yeast ours"] == f"{0.0015:.{len(printed.partition('.')[2])}f}"
    assert frame.loc["mine", "audio ours"] == "not run: never published"


def test_the_tests_count_it_in_where_it_has_values(judged):
    ranks = {name: dict(zip(one.names, one.nemenyi.ranks, strict=True)) for name, one in judged.tests.items()}
    assert ranks["ranks_hamming_loss"]["mine"] == 1
    assert "mine" not in ranks["ranks_rmse"], "it has no RMSE, and leaves the others' ranks alone"
    assert "rs" in ranks["ranks_rmse"]
    (axes,) = critical_difference_panels({"": judged.tests["ranks_hamming_loss"]}, 0.05).axes
    assert any("mine" in text.get_text() for text in axes.texts)


def test_what_judge_has_written_is_what_the_page_reads(plan, judged, found, folder):
    for name in ("comparisons", "variants", "own"):
        assert [one.row() for one in getattr(found, name)] == [one.row() for one in getattr(judged, name)]
    assert found.tests == {name: one.rows() for name, one in judged.tests.items()}
    assert [tuple(row) for row in found.pairs] == judged.pairs
    assert {path.stem for path in folder.iterdir()} == {"comparison", *side_tables(plan, "chiang2012")}


def test_the_page_shows_it_without_a_verdict(plan, found):
    drawn = {("chiang2012", name): SVG for name in pictures_of(plan.papers["chiang2012"])}
    report = paper_report(plan, "chiang2012", found, drawn)
    page = render_page([report], [], [])
    assert 'class="own" data-paper="chiang2012" data-table="table3" data-dataset="yeast" data-method="mine"' in page
    assert 'href="chiang2012/own.csv"' in page
    judged = sum(target.published.value is not None for target in plan.targets["chiang2012"])
    assert f">{judged} printed numbers<" in page
