"""A method of one's own beside those of a paper: in its tables, tests and diagrams, and on the page."""

import csv

import numpy as np
import pytest
import yaml

from labelknn_papers.judge.comparison import write_comparison
from labelknn_papers.judge.own import write_own
from labelknn_papers.plan.config import merge
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.score import Score
from labelknn_papers.show.contents import pictures_of, side_tables
from labelknn_papers.show.page import render_page
from labelknn_papers.show.results import Results, _paper
from labelknn_papers.show.tables import lay_out

from ..conftest import ROOT

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
SVG = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'
OWN = {
    "papers": ["chiang2012"],
    "studies": [],
    "algorithms": {"mine": {"title": "Mine", "class": "mine:Mine"}},
    "join": {"chiang2012": ["mine"]},
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
    return Results([Score(*key, value) for key, value in scores.items()], {}, UNREACHED, "nowhere")


@pytest.fixture(scope="module")
def results(plan):
    return made_up(plan)


def test_values_or_reasons(plan, results, tmp_path):
    write_own(tmp_path / "own.csv", results.own(plan, "chiang2012"))
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


def test_one_row_for_each_published_number_as_before(plan, results, tmp_path):
    without = Plan(merge(CONFIG, OWN | {"join": {}}), ROOT)
    for name, one in {"with": plan, "without": without}.items():
        write_comparison(tmp_path / name, results.compare(one, "chiang2012"))
    assert (tmp_path / "with").read_bytes() == (tmp_path / "without").read_bytes()


def test_it_stands_in_the_table_with_as_many_decimals_as_the_others(plan, results):
    cells = [*results.compare(plan, "chiang2012"), *results.own(plan, "chiang2012")]
    table = [one for one in cells if one.published.table == "table1"]
    frame = lay_out(table, plan.papers["chiang2012"]["tables"]["table1"]["layout"]).set_index("method")
    assert frame.loc["mine", "yeast paper"] == ""
    printed = frame.loc["mlknn", "yeast paper"]
    assert frame.loc["mine", "yeast ours"] == f"{0.0015:.{len(printed.partition('.')[2])}f}"
    assert frame.loc["mine", "audio ours"] == "not run: never published"


def test_the_tests_count_it_in_where_it_has_values(plan, results):
    cells = [*results.compare(plan, "chiang2012"), *results.own(plan, "chiang2012")]
    _, rows, diagrams = results.test(plan.papers["chiang2012"]["tests"], cells)
    ranked = {(test, detail): value for test, kind, value, _, detail in rows if kind == "average rank"}
    assert ranked["ranks_hamming_loss", "mine"] == 1
    assert ("ranks_rmse", "mine") not in ranked, "it has no RMSE, and leaves the others' ranks alone"
    assert ("ranks_rmse", "rs") in ranked
    drawn = [text.get_text() for text in diagrams["ranks_hamming_loss"].axes[0].texts]
    assert any("mine" in text for text in drawn)


def test_the_page_shows_it_without_a_verdict(plan, results):
    drawn = {("chiang2012", name): SVG for name in pictures_of(plan.papers["chiang2012"])}
    report = _paper(plan, results, "chiang2012", results.compare(plan, "chiang2012"), drawn)
    page = render_page([report], [], [])
    assert 'class="own" data-paper="chiang2012" data-table="table3" data-dataset="yeast" data-method="mine"' in page
    assert 'href="chiang2012/own.csv"' in page
    judged = sum(target.published.value is not None for target in plan.targets["chiang2012"])
    assert f"One square for each of the {judged} printed numbers" in page
