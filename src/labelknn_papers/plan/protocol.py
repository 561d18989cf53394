"""Which rows train and which are tested: the papers' protocols, drawn from a seed and the data set alone.

Every method sees the same splits, and adding a data set, a method, a repeat or a fold changes nobody else's: each draw
has a seed of its own, a hash of the master seed and the names of what is drawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from os import PathLike
from typing import Any

import numpy as np

from labelknn.datasets._container import TEST, TRAIN, Dataset
from labelknn.errors import ConfigError, DataError, unknown
from labelknn.utils._files import load_arrays, save_arrays

KINDS = ("public-split", "cross-validation", "hold-out")


@dataclass(frozen=True)
class Protocol:
    """How a data set is cut into training and test rows.

    public-split : the training and the test file that the data set is published with.
    cross-validation : `repeats` times `folds` folds of sizes that differ by one at most.
    hold-out : `repeats` times a random share `train` of the rows to learn from, the others to test on.

    missing : shares of the labels that are deleted from the training rankings (cheng2009, section 6.2); each is a
        setting of its own on the same splits.
    first : only so many of the splits are run, the first ones; they are the same as in the whole.
    """

    kind: str
    repeats: int = 1
    folds: int | None = None
    train: float | None = None
    missing: tuple[float, ...] = ()
    first: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown("protocol", self.kind, KINDS, "protocol")
        if self.repeats < 1:
            raise ConfigError(f"protocol {self.kind}: repeats = {self.repeats}, at least 1 is needed")
        if (self.kind == "cross-validation") != (self.folds is not None):
            raise ConfigError(f"protocol {self.kind}: `folds` belongs to cross-validation, and is needed there")
        if self.folds is not None and self.folds < 2:
            raise ConfigError(f"protocol {self.kind}: folds = {self.folds}, at least 2 are needed")
        if (self.kind == "hold-out") != (self.train is not None):
            raise ConfigError(f"protocol {self.kind}: `train` belongs to hold-out, and is needed there")
        if self.train is not None and not 0 < self.train < 1:
            raise ConfigError(f"protocol {self.kind}: train = {self.train} is no share between 0 and 1")
        for share in self.missing:
            if not 0 <= share <= 1:
                raise ConfigError(f"protocol {self.kind}: missing = {share} is no share from 0 to 1")
            if abs(10 * share - round(10 * share)) > 1e-9:
                raise ConfigError(f"protocol {self.kind}: missing = {share} is no multiple of 0.1, as rates are named")
        if self.kind == "public-split" and self.repeats != 1:
            raise ConfigError("protocol public-split: there is one public split, so `repeats` must be 1")
        if self.first is not None and not 1 <= self.first < self.size:
            raise ConfigError(f"protocol {self.kind}: first = {self.first} is no part of its {self.size} splits")

    @property
    def id(self) -> str:
        """A name that two equal protocols share, whichever paper asks for them; it is part of file names."""
        name = {
            "public-split": "public-split",
            "cross-validation": f"cv-{self.repeats}x{self.folds}",
            "hold-out": f"hold-out-{self.repeats}x{_percent(self.train)}",
        }[self.kind]
        name = f"{name}-first-{self.first}" if self.first else name
        return "-".join([name, "missing", *map(_percent, self.missing)]) if self.missing else name

    @property
    def size(self) -> int:
        """The number of all its splits."""
        return self.repeats * (self.folds or 1)

    @property
    def shortened(self) -> str:
        """Which part of the splits is run, in words; empty if all are."""
        return f"{self.first} of {self.size} splits" if self.first else ""

    @property
    def complete(self) -> Protocol:
        """The same without missing labels: what splits are drawn for."""
        return replace(self, missing=())


def _percent(share: float | None) -> str:
    return f"{100 * share:g}" if share is not None else ""


@dataclass(frozen=True)
class Split:
    """Row numbers of one training and test part."""

    repeat: int
    fold: int
    train: np.ndarray
    test: np.ndarray


def seed_for(master: int, *names: object) -> int:
    """A seed for one draw: a hash of the master seed and of what the draw is for."""
    text = "/".join(str(name) for name in (master, *names))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def make_splits(protocol: Protocol, data: Dataset, master: int) -> list[Split]:
    splits = [Split(*part) for part in islice(_parts(protocol, data, master), protocol.first)]
    for split in splits:
        if len(split.train) == 0 or len(split.test) == 0:
            raise DataError(f"{data.name}: {data.n} rows are too few for the protocol {protocol.id}")
    return splits


def _parts(protocol: Protocol, data: Dataset, master: int) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
    if protocol.kind == "public-split":
        if data.part is None:
            raise ConfigError(f"{data.name} has no public split; use cross-validation or hold-out")
        yield 0, 0, np.flatnonzero(data.part == TRAIN), np.flatnonzero(data.part == TEST)
        return
    for repeat in range(protocol.repeats):
        order = np.random.default_rng(seed_for(master, data.name, repeat)).permutation(data.n)
        if protocol.train is not None:
            yield repeat, 0, *_cut(order, protocol.train)
            continue
        folds = np.array_split(order, protocol.folds or 1)
        for fold, test in enumerate(folds):
            train = np.concatenate(folds[:fold] + folds[fold + 1 :])
            yield repeat, fold, np.sort(train), np.sort(test)


def _cut(order: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
    """The first `share` of the rows and the others, both in file order, so that ties by row index mean the same."""
    size = int(share * len(order) + 1e-9)  # brinker2007 has 1725 of 2465 rows for 70 %, so the half row is dropped
    return np.sort(order[:size]), np.sort(order[size:])


def save_splits(path: str | PathLike, splits: list[Split]) -> None:
    arrays: dict[str, np.ndarray] = {}
    for split in splits:
        for name, rows in {"train": split.train, "test": split.test}.items():
            arrays[f"{split.repeat}/{split.fold}/{name}"] = rows.astype(np.int32)
    save_arrays(path, arrays)


def load_splits(path: str | PathLike) -> list[Split]:
    parts: dict[tuple[int, int], dict[str, np.ndarray]] = {}
    for key, rows in load_arrays(path).items():
        repeat, fold, name = key.split("/")
        parts.setdefault((int(repeat), int(fold)), {})[name] = rows
    return [Split(repeat, fold, **rows) for (repeat, fold), rows in sorted(parts.items())]


def protocol_from(definition: Mapping[str, Any]) -> Protocol:
    shares = {"missing": tuple(definition["missing"])} if "missing" in definition else {}
    return Protocol(**{**definition, **shares})
