"""Blocks of queries: parts of a cell for jobs of their own, and the whole that they give.

A method says the same of a query whichever others it is asked about, so the blocks, one below the other, are the
predictions of the whole. (Where predictions are one product of matrices, BLAS may round some of them otherwise.) Each
block learns for itself.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike

import numpy as np
from scipy import sparse

from labelknn.utils._files import write_table
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.cell import TIMES
from labelknn_papers.run.predictions import Predictions


def block_names(number: int) -> list[str]:
    """As Snakemake calls what it scatters."""
    return [f"{block}-of-{number}" for block in range(1, number + 1)]


def block_of(splits: Iterable[Split], name: str) -> list[Split]:
    """The splits with a part of their test rows; a split that has too few for this block is left out."""
    block, number = map(int, name.split("-of-"))
    parts = (replace(split, test=np.array_split(split.test, number)[block - 1]) for split in splits)
    return [part for part in parts if len(part.test)]


def join_predictions(parts: Iterable[Predictions]) -> Predictions:
    found: dict[tuple[int, int, str], dict[str, list]] = {}
    for part in parts:
        for key, output in part.items():
            for what, rows in output.items():
                found.setdefault(key, {}).setdefault(what, []).append(rows)
    return {key: {what: _stacked(rows) for what, rows in output.items()} for key, output in found.items()}


def join_times(path: str | PathLike, parts: Iterable[str | PathLike]) -> None:
    """The seconds of all blocks added up."""
    seconds: dict[tuple[str, ...], float] = {}
    for part in parts:
        with open(part, newline="") as file:
            for row in csv.DictReader(file):
                *key, taken = row.values()
                seconds[tuple(key)] = seconds.get(tuple(key), 0.0) + float(taken)
    write_table(path, TIMES, ((*key, f"{taken:.6f}") for key, taken in seconds.items()))


def _stacked(rows: Sequence[np.ndarray | sparse.csr_matrix]) -> np.ndarray | sparse.csr_matrix:
    return sparse.vstack(rows, "csr") if sparse.issparse(rows[0]) else np.concatenate(rows)
