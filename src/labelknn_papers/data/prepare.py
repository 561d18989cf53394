"""From raw files to one array format, with a check that the data are what the registry says they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from labelknn.datasets._container import Dataset, describe, save
from labelknn.datasets._fetch import Status, verify
from labelknn.datasets._readers import read, reference
from labelknn.errors import DataError
from labelknn.utils._files import atomic


def prepare(name: str, entry: Mapping[str, Any], status: Status, folder: Path) -> Dataset:
    """The data set from the raw files in `folder`.

    entry : the data set's entry in the registry.
    status : which of its sources was fetched.
    """
    if status.source is None:
        raise DataError(f"{name}: there are no raw data ({status.reason})")
    verify(status, folder)
    source = entry["sources"][status.source]
    return read(name, entry["task"], source["reader"], folder, source.get("options", {}))


def prepare_modules(name: str, entry: Mapping[str, Any]) -> list[str]:
    """The modules that decide the prepared data: this one, and those of the readers, which the registry names."""
    readers = [reference(source["reader"], f"data set {name!r}") for source in entry.get("sources", ())]
    return [__name__, *sorted({reader.partition(":")[0] for reader in readers})]


def check(data: Dataset, expect: Mapping[str, float]) -> dict[str, float]:
    """The counts that papers print about the data set, after a comparison with what the registry expects."""
    facts = describe(data)
    for fact, expected in expect.items():
        if round(facts.get(fact, float("nan")), _decimals(expected)) != expected:
            raise DataError(f"{data.name}: {fact} is {facts.get(fact)}, but the registry says {expected}")
    return facts


def write(data: Dataset, facts: Mapping[str, float], data_path: str | PathLike, facts_path: str | PathLike) -> None:
    save(data, data_path)
    with atomic(facts_path) as temporary:
        temporary.write_text(json.dumps(facts, indent=1) + "\n")


def _decimals(number: float) -> int:
    return len(str(number).partition(".")[2]) if isinstance(number, float) else 0
