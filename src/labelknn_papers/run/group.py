"""Cells of one data set under one protocol in one process: data and splits are loaded, and neighbours searched, once.

    python -m labelknn_papers.run.group < group.json

runs in the folder where the files are, and writes a line for each cell as soon as it is done. A cell that is in the
store is left as it is, so a process that was killed goes on at the cell.
"""

from __future__ import annotations

import json
import logging
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from labelknn.datasets._container import Dataset, load
from labelknn.errors import LabelknnError
from labelknn.utils._files import atomic
from labelknn_papers.plan.cells import Limits
from labelknn_papers.plan.protocol import Split, load_splits
from labelknn_papers.run.blocks import block_names, block_of, join_predictions, join_times
from labelknn_papers.run.cell import run_cell, write_provenance
from labelknn_papers.run.digests import digest_cell
from labelknn_papers.run.job import job, of_machine
from labelknn_papers.run.limits import Paced, Stopped, run_within
from labelknn_papers.run.predictions import load_predictions, save_predictions
from labelknn_papers.run.progress import DONE, FAILED, FOUND, STARTED
from labelknn_papers.run.score import score_cell, write_scores
from labelknn_papers.run.search import Searched, search_splits
from labelknn_papers.run.store import (
    Cost,
    Kept,
    Meter,
    Result,
    cell_digest,
    deciding,
    file_digest,
    score_digest,
    total_cost,
)


@dataclass(frozen=True)
class Group:
    """What a process is asked for: files by their paths, and methods as the registry has them, by id.

    modules : the folder with modules of one's own, None if there is none.
    may_fail : why a method fails is a result, and is not tried again.
    blocks : into how many blocks the queries are divided.
    limits : what each cell may take. A cell with limits is run as a user would run it, in a process of its own: `fit`
        and `predict` search neighbours themselves, whoever else needs the same.
    """

    protocol: str
    dataset: str
    missing: list[float]
    splits: str
    methods: dict[str, dict[str, Any]]
    seed: int
    data: str
    modules: str | None
    may_fail: bool = False
    blocks: int = 1
    limits: Mapping[str, float | None] | None = None

    @property
    def name(self) -> str:
        return f"{self.protocol}/{self.dataset}"

    @property
    def prepared(self) -> Path:
        return Path(self.data, "prepared", f"{self.dataset}.npz")

    def to_json(self) -> str:
        return json.dumps(asdict(self))


def run_group(group: Group) -> Iterator[tuple[Result, list[Cost]]]:
    """What became of each cell, and what it took, in this process or an earlier one."""
    data, splits = load(group.prepared), load_splits(group.splits)
    search, scored = _Search(data, splits), score_digest()
    for cell, entry, kept in _cells(group):
        logging.info(STARTED, cell)
        reason, costs = _run(group, kept, entry, data, splits, search)
        if not reason:
            reason, cost = _score(group, kept, scored, data, splits)
            costs += cost
        if reason:
            yield Result(cell, reason=reason), costs
            continue
        files = (kept.predictions, kept.scores(scored))
        checked = digest_cell(cell, *files)
        if any(cost.here for cost in costs):
            logging.info(DONE, cell, sum(cost.wall_seconds for cost in costs))
        else:
            logging.info(FOUND, cell)
        predictions, scores, times = map(str, (*files, kept.times))
        yield Result(cell, predictions, scores, times, checked.predictions, checked.scores), costs


def run_block(group: Group, name: str) -> Iterator[tuple[str, list[Cost]]]:
    """Why a block of a cell's queries failed, "" if it did not, and what it took; `run_group` puts them together."""
    data, splits = load(group.prepared), block_of(load_splits(group.splits), name)
    search = _Search(data, splits)
    for cell, entry, kept in _cells(group):
        logging.info(STARTED, f"{cell}, block {name}")
        if not kept.predictions.exists():
            yield _run(group, kept.block(name), entry, data, splits, search)


def _cells(group: Group) -> Iterator[tuple[str, Mapping[str, Any], Kept]]:
    """Their names, methods and places in the store, in the order in which they are run."""
    given = {
        "dataset": group.dataset,
        "data": file_digest(group.prepared),
        "splits": file_digest(Path(group.splits)),
        "seed": group.seed,
        "missing": list(group.missing),
    }
    if group.limits is not None:
        given["limits"] = dict(group.limits)
    own = Path(group.modules) if group.modules else None
    # Those that share neighbours come one after the other: no more than one search is held.
    for method in sorted(group.methods, key=lambda name: repr(_asks_for(group.methods[name]))):
        entry, cell = group.methods[method], f"{group.name}/{method}"
        yield cell, entry, Kept(Path(group.data, "cells", cell, cell_digest(entry, own, **given)), method)


