"""Which data sets could be had: the table that the checkpoints of the workflow write."""

from __future__ import annotations

import csv
from os import PathLike


def read_unreached(path: str | PathLike) -> dict[str, str]:
    """Why a data set could not be had, by its id."""
    with open(path, newline="") as file:
        return {row["dataset"]: row["reason"] for row in csv.DictReader(file) if row["reached"] == "False"}
