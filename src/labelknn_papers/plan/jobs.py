"""Which cells a process runs: all of a data set under a protocol or, where that takes too long, some of its methods.

What is found does not depend on this; how long it takes does. A process imports and loads once, and searches neighbours
once for all methods that look at the same ones, so jobs are divided no further than the cores need.
"""

from __future__ import annotations

import csv
import heapq
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from labelknn.errors import DataError
from labelknn_papers.plan.cells import Cell, Limits, cells_of
from labelknn_papers.plan.plan import Plan
from labelknn_papers.plan.protocol import Protocol

# A job takes at most this share of the time that the run takes if all cores are busy to the end: whichever comes last
# adds no more than that.
_SHARE = 0.5

# By the path of a job that is not divided, the methods of each of its parts.
Division = Mapping[str, Sequence[Sequence[str]]]


@dataclass(frozen=True)
class Job:
    """Methods on a data set under a protocol.

    name : "run", or of cells that are no part of it: "on-request" of figures, "try-" and the comparisons that ask for
        them, whose methods may fail; "only-" and the method of a cell that is asked for alone.
    part : the number of the part, from 1, where the job is divided; else 0.
    limits : of each of its cells.
    """

    protocol: Protocol
    dataset: str
    name: str
    methods: tuple[str, ...]
    part: int = 0
    limits: Limits | None = None

    @property
    def path(self) -> str:
        return f"{self.group}.{self.part}" if self.part else self.group

    @property
    def group(self) -> str:
        """The path of the whole job."""
        return f"{self.protocol.id}/{self.dataset}/{self.name}"

    @property
    def cells(self) -> list[Cell]:
        return [Cell(self.protocol, self.dataset, method, self.limits) for method in self.methods]

    @property
    def may_fail(self) -> bool:
        return self.name.startswith("try-")

    def seconds(self, known: Mapping[str, float]) -> float:
        return sum(known.get(cell.path, 0.0) for cell in self.cells)

    def parts(self, methods: Sequence[Sequence[str]]) -> list[Job]:
        if len(methods) < 2:
            return [self]
        return [replace(self, methods=tuple(some), part=number) for number, some in enumerate(methods, start=1)]


def whole_jobs(plan: Plan) -> list[Job]:
    """One for each data set under a protocol, one for what figures on request need, and one for what the same
    comparisons try there beyond the run."""
    asked: dict[Cell, list[str]] = {cell: [] for cell in (*plan.cells, *plan.cells_on_request)}
    of_run, on_request = set(asked), set(plan.cells_on_request)
    for key in plan.comparisons:
        for cell in cells_of(plan.entries(key)):
            if cell not in of_run:
                asked.setdefault(cell, []).append(key)
    found: dict[tuple[Protocol, str, str, Limits | None], list[str]] = {}
    for cell, keys in asked.items():
        name = f"try-{'+'.join(keys)}" if keys else "on-request" if cell in on_request else "run"
        found.setdefault((cell.protocol, cell.dataset, name, cell.limits), []).append(cell.method)
    return [
        Job(protocol, dataset, name, tuple(methods), limits=limits)
        for (protocol, dataset, name, limits), methods in found.items()
    ]


def alone(cell: Cell) -> Job:
    """A job of this cell and no other."""
    return Job(cell.protocol, cell.dataset, f"only-{cell.method}", (cell.method,), limits=cell.limits)


def divide(jobs: Sequence[Job], seconds: Mapping[str, float], cores: int, earlier: Division | None = None) -> list[Job]:
    """The jobs, or their parts: none longer than half of what every core has to do, or than its longest cell.

    seconds : what cells have taken, as far as that is known, by path. What is not known is not divided.
    earlier : how jobs were divided before; those with the same methods stay as they were, and so do their results.
    """
    capacity = _SHARE * sum(job.seconds(seconds) for job in jobs) / cores
    found = []
    for job in jobs:
        methods = (earlier or {}).get(job.group, [])
        if sorted(name for part in methods for name in part) != sorted(job.methods):
            methods = _packed(job, seconds, capacity)
        found += job.parts(methods)
    return found


def _packed(job: Job, seconds: Mapping[str, float], capacity: float) -> list[list[str]]:
    """The longest first, each into the first part that has room for it; the order within a part is the job's."""
    if job.seconds(seconds) <= capacity:
        return [list(job.methods)]
    taken = {cell.method: seconds.get(cell.path, 0.0) for cell in job.cells}
    capacity = max(capacity, *taken.values())  # a cell is not divided
    parts: list[list[str]] = []
    for method in sorted(job.methods, key=lambda name: -taken[name]):
        room = (part for part in parts if sum(taken[name] for name in part) + taken[method] <= capacity)
        if (part := next(room, None)) is not None:
            part.append(method)
        else:
            parts.append([method])
    return [sorted(part, key=job.methods.index) for part in parts]


def simulate(jobs: Iterable[Job], seconds: Mapping[str, float], cores: int, each: float = 0.0) -> float:
    """How long the jobs take on so many cores, the longest first, as the workflow starts them.

    each : seconds that a job takes beside its cells.
    """
    free = [0.0] * cores
    for length in sorted((job.seconds(seconds) + each for job in jobs), reverse=True):
        heapq.heapreplace(free, free[0] + length)
    return max(free)


def read_seconds(paths: Iterable[Path]) -> dict[str, float]:
    """The seconds of cells from the first of the files that is there."""
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        return {}
    try:
        with path.open(newline="") as file:
            return {row["cell"]: float(row["seconds"]) for row in csv.DictReader(file)}
    except (KeyError, ValueError, TypeError) as error:
        raise DataError(f"{path}: no table of seconds by cell ({error}); delete it") from None


def read_division(path: Path) -> Division:
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise DataError(f"{path}: cannot be read ({error}); delete it and run again") from None


def division_of(jobs: Iterable[Job]) -> Division:
    found: dict[str, list[tuple[str, ...]]] = {}
    for job in jobs:
        found.setdefault(job.group, []).append(job.methods)
    return found
