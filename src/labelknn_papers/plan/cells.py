"""What a plan is made of: cells that are run, numbers that papers print, and what stands against each of them."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from labelknn_papers.plan.protocol import Protocol

# A setting that is not fixed beforehand: the best of all on each metric, judged by the test rows.
BEST = "best"

# Why there is no number, or no figure, that the config leaves out.
LEFT_OUT = "left out of this run"


@dataclass(frozen=True)
class Limits:
    """What a cell may take; None is no limit."""

    seconds: float | None = None
    gigabytes: float | None = None


@dataclass(frozen=True)
class Cell:
    """A method on a data set under a protocol. Two tables, or two papers, that need the same cell share it.

    limits : of a cell that a comparison tries and that may fail; None for a cell of the run.
    """

    protocol: Protocol
    dataset: str
    method: str
    limits: Limits | None = None

    @property
    def path(self) -> str:
        """The cell's name, and its folder in the store."""
        return f"{self.protocol.id}/{self.dataset}/{self.method}"


@dataclass(frozen=True)
class Published:
    """One number of a paper's table, as printed; `value` is None where the paper prints N/A."""

    table: str
    dataset: str
    method: str
    metric: str
    setting: str
    printed: str
    note: str

    @property
    def value(self) -> float | None:
        return float(self.printed) if self.printed else None

    @property
    def digits(self) -> int:
        """Decimals printed."""
        return len(self.printed.partition(".")[2])


@dataclass(frozen=True)
class Target:
    """What stands against a published number: a score of a cell, a fact about a data set, or nothing yet.

    metric : the name of the score, or of the fact where there is no cell.
    setting : which of the cell's settings, "" where it has only one; BEST takes the best of all, as an oracle would.
    dataset : the registry id, None where the number is not tied to a data set we know.
    left_out : the config leaves this number out of the run.
    """

    published: Published
    metric: str
    dataset: str | None
    cell: Cell | None = None
    setting: str = ""
    left_out: bool = False

    @property
    def shortened(self) -> str:
        """Which part of the paper's splits is run, in words; empty if all are."""
        return self.cell.protocol.shortened if self.cell else ""


@dataclass(frozen=True)
class Entry:
    """One setting of a cell under the name that a method has in a comparison.

    condition : what of the setting is no choice of the method: the rate of missing labels.
    """

    method: str
    cell: Cell
    setting: str = ""
    condition: str = ""


def cells_of(entries: Iterable[Entry]) -> list[Cell]:
    return list(dict.fromkeys(entry.cell for entry in entries))


def read_published(path: Path) -> list[Published]:
    columns = ("table", "dataset", "method", "metric", "setting", "value", "note")
    with path.open(newline="") as file:
        return [Published(*(row[column] for column in columns)) for row in csv.DictReader(file)]
