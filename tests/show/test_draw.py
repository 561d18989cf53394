"""Figures: each has a function that takes what its entry asks for, and gets exactly that."""

import inspect
import shutil

import pytest
import yaml

from labelknn.errors import ConfigError
from labelknn.utils._files import write_table
from labelknn_papers.plan.config import merge
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.score import Score
from labelknn_papers.run.store import Result, write_results
from labelknn_papers.show.contents import captions, figure_tables, pictures_of
from labelknn_papers.show.draw import figure_function, picture, tabulate
from labelknn_papers.show.figures import Table, empty_figure
from labelknn_papers.show.needs import FILES, given, names_in_pictures, needed_files

from ..conftest import ROOT

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())


@pytest.fixture(scope="module")
def plan():
    return Plan(CONFIG, ROOT)


FIGURES = [
    (path.stem, figure)
    for path in sorted((ROOT / "config/papers").glob("*.yaml"))
    for figure, entry in yaml.safe_load(path.read_text()).get("figures", {}).items()
    if entry.get("picture", True) or entry.get("table")
]


def test_there_are_figures_of_every_paper():
    assert {paper for paper, _ in FIGURES} == set(CONFIG["papers"])


def results(cells):
    """A list for each cell."""
    return [f"{cell.path}.csv" for cell in cells]


@pytest.mark.parametrize(("paper", "figure"), FIGURES)
def test_a_figure_takes_what_it_asks_for(plan, paper, figure):
    needs = plan.papers[paper]["figures"][figure]["needs"]
    files, values = needed_files(plan, paper, figure, {}, results), given(plan, paper, figure)
    assert set(inspect.signature(figure_function(paper, figure)).parameters) == set(needs)
    if plan.papers[paper]["figures"][figure].get("picture", True):
        drawing = inspect.signature(figure_function(paper, f"draw_{figure}"))
        assert list(drawing.parameters) == ["table", "names"]
    assert files.keys() | values.keys() == set(needs)
    assert files.keys() <= set(FILES)
    assert not files.keys() & values.keys()
    assert all(files.values()), "every need has files"


def test_files_of_data_that_could_not_be_had_are_not_asked_for(plan):
    everything = needed_files(plan, "brinker2007", "gap", {}, results)["scores"]
    reached = needed_files(plan, "brinker2007", "gap", {"yeast"}, results)["scores"]
    assert len(everything) == 3 * 4
    assert reached == [path for path in everything if "/yeast/" not in path]
    assert needed_files(plan, "brinker2007", "matching", {"yeast-spo"}, results) == {"all_data": []}


def test_data_and_splits_are_those_of_the_cells():
    config = merge(
        CONFIG, {"papers": ["cheng2009"], "comparisons": [], "settings": {"cheng2009": {"rankings": "generated"}}}
    )
    files = needed_files(Plan(config, ROOT), "cheng2009", "reliability", {}, results)
    assert "data/prepared/iris-generated.npz" in files["data"]
    assert "data/splits/cv-5x10/iris-generated.npz" in files["splits"]
    assert "cv-5x10-missing-0-30-60/iris-generated/lrt.csv" in files["predictions"]
    assert len(files["splits"]) * 2 == len(files["predictions"])


def test_a_figure_on_request_has_a_caption_but_no_place_on_the_page(plan):
    assert "feremans2017/scale" in captions(plan)
    assert "scale" not in pictures_of(plan.papers["feremans2017"])


def test_what_has_no_picture_has_no_place_on_the_page_but_its_table_is_made(plan):
    zhang = plan.papers["zhang2005"]
    assert {"row_tests", "steps"} <= zhang["figures"].keys()
    assert not {"row_tests", "steps"} & (pictures_of(zhang).keys() | pictures_of(zhang, on_request=True).keys())
    assert figure_tables(zhang) == ["rounds", "adtree", "row_tests", "iterations"]
    assert "scale" not in figure_tables(plan.papers["feremans2017"]), "on request"
    assert {cell.method for cell in plan.cells_by_owner["zhang2005"]} >= {"adtboost-mh-steps"}