def _run(
    group: Group, kept: Kept, entry: Mapping[str, Any], data: Dataset, splits: list[Split], search: _Search
) -> tuple[str, list[Cost]]:
    """Why it failed, "" if it did not, and what it took."""
    if kept.predictions.exists() and kept.times.exists():
        return "", [cost for stage, cost in kept.costs().items() if stage == "run"]
    if group.may_fail and kept.reason.exists():
        return kept.reason.read_text(), []
    if group.blocks > 1:
        return _join(group, kept, entry, data, splits)
    if group.limits is None:
        return _run_here(group, kept, entry, data, splits, search)
    try:
        limits = Limits(**group.limits)
        return run_within(limits, lambda: _run_here(group, kept, entry, data, Paced(splits, limits), None))
    except (Stopped, ChildProcessError) as reason:
        return _failed(group, kept, reason), []


def _run_here(
    group: Group, kept: Kept, entry: Mapping[str, Any], data: Dataset, splits: list[Split], search: _Search | None
) -> tuple[str, list[Cost]]:
    """search : None where the method is to search for itself."""
    costs: list[Cost] = []
    try:
        neighbors, searched = search.neighbors(kept.method, entry) if search else (None, [])
        costs += searched
        meter = Meter()
        shared = search is not None
        predictions, clock = run_cell(data, splits, entry, group.seed, group.missing, neighbors, shared=shared)
        cost = meter.cost(kept.method, "run")
    except Exception as problem:  # whatever stops a method
        if of_machine(problem):
            raise
        return _failed(group, kept, problem), costs
    write_provenance(kept.provenance, data, deciding(entry), group.seed)
    clock.write(kept.times)
    kept.add_cost(cost)
    save_predictions(kept.predictions, predictions)  # last, since a cell with predictions has all
    return "", [*costs, cost]


def _join(
    group: Group, kept: Kept, entry: Mapping[str, Any], data: Dataset, splits: list[Split]
) -> tuple[str, list[Cost]]:
    """The same for a cell that comes in blocks; those that are not there are run here."""
    parts, costs = [], []
    for name in block_names(group.blocks):
        parts.append(kept.block(name))
        of_block = block_of(splits, name)
        reason, cost = _run(replace(group, blocks=1), parts[-1], entry, data, of_block, _Search(data, of_block))
        costs += cost
        if reason:
            return reason, costs
    write_provenance(kept.provenance, data, deciding(entry), group.seed)
    join_times(kept.times, (part.times for part in parts))
    kept.add_cost(total_cost(costs))
    save_predictions(kept.predictions, join_predictions(load_predictions(part.predictions) for part in parts))
    shutil.rmtree(kept.blocks)
    return "", costs


def _score(group: Group, kept: Kept, digest: str, data: Dataset, splits: list[Split]) -> tuple[str, list[Cost]]:
    path = kept.scores(digest)
    if path.exists():
        return "", [cost for stage, cost in kept.costs().items() if stage == "score"]
    meter = Meter()
    predictions = load_predictions(kept.predictions)
    try:
        scores = score_cell(group.protocol, kept.method, data, splits, predictions)
    except Exception as problem:
        if of_machine(problem):
            raise
        return _failed(group, kept, problem), []
    cost = meter.cost(kept.method, "score")
    kept.add_cost(cost)
    write_scores(path, scores)
    return "", [cost]


def _failed(group: Group, kept: Kept, problem: Exception) -> str:
    known = isinstance(problem, LabelknnError)
    reason = " ".join((str(problem) if known else f"{type(problem).__name__}: {problem}").split())
    logging.error(FAILED, f"{group.name}/{kept.method}", reason, exc_info=None if known else problem)
    if group.may_fail:
        with atomic(kept.reason) as temporary:
            temporary.write_text(reason)
    return reason


def _asks_for(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    """What two methods share a search by: the features, how many neighbours, and whether also of training rows."""
    return (entry.get("preprocessing"), entry.get("neighbors"), entry.get("neighbors_of", "all-rows") == "all-rows")


class _Search:
    """The neighbours that methods share, searched when the first of them asks; the last search is kept."""

    def __init__(self, data: Dataset, splits: list[Split]) -> None:
        self.data, self.splits = data, splits
        self._key: tuple[Any, ...] | None = None
        self._found: Searched = {}

    def neighbors(self, method: str, entry: Mapping[str, Any]) -> tuple[Searched | None, list[Cost]]:
        if "neighbors" not in entry:
            return None, []
        key, costs = _asks_for(entry), []
        if key != self._key:
            meter, self._found = Meter(), {}
            self._found, self._key = search_splits(self.data, self.splits, *key), key
            costs.append(meter.cost(method, "search"))
        return self._found, costs


def main() -> None:
    group = Group(**json.load(sys.stdin))
    log = Path("logs/group", f"{group.name}.log")
    log.parent.mkdir(parents=True, exist_ok=True)
    with job(log):
        for result, costs in run_group(group):
            seconds = sum(cost.wall_seconds for cost in costs)
            print(json.dumps({"result": result._asdict(), "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
