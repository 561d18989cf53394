"""The packaged registry of data sets, and what it says about each without a look at the data."""

from __future__ import annotations

import copy
import importlib.resources
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any


@dataclass(frozen=True)
class Summary:
    """Task and size of a data set that can be loaded; a size is None where nobody has counted yet.

    sparse : whether the features are a sparse matrix.
    split : whether the rows come as a public training and test part.
    """

    title: str
    task: str
    rows: int | None
    features: int | None
    labels: int | None
    sparse: bool
    split: bool


class Available(dict[str, Summary]):
    """Summaries by name; printed as a table."""

    def __repr__(self) -> str:
        table: list[tuple[str, ...]] = [("name", "task", "rows", "features", "labels", "sparse", "split", "title")]
        for name, one in self.items():
            sizes = ("?" if size is None else str(size) for size in (one.rows, one.features, one.labels))
            table.append((name, one.task, *sizes, _tick(one.sparse), _tick(one.split), one.title))
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        return "\n".join(
            "  ".join(
                word.rjust(width) if 2 <= column <= 4 else word.ljust(width)
                for column, (word, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in table
        )


def available() -> Available:
    """All data sets that `load` knows, by name: their task and size, whether they are sparse, and whether they come
    with a public split.

    >>> available()["yeast"].labels
    14
    >>> [name for name, one in available().items() if one.task == "ranking" and one.rows > 20000]
    ['calhousing', 'fried']
    """
    return Available({name: summary(entry) for name, entry in sorted(packaged().items())})


def registry() -> dict[str, Any]:
    """The packaged registry: for each data set its title, task and sources, with addresses and SHA-256.

    It is a copy. With an entry more, it is what `load` takes as `registry`.
    """
    return copy.deepcopy(packaged())


@cache
def packaged() -> dict[str, Any]:
    """The registry itself, to be read only."""
    import yaml

    text = importlib.resources.files("labelknn.datasets").joinpath("registry.yaml").read_text(encoding="utf-8")
    # libyaml's parser where it is there: ten times faster.
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def summary(entry: Mapping[str, Any]) -> Summary:
    """What an entry of a registry says about its data set."""
    counts = entry.get("expect", {})
    return Summary(
        entry["title"],
        entry["task"],
        counts.get("instances"),
        counts.get("features"),
        counts.get("labels"),
        entry.get("sparse", False),
        any(_has_split(source.get("options", {})) for source in entry["sources"]),
    )


def _has_split(options: Mapping[str, Any]) -> bool:
    return "train" in options.get("files", {}) or "train" in options or "test" in options


def _tick(yes: bool) -> str:
    return "yes" if yes else ""
