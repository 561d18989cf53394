"""The files that judge reads, and those that it writes for a paper beside its comparison."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from labelknn.utils._files import damaged
from labelknn_papers.judge.times import time_cells
from labelknn_papers.plan.plan import Plan


def side_tables(plan: Plan, paper: str) -> list[str]:
    """What a paper has beside its tables: tests.csv, paired_tests.csv, variants.csv, times.csv and own.csv."""
    planned = {
        "tests": plan.papers[paper].get("tests"),
        "paired_tests": plan.papers[paper].get("pairs"),
        "variants": plan.variants[paper],
        "times": time_cells(plan.targets[paper]),
        "own": plan.own[paper],
    }
    return [name for name, there in planned.items() if there]


def read_table(path: str | PathLike) -> list[dict[str, str]]:
    """The rows of a CSV file by column."""
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def read_facts(paths: Iterable[str]) -> dict[str, dict[str, float]]:
    """What `prepare` found for each data set."""
    return {Path(path).stem: _read_json(path) for path in paths}


def _read_json(path: str) -> dict[str, float]:
    try:
        return json.loads(Path(path).read_text())
    except ValueError as error:
        raise damaged(path, "facts about a data set", error) from None
