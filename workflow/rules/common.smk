# What all stages share: the plan (every cell of the run), where files go, and which data could be had.

import hashlib
import os
import re
import sys
from functools import cache
from pathlib import Path

ROOT = Path(workflow.basedir)
# The scripts import the package from this checkout, also in a conda environment that does not have it installed.
os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, [str(ROOT / "src"), os.getenv("PYTHONPATH")])))
# A job ends with the process that runs the workflow, also if that is killed.
os.environ.update(LABELKNN_RUN=str(os.getpid()))
sys.path.insert(0, str(ROOT / "src"))

from labelknn.datasets._fetch import mirror_folder
from labelknn.errors import LabelknnError
from labelknn_papers.judge.files import side_tables
from labelknn_papers.judge.times import time_cells
from labelknn_papers.plan.own import check_files, local_files, modules_folder
from labelknn_papers.plan.paths import Paths
from labelknn_papers.plan.plan import Plan
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.run.job import SAME_BITS
from labelknn_papers.run.provenance import config_digest, method_files, source_files
from labelknn_papers.show.contents import FORMATS, PICTURES, captions, file_name, pictures_of
from labelknn_papers.show.needs import given, needed_files

# Every job, on this machine or another, computes with the same loops.
os.environ.update(SAME_BITS)

try:
    PLAN = Plan(config, ROOT)
    MIRROR = mirror_folder(config["mirror"], ROOT)
    OWN_MODULES = modules_folder(config)
    check_files(PLAN)
except LabelknnError as error:
    raise WorkflowError(str(error)) from None

if OWN_MODULES:
    # They come last in Python's search, so that they cannot hide others.
    os.environ.update(PYTHONPATH=os.pathsep.join([os.getenv("PYTHONPATH"), str(OWN_MODULES)]))

PATHS = Paths(PLAN, PICTURES)
DATA = PATHS.data
FIGURES = PATHS.figures
# Which data could be had; it depends on the config, as the figures do.
SOURCES = f"{DATA}/sources/{FIGURES}.csv"
# Its time is that of the last start of a run.
START = f"{DATA}/benchmarks/started"
ENVIRONMENT = str(ROOT / "envs" / "labelknn.yaml")
REPRODUCTION = ROOT / "src/labelknn_papers"
REPORTING_MODULES = [
    os.path.relpath(path) for room in ("judge", "show") for path in sorted((REPRODUCTION / room).glob("*.py"))
]
TEMPLATES = [os.path.relpath(path) for path in sorted((REPRODUCTION / "show" / "templates").iterdir())]


wildcard_constraints:
    dataset="[^/]+",
    method="[^/]+",
    protocol="[^/]+",


def one_of(names):
    return "|".join(re.escape(name) for name in names)


def fingerprint(*parts):
    """A short param that changes when what it stands for does, so that Snakemake runs the rule again."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


@cache
def modules(name):
    """The files of a module and of what it is made of, as inputs of the rules whose results they decide."""
    return [os.path.relpath(path) for path in source_files(name, OWN_MODULES)]


def unreached():
    """Why a data set could not be had, by its id; known once the checkpoint has looked."""
    return read_unreached(checkpoints.list_sources.get().output[0])


def reached(cells):
    missing = unreached()
    return [cell for cell in cells if cell.dataset not in missing]


def score_files(cells):
    return PATHS.of_cells("scores", "csv", reached(cells))


def prediction_files(cells):
    return PATHS.of_cells("predictions", "npz", reached(cells))


def prepared_files(datasets, suffix):
    missing = unreached()
    return PATHS.prepared([name for name in datasets if name not in missing], suffix)


def splits_file(wildcards):
    return PATHS.splits(wildcards.protocol, wildcards.dataset)


def cell_modules(wildcards):
    """What decides the predictions of a cell: the files of its method and of what runs it."""
    of_method = map(os.path.relpath, method_files(PLAN.methods[wildcards.method], OWN_MODULES))
    return sorted({*of_method, *modules("labelknn_papers.run.cell")})


def neighbors_file(wildcards):
    return PATHS.neighbors(wildcards.protocol, wildcards.dataset, wildcards.method) or []


def unreached_of(key):
    """Why a data set of a comparison could not be had, by its id."""
    return read_unreached(checkpoints.list_comparison_sources.get(comparison=key).output[0])


def comparison_datasets(wildcards):
    return PLAN.with_bases(PLAN.comparisons[wildcards.comparison]["datasets"])


def reported(files, name, category, title):
    """The first of the files goes into Snakemake's own report, with its caption from `captions`."""
    caption = os.path.abspath(f"{DATA}/captions/{name}.rst")
    return [report(files[0], caption=caption, category=category, labels={"shows": title}), *files[1:]]


