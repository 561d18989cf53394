"""From raw files to one array format, with a check that the data are what the registry says they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labelknn.datasets.container import Dataset, describe
from labelknn.datasets.fetch import Status, verify
from labelknn.datasets.readers import read
from labelknn.errors import DataError


def prepare(name: str, entry: Mapping[str, Any], status: Status, folder: Path) -> tuple[Dataset, dict[str, float]]:
    """The data set and the counts that papers print about it.

    entry : the data set's entry in the registry.
    status : which of its sources was fetched into `folder`.
    """
    if status.source is None:
        raise DataError(f"{name}: there are no raw data ({status.reason})")
    verify(status, folder)
    source = entry["sources"][status.source]
    data = read(name, entry["task"], source["reader"], folder, source.get("options", {}))
    facts = describe(data)
    for fact, expected in entry.get("expect", {}).items():
        if round(facts.get(fact, float("nan")), _decimals(expected)) != expected:
            raise DataError(f"{name}: {fact} is {facts.get(fact)}, but the registry says {expected}")
    return data, facts


def _decimals(number: float) -> int:
    return len(str(number).partition(".")[2]) if isinstance(number, float) else 0
