# What all stages share: the plan (every cell of the run), where files go, and which data could be had.

import csv
import hashlib
import os
import sys
from pathlib import Path

ROOT = Path(workflow.basedir)
# The scripts import the package from this checkout, also in a conda environment that does not have it installed.
os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, [str(ROOT / "src"), os.getenv("PYTHONPATH")])))
sys.path.insert(0, str(ROOT / "src"))

from labelknn.datasets.fetch import mirror_folder
from labelknn.errors import LabelknnError
from labelknn.experiment.plan import Plan
from labelknn.experiment.provenance import source_files
from labelknn.reporting.tables import FORMATS, file_name

try:
    PLAN = Plan(config, ROOT)
    MIRROR = mirror_folder(config["mirror"], ROOT)
except LabelknnError as error:
    raise WorkflowError(str(error)) from None

DATA = config["data"]
FIGURES = config["figures"]
ENVIRONMENT = str(ROOT / "envs" / "labelknn.yaml")


REPORTING_MODULES = [
    os.path.relpath(path)
    for path in sorted((ROOT / "src/labelknn/reporting").glob("*.py"))
]


wildcard_constraints:
    dataset="[^/]+",
    algorithm="[^/]+",
    protocol="[^/]+",


def fingerprint(*parts):
    """A short param that changes when what it stands for does, so that Snakemake runs the rule again."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def modules(name):
    """The files of a module and of what it is made of, as inputs of the rules whose results they decide."""
    return [os.path.relpath(path) for path in source_files(name)]


def unreached():
    """Why a data set could not be had, by its id; known once the checkpoint has looked."""
    with open(checkpoints.list_sources.get().output[0], newline="") as file:
        return {
            row["dataset"]: row["reason"]
            for row in csv.DictReader(file)
            if row["reached"] == "False"
        }


def score_files(cells):
    missing = unreached()
    return [
        f"{DATA}/scores/{cell.path}.csv"
        for cell in cells
        if cell.dataset not in missing
    ]


def fact_files(datasets):
    missing = unreached()
    return [f"{DATA}/prepared/{name}.json" for name in datasets if name not in missing]


def table_files(paper):
    tables = [file_name(table) for table in PLAN.papers[paper]["tables"]]
    return [
        f"{FIGURES}/{paper}/{table}.{suffix}" for table in tables for suffix in FORMATS
    ]


def paper_files(paper):
    """The comparison and the tables of a paper; nothing for a paper that this run leaves out."""
    return (
        [f"{FIGURES}/{paper}/comparison.csv", *table_files(paper)]
        if paper in PLAN.papers
        else []
    )


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
            print(
                "To try these again: snakemake --cores all --forcerun fetch",
                file=sys.stderr,
            )
    if page.exists():
        print(f"The page: {page.resolve()}", file=sys.stderr)
