"""What a run costs: wall time, CPU time and peak memory by stage, and of the cells by paper and algorithm.

Wall times are those of Snakemake's benchmark files; CPU time and memory are what each job says of itself at the end of
its log. A job's benchmark and log have the same place below their folders. What cells take, the job that runs them has
measured; the rest of it, "load", is imports and reading. These are the only numbers, beside each paper's run times,
that change from run to run; they go to files of their own.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from labelknn.utils._files import write_table
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.job import Usage, logged_usage
from labelknn_papers.run.store import read_costs

# "search" is of neighbours that several methods share.
STAGES = ("fetch", "prepare", "generate", "split", "load", "search", "run", "score", "present")

# The stages that folders of benchmarks stand for; all others but "cells" hold what writes tables and figures.
_STAGE_OF = {"list_sources": "fetch", "list_all_sources": "fetch", **{stage: stage for stage in STAGES[:4]}}


@dataclass(frozen=True)
class Job:
    """One job of a run, or what it did for one cell, whose path is `cell`.

    owner : the papers and studies that the cell is for, joined by " + ".
    """

    stage: str
    owner: str
    algorithm: str
    wall_seconds: float
    usage: Usage
    ended: float
    cell: str = ""


class CostRow(NamedTuple):
    stage: str
    owner: str
    algorithm: str
    jobs: int
    wall_seconds: str
    cpu_seconds: str
    peak_memory_mb: str


def read_jobs(benchmarks: Path, logs: Path, plan: Plan) -> list[Job]:
    """The jobs of the plan that have run, whenever that was; what is left over from other plans does not count."""
    datasets, figures = set(plan.used_datasets), plan.config["figures"]
    jobs = []
    for path in sorted(benchmarks.rglob("*.tsv")):
        folder, _, place = path.relative_to(benchmarks).with_suffix("").as_posix().partition("/")
        stage = _STAGE_OF.get(folder, "present")
        if folder in STAGES:
            belongs = not datasets.isdisjoint(place.split("/"))
        else:
            belongs = folder != "cells" and f"{place}/".startswith(f"{figures}/")
        if belongs:
            jobs.append(_read_job(path, logs / folder / f"{place}.log", stage))
    return jobs


def read_cells(benchmarks: Path, logs: Path, plan: Plan, costs: Iterable[tuple[str, Path]]) -> list[Job]:
    """What the jobs that run cells have taken, by cell, and beside that.

    costs : their paths in the plan (`plan.jobs`) and their files.
    """
    owners: dict[str, list[str]] = {}
    for owner, cells in plan.cells_by_owner.items():
        for cell in cells:
            owners.setdefault(cell.path, []).append(owner)
    found = []
    for place, path in costs:
        job = f"cells/{plan.config['figures']}/{place}"
        benchmark, log = benchmarks / f"{job}.tsv", logs / f"{job}.log"
        whole = (
            _read_job(benchmark, log, "load") if benchmark.exists() else Job("load", "", "", 0.0, Usage(0.0, 0.0), 0.0)
        )
        group, known = place.rpartition("/")[0], read_costs(path)
        for cost in known:
            name = f"{group}/{cost.method}"
            usage, ended = Usage(cost.cpu_seconds, cost.peak_memory_mb), whole.ended if cost.here else 0.0
            named = (" + ".join(owners.get(name, [])), cost.method)
            found.append(Job(cost.stage, *named, cost.wall_seconds, usage, ended, name))
        wall, cpu = whole.wall_seconds, whole.usage.cpu_seconds
        wall -= sum(cost.wall_seconds for cost in known if cost.here)
        cpu -= sum(cost.cpu_seconds for cost in known if cost.here)
        usage = whole.usage._replace(cpu_seconds=max(cpu, 0.0))
        found.append(replace(whole, wall_seconds=max(wall, 0.0), usage=usage))
    return found


def cell_seconds(jobs: Iterable[Job]) -> dict[str, float]:
    """Wall time by cell, but for searches, which are not its own."""
    found: dict[str, float] = {}
    for job in jobs:
        if job.cell and job.stage != "search":
            found[job.cell] = found.get(job.cell, 0.0) + job.wall_seconds
    return found


def cost_rows(jobs: Iterable[Job], started: float | None, ended: float) -> Iterator[CostRow]:
    """A row for each stage, for each paper and algorithm within `run`, for all of them, and for the last run.

    The seconds of jobs that ran side by side add up. The row "elapsed" has the wall time of the last run, from start to
    end, and the number and CPU time of what ran in it: after a run from nothing, all of it.
    """
    known = list(jobs)
    for stage in STAGES:
        of_stage = [job for job in known if job.stage == stage]
        if stage == "run":
            for group in sorted({(job.owner, job.algorithm) for job in of_stage}):
                yield _row([job for job in of_stage if (job.owner, job.algorithm) == group], *group)
        yield _row(of_stage, stage=stage)
    yield _row(known, stage="total")
    if started is not None:
        latest = [job for job in known if job.ended >= started]
        yield _row(latest, stage="elapsed")._replace(wall_seconds=f"{ended - started:.1f}")


def write_cost(path: str | PathLike, rows: Iterable[CostRow]) -> None:
    write_table(path, CostRow._fields, rows)


def write_seconds(path: str | PathLike, seconds: Mapping[str, float]) -> None:
    write_table(path, ("cell", "seconds"), ((cell, f"{seconds[cell]:.2f}") for cell in sorted(seconds)))


def in_short(path: str | PathLike, longest: int = 5) -> str:
    """Where the time of the last run went, to be read at its end: by stage, and the algorithms that took longest."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    named = [(row["stage"], row) for row in rows if not row["algorithm"] and float(row["wall_seconds"])]
    algorithms = sorted((row for row in rows if row["algorithm"]), key=lambda row: -float(row["wall_seconds"]))
    named += [(f"{row['algorithm']} ({row['owner']})", row) for row in algorithms[:longest]]
    lines = [f"{row['wall_seconds']:>9} {row['cpu_seconds']:>9}  {name}" for name, row in named]
    return "\n".join([f"{'wall s':>9} {'CPU s':>9}", *lines])


def _row(jobs: list[Job], owner: str = "", algorithm: str = "", stage: str = "run") -> CostRow:
    return CostRow(
        stage,
        owner,
        algorithm,
        len(jobs),
        f"{sum(job.wall_seconds for job in jobs):.1f}",
        f"{sum(job.usage.cpu_seconds for job in jobs):.1f}",
        f"{max((job.usage.peak_memory_mb for job in jobs), default=0):.0f}",
    )


def _read_job(benchmark: Path, log: Path, stage: str) -> Job:
    with benchmark.open(newline="") as file:
        measured = next(csv.DictReader(file, delimiter="\t"))
    usage = logged_usage(log) or Usage(_number(measured, "cpu_time"), _number(measured, "max_rss"))
    return Job(stage, "", "", _number(measured, "s"), usage, benchmark.stat().st_mtime)


def _number(measured: Mapping[str, str], name: str) -> float:
    """Snakemake writes NA or - for what it had no time to look at."""
    return float(measured[name]) if measured[name] not in ("NA", "-") else 0.0
