# What all stages share: the plan (every cell of the run), where files go, and which data could be had.

import hashlib
import json
import os
import re
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path

ROOT = Path(workflow.basedir)
# The scripts import the package from this checkout, also in a conda environment that does not have it installed.
os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, [str(ROOT / "src"), os.getenv("PYTHONPATH")])))
# A job ends with the process that runs the workflow, also if that is killed.
os.environ.update(LABELKNN_RUN=str(os.getpid()))
sys.path.insert(0, str(ROOT / "src"))

from labelknn.datasets._fetch import SILENT, mirror_folder
from labelknn.errors import LabelknnError
from labelknn.utils._files import atomic
from labelknn_papers.judge.claims.definitions import claim_cells, claim_modules, read_claims
from labelknn_papers.judge.files import side_tables
from labelknn_papers.judge.post_hoc import figures_of, read_choices
from labelknn_papers.judge.reasons import formula_modules, quoted_figures
from labelknn_papers.plan.jobs import alone, divide, division_of, read_division, read_seconds, whole_jobs
from labelknn_papers.plan.own import check_files, local_files, modules_folder
from labelknn_papers.plan.paths import PICTURES_OF_SCORES, PICTURES_OF_TIMES, Paths
from labelknn_papers.plan.plan import Plan
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.run.job import SAME_BITS
from labelknn_papers.run.provenance import config_digest, source_files
from labelknn_papers.run.store import cell_files, deciding, forget_lost
from labelknn_papers.show.contents import FORMATS, PICTURES, captions, figure_tables, file_name, has_table, pictures_of
from labelknn_papers.show.cost import in_short
from labelknn_papers.show.needs import given, names_in_pictures, needed_files

# Every job, on this machine or another, computes with the same loops.
os.environ.update(SAME_BITS)

try:
    PLAN = Plan(config, ROOT)
    CLAIMS = read_claims(PLAN)
    QUOTED = {paper: quoted_figures(PLAN, paper) for paper in PLAN.papers}
    CHOICES = {paper: figures_of(found) for paper in PLAN.papers if (found := read_choices(PLAN, paper))}
    MIRROR = mirror_folder(config["mirror"], ROOT)
    OWN_MODULES = modules_folder(config)
    check_files(PLAN)
except LabelknnError as error:
    # Unlike a WorkflowError, the message comes last.
    sys.exit(f"labelknn: {error}")

if OWN_MODULES:
    # They come last in Python's search, so that they cannot hide others.
    os.environ.update(PYTHONPATH=os.pathsep.join([os.getenv("PYTHONPATH"), str(OWN_MODULES)]))

PATHS = Paths(PLAN, ("svg", "pdf"))
DATA = PATHS.data
FIGURES = PATHS.figures
SOURCES = PATHS.all_sources
# The papers and comparisons of the run.
OWNERS = list(PLAN.cells_by_owner)
# Its time is that of the last start of a run.
START = f"{DATA}/benchmarks/started"
# What the repository's own full run has found: a page of any other run shows it for the numbers that it did not run.
FULL = (ROOT / "figures").resolve()
RECORD = [
    os.path.relpath(path)
    for path in sorted(FULL.glob("*/comparison.csv"))
    if path.parent.name in PLAN.papers and Path(FIGURES).resolve() != FULL
]
# What makes a command mean this run: the page has one for each number.
SAME_RUN = "".join(
    f" {option} {shlex.join(values)}"
    for option, values in {
        "--snakefile": [os.path.relpath(workflow.main_snakefile)] if Path.cwd() != ROOT else [],
        "--config": [f"{key}={json.dumps(value)}" for key, value in workflow.config_settings.config.items()],
        "--configfile": [os.path.relpath(path) for path in workflow.overwrite_configfiles],
    }.items()
    if values
)
RECORDED_TIMES = [str(path) for comparison in RECORD if (path := Path(comparison).with_name("times.csv")).exists()]
ENVIRONMENT = str(ROOT / "envs" / "labelknn.yaml")
REPRODUCTION = ROOT / "src/labelknn_papers"
REPORTING_MODULES = [
    os.path.relpath(path) for room in ("judge", "show") for path in sorted((REPRODUCTION / room).rglob("*.py"))
]
TEMPLATES = [os.path.relpath(path) for path in sorted((REPRODUCTION / "show" / "templates").iterdir())]


