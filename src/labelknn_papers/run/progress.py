"""What a job says on the terminal while it runs: each cell as it is done, and of long ones how many folds are."""

from __future__ import annotations

import logging
import sys
import time
from typing import TextIO

STARTED = "%s ..."
DONE = "%s: %.1f s"
FOUND = "%s: in the store"
FAILED = "%s: %s"
# As `run.cell.run_cell` logs it.
_FOLD = "%s: split %d of %d done"


class Progress(logging.Handler):
    """every : no more than a line on folds in so many seconds."""

    def __init__(self, terminal: TextIO | None = None, every: float = 15.0) -> None:
        super().__init__()
        self.terminal = terminal or sys.stderr
        self.every = every
        self._cell, self._said = "", time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        if not isinstance(record.args, tuple):
            return
        if record.msg == STARTED:
            self._cell, self._said = str(record.args[0]), time.monotonic()
        elif record.msg in (DONE, FOUND, FAILED):
            self._say(record.getMessage())
        elif record.msg == _FOLD:
            number, total = (int(str(one)) for one in record.args[1:])
            if number < total and time.monotonic() - self._said >= self.every:
                self._say(f"{self._cell}: {number} of {total} folds")

    def _say(self, line: str) -> None:
        self._said = time.monotonic()
        print(line, file=self.terminal, flush=True)
