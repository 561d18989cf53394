"""Cells of one data set under one protocol in one process: data and splits are loaded, and neighbours searched, once.

    python -m labelknn_papers.run.group < group.json

runs in the folder where the files are, and writes a line for each cell as soon as it is done. A cell that is there,
made of the same code, parameters, data and splits, is left as it is.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from labelknn.datasets._container import Dataset, load
from labelknn.utils._files import atomic
from labelknn_papers.plan.protocol import Split, load_splits
from labelknn_papers.run.cell import run_cell
from labelknn_papers.run.job import job
from labelknn_papers.run.predictions import load_predictions, save_predictions
from labelknn_papers.run.provenance import method_files, source_files, versions
from labelknn_papers.run.score import score_cell, write_scores
from labelknn_papers.run.search import Searched, search_splits

# What decides a cell beside its method.
_RUNNERS = ("labelknn_papers.run.cell", "labelknn_papers.run.search", "labelknn_papers.run.score")


@dataclass(frozen=True)
class Group:
    """What a process is asked for: files by their paths, and methods as the registry has them, by id.

    modules : the folder with modules of one's own, None if there is none.
    """

    protocol: str
    dataset: str
    missing: list[float]
    splits: str
    methods: dict[str, dict[str, Any]]
    seed: int
    data: str
    modules: str | None

    @property
    def name(self) -> str:
        return f"{self.protocol}/{self.dataset}"

    @property
    def prepared(self) -> Path:
        return Path(self.data, "prepared", f"{self.dataset}.npz")

    def file(self, stage: str, method: str, suffix: str) -> Path:
        return Path(self.data, stage, self.protocol, self.dataset, f"{method}.{suffix}")

    def to_json(self) -> str:
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class Ran:
    """What became of a cell; `error` is "" where it has results."""

    method: str
    seconds: float
    error: str


def run_group(group: Group) -> Iterator[Ran]:
    data, splits = load(group.prepared), load_splits(group.splits)
    given = [_digest([group.prepared, Path(group.splits)]), group.seed, group.missing, dict(versions())]
    searched: dict[tuple[Any, ...], Searched] = {}
    for method, entry in group.methods.items():
        start, error = time.perf_counter(), ""
        try:
            _run_once(group, method, [*given, entry], data, splits, searched)
        except (MemoryError, OSError):  # the machine's fault: the others would fare no better
            raise
        except Exception as problem:  # whatever stops a method
            logging.exception("%s/%s", group.name, method)
            error = " ".join(f"{type(problem).__name__}: {problem}".split())
        yield Ran(method, time.perf_counter() - start, error)


def _run_once(
    group: Group,
    method: str,
    given: list[Any],
    data: Dataset,
    splits: list[Split],
    searched: dict[tuple[Any, ...], Searched],
) -> None:
    entry = group.methods[method]
    mark = group.file("made_of", method, "txt")
    predictions, scores = group.file("predictions", method, "npz"), group.file("scores", method, "csv")
    own = Path(group.modules) if group.modules else None
    decides = {*method_files(entry, own), *(path for name in _RUNNERS for path in source_files(name, own))}
    made_of = hashlib.sha256(json.dumps([*given, _digest(sorted(decides))], sort_keys=True).encode()).hexdigest()
    if mark.exists() and mark.read_text() == made_of and predictions.exists() and scores.exists():
        return
    for path in (mark, predictions, scores):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
    neighbors = _neighbors(entry, data, splits, searched)
    found, _ = run_cell(data, splits, entry, group.seed, group.missing, neighbors)
    save_predictions(predictions, found)
    write_scores(scores, score_cell(group.protocol, method, data, splits, load_predictions(predictions)))
    with atomic(mark) as temporary:
        temporary.write_text(made_of)


def _neighbors(
    entry: Mapping[str, Any], data: Dataset, splits: list[Split], searched: dict[tuple[Any, ...], Searched]
) -> Searched | None:
    """What the method shares with others, searched when the first of them asks."""
    if "neighbors" not in entry:
        return None
    training = entry.get("neighbors_of", "all-rows") == "all-rows"
    key = (entry.get("preprocessing"), entry["neighbors"], training)
    if key not in searched:
        searched[key] = search_splits(data, splits, *key)
    return searched[key]


def _digest(paths: Iterable[Path]) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in paths)).hexdigest()


def main() -> None:
    group = Group(**json.load(sys.stdin))
    log = Path("logs/group", f"{group.name}.log")
    log.parent.mkdir(parents=True, exist_ok=True)
    with job(log):
        for ran in run_group(group):
            print(json.dumps(asdict(ran)), flush=True)


if __name__ == "__main__":
    main()