wildcard_constraints:
    dataset="[^/]+",
    job="[^/]+",
    protocol="[^/]+",
    scatteritem=r"\d+-of-\d+",


def side_by_side():
    """How many jobs can run at the same time."""
    if not workflow.local_exec:
        return workflow.nodes or 1
    try:
        return workflow.cores
    except WorkflowError:  # none is asked to run
        return 1


# The seconds of this config's last run, else of the one that the repository has; so too those of comparisons.
SECONDS = read_seconds([Path(FIGURES, "seconds.csv"), ROOT / "figures/seconds.csv"])
for key in PLAN.comparisons:
    measured = PATHS.comparison(key, "_seconds.csv")
    SECONDS |= read_seconds([Path(measured), ROOT / "figures" / os.path.relpath(measured, FIGURES)])
# They stay divided as they were when the data folder was first filled: what is done with four cores is so with eight.
JOBS = {job.path: job for job in divide(whole_jobs(PLAN), SECONDS, side_by_side(), read_division(Path(PATHS.division)))}
JOB_OF = {cell: job.path for job in JOBS.values() for cell in job.cells}
# Nothing asks for these but the commands that the page has for each number.
ALONE = {job.path: job for job in map(alone, PLAN.cells)}
if workflow.is_main_process:
    for job in [*JOBS, *ALONE]:
        forget_lost(Path(PATHS.results(job)))


def one_of(names):
    return "|".join(re.escape(name) for name in names)


def fingerprint(*parts):
    """A short param that changes when what it stands for does, so that Snakemake runs the rule again."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


@cache
def modules(name):
    """The files of a module and of what it is made of, as inputs of the rules whose results they decide."""
    return [os.path.relpath(path) for path in source_files(name, OWN_MODULES)]


def job_of(wildcards):
    path = f"{wildcards.protocol}/{wildcards.dataset}/{wildcards.job}"
    return JOBS[path] if path in JOBS else ALONE[path]


@cache
def method_modules(method):
    return [os.path.relpath(path) for path in cell_files(PLAN.methods[method], OWN_MODULES)]


def job_modules(wildcards):
    """What decides the results of a job: the files of its methods, and of what runs and scores them."""
    of_methods = (path for method in job_of(wildcards).methods for path in method_modules(method))
    return sorted({*of_methods, *modules("labelknn_papers.run.score")})


def job_group(wildcards):
    """What a job is asked for, as its process reads it."""
    job = job_of(wildcards)
    return {
        "protocol": job.protocol.id,
        "dataset": job.dataset,
        "missing": list(job.protocol.missing),
        "splits": splits_file(wildcards),
        "methods": {method: deciding(PLAN.methods[method]) for method in job.methods},
        "seed": config["seed"],
        "data": DATA,
        "modules": str(OWN_MODULES) if OWN_MODULES else None,
        "may_fail": job.may_fail,
        "limits": vars(job.limits) if job.limits else None,
    }


def job_blocks(wildcards):
    """The blocks that a job waits for, where its queries are scattered."""
    job = job_of(wildcards)
    scattered = job.dataset in config["scattered"] and not job.limits
    return gather.queries(PATHS.block(job.path, "{scatteritem}")) if scattered else []


def job_priority(wildcards):
    """Seconds, as far as they are known; else large data sets come first."""
    job = job_of(wildcards)
    rows = PLAN.datasets[job.dataset].get("expect", {}).get("instances", 0)
    return 1 + (job.seconds(SECONDS) or rows / 1000)


def splits_file(wildcards):
    return PATHS.splits(wildcards.protocol, wildcards.dataset)


def generated(datasets):
    """What those of the data sets that are not fetched are made from."""
    return {name: PLAN.bases(name) for name in datasets if PLAN.bases(name)}


def unreached(owner):
    """Why a data set of a paper or a comparison could not be had, by its id; known once the checkpoint has looked. As long
    as nobody has, a dry run counts on all that exist: what it says is all that there will be to do."""
    if not workflow.dryrun:
        return read_unreached(checkpoints.list_sources.get(owner=owner).output[0])
    seen = Path(PATHS.sources(owner))
    return read_unreached(seen) if seen.exists() else PLAN.unavailable(PLAN.owned_datasets(owner))


def reached(cells, owner, *others):
    """Those of their owners' cells whose data could be had."""
    missing = {dataset for one in (owner, *others) for dataset in unreached(one)}
    return [cell for cell in cells if cell.dataset not in missing]


