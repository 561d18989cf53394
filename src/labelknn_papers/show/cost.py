"""What a run costs: wall time, CPU time and peak memory by stage, and of the cells by paper and algorithm.

Wall times are those of Snakemake's benchmark files; CPU time and memory are what each job says of itself at the end of
its log. A job's benchmark and log have the same place below their folders. These are the only numbers, beside each
paper's run times, that change from run to run; they go to a file of their own.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from labelknn.utils._files import write_table
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.job import Usage, logged_usage

STAGES = ("fetch", "prepare", "generate", "split", "search", "run", "score", "present")

# Folders of benchmarks that are not called after their stage; all others hold what writes tables and figures.
_STAGE_OF = {"list_sources": "fetch"}
_OF_CELLS = ("run", "score")


@dataclass(frozen=True)
class Job:
    """One job of a run. `owner` names the papers and studies that a cell is for, joined by " + "."""

    stage: str
    owner: str
    algorithm: str
    wall_seconds: float
    usage: Usage
    ended: float


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
    owners: dict[str, list[str]] = {}
    for owner, cells in plan.cells_by_owner.items():
        for cell in cells:
            owners.setdefault(cell.path, []).append(owner)
    datasets, figures = set(plan.used_datasets), plan.config["figures"]
    jobs = []
    for path in sorted(benchmarks.rglob("*.tsv")):
        folder, _, place = path.relative_to(benchmarks).with_suffix("").as_posix().partition("/")
        stage = _STAGE_OF.get(folder, folder if folder in STAGES else "present")
        owner, algorithm = "", ""
        if folder in _OF_CELLS:
            belongs = place in owners
            owner, algorithm = " + ".join(owners.get(place, [])), place.rpartition("/")[2]
        elif folder in STAGES:
            belongs = not datasets.isdisjoint(place.split("/"))
        else:
            belongs = f"{place}/".startswith(f"{figures}/")
        if belongs:
            log = (logs / folder / place).with_name(f"{path.stem}.log")
            jobs.append(_read_job(path, log, stage, owner, algorithm))
    return jobs


def cost_rows(jobs: Iterable[Job], started: float | None, ended: float) -> Iterator[CostRow]:
    """A row for each stage, for each paper and algorithm within `run`, for all jobs, and for the last run.

    The seconds of jobs that ran side by side add up. The row "elapsed" has the wall time of the last run, from start to
    end, and the number and CPU time of the jobs that ran in it: after a run from nothing, all of them.
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


def _read_job(benchmark: Path, log: Path, stage: str, owner: str, algorithm: str) -> Job:
    with benchmark.open(newline="") as file:
        measured = next(csv.DictReader(file, delimiter="\t"))
    usage = logged_usage(log) or Usage(_number(measured, "cpu_time"), _number(measured, "max_rss"))
    return Job(stage, owner, algorithm, _number(measured, "s"), usage, benchmark.stat().st_mtime)


def _number(measured: Mapping[str, str], name: str) -> float:
    """Snakemake writes NA or - for what it had no time to look at."""
    return float(measured[name]) if measured[name] not in ("NA", "-") else 0.0
