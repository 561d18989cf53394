"""Compiled kernels on all cores: Python's threads, and a kernel that runs without the interpreter's lock.

numba's own parallel loops would do the same. But each of them takes seconds to compile, and their threads keep a core
busy while they wait for the next loop.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache, wraps
from typing import Any, TypeVar

import numba
import numpy as np

from labelknn.errors import DataError

T = TypeVar("T")

# So many for each thread that all end at about the same time.
SHARES = 8


def over_rows(kernel: Callable, n: int, *arguments: Any) -> None:
    """Call ``kernel(start, stop, *arguments)`` for parts of the rows 0..n, on as many threads as numba would use.

    The kernel must have `nogil` and write to each row's own place only, so that neither the parts nor their order
    matter. It should have scratch space of its own.
    """
    threads = min(numba.get_num_threads(), n)
    step = -(-n // (SHARES * max(threads, 1))) or 1
    starts = iter(range(0, n, step))  # shared: each thread takes the next part when it is done with one

    def work() -> None:
        for start in starts:
            kernel(start, min(start + step, n), *arguments)

    others = [_pool(threads).submit(work) for _ in range(threads - 1)]
    try:
        work()
    finally:
        wait(others)  # they write into the caller's arrays
    for other in others:
        other.result()


def threaded(method: Callable[..., T]) -> Callable[..., T]:
    """A method of an estimator, run on `n_jobs` of the cores that this process may use; None leaves their number."""

    @wraps(method)
    def limited(self: Any, *arguments: Any, **options: Any) -> T:
        before, most = numba.get_num_threads(), numba.config.NUMBA_NUM_THREADS
        if self.n_jobs is not None:
            if not isinstance(self.n_jobs, int | np.integer) or self.n_jobs == 0:
                raise DataError(f"n_jobs = {self.n_jobs!r}, expected None, a number of threads, or -1 for all")
            asked = self.n_jobs if self.n_jobs > 0 else most + 1 + self.n_jobs
            numba.set_num_threads(max(1, min(asked, most)))
        try:
            return method(self, *arguments, **options)
        finally:
            numba.set_num_threads(before)

    return limited


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Kept, since to start threads takes as long as a small kernel."""
    return ThreadPoolExecutor(threads - 1, "labelknn")


if hasattr(os, "register_at_fork"):  # a forked process has none of the threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
