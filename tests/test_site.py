"""The site: what its pages are written from, its links, and that it is built without a warning."""

import inspect
import os
import re
import shutil
import subprocess
import sys

import pytest

from labelknn import LCIF, MLkNN
from labelknn.datasets import load
from labelknn.utils import all_estimators

from .conftest import ROOT

DOCS = ROOT / "docs"
PAPERS = ("brinker2007", "cheng2009", "chiang2012", "feremans2017", "zhang2005")


@pytest.fixture
def module(monkeypatch):
    """A module of the site by its name."""
    monkeypatch.syspath_prepend(DOCS / "sphinxext")
    monkeypatch.syspath_prepend(DOCS)

    def found(name):
        return __import__(name)

    yield found
    for name in ("check_links", "docstrings", "pages", "results"):
        sys.modules.pop(name, None)


class TestDocstrings:
    def rewritten(self, module, thing):
        tool = module("docstrings")
        lines = inspect.getdoc(thing).split("\n")
        return tool.rewritten(lines, tool.parameters_of(thing), isinstance(thing, type))

    def test_a_parameter_has_its_type_and_its_default(self, module):
        lines = self.rewritten(module, MLkNN)
        at = lines.index("k : int, default=10")
        assert lines[at + 1] == "    Number of neighbours."
        assert "n_jobs : int or None, default=None" in lines
        assert "k_instance, k_feature : int, default=15" in self.rewritten(module, LCIF)

    def test_an_example_has_a_section_of_its_own_at_the_end(self, module):
        lines = self.rewritten(module, MLkNN)
        assert lines.index("References") < lines.index("Examples") < lines.index(">>> import numpy as np")
        assert ":doc:`zhang2005 </results/zhang2005>`, Figure 1." in lines

    def test_parameters_under_no_heading_get_one(self, module):
        lines = self.rewritten(module, load)
        at = lines.index("Parameters")
        assert lines[at : at + 3] == ["Parameters", "----------", "return_X_y : bool, default=False"]
        assert lines.index("Examples") > at

    @pytest.mark.parametrize(("name", "estimator"), all_estimators())
    def test_nothing_is_lost(self, module, name, estimator):
        words = set(re.findall(r"[a-z]{4,}", inspect.getdoc(estimator).lower()))
        assert words <= set(re.findall(r"[a-z]{4,}", "\n".join(self.rewritten(module, estimator)).lower()))

    def test_mathematics_is_no_markup(self, module):
        assert module("docstrings").escaped("½|w|² and coef_[i] of `|a|` and **kwargs") == (
            r"½\|w\|² and coef\_[i] of `|a|` and *\*kwargs"
        )


class TestResults:
    def test_each_paper_has_a_page_with_the_counts_of_the_scorecard(self, module):
        results = module("results")
        pages = results.pages(ROOT)
        assert set(pages) == {"index", *PAPERS}
        rows = results.read(ROOT / "figures/scorecard.csv")
        for paper in PAPERS:
            for row in rows:
                if row["paper"] == paper:
                    counts = [row[key] for key in ("cells", "matches", "close", "differs", "not_run")]
                    assert f"| {' | '.join(counts)} |" in pages[paper]

    @pytest.mark.parametrize("paper", PAPERS)
    def test_every_number_that_differs_is_counted_with_its_reason(self, module, paper):
        results = module("results")
        section = results.pages(ROOT)[paper].partition("## What differs, and why")[2].partition("\n## ")[0]
        counts = [int(number) for number in re.findall(r"^\|[^|]*\|[^|]*\| (\d+) \|", section, re.MULTILINE)]
        differing = [
            row for row in results.read(ROOT / f"figures/{paper}/comparison.csv") if row["verdict"] == "differs"
        ]
        assert sum(counts) == len(differing)

    def test_the_reference_lists_every_estimator(self, module):
        page = module("pages").reference()["estimators"]
        listed = re.findall(r"^   (\w+)$", page, re.MULTILINE)
        assert sorted(listed) == [name for name, _ in all_estimators()]


