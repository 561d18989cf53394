"""What every script of the workflow does around its one call: log to its file, and fail with one sentence."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from labelknn.errors import LabelknnError


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
    except LabelknnError as error:
        logging.error("%s", error)
        sys.exit(f"labelknn: {error}")
    except Exception:
        logging.exception("unexpected error")
        raise
