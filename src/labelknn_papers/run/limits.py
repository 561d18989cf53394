"""Seconds and memory that a cell may take: it runs in a process of its own, which is ended when it takes more.

The process is forked, so it starts with the data that are loaded, and whatever a method calls can be stopped, kernels
and BLAS too. Seconds are those of `labelknn_papers.run.clock`. A process that waits for something, and computes
nothing, is stopped too, and so is one that could never go through all splits in time.
"""

from __future__ import annotations

import errno
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import psutil

from labelknn.errors import LabelknnError
from labelknn_papers.plan.cells import Limits
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.clock import compiling, without_compiling
from labelknn_papers.run.job import end_with

T = TypeVar("T")

_GIGABYTE = 10**9
# How often the clock is looked at.
_EVERY = 0.1
# So long a process may wait, for a disk or for its turn.
_STILL = 60
# All splits would take this many times what they may, as far as the first one tells: nobody has to wait for the others.
_HOPELESS = 2
# By these a process ends that takes no refusal of memory well: the kernel's killer, and C++ without a handler.
_OF_MEMORY = (signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS)


class Stopped(LabelknnError):  # noqa: N818 - a result, not a mistake
    """A cell took more than it may. `limits` has the limit that it met, and None for the other."""

    def __init__(self, message: str, limits: Limits) -> None:
        super().__init__(message)
        self.limits = limits


class Paced(list[Split]):
    """Splits to go through; what takes far too long, as the first of them shows, does not get the second."""

    def __init__(self, splits: Iterable[Split], limits: Limits) -> None:
        super().__init__(splits)
        self.limits = limits

    def __iter__(self) -> Iterator[Split]:
        splits = super().__iter__()
        compiled, start = [0.0, 0.0], time.process_time()
        with compiling(compiled):
            yield next(splits)
            seconds = without_compiling(time.process_time() - start, compiled)
        most = self.limits.seconds
        if most is not None and seconds * len(self) > _HOPELESS * most:
            reason = f"more than {most:g} s (as the first of {len(self)} splits shows)"
            raise Stopped(reason, Limits(seconds=most))
        yield from splits


def run_within(limits: Limits, work: Callable[[], T]) -> T:
    """What `work` gives, from a process of its own; what it raises is raised here too."""
    context = multiprocessing.get_context("fork")
    compiled = context.RawArray("d", 2)
    answer, question = context.Pipe(duplex=False)
    child = context.Process(target=_work, args=(limits, work, compiled, question, os.getpid()))
    child.start()
    question.close()  # the child's end: when it dies, the pipe is at its end
    try:
        watched, last, since = psutil.Process(child.pid), -1.0, time.monotonic()
        while not answer.poll(_EVERY):
            used = _used(watched)
            if limits.seconds is not None and without_compiling(used, compiled) > limits.seconds:
                raise Stopped(f"more than {limits.seconds:g} s", Limits(seconds=limits.seconds))
            if used > last:
                last, since = used, time.monotonic()
            elif limits.seconds is not None and time.monotonic() - since > max(limits.seconds, _STILL):
                raise Stopped(f"nothing was computed for {_STILL} s", Limits(seconds=limits.seconds))
        return _result(answer, child, limits)
    finally:
        child.kill()
        child.join()
        answer.close()


def _used(process: psutil.Process) -> float:
    """Seconds of the processor; of a process that has just ended, more than nothing is not known."""
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return times.user + times.system


def _result(answer: Connection, child: Any, limits: Limits) -> Any:
    try:
        result, problem = answer.recv()
    except EOFError:
        child.join()
        name = signal.Signals(-child.exitcode).name if child.exitcode < 0 else f"exit code {child.exitcode}"
        if limits.gigabytes is not None and -child.exitcode in _OF_MEMORY:
            raise _too_much(limits.gigabytes, f"it ended by {name}") from None
        raise ChildProcessError(f"the process of the cell ended by {name}") from None
    if isinstance(problem, MemoryError) and limits.gigabytes is not None:
        raise _too_much(limits.gigabytes, str(problem))
    if problem is not None:
        raise problem
    return result


def _too_much(gigabytes: float, detail: str) -> Stopped:
    what = f" ({detail[:1].lower()}{detail[1:]})" if detail else ""
    return Stopped(f"more than {gigabytes:g} GB of memory{what}", Limits(gigabytes=gigabytes))


def _work(limits: Limits, work: Callable[[], Any], compiled: Any, question: Connection, parent: int) -> None:
    end_with(parent)
    if limits.gigabytes is not None:
        # Of all that the process has, its data included; a larger array is refused before it is filled.
        most = int(limits.gigabytes * _GIGABYTE)
        resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    with compiling(compiled):
        try:
            found: tuple[Any, BaseException | None] = (work(), None)
        except MemoryError as problem:
            found = (None, MemoryError(str(problem)))  # NumPy's own cannot be sent
        except OSError as problem:
            found = (None, MemoryError(str(problem)) if problem.errno == errno.ENOMEM else problem)
    question.send(found)
