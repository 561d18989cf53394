"""What a job says on the terminal."""

import io
import logging
from types import SimpleNamespace

from labelknn_papers.run import progress
from labelknn_papers.run.progress import DONE, FAILED, FOUND, STARTED, Progress


def test_cells_as_they_are_done_and_of_long_ones_now_and_then_the_folds(monkeypatch):
    clock = SimpleNamespace(now=0, monotonic=lambda: clock.now)
    monkeypatch.setattr(progress, "time", clock)
    terminal = io.StringIO()
    logger = logging.Logger("job")
    logger.addHandler(Progress(terminal, every=15))
    logger.info(STARTED, "cv/toy/iblr")
    for number, clock.now in ((1, 5), (2, 16), (3, 20), (4, 32)):
        logger.info("%s: split %d of %d done", "toy", number, 5)
    clock.now = 99
    logger.warning("something else")
    logger.info("%s: split %d of %d done", "toy", 5, 5)
    logger.info(DONE, "cv/toy/iblr", 33.3)
    logger.error(FAILED, "cv/toy/cc", "too few rows")
    logger.info(FOUND, "cv/toy/lrt")
    assert terminal.getvalue().splitlines() == [
        "cv/toy/iblr: 2 of 5 folds",
        "cv/toy/iblr: 4 of 5 folds",
        "cv/toy/iblr: 33.3 s",
        "cv/toy/cc: too few rows",
        "cv/toy/lrt: in the store",
    ]