def results_of(cells):
    """The lists that name the files of these cells."""
    return list(dict.fromkeys(PATHS.results(JOB_OF[cell]) for cell in cells))


def costs_of(cells):
    """What the jobs of these cells took."""
    return list(dict.fromkeys(PATHS.costs(JOB_OF[cell]) for cell in cells))


def facts_files(owner, datasets, suffix="json"):
    """The counts of the data that a paper or a comparison speaks of, or the data."""
    missing = unreached(owner)
    return PATHS.prepared([name for name in datasets if name not in missing], suffix)


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
    drawn = pictures_of(PLAN.papers[paper], on_request=True)
    if figure not in drawn:
        return []
    title = drawn[figure]["title"]
    return reported([f"{FIGURES}/{paper}/{figure}.{suffix}" for suffix in PICTURES], f"{paper}/{figure}", paper, title)


def figures():
    """The figures of all papers that give a picture or a table, those included that are drawn on request."""
    return [
        (paper, figure)
        for paper, definition in PLAN.papers.items()
        for figure, one in definition.get("figures", {}).items()
        if has_table(one)
    ]


def figure_files(paper, figure):
    """What a figure is made from; which data could be had matters where it is made from data."""
    missing = unreached(paper) if PLAN.papers[paper]["figures"][figure]["datasets"] else {}
    return needed_files(PLAN, paper, figure, missing, results_of)


def figure_sources(paper, figure):
    """Which data are available, where the figure is made from data."""
    return [PATHS.sources(paper)] if PLAN.papers[paper]["figures"][figure]["datasets"] else []


def figure_table(paper, figure):
    """The table that a figure is drawn from."""
    return f"{FIGURES}/{paper}/{figure}.csv"


def measured_tables():
    """The tables beside figures that are drawn on request."""
    asked = [(paper, name) for paper, name in figures() if PLAN.papers[paper]["figures"][name].get("on_request")]
    return [figure_table(paper, name) for paper, name in asked]


def measured_fingerprint():
    return fingerprint([Path(path).read_text() for path in measured_tables() if Path(path).exists()])


def drawn_cells(paper, names):
    """The cells of these figures, as far as they are part of the run."""
    figures = PLAN.papers[paper].get("figures", {})
    drawn = [name for name in figures if name in names and not figures[name].get("on_request")]
    return [cell for name in drawn for cell in PLAN.figure_cells(paper, name).values()]


def drawn_tables(paper, names):
    """The tables of these figures whose columns can be named; what is drawn on request only is taken where it is there."""
    figures = PLAN.papers[paper].get("figures", {})
    there = [name for name in figure_tables(PLAN.papers[paper]) if name in names and figures[name].get("columns")]
    return [figure_table(paper, name) for name in there]


def choices_files():
    """What the choices change that were made with a look at printed values."""
    return [f"{FIGURES}/post_hoc.csv"] if CHOICES else []


