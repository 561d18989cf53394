"""A run in short: one digest for the predictions and one for the scores of every cell.

Predictions are too large to be committed. Their digests are not, and whoever runs a cell again, anywhere, can tell by
them whether a single bit came out otherwise.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Mapping
from math import ceil
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from labelknn.errors import ConfigError, DataError
from labelknn.utils._files import content_checksum, write_table
from labelknn_papers.plan.protocol import seed_for


class Digest(NamedTuple):
    """SHA-256 of a cell's predictions, whatever compressed them, and of its score table."""

    cell: str
    predictions: str
    scores: str

    def differing(self, other: Digest) -> list[str]:
        """Which of the two are not the same."""
        return [what for what in ("predictions", "scores") if getattr(self, what) != getattr(other, what)]


def digest_cell(cell: str, predictions: str | PathLike, scores: str | PathLike) -> Digest:
    """The digest of a cell from its files."""
    return Digest(cell, content_checksum(predictions), hashlib.sha256(Path(scores).read_bytes()).hexdigest())


def write_digests(path: str | PathLike, digests: Iterable[Digest]) -> None:
    write_table(path, Digest._fields, sorted(digests))


def read_digests(path: str | PathLike) -> dict[str, Digest]:
    """By cell."""
    try:
        with open(path, newline="") as file:
            return {row["cell"]: Digest(**row) for row in csv.DictReader(file)}
    except FileNotFoundError:
        raise DataError(f"{path} does not exist; a complete run writes it") from None


def draw_cells(owned: Mapping[str, Iterable[str]], share: float, seed: int) -> list[str]:
    """A share of all cells, drawn by seed, and no less than that share of the cells of every owner.

    Owners are papers and studies. What is drawn for one does not depend on the others, unless cells that several own
    leave less than the share of all: then others are drawn on top.
    """
    if not 0 < share <= 1:
        raise ConfigError(f"the share of cells to verify lies above 0 and is at most 1; found {share:g}")
    drawn: set[str] = set()
    for owner, cells in owned.items():
        known = sorted(set(cells))
        drawn.update(_draw(known, _part(share, len(known)), seed_for(seed, "verify", owner)))
    everything = {cell for cells in owned.values() for cell in cells}
    lacking = max(0, _part(share, len(everything)) - len(drawn))
    drawn.update(_draw(sorted(everything - drawn), lacking, seed_for(seed, "verify")))
    return sorted(drawn)


def _part(share: float, n: int) -> int:
    """A share of n, rounded up; 0.05 of 20 is 1, although the product of the floats is a little more."""
    return ceil(round(share * n, 9))


def _draw(cells: list[str], size: int, seed: int) -> list[str]:
    return [cells[place] for place in np.random.default_rng(seed).permutation(len(cells))[:size]]