class TestLinks:
    def test_those_that_lead_nowhere_are_named(self, module, tmp_path):
        (tmp_path / "guide").mkdir()
        (tmp_path / "index.html").write_text(
            '<a href="guide/a.html#there">1</a><a href="guide/a.html#gone">2</a><img src="no.png">'
            '<a href="https://example.org/x">3</a><a href="#here" id="here">4</a>'
        )
        (tmp_path / "guide/a.html").write_text('<p id="there"><a href="../index.html#here">1</a><a href="b.html">2</a>')
        assert module("check_links").broken(tmp_path) == [
            "guide/a.html: b.html",
            "index.html: guide/a.html#gone",
            "index.html: no.png",
        ]


@pytest.mark.long
def test_the_site_is_built_without_a_warning(tmp_path, module):
    """As `make docs` builds it, all examples included, beside the checkout and without a network."""
    for name in ("docs", "examples"):
        made = shutil.ignore_patterns("_build", "api", "gallery", "results")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=made)
    for name in ("config", "figures", "src", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet", "docs", "site"]
    environment = os.environ | {"LABELKNN_OFFLINE": "1", "LABELKNN_CACHE": str(tmp_path / "cache")}
    environment.pop("LABELKNN_MIRROR", None)
    built = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    assert module("check_links").broken(tmp_path / "site") == []
    programs = sorted(path.stem for path in (ROOT / "examples").glob("*/plot_*.py"))
    assert len(programs) >= 8
    for program in programs:
        assert list((tmp_path / "site/_images").glob(f"sphx_glr_{program}_*.png")), program


# What somebody new tries, by the program of the gallery and the call in its cell.
TRIED = {
    "label_sets/plot_grid_search.py": ("GridSearchCV(", "scorer("),
    "rankings/plot_ranking_tree.py": ("LRT(", "export_text("),
    "own/plot_own_csv.py": ("read_csv(", "all_estimators("),
}


@pytest.mark.parametrize("program", TRIED)
def test_what_a_new_user_tries_is_one_cell_of_ten_lines(program):
    cells = (ROOT / "examples" / program).read_text().split("# %%\n")
    (cell,) = (cell for cell in cells if all(call in cell for call in TRIED[program]))
    assert len(_lines(cell)) <= 10


@pytest.mark.long
@pytest.mark.mirror
@pytest.mark.workflow
def test_an_own_method_in_one_table_on_one_data_set_takes_ten_lines(mirror, tmp_path):
    """The files that the guide shows, and the command below them."""
    page = (DOCS / "guide/own.md").read_text()
    method, config, command = re.findall(r"^```\w+\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[:3]
    assert len(_lines(method)) + len(_lines(config)) <= 10
    for text in (method, config):
        path = tmp_path / re.match(r"# (\S+)", text)[1]
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    arguments = command.removeprefix("$ snakemake ").split()
    snakemake = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    environment = os.environ | {"LABELKNN_MIRROR": str(mirror)}
    run = subprocess.run([*snakemake, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    own = [line.split(",") for line in (tmp_path / "mine/chiang2012/own.csv").read_text().splitlines()]
    header, rows = own[0], own[1:]
    of = {name: {row[header.index(name)] for row in rows} for name in ("table", "dataset", "method")}
    assert of == {"table": {"table3"}, "dataset": {"emotions"}, "method": {"share"}}
    assert len([row for row in rows if row[header.index("ours")]]) == 4, "one for each metric"
    assert [path.name for path in tmp_path.glob("data/prepared/*.npz")] == ["emotions.npz"]
    assert "share" in (tmp_path / "mine/chiang2012/table_3.csv").read_text().lower(), "by its id or its title"


def _lines(text):
    """Those of code: no comments, nothing empty."""
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