def findings_files(paper, times=False):
    """What judge has written of a paper; with its run times, which differ from run to run, only if they are asked for."""
    names = ("comparison", *side_tables(PLAN, paper))
    return [f"{FIGURES}/{paper}/{name}.csv" for name in names if times or name != "times"]


def claims_files():
    """What became of the papers' claims, and the seconds that some of them are about."""
    return [f"{FIGURES}/claims.csv", f"{FIGURES}/claims_seconds.csv"] if CLAIMS else []


def overall_pictures(name):
    """A figure over all papers."""
    return reported([f"{FIGURES}/{name}.{suffix}" for suffix in PICTURES], name, "All papers", name)


def test_files(paper):
    """What a paper has beside its tables: tests with their diagrams, variants of its methods, and run times."""
    diagrams = [path for test in PLAN.papers[paper].get("tests", {}) for path in picture_files(paper, test)]
    return [f"{FIGURES}/{paper}/{table}.csv" for table in side_tables(PLAN, paper)] + diagram_tables(paper) + diagrams


def diagram_tables(paper):
    """The average ranks beside each diagram."""
    return [f"{FIGURES}/{paper}/{test}.csv" for test in PLAN.papers[paper].get("tests", {})]


def paper_files(paper):
    """The comparison, the tables and the figures of a paper."""
    drawn = pictures_of(PLAN.papers[paper])
    pictures = [path for figure in drawn for path in picture_files(paper, figure)]
    tables = [figure_table(paper, figure) for figure in figure_tables(PLAN.papers[paper])] + diagram_tables(paper)
    beside = [f"{FIGURES}/{paper}/{table}.csv" for table in side_tables(PLAN, paper)]
    found = [f"{FIGURES}/{paper}/comparison.csv", *table_files(paper), *beside, *pictures, *tables]
    # As plain names: in the report a file belongs to the rule that makes it, not to those that ask for it.
    return [str(path) for path in found]


# The pages of comparisons: each has one, and the grand ones have one together.
COMPARISON_PAGES = {key: [key] for key in PLAN.comparisons}
COMPARISON_PAGES["index"] = [key for key, one in PLAN.comparisons.items() if one["grand"] and PLAN.is_tried(key)]


def comparison_fingerprint(key):
    """What of the plan a comparison's results, tables and page are made from."""
    comparison = PLAN.comparisons[key]
    titles = {name: PLAN.datasets[name]["title"] for name in comparison["datasets"]}
    return fingerprint(comparison, titles, PLAN.entries(key))


def comparison_targets(key):
    """All that a comparison gives, and which of its data could be had."""
    return [PATHS.sources(key), *PATHS.comparison_files(key), PATHS.comparison(key, ".html")]


def report_start():
    """For the cost of the run, which counts from here, and so that the next one divides its jobs as this one does."""
    Path(START).parent.mkdir(parents=True, exist_ok=True)
    Path(START).touch()
    shutil.rmtree(f"{DATA}/raw/{SILENT}", ignore_errors=True)
    with atomic(PATHS.division) as temporary:
        temporary.write_text(json.dumps(division_of(JOBS.values()), indent=1) + "\n")


def start_jobs_unlimited():
    """On one machine its cores are the limit. Snakemake's own, 100 jobs a second, would have it look for jobs once a
    second for each job that has ended so far: after some hundred jobs that takes half a core, later a whole one."""
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def report_end():
    """Say where the pages are that this run has made, and loudly what is missing from them."""
    pages = {f"{FIGURES}/index.html": SOURCES}
    pages |= {
        PATHS.comparison(name, ".html"): PATHS.sources(key) for name, keys in COMPARISON_PAGES.items() for key in keys
    }
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
    cost = Path(FIGURES, "cost.csv")
    if cost.exists() and cost.stat().st_mtime >= Path(START).stat().st_mtime:
        print(f"Where the time went:\n{in_short(cost)}", file=sys.stderr)