def table_files(paper):
    found = []
    for table, definition in PLAN.papers[paper]["tables"].items():
        files = [f"{FIGURES}/{paper}/{file_name(table)}.{suffix}" for suffix in FORMATS]
        found += reported(files, f"{paper}/{table}", paper, definition["title"])
    return found


def picture_files(paper, figure):
    title = pictures_of(PLAN.papers[paper], on_request=True)[figure]["title"]
    return reported([f"{FIGURES}/{paper}/{figure}.{suffix}" for suffix in PICTURES], f"{paper}/{figure}", paper, title)


def figures():
    """The figures of all papers, those included that are drawn on request."""
    return [(paper, figure) for paper in PLAN.papers for figure in PLAN.papers[paper].get("figures", {})]


def figure_table(paper, figure):
    """The table beside a figure, where it has one."""
    there = PLAN.papers[paper].get("figures", {}).get(figure, {}).get("table")
    return [f"{FIGURES}/{paper}/{figure}.csv"] if there else []


def time_files(paper):
    """The run times of a paper's cells that are compared with printed ones."""
    return PATHS.of_cells("times", "csv", reached(time_cells(PLAN.targets[paper])))


def findings_files(paper):
    """What judge has written of a paper."""
    return [f"{FIGURES}/{paper}/{name}.csv" for name in ("comparison", *side_tables(PLAN, paper)) if name != "times"]


def overall_pictures(name):
    """A figure over all papers."""
    return reported([f"{FIGURES}/{name}.{suffix}" for suffix in PICTURES], name, "All papers", name)


def test_files(paper):
    """What a paper has beside its tables: tests with their diagrams, variants of its methods, and run times."""
    diagrams = [path for test in PLAN.papers[paper].get("tests", {}) for path in picture_files(paper, test)]
    return [f"{FIGURES}/{paper}/{table}.csv" for table in side_tables(PLAN, paper)] + diagrams


def paper_files(paper):
    """The comparison, the tables and the figures of a paper."""
    drawn = pictures_of(PLAN.papers[paper])
    pictures = [path for figure in drawn for path in picture_files(paper, figure)]
    tables = [path for figure in drawn for path in figure_table(paper, figure)]
    beside = [f"{FIGURES}/{paper}/{table}.csv" for table in side_tables(PLAN, paper)]
    found = [f"{FIGURES}/{paper}/comparison.csv", *table_files(paper), *beside, *pictures, *tables]
    # As plain names: in the report a file belongs to the rule that makes it, not to those that ask for it.
    return [str(path) for path in found]


def report_start():
    """For the cost of the run, which counts from here."""
    Path(START).parent.mkdir(parents=True, exist_ok=True)
    Path(START).touch()


def start_jobs_unlimited():
    """On one machine its cores are the limit. Snakemake's own, 100 jobs a second, would have it look for jobs once a
    second for each job that has ended so far: after some hundred jobs that takes half a core, later a whole one."""
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def report_end():
    """Say where the pages are that this run has made, and loudly what is missing from them."""
    pages = {f"{FIGURES}/index.html": SOURCES}
    pages |= {PATHS.comparison(key, ".html"): PATHS.comparison_sources(key) for key in PLAN.comparisons}
    for page, sources in pages.items():
        page = Path(page)
        if not page.exists() or page.stat().st_mtime < Path(START).stat().st_mtime:
            continue
        missing = read_unreached(sources)
        for dataset, reason in missing.items():
            print(f"NOT RUN  {dataset}: {reason}", file=sys.stderr)
        if "source unreachable" in missing.values():
            print("To try these again: the same command with --forcerun fetch", file=sys.stderr)
        print(f"The page: {page.resolve()}", file=sys.stderr)
