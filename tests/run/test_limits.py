"""What takes too long, or too much memory, is stopped; what does not gives what it gives without limits."""

import errno
import os
import signal
import time
from math import inf

import numpy as np
import pytest

from labelknn.utils._threads import over_rows
from labelknn_papers.plan.cells import Limits
from labelknn_papers.run.limits import Paced, Stopped, run_within

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def test_what_stays_within_its_limits_is_handed_over():
    array = np.arange(5)
    found = run_within(Limits(60, 4), lambda: (os.getpid(), array * 2))
    assert found[0] != os.getpid(), "in a process of its own"
    assert found[1].tolist() == [0, 2, 4, 6, 8]
    assert run_within(Limits(), lambda: "no limit") == "no limit"


def test_what_takes_longer_is_ended(tmp_path):
    def work():
        (tmp_path / "pid").write_text(str(os.getpid()))
        while True:  # no call of Python's that a signal handler could end
            sum(range(1000))

    before = time.monotonic()
    with pytest.raises(Stopped, match=r"^more than 0.3 s$") as found:
        run_within(Limits(0.3, None), work)
    assert time.monotonic() - before >= 0.3
    assert found.value.limits == Limits(seconds=0.3)
    assert not os.path.exists(f"/proc/{(tmp_path / 'pid').read_text()}")


@pytest.mark.parametrize(
    ("splits", "seconds", "reason"),
    [
        (10, 12.5, r"^more than 60 s \(as the first of 10 splits shows\)$"),
        (10, 11.5, None),  # it may just have been the slowest
        (1, 50.0, None),
    ],
)
def test_what_takes_far_too_long_is_not_given_a_second_split(monkeypatch, splits, seconds, reason):
    now = [5.0]
    monkeypatch.setattr(time, "process_time", lambda: now[0])

    def work(paced):
        for done, _ in enumerate(paced):
            now[0] += seconds if done == 0 else 100.0  # the others are left to whoever looks at the clock
        return done + 1

    paced = Paced(range(splits), Limits(60, 4))
    assert work(Paced(range(splits), Limits(None, 4))) == splits == len(paced)
    if reason is None:
        assert work(paced) == splits
        return
    with pytest.raises(Stopped, match=reason) as found:
        work(paced)
    assert found.value.limits == Limits(seconds=60)


@pytest.mark.skipif(not os.path.exists("/proc"), reason="only Linux refuses memory")
def test_what_needs_more_memory_says_how_much():
    with pytest.raises(Stopped, match=r"^more than 2 GB of memory \(unable to allocate 74.5 GiB for an array") as found:
        run_within(Limits(60, 2), lambda: np.ones((100_000, 100_000)))
    assert found.value.limits == Limits(gigabytes=2)
    assert run_within(Limits(60, 2), lambda: np.ones(1000).sum()) == 1000, "of that process only"


def test_a_process_that_dies_is_a_matter_of_memory_if_that_is_limited():
    def die():
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(Stopped, match="ended by SIGKILL"):
        run_within(Limits(60, 2), die)
    with pytest.raises(ChildProcessError, match="SIGKILL"):
        run_within(Limits(60, None), die)


def test_errors_of_the_machine_come_through():
    def full():
        raise OSError(errno.ENOSPC, "no space")

    with pytest.raises(OSError, match="no space") as found:
        run_within(Limits(60, None), full)
    assert found.value.errno == errno.ENOSPC

    def exhausted():
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    with pytest.raises(Stopped, match=r"more than 3 GB of memory .*annot allocate"):
        run_within(Limits(None, 3), exhausted)
    with pytest.raises(MemoryError):
        run_within(Limits(60, None), exhausted)


def test_threads_of_the_forked_process_are_not_waited_for():
    def kernel(start, stop, found):
        found[start:stop] = 1
        time.sleep(0.01)

    def work():
        found = np.zeros(50)
        over_rows(kernel, 50, found)
        return found.sum()

    assert work() == 50, "now there is a pool, where there are two cores"
    assert run_within(Limits(20, None), work) == 50


def test_compiling_is_not_counted():
    def work():
        from numba.core.event import end_event, start_event

        start_event("numba:compiler_lock")
        started = time.process_time()
        while time.process_time() - started < 0.8:
            pass
        end_event("numba:compiler_lock")
        return "compiled"

    assert run_within(Limits(0.5, None), work) == "compiled"
    assert run_within(Limits(inf, None), work) == "compiled"


def test_a_process_that_only_waits_is_ended_in_the_end(monkeypatch):
    monkeypatch.setattr("labelknn_papers.run.limits._STILL", 1)
    assert run_within(Limits(0.5, None), lambda: time.sleep(0.8) or "woke up") == "woke up", "waiting is not computing"
    with pytest.raises(Stopped, match="nothing was computed for 1 s"):
        run_within(Limits(0.5, None), lambda: time.sleep(60))
