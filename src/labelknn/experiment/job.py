"""What every script of the workflow does around its one call: log to its file, and fail with one sentence."""

from __future__ import annotations

import logging
import os
import re
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from labelknn.errors import LabelknnError

# The last line of a log. Snakemake's own benchmark looks at a process every 30 seconds only, so that its CPU time lacks
# what came after the last look; the process itself knows at its end.
_USED = "used %.2f CPU seconds and at most %.1f MB"


class Usage(NamedTuple):
    cpu_seconds: float
    peak_memory_mb: float


@contextmanager
def job(log: str | os.PathLike, threads: int = 1) -> Iterator[None]:
    """Run the body with its messages in `log`; an error of the user's input ends it without a traceback."""
    handler = logging.FileHandler(log, mode="w")
    logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=[handler], force=True)
    logging.captureWarnings(True)
    if numba := sys.modules.get("numba"):  # a script that computes has imported it by now
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    try:
        yield
        logging.info(_USED, *_usage())
    except LabelknnError as error:
        logging.error("%s", error)
        sys.exit(f"labelknn: {error}")
    except Exception:
        logging.exception("unexpected error")
        raise


def logged_usage(log: str | os.PathLike) -> Usage | None:
    """What a job says that it used at the end of its log, None if it does not."""
    try:
        lines = Path(log).read_text().splitlines()
    except FileNotFoundError:
        return None
    pattern = _USED.replace("%.2f", r"(\d+\.\d\d)").replace("%.1f", r"(\d+\.\d)")
    found = re.fullmatch(pattern, lines[-1]) if lines else None
    return Usage(*map(float, found.groups())) if found else None


def _usage() -> Usage:
    parts = [resource.getrusage(which) for which in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return Usage(sum(part.ru_utime + part.ru_stime for part in parts), peak_memory_mb())


def peak_memory_mb() -> float:
    """Linux's own word where there is one: getrusage counts in what the process that started this one had."""
    if (peak := linux_memory_mb("VmHWM")) is not None:
        return peak
    unit = 1e6 if sys.platform == "darwin" else 1e3  # macOS counts in bytes
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def linux_memory_mb(name: str) -> float | None:
    """What Linux says of the memory of this process: VmHWM is the peak, VmRSS what it has now. None elsewhere."""
    try:
        found = re.search(rf"^{name}:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    except FileNotFoundError:
        return None
    return int(found[1]) / 1e3 if found else None
