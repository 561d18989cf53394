"""A figure is two functions, and its lines in the paper's yaml."""

import shutil

import pytest

from ..conftest import ROOT
from .test_workflow import EMBEDDED, rows, snakemake

pytestmark = pytest.mark.workflow

FUNCTION = '''

def label_counts(data: Mapping[str, Dataset]) -> Table:
    """How many labels the rows have together."""
    return Table(("dataset", "labels"), [(name, int(one.Y.sum())) for name, one in data.items()])


def draw_label_counts(table: Table, names: Mapping[str, str]) -> Figure:
    with panels(table.values("dataset"), 3, 2) as (figure, grid):
        for axes, row in zip(grid, table.records(), strict=True):
            axes.bar([0], [row["labels"]])
        return figure
'''
LINES = """
  label_counts:
    title: Labels
    caption: How many labels the rows have together.
    datasets: [synthetic-multilabel]
    needs: [data]
"""
CHECKOUT = ("CITATION.cff", "Snakefile", "config", "envs", "src", "workflow")


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in CHECKOUT:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    return folder


def add(path, text):
    with path.open("a") as file:
        file.write(text)


@pytest.mark.long
def test_a_figure_is_added_by_its_function_and_its_lines(tmp_path, checkout):
    add(checkout / "src/labelknn_papers/papers/zhang2005.py", FUNCTION)
    add(checkout / "config/papers/zhang2005.yaml", LINES)
    config = EMBEDDED | {"papers": ["zhang2005"], "comparisons": []}
    environment = {"LABELKNN_MIRROR": str(tmp_path), "LABELKNN_OFFLINE": "1", "PYTHONPATH": str(checkout / "src")}
    run = snakemake(tmp_path, config, "--", "zhang2005", "out/index.html", root=checkout, **environment)
    assert run.returncode == 0, run.stderr
    (row,) = rows(tmp_path / "out/zhang2005/label_counts.csv")
    assert (row["dataset"], int(row["labels"]) > 600) == ("synthetic-multilabel", True)
    for suffix in ("svg", "pdf", "png"):
        assert (tmp_path / f"out/zhang2005/label_counts.{suffix}").stat().st_size
    assert 'id="zhang2005-label_counts"' in (tmp_path / "out/index.html").read_text()
