"""What a computation takes: seconds of the processor, which are the same whatever else the machine does meanwhile.

A cell has one thread, so these are also the seconds that it takes on an idle machine. What Numba takes to compile
kernels, or to load them, is not counted: it happens once, to whoever comes first.
"""

from __future__ import annotations

import time
from collections.abc import MutableSequence
from typing import Any

from numba.core.event import Event, Listener, install_listener


class Compiling(Listener):
    """How long Numba has compiled, and since when it does so now (0 if it does not), by the clock of the process.

    total_and_since : both numbers; they can lie in memory that another process reads.
    """

    def __init__(self, total_and_since: MutableSequence[float] | Any) -> None:
        self.total_and_since = total_and_since
        self._depth = 0

    def on_start(self, event: Event) -> None:
        self._depth += 1
        if self._depth == 1:
            self.total_and_since[1] = time.process_time()

    def on_end(self, event: Event) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.total_and_since[0] += time.process_time() - self.total_and_since[1]
            self.total_and_since[1] = 0.0


def compiling(total_and_since: MutableSequence[float] | Any) -> Any:
    """A context in which these two numbers are kept."""
    return install_listener("numba:compiler_lock", Compiling(total_and_since))


def without_compiling(used: float, total_and_since: MutableSequence[float] | Any) -> float:
    """The seconds of the processor that a process has used for anything else."""
    total, since = total_and_since
    return used - total - (used - since if since else 0.0)
