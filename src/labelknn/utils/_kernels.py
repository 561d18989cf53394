"""How the library's kernels are compiled: at the first call, by Numba, and then kept on disk.

docs/kernels.md says why Numba, what compiling costs, and which constructs of Python keep it short.
"""

from __future__ import annotations

import gc
import inspect
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.extending import _Intrinsic
from numba.core.registry import CPUDispatcher

# A division by zero gives what IEEE 754 says instead of an exception, as in NumPy.
OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
# Compiling that takes longer, in all, is announced.
PATIENCE = 2.0


def kernel(function: Callable) -> Any:
    """Compile a function that Python calls. It runs without the interpreter's lock, and its machine code is kept."""
    compiled = numba.njit(function, **OPTIONS)
    compiled.__class__ = _Kernel
    with suppress(RuntimeError):  # where Numba finds no folder to write to, every process compiles
        compiled._cache = _Cache(function)
    return compiled


def inner(function: Callable, **options: Any) -> Any:
    """Compile a function that only kernels call. Without a way in from Python that takes half of the time.

    options : more of `numba.njit`'s.
    """
    compiled = numba.njit(function, **OPTIONS, **options, no_cpython_wrapper=True)
    compiled.__class__ = _Inner
    return compiled


class _Kernel(CPUDispatcher):
    def compile(self, signature: Any) -> Any:
        """Compile without Python's garbage collector, which finds nothing but takes a sixth of the time."""
        collects = gc.isenabled()
        gc.disable()
        try:
            return super().compile(signature)
        finally:
            if collects:
                gc.enable()


class _Inner(CPUDispatcher):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        raise TypeError(f"{self.__name__} is called by kernels; from Python, call {self.__name__}.py_func")


class _Cache(FunctionCache):
    """Machine code is out of date when the kernel's own file has changed, as always with Numba, and also when the file
    of a kernel that it calls has: that one is a part of it."""

    def __init__(self, function: Callable) -> None:
        super().__init__(function)
        stamps = [(path.stat().st_mtime, path.stat().st_size) for path in sorted(set(_files(function)))]
        self._cache_file = IndexDataCacheFile(self._cache_path, self._impl.filename_base, tuple(stamps))

    # Numba asks for machine code, and saves what it compiled because there was none.
    def load_overload(self, *arguments: Any) -> Any:
        known = super().load_overload(*arguments)
        if known is None:
            _announcement.compiling()
        return known

    def save_overload(self, *arguments: Any) -> None:
        _announcement.compiled()
        super().save_overload(*arguments)


class _Announcement:
    """Says, once in a process, what takes so long."""

    def __init__(self) -> None:
        self.spent = self._started = 0.0
        self._timer: threading.Timer | None = None

    def compiling(self) -> None:
        if self.spent < PATIENCE:
            self._started = time.monotonic()
            self._timer = threading.Timer(PATIENCE - self.spent, self._say)
            self._timer.daemon = True
            self._timer.start()

    def compiled(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
            self.spent += time.monotonic() - self._started

    @staticmethod
    def _say() -> None:
        logging.getLogger("labelknn").warning("labelknn is compiling, once on this machine ...")


_announcement = _Announcement()


def _files(function: Callable) -> Iterator[Path]:
    """The file of a kernel and those of all kernels and instructions that its module imports."""
    own = inspect.getfile(function)
    yield Path(own)
    for value in function.__globals__.values():
        if isinstance(value, _Intrinsic):
            yield Path(inspect.getfile(value._defn))
        elif isinstance(value, CPUDispatcher) and inspect.getfile(value.py_func) != own:
            yield from _files(value.py_func)
