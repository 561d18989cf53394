"""What all text readers share: numbered lines of bounded length, plain numbers, and errors that say where."""

import bz2
import gzip
import math
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from labelknn.errors import DataError

# The papers' longest line has 5,000 characters; a "line" beyond this is not a table and could fill the memory.
MAX_LINE = 2**24

# float() alone would also take "1_000", "nan", "infinity" and digits of other scripts.
# Nothing is given back (++), so that a long word which is no number takes no longer than its length.
_NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")


# Any other file is read as it is.
_OPENERS: Mapping[str, Callable[..., Any]] = {".bz2": bz2.open, ".gz": gzip.open}


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file from 1, without their ends (LF or CRLF); one whose name ends in .gz or .bz2 is unpacked.

    None of the formats declares an encoding: a line that is not UTF-8 is taken as Latin-1, which older collections use.
    """
    compressed = path.suffix in _OPENERS
    number = 0
    try:
        with _OPENERS.get(path.suffix, open)(path, "rb") as file:
            while raw := file.readline(MAX_LINE + 1):
                number += 1
                if len(raw) > MAX_LINE:
                    raise line_error(path, number, f"the line has more than {MAX_LINE} bytes")
                yield number, _decode(raw).rstrip("\r\n")
    except (OSError, EOFError, zlib.error) as error:
        if compressed and not getattr(error, "errno", None):  # about the bytes, not about the file system
            reason = f"after line {number} the compressed file is cut off or damaged; fetch or copy it again"
            raise DataError(f"{path}: {reason}") from None
        raise DataError(f"{path}: cannot be read ({getattr(error, 'strerror', error)})") from None


def line_error(path: Path, number: int, reason: str) -> DataError:
    return DataError(f"{path}, line {number}: {reason}")


def parse_number(text: str) -> float | None:
    """A finite decimal number, or None if the text is something else."""
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def excerpt(text: str) -> str:
    """A value as an error message shows it: quoted, and not longer than a glance."""
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _decode(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