def with_figure(tmp_path, **entry):
    """A plan in which zhang2005 has one more figure on a data set that is there, and the files of this data set."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    shutil.copytree(ROOT / "workflow/schemas", tmp_path / "workflow/schemas")
    path = tmp_path / "config/papers/zhang2005.yaml"
    document = yaml.safe_load(path.read_text())
    text = {"title": "Title", "caption": "Caption.", "datasets": ["synthetic-multilabel"]}
    document["figures"] = {"adtree": {**text, **entry}}
    path.write_text(yaml.safe_dump(document))
    return Plan(merge(CONFIG, {"papers": ["zhang2005"], "comparisons": [], "data": str(tmp_path)}), tmp_path)


def test_scores_come_by_cell_setting_and_metric(tmp_path, monkeypatch):
    cells = {"protocol": {"kind": "public-split"}, "algorithms": ["mlknn"]}
    plan = with_figure(tmp_path, needs=["scores"], cells=cells)
    listed = tmp_path / "results.csv"
    files = needed_files(plan, "zhang2005", "adtree", {}, lambda cells: [str(listed)])
    (cell,) = plan.figure_cells("zhang2005", "adtree").values()
    place = (cell.protocol.id, cell.dataset, cell.method)
    rows = [Score(*place, "", 0, fold, "hamming_loss", value) for fold, value in enumerate((0.1, 0.3))]
    write_table(tmp_path / "scores.csv", Score._fields, rows)
    write_results(listed, [Result(cell.path, scores=str(tmp_path / "scores.csv"))])
    got = {}

    def adtree(scores):
        got.update(scores)
        return Table(("loss",), [(0.1 + 0.2,)])

    monkeypatch.setattr("labelknn_papers.show.draw.figure_function", lambda paper, figure: adtree)
    assert tabulate(plan, "zhang2005", "adtree", files).rows == [(0.3,)], "to six decimals"
    assert got["synthetic-multilabel", "mlknn"]["", "hamming_loss"].mean == pytest.approx(0.2)


def test_a_picture_has_the_table_and_the_names(tmp_path, monkeypatch):
    plan, seen = with_figure(tmp_path, needs=["data"]), {}

    def draw_adtree(table, names):
        seen.update(table=table, names=names)
        return empty_figure("drawn")

    monkeypatch.setattr("labelknn_papers.show.draw.figure_function", lambda paper, figure: draw_adtree)
    table = Table(("loss",), [(0.3,)])
    picture(plan, "zhang2005", "adtree", table, {})
    assert seen["table"] is table
    assert seen["names"]["mlknn"] == plan.methods["mlknn"]["title"]


def said(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_an_empty_picture_says_why(tmp_path):
    plan, nothing = with_figure(tmp_path, needs=["data"]), Table(("loss",))
    assert said(picture(plan, "zhang2005", "adtree", nothing, {})) == ["not run: left out of this run"]
    unreached = {"synthetic-multilabel": "source unreachable", "yeast": "another reason"}
    assert said(picture(plan, "zhang2005", "adtree", nothing, unreached)) == ["not run: source unreachable"]


def test_every_figure_that_a_filter_leaves_out_can_be_made(plan):
    """Each with its header, whatever it needs."""
    some = Plan(merge(CONFIG, {"only": {key: {"figures": []} for key in plan.papers}}), ROOT)
    for paper, definition in some.papers.items():
        for figure in definition["figures"]:
            files = needed_files(some, paper, figure, {}, results)
            assert not any(files.values())
            table = tabulate(some, paper, figure, files)
            assert table.header
            assert said(picture(some, paper, figure, table, {})) == ["not run: left out of this run"]


def test_names_in_pictures_are_the_papers_own_first(plan):
    plan = Plan(CONFIG, ROOT)
    names = names_in_pictures(plan, "feremans2017")
    assert names["wiki-10"] == "Wiki-10's shape"
    plan.papers["feremans2017"] = {**plan.papers["feremans2017"], "names": {"methods": {"mlknn": "MLkNN"}}}
    assert names_in_pictures(plan, "feremans2017")["mlknn"] == "MLkNN"


def test_a_column_that_the_table_lacks_is_refused(tmp_path, monkeypatch):
    plan = with_figure(tmp_path, needs=[], columns=["lables"])
    monkeypatch.setattr(
        "labelknn_papers.show.draw.figure_function", lambda paper, figure: lambda: Table(("labels",), [(3,)])
    )
    with pytest.raises(ConfigError, match=r"adtree, columns: unknown column 'lables'\. Did you mean 'labels'"):
        tabulate(plan, "zhang2005", "adtree", {})


def test_a_figure_without_a_function_names_the_known_ones():
    with pytest.raises(ConfigError, match=r"unknown function 'round'\. Did you mean 'rounds'"):
        figure_function("zhang2005", "round")


def test_a_need_that_is_none_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"unknown value 'score'\. Did you mean 'scores'"):
        with_figure(tmp_path, needs=["score"])
