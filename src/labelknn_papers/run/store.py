"""The store of cells: each under a digest of what decides it, so that a file which is there is right.

    data/cells/<protocol>/<data set>/<method>/<digest>/
        predictions.npz, provenance.json, times.csv     what `cell` gives
        scores-<digest>.csv                             of the modules that score; a new metric runs no model
        reason.txt                                      in place of these, why a method that may fail did so
        cost.json                                       seconds and memory
    blocks/<number>-of-<all>/                       the same of a block of queries, until all are there (`run.blocks`)

Snakemake knows nothing of it: it deletes what a job declares as output before the job starts, and so an edited method
would repeat all cells of its job, and a killed job would start at its first. What it knows is a job's list of results,
which names the files of its cells here. Two configs that mean different things by the same name do not meet.
"""

from __future__ import annotations

import csv
import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from labelknn.utils._files import atomic, damaged, write_table
from labelknn_papers.plan.cells import Cell
from labelknn_papers.run.job import forget_peak, peak_memory_mb
from labelknn_papers.run.provenance import method_files, source_files, versions

# The keys of a registry entry that decide a cell; its title does not.
_DECIDING = ("class", "params", "sweep", "preprocessing", "neighbors", "neighbors_of")
_RUNNERS = ("labelknn_papers.run.cell", "labelknn_papers.run.search")
_SCORER = "labelknn_papers.run.score"


class Cost(NamedTuple):
    """What a stage of a cell took; `here` if in this process, else in an earlier one."""

    method: str
    stage: str
    wall_seconds: float
    cpu_seconds: float
    peak_memory_mb: float
    here: bool


def total_cost(costs: Sequence[Cost]) -> Cost:
    """What a stage of a cell took in parts, and the memory of the largest."""
    wall, cpu = sum(cost.wall_seconds for cost in costs), sum(cost.cpu_seconds for cost in costs)
    peak = max(cost.peak_memory_mb for cost in costs)
    return Cost(costs[-1].method, costs[-1].stage, wall, cpu, peak, any(cost.here for cost in costs))


class Result(NamedTuple):
    """The files of a cell, and their digests (`run.digests`); `reason` says why there are none."""

    cell: str
    predictions: str = ""
    scores: str = ""
    times: str = ""
    predictions_sha256: str = ""
    scores_sha256: str = ""
    reason: str = ""

    @property
    def files(self) -> list[str]:
        return [path for path in (self.predictions, self.scores, self.times) if path]


class Meter:
    """What the process takes from here on."""

    def __init__(self) -> None:
        forget_peak()
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def cost(self, method: str, stage: str) -> Cost:
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        return Cost(method, stage, wall, cpu, peak_memory_mb(), here=True)


@dataclass(frozen=True)
class Kept:
    """The place of a cell."""

    folder: Path
    method: str

    @property
    def predictions(self) -> Path:
        return self.folder / "predictions.npz"

    @property
    def provenance(self) -> Path:
        return self.folder / "provenance.json"

    @property
    def times(self) -> Path:
        return self.folder / "times.csv"

    @property
    def blocks(self) -> Path:
        return self.folder / "blocks"

    def block(self, name: str) -> Kept:
        return Kept(self.blocks / name, self.method)

    @property
    def reason(self) -> Path:
        return self.folder / "reason.txt"

    def scores(self, digest: str) -> Path:
        return self.folder / f"scores-{digest}.csv"

    def costs(self) -> dict[str, Cost]:
        """By stage, as they were written down when it ran."""
        try:
            costs = json.loads(self._costs.read_text())
            return {
                stage: Cost(self.method, stage, wall, cpu, peak, False) for stage, (wall, cpu, peak) in costs.items()
            }
        except FileNotFoundError:
            return {}
        except (ValueError, TypeError, AttributeError) as error:
            raise damaged(self._costs, "the cost of a cell", error) from None

    def add_cost(self, cost: Cost) -> None:
        costs = {**self.costs(), cost.stage: cost}
        with atomic(self._costs) as temporary:
            temporary.write_text(json.dumps({stage: one[2:5] for stage, one in costs.items()}))

    @property
    def _costs(self) -> Path:
        return self.folder / "cost.json"


def deciding(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What of a registry entry decides a cell."""
    return {key: entry[key] for key in _DECIDING if key in entry}


def cell_files(entry: Mapping[str, Any], own: Path | None = None) -> list[Path]:
    """The files that decide the predictions of a method."""
    return sorted({*method_files(entry, own), *(path for name in _RUNNERS for path in source_files(name))})


def score_files() -> list[Path]:
    return source_files(_SCORER)


def cell_digest(entry: Mapping[str, Any], own: Path | None, **given: Any) -> str:
    """given : what decides it beside the method and the code."""
    return digest_of([deciding(entry), given, dict(versions()), _contents(cell_files(entry, own))])


def score_digest() -> str:
    return digest_of([dict(versions()), _contents(score_files())])


def file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest_of(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _contents(paths: Iterable[Path]) -> list[str]:
    """Wherever the files are."""
    return sorted(map(file_digest, paths))


def write_results(path: str | PathLike, results: Iterable[Result]) -> None:
    write_table(path, Result._fields, results)


def read_results(paths: Iterable[str | PathLike]) -> dict[str, Result]:
    """By cell."""
    found: dict[str, Result] = {}
    for path in paths:
        try:
            with open(path, newline="") as file:
                found |= {row["cell"]: Result(**row) for row in csv.DictReader(file)}
        except (KeyError, TypeError) as error:
            raise damaged(path, "a list of results", error) from None
    return found


def scores_of(results: Mapping[str, Result], cells: Iterable[Cell]) -> list[str]:
    """The score tables of those cells that have one."""
    return [found.scores for found in _among(results, cells) if found.scores]


def times_of(results: Mapping[str, Result], cells: Iterable[Cell]) -> dict[str, str]:
    """The seconds of those cells that have some, by cell."""
    return {found.cell: found.times for found in _among(results, cells) if found.times}


def reasons_of(results: Mapping[str, Result]) -> dict[str, str]:
    """What stopped a cell that was tried, by cell."""
    return {found.cell: found.reason for found in results.values() if found.reason}


def _among(results: Mapping[str, Result], cells: Iterable[Cell]) -> list[Result]:
    return [results[cell.path] for cell in cells if cell.path in results]


def write_costs(path: str | PathLike, costs: Iterable[Cost]) -> None:
    write_table(
        path, Cost._fields, ((*cost[:2], *(f"{number:.3f}" for number in cost[2:5]), cost.here) for cost in costs)
    )


def read_costs(path: str | PathLike) -> list[Cost]:
    try:
        with open(path, newline="") as file:
            rows = [list(row.values()) for row in csv.DictReader(file)]
        return [Cost(row[0], row[1], float(row[2]), float(row[3]), float(row[4]), row[5] == "True") for row in rows]
    except (ValueError, TypeError, IndexError) as error:
        raise damaged(path, "a list of costs", error) from None


def forget_lost(path: Path) -> None:
    """A job whose list names files that are gone is to run again; it makes what is missing."""
    if path.exists() and not all(Path(file).exists() for one in read_results([path]).values() for file in one.files):
        path.unlink()
