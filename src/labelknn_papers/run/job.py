"""What every script of the workflow does around its one call: log to its file, and fail with one sentence."""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import re
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

from labelknn.errors import LabelknnError

# The last line of a log. Snakemake's own benchmark looks at a process every 30 seconds only, so that its CPU time lacks
# what came after the last look; the process itself knows at its end.
_USED = "used %.2f CPU seconds and at most %.1f MB"


# NumPy and OpenBLAS choose their loops by the processor. Those for AVX-512 add up in another order than those for AVX2,
# which every x86-64 of the last ten years has; elsewhere these variables mean nothing. NumPy reads them when it is
# imported, so they are set where a process is started.
SAME_BITS = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}

# What to do about what is wrong with the machine rather than with the data.
_ADVICE = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.EFBIG: "allow larger files",
    errno.EROFS: "make the folder writable, or use another --directory",
    errno.EACCES: "make the folder writable, or use another --directory",
}
_THEN = "and start the same command again: what is finished stays"


class Usage(NamedTuple):
    cpu_seconds: float
    peak_memory_mb: float


@contextmanager
def job(log: str | os.PathLike, threads: int = 1) -> Iterator[None]:
    """Run the body with its messages in `log`. An error of the user's input, or of a machine that is full, ends it
    without a traceback."""
    _end_with_run()
    handler = logging.FileHandler(log, mode="w")
    logging.raiseExceptions = False  # on a full disk the log cannot be written either
    logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=[handler], force=True)
    logging.captureWarnings(True)
    if numba := sys.modules.get("numba"):  # a script that computes has imported it by now
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    try:
        yield
        logging.info(_USED, *_usage())
    except LabelknnError as error:
        _fail(str(error))
    except MemoryError as error:
        detail = f" ({error})" if str(error) else ""
        _fail(f"out of memory{detail}; use fewer --cores or more memory, {_THEN}")
    except OSError as error:
        if error.errno not in _ADVICE:
            logging.exception("unexpected error")
            raise
        _fail(f"{error}; {_ADVICE[error.errno]}, {_THEN}")
    except Exception:
        logging.exception("unexpected error")
        raise


def of_machine(problem: BaseException) -> bool:
    """Whether other methods would fare no better: a full disk, and not a file that a method misses."""
    if isinstance(problem, OSError):
        return problem.errno in {*_ADVICE, errno.ENOMEM, errno.EIO, errno.EMFILE, errno.ENFILE}
    return isinstance(problem, MemoryError)


def _fail(reason: str) -> NoReturn:
    logging.error("%s", reason)
    sys.exit(f"labelknn: {reason}")


def _end_with_run() -> None:
    """Have Linux end this process with the one that runs the workflow.

    A job that outlives a killed run would go on for hours, and in the end put its result, perhaps of a method that was
    edited since, over that of the next run.
    """
    if (run := os.environ.get("LABELKNN_RUN")) is not None:
        end_with(int(run))


def end_with(process: int) -> None:
    """Have Linux end this process with its parent, or now if `process` is gone."""
    if not sys.platform.startswith("linux"):
        return
    parent_death_signal = 1
    ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGKILL)
    if not Path("/proc", str(process)).exists():  # it was killed while this process started
        sys.exit("labelknn: the run that started this job is gone")


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


def forget_peak() -> None:
    """Linux counts the peak of this process from here on; elsewhere it stays that of its whole life."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def linux_memory_mb(name: str) -> float | None:
    """What Linux says of the memory of this process: VmHWM is the peak, VmRSS what it has now. None elsewhere."""
    try:
        found = re.search(rf"^{name}:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    except FileNotFoundError:
        return None
    return int(found[1]) / 1e3 if found else None
