"""Data of one's own: files that lie in a folder of this machine, in one of the forms that the readers know.

They are named in a config of one's own and read where they are; nothing is fetched. Beside the readers of the papers'
data there are two: a CSV file with a column of rankings, and a libsvm file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from labelknn.datasets import extreme
from labelknn.datasets.container import TRAIN, Dataset
from labelknn.datasets.readers import READERS, read
from labelknn.datasets.text import excerpt
from labelknn.datasets.uci import read_table
from labelknn.errors import DataError

# The options of readers that name files.
_FILE_OPTIONS = ("file", "files", "xml")


def read_local(name: str, entry: Mapping[str, Any]) -> Dataset:
    """The data set of a registry entry with the key `local`."""
    local = entry["local"]
    return read(name, entry["task"], local["reader"], Path(local["folder"]).expanduser(), local.get("options", {}))


def local_files(entry: Mapping[str, Any]) -> list[str]:
    """The files that an entry with the key `local` names."""
    local = entry["local"]
    folder = Path(local["folder"]).expanduser()
    options = local.get("options", {})
    return [str(folder / file) for key in _FILE_OPTIONS for file in _names(options.get(key, ()))]


def read_ranking_csv(
    name: str, folder: Path, *, file: str, ranking: str = "ranking", drop: Sequence[str] = ()
) -> Dataset:
    """A ranking data set from a CSV file with a header; the column `ranking` has texts such as ``jazz>rock>pop``.

    A label that a row leaves out is missing from its ranking. All other columns are features, except those to `drop`.
    """
    table = read_table(name, folder, file=file, format="csv", target=ranking, drop=drop)
    assert isinstance(table.Y, np.ndarray)
    orders = [[label.strip() for label in text.split(">")] for text in table.label_names]
    for text, order in zip(table.label_names, orders, strict=True):
        if "" in order or len(set(order)) < len(order):
            raise DataError(f"{folder / file}: ranking {excerpt(text)}; expected distinct labels such as a>b>c")
    labels = sorted({label for order in orders for label in order})
    if len(labels) < 2:
        raise DataError(f"{folder / file}: the rankings have {len(labels)} label; expected at least 2")
    ranks = np.zeros((len(orders), len(labels)), np.int64)
    for row, order in enumerate(orders):
        ranks[row, [labels.index(label) for label in order]] = np.arange(1, len(order) + 1)
    return Dataset(name, "ranking", table.X, ranks[table.Y], table.feature_names, tuple(labels), table.levels)


def read_libsvm(name: str, folder: Path, *, files: Mapping[str, str]) -> Dataset:
    """A multi-label data set from libsvm files: ``{train: ..., test: ...}``, or ``{all: ...}`` without a public split.

    A line is ``2,5 1:0.5 7:1``: labels, then features with their values. How many there are is what occurs.
    """
    if set(files) != {"all"}:
        return extreme.read_extreme(name, folder, files=files, header=False)
    rows = extreme._agree({TRAIN: extreme._parse_without(folder / files["all"])})
    return extreme._dataset(name, rows[TRAIN])


READERS |= {"libsvm": read_libsvm, "ranking-csv": read_ranking_csv}


def _names(value: str | Mapping[str, str] | Sequence[str]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        yield from value.values() if isinstance(value, Mapping) else value
