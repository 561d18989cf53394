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
from labelknn_papers.plan.own import check_files, local_files
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.provenance import config_digest, source_files
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.show.contents import FORMATS, PICTURES, captions, file_name, pictures_of
from labelknn_papers.show.needs import given, needed_files

try:
    PLAN = Plan(config, ROOT)
    MIRROR = mirror_folder(config["mirror"], ROOT)
    # Modules of one's own come last in Python's search, so that they cannot hide others.
    OWN_MODULES = Path(config["python_path"]).expanduser().resolve() if config["python_path"] else None
    check_files(PLAN, OWN_MODULES)
except LabelknnError as error:
    raise WorkflowError(str(error)) from None

if OWN_MODULES:
    os.environ.update(PYTHONPATH=os.pathsep.join([os.getenv("PYTHONPATH"), str(OWN_MODULES)]))

DATA = config["data"]
FIGURES = config["figures"]
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
    algorithm="[^/]+",
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


CELL_MODULES = modules("labelknn_papers.run.cell")


def cell_modules(wildcards):
    """What decides the predictions of a cell: the files of its method and of what runs it."""
    method = PLAN.algorithms[wildcards.algorithm]["class"].partition(":")[0]
    return sorted({*modules(method), *CELL_MODULES})


def splits_file(wildcards):
    """The splits of a cell: the same at every rate of missing labels."""
    return f"{DATA}/splits/{PLAN.protocols[wildcards.protocol].complete.id}/{wildcards.dataset}.npz"


def neighbors_file(wildcards):
    """The neighbours of a cell, where its method shares them with others."""
    algorithm = PLAN.algorithms[wildcards.algorithm]
    if "neighbors" not in algorithm:
        return []
    protocol = PLAN.protocols[wildcards.protocol].complete.id
    name = f"{algorithm.get('features', 'given')}-{algorithm['neighbors']}-{algorithm.get('neighbors_of', 'all-rows')}"
    return f"{DATA}/neighbors/{protocol}/{wildcards.dataset}/{name}.npz"


def unreached(checkpoint="list_sources"):
    """Why a data set could not be had, by its id; known once the checkpoint has looked."""
    return read_unreached(getattr(checkpoints, checkpoint).get().output[0])


def score_files(cells):
    missing = unreached()
    return [f"{DATA}/scores/{cell.path}.csv" for cell in cells if cell.dataset not in missing]


def prediction_files(cells):
    missing = unreached()
    return [f"{DATA}/predictions/{cell.path}.npz" for cell in cells if cell.dataset not in missing]


def prepared_files(datasets, suffix):
    missing = unreached()
    return [f"{DATA}/prepared/{name}.{suffix}" for name in datasets if name not in missing]


def reported(path, name, category, title):
    """The file goes into Snakemake's own report, with its caption from `captions`."""
    caption = os.path.abspath(f"{DATA}/captions/{name}.rst")
    return report(path, caption=caption, category=category, labels={"shows": title})


def table_files(paper):
    """The files of all tables of a paper; of each the CSV file goes into the report."""
    found = []
    for table, definition in PLAN.papers[paper]["tables"].items():
        csv_file, *others = [f"{FIGURES}/{paper}/{file_name(table)}.{suffix}" for suffix in FORMATS]
        found += [reported(csv_file, f"{paper}/{table}", paper, definition["title"]), *others]
    return found


def picture_files(paper, figure):
    """A figure in all formats; the SVG file goes into the report."""
    title = pictures_of(PLAN.papers[paper], on_request=True)[figure]["title"]
    svg, *others = [f"{FIGURES}/{paper}/{figure}.{suffix}" for suffix in PICTURES]
    return [reported(svg, f"{paper}/{figure}", paper, title), *others]


def figures():
    """The figures of all papers, those included that are drawn on request."""
    return [(paper, figure) for paper in PLAN.papers for figure in PLAN.papers[paper].get("figures", {})]


def figure_table(paper, figure):
    """The table beside a figure, where it has one."""
    there = PLAN.papers[paper].get("figures", {}).get(figure, {}).get("table")
    return [f"{FIGURES}/{paper}/{figure}.csv"] if there else []


def time_files(paper):
    """The run times of a paper's cells that are compared with printed ones."""
    missing = unreached()
    cells = time_cells(PLAN.targets[paper])
    return [f"{DATA}/times/{cell.path}.csv" for cell in cells if cell.dataset not in missing]


