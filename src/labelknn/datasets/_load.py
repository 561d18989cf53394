"""`load`: a data set by its name.

Raw files are kept in the user's cache, one folder a data set, and beside them what was read from them: text is read
once, arrays are read each time. The name of the array file has a digest of the raw files, the reader's options and the
code of this package, so that it is never older than what it was made from.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import json
import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np

from labelknn.datasets import _container
from labelknn.datasets._container import TEST, TRAIN, Dataset, Values, with_integer_labels
from labelknn.datasets._readers import READERS, read
from labelknn.datasets._registry import packaged
from labelknn.errors import ConfigError, DataError, SourceUnreachable, unknown

log = logging.getLogger(__name__)


@overload
def load(
    name: str,
    *,
    return_X_y: Literal[False] = False,
    as_frame: bool = ...,
    mirror: str | os.PathLike[str] | None = ...,
    cache: str | os.PathLike[str] | None = ...,
    registry: Mapping[str, Any] | None = ...,
) -> Dataset: ...
@overload
def load(
    name: str,
    *,
    return_X_y: Literal[True],
    as_frame: bool = ...,
    mirror: str | os.PathLike[str] | None = ...,
    cache: str | os.PathLike[str] | None = ...,
    registry: Mapping[str, Any] | None = ...,
) -> tuple[Values, Values]: ...
def load(
    name: str,
    *,
    return_X_y: bool = False,
    as_frame: bool = False,
    mirror: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    registry: Mapping[str, Any] | None = None,
) -> Dataset | tuple[Values, Values]:
    """A public data set with its features X, targets Y and their names; `available` lists them all.

    Label sets are an (n, q) array of 0/1 integers, or a CSR matrix of them where the features are one. Rankings are an
    (n, q) array of ranks: 1 is best, 0 a missing label. A nominal feature is a column of level numbers.

    A file is taken from the mirror folder or the user's cache, else from its public addresses, and refused unless it
    has the SHA-256 of the registry. LABELKNN_OFFLINE=1 in the environment forbids the network.

    return_X_y : give just the pair of X and Y.
    as_frame : X and Y are pandas data frames.
    mirror : a folder with files already downloaded; by default $LABELKNN_MIRROR, if it is set.
    cache : where files are kept; by default $LABELKNN_CACHE, else the folder that the system has for caches.
    registry : more data sets beside the packaged ones, in their form (`labelknn.datasets.registry`); readers can be
        ``package:function``.

    >>> data = load("synthetic-ranking")
    >>> data
    Dataset('synthetic-ranking', ranking: 600 rows, 10 features, 5 labels)
    >>> data.Y[0]
    array([5, 3, 2, 1, 4])
    >>> X, Y = load("synthetic-multilabel", return_X_y=True)
    >>> X.shape, Y.shape
    ((600, 20), (600, 8))
    """
    entries = {**packaged(), **(registry or {})}
    if name not in entries:
        raise unknown("data set", name, entries, "labelknn.datasets.load")
    entry = entries[name]
    if "generate" in entry:
        raise ConfigError(f"data set {name!r} is made from others by a recipe of the workflow; it cannot be loaded")
    data = with_integer_labels(_read_or_recall(name, entry, mirror, cache))
    data = replace(data, DESCR=_description(entry, data))
    if as_frame:
        data = data.to_frame()
    return (data.X, data.Y) if return_X_y else data


def _read_or_recall(
    name: str, entry: Mapping[str, Any], mirror: str | os.PathLike[str] | None, cache: str | os.PathLike[str] | None
) -> Dataset:
    sources = entry.get("sources", ())
    if sources and not sources[0].get("files"):  # made by its reader, or part of a library
        return _read(name, entry, sources[0], Path())
    folder = _cache_folder(cache) / name
    for source in sources:
        hashes = {file: origin.get("sha256") for file, origin in source.get("files", {}).items()}
        if all(hashes.values()) and (data := _recall(_arrays(folder, entry, source, hashes))):
            return data
    files, source = _have(name, entry, folder, mirror)
    path = _arrays(folder, entry, source, files)
    if data := _recall(path):  # where the registry has no hash, only the files themselves say which arrays are theirs
        return data
    data = _read(name, entry, source, folder)
    _keep(data, path)
    return data


def _read(name: str, entry: Mapping[str, Any], source: Mapping[str, Any], folder: Path) -> Dataset:
    return read(name, entry["task"], source["reader"], folder, source.get("options", {}))


def _have(
    name: str, entry: Mapping[str, Any], folder: Path, mirror: str | os.PathLike[str] | None
) -> tuple[Mapping[str, str], Mapping[str, Any]]:
    """Have the raw files in `folder`; their SHA-256, and the source that they are of."""
    from labelknn.datasets._fetch import fetch, named_mirror

    found = named_mirror(mirror, "mirror", Path())
    try:
        status = fetch(name, entry, folder, found, retries=1)
    except SourceUnreachable as error:
        raise SourceUnreachable(
            f"{error}. Looked for in the cache {folder}, in {f'the mirror {found}' if found else 'no mirror'} and at "
            "the addresses named here; set LABELKNN_MIRROR (or mirror=) to a folder that has the files, LABELKNN_CACHE "
            "(or cache=) to a cache that has them, or allow the network"
        ) from None
    except OSError as error:
        raise ConfigError(
            f"{name}: the cache {folder} cannot be written ({error.strerror}); choose another folder by LABELKNN_CACHE "
            "or cache="
        ) from error
    if status.source is None:
        raise SourceUnreachable(f"{name}: {status.reason}")
    return status.files, entry["sources"][status.source]


def _cache_folder(given: str | os.PathLike[str] | None) -> Path:
    if chosen := given or os.environ.get("LABELKNN_CACHE"):
        return Path(chosen).expanduser()
    import pooch

    return Path(pooch.os_cache("labelknn"))


def _recall(path: Path | None) -> Dataset | None:
    """What was read from text before; nothing if there is no array file, or a damaged one."""
    if path is None or not path.is_file():
        return None
    try:
        return _container.load(path)
    except DataError:
        log.warning("%s is damaged; it is made again from the raw files", path)
    with suppress(OSError):
        path.unlink()
    return None


def _keep(data: Dataset, path: Path | None) -> None:
    """Write the array file in the place of older ones; without it the data set is only slower to load."""
    if path is None:
        return
    try:
        for old in path.parent.glob("arrays-*.npz"):
            old.unlink(missing_ok=True)
        _container.save(data, path)
    except OSError as error:
        log.warning("%s: not kept in the cache: %s", data.name, error)


def _arrays(folder: Path, entry: Mapping[str, Any], source: Mapping[str, Any], files: Mapping[str, str]) -> Path | None:
    """The array file. There is none for a reader of one's own, whose code may have changed, nor without raw files."""
    if source["reader"] not in READERS or not files:
        return None
    decides = [entry["task"], source["reader"], source.get("options", {}), dict(files), _code()]
    return folder / f"arrays-{hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:20]}.npz"


@cache
def _code() -> str:
    """The SHA-256 of this package's modules."""
    digest = hashlib.sha256()
    modules = (file for file in importlib.resources.files("labelknn.datasets").iterdir() if file.name.endswith(".py"))
    for file in sorted(modules, key=lambda file: file.name):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _description(entry: Mapping[str, Any], data: Dataset) -> str:
    size = f"{data.n} rows, {data.d} features" + (f", {data.q} labels" if data.label_names else "")
    lines = [entry["title"], "", f"Task: {data.task}", f"Size: {size}"]
    if data.part is not None:
        train, test = (int(np.count_nonzero(data.part == which)) for which in (TRAIN, TEST))
        lines.append(f"Public split: {train} training rows, {test} test rows")
    if data.levels:
        names = ", ".join(data.feature_names[column] for column in sorted(data.levels)[:10])
        lines.append(f"Nominal features: {len(data.levels)} ({names}{', ...' if len(data.levels) > 10 else ''})")
    if "origin" in entry:
        lines.append(f"Origin: {entry['origin']}")
    return "\n".join(lines) + "\n"
