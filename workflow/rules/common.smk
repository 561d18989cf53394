# What all stages share: the plan (every cell of the run), where files go, and which data could be had.

import csv
import hashlib
import os
import re
import sys
from pathlib import Path

ROOT = Path(workflow.basedir)
# The scripts import the package from this checkout, also in a conda environment that does not have it installed.
os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, [str(ROOT / "src"), os.getenv("PYTHONPATH")])))
sys.path.insert(0, str(ROOT / "src"))

from labelknn.datasets.fetch import mirror_folder
from labelknn.errors import LabelknnError
from labelknn.experiment.plan import Plan
from labelknn.experiment.protocol import protocol_from
from labelknn.experiment.provenance import source_files
from labelknn.reporting.results import pictures_of
from labelknn.reporting.tables import FORMATS, PICTURES, file_name
from labelknn.reporting.times import time_cells

try:
    PLAN = Plan(config, ROOT)
    MIRROR = mirror_folder(config["mirror"], ROOT)
except LabelknnError as error:
    raise WorkflowError(str(error)) from None

DATA = config["data"]
FIGURES = config["figures"]
ENVIRONMENT = str(ROOT / "envs" / "labelknn.yaml")
REPORTING = ROOT / "src/labelknn/reporting"
REPORTING_MODULES = [os.path.relpath(path) for path in sorted(REPORTING.glob("*.py"))]
TEMPLATES = [os.path.relpath(path) for path in sorted((REPORTING / "templates").iterdir())]


wildcard_constraints:
    dataset="[^/]+",
    algorithm="[^/]+",
    protocol="[^/]+",


def one_of(names):
    return "|".join(re.escape(name) for name in names)


def fingerprint(*parts):
    """A short param that changes when what it stands for does, so that Snakemake runs the rule again."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def modules(name):
    """The files of a module and of what it is made of, as inputs of the rules whose results they decide."""
    return [os.path.relpath(path) for path in source_files(name)]


def splits_file(wildcards):
    """The splits of a cell: the same at every rate of missing labels."""
    return f"{DATA}/splits/{PLAN.protocols[wildcards.protocol].complete.id}/{wildcards.dataset}.npz"


def neighbors_file(wildcards):
    """The neighbours of a cell, where its method shares them with others."""
    algorithm = PLAN.algorithms[wildcards.algorithm]
    if "neighbors" not in algorithm:
        return []
    protocol = PLAN.protocols[wildcards.protocol].complete.id
    name = f"{algorithm.get('features', 'given')}-{algorithm['neighbors']}"
    return f"{DATA}/neighbors/{protocol}/{wildcards.dataset}/{name}.npz"


def unreached():
    """Why a data set could not be had, by its id; known once the checkpoint has looked."""
    with open(checkpoints.list_sources.get().output[0], newline="") as file:
        return {row["dataset"]: row["reason"] for row in csv.DictReader(file) if row["reached"] == "False"}


def score_files(cells):
    missing = unreached()
    return [f"{DATA}/scores/{cell.path}.csv" for cell in cells if cell.dataset not in missing]


def prepared_files(datasets, suffix):
    missing = unreached()
    return [f"{DATA}/prepared/{name}.{suffix}" for name in datasets if name not in missing]


def figure_data(paper, figure, complete=False):
    """The data sets of a figure; where it needs the complete list and one cannot be had, none."""
    datasets = PLAN.papers[paper]["figures"][figure]["datasets"]
    found = prepared_files(datasets, "npz")
    return found if not complete or len(found) == len(datasets) else []


def figure_cells(paper, *figures):
    return [cell for figure in figures for cell in PLAN.figure_cells(paper, figure).values()]


def reliability_files(stage, pattern):
    """Files of the cells of cheng2009's table 2 on complete rankings, for each data set of the figure."""
    protocol = protocol_from(PLAN.papers["cheng2009"]["protocol"])
    protocol = protocol.complete.id if stage == "splits" else protocol.id
    missing = unreached()
    datasets = PLAN.papers["cheng2009"]["figures"]["reliability"]["datasets"]
    return [f"{DATA}/{stage}/{protocol}/{pattern.format(dataset=name)}" for name in datasets if name not in missing]


def table_files(paper):
    tables = [file_name(table) for table in PLAN.papers[paper]["tables"]]
    return [f"{FIGURES}/{paper}/{table}.{suffix}" for table in tables for suffix in FORMATS]


def picture_files(paper, figure):
    return [f"{FIGURES}/{paper}/{figure}.{suffix}" for suffix in PICTURES]


def test_files(paper):
    """What a paper has beside its tables: tests with their diagrams, variants of its methods, and run times."""
    tests = PLAN.papers[paper].get("tests", {})
    diagrams = [path for test in tests for path in picture_files(paper, test)]
    planned = {
        "tests": tests,
        "paired_tests": PLAN.papers[paper].get("pairs"),
        "variants": PLAN.variants[paper],
        "times": time_cells(PLAN.targets[paper]),
    }
    tables = [name for name, there in planned.items() if there]
    return [f"{FIGURES}/{paper}/{table}.csv" for table in tables] + diagrams


def paper_files(paper):
    """The comparison, the tables and the figures of a paper; nothing for a paper that this run leaves out."""
    if paper not in PLAN.papers:
        return []
    figures = PLAN.papers[paper].get("figures", {})
    pictures = [path for figure in figures for path in picture_files(paper, figure)]
    return [f"{FIGURES}/{paper}/comparison.csv", *table_files(paper), *test_files(paper), *pictures]


def report_end():
    """Say where the page is, and loudly what is missing from it."""
    page = Path(FIGURES, "index.html")
    sources = Path(FIGURES, "sources.csv")
    if sources.exists():
        with sources.open(newline="") as file:
            missing = [row for row in csv.DictReader(file) if row["reached"] == "False"]
        for row in missing:
            print(f"NOT RUN  {row['dataset']}: {row['reason']}", file=sys.stderr)
        if any(row["reason"] == "source unreachable" for row in missing):
            print("To try these again: snakemake --cores all --forcerun fetch", file=sys.stderr)
    if page.exists():
        print(f"The page: {page.resolve()}", file=sys.stderr)