def findings_files(paper):
    """What judge has written of a paper."""
    return [f"{FIGURES}/{paper}/{name}.csv" for name in ("comparison", *side_tables(PLAN, paper)) if name != "times"]


def overall_pictures(name):
    """A figure over all papers."""
    svg, *others = [f"{FIGURES}/{name}.{suffix}" for suffix in PICTURES]
    return [reported(svg, name, "All papers", name), *others]


def test_files(paper):
    """What a paper has beside its tables: tests with their diagrams, variants of its methods, and run times."""
    diagrams = [path for test in PLAN.papers[paper].get("tests", {}) for path in picture_files(paper, test)]
    return [f"{FIGURES}/{paper}/{table}.csv" for table in side_tables(PLAN, paper)] + diagrams


def paper_files(paper):
    """The comparison, the tables and the figures of a paper; nothing for a paper that this run leaves out."""
    if paper not in PLAN.papers:
        return []
    drawn = pictures_of(PLAN.papers[paper])
    pictures = [path for figure in drawn for path in picture_files(paper, figure)]
    tables = [path for figure in drawn for path in figure_table(paper, figure)]
    beside = [f"{FIGURES}/{paper}/{table}.csv" for table in side_tables(PLAN, paper)]
    found = [f"{FIGURES}/{paper}/comparison.csv", *table_files(paper), *beside, *pictures, *tables]
    # As plain names: in the report a file belongs to the rule that makes it, not to those that ask for it.
    return [str(path) for path in found]


GRAND_DATASETS = PLAN.with_bases(dict.fromkeys(name for one in PLAN.grand.values() for name in one["datasets"]))
GRAND_TABLES = ("csv", "md")


def grand_cells(task):
    """What a grand comparison tries, on the data that could be had."""
    missing = unreached("list_grand_sources")
    cells = [entry.cell for entry in PLAN.grand_entries(task) if not entry.cannot]
    return [cell for cell in dict.fromkeys(cells) if cell.dataset not in missing]


def grand_scores(task):
    """The scores of cells that the run has anyway, and of cells that are only tried."""
    known = set(PLAN.cells)
    return [f"{DATA}/{'scores' if cell in known else 'attempts'}/{cell.path}.csv" for cell in grand_cells(task)]


def grand_reasons(task):
    """Files that say why a cell which was only tried has no scores; they are empty where it has."""
    known = set(PLAN.cells)
    return [f"{DATA}/attempts/{cell.path}.txt" for cell in grand_cells(task) if cell not in known]


def grand_times(task):
    """The seconds of the same cells."""
    known = set(PLAN.cells)
    return [f"{DATA}/{'times' if cell in known else 'attempt_times'}/{cell.path}.csv" for cell in grand_cells(task)]


def grand_pictures(task):
    if len(PLAN.grand[task]["ranked"]) < 2:
        return []  # ranks over one data set are no diagram
    names = [f"{task}_{metric}" for metric in PLAN.grand[task]["metrics"]]
    return [f"{FIGURES}/grand/{name}.{suffix}" for name in names for suffix in PICTURES]


def grand_trade_off(task):
    """Accuracy against time, where there are ranks: a table and its picture."""
    formats = ("csv", *PICTURES) if grand_pictures(task) else ()
    return [f"{FIGURES}/grand/{task}_trade_off.{suffix}" for suffix in formats]


def grand_files(task):
    tables = [f"{FIGURES}/grand/{task}.{suffix}" for suffix in GRAND_TABLES]
    return [*tables, f"{FIGURES}/grand/{task}_tests.csv", *grand_pictures(task), *grand_trade_off(task)]


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
    for page, sources in (("index.html", SOURCES), ("compare.html", f"{FIGURES}/grand/sources.csv")):
        page = Path(FIGURES, page)
        if not page.exists() or page.stat().st_mtime < Path(START).stat().st_mtime:
            continue
        missing = read_unreached(sources)
        for dataset, reason in missing.items():
            print(f"NOT RUN  {dataset}: {reason}", file=sys.stderr)
        if "source unreachable" in missing.values():
            print("To try these again: the same command with --forcerun fetch", file=sys.stderr)
        print(f"The page: {page.resolve()}", file=sys.stderr)
