"""Each row is done once, whatever the number of threads; what goes wrong in one of them is raised."""

import os

import numba
import numpy as np
import pytest

from labelknn.utils._threads import over_rows


@pytest.fixture(params=[1, 2])
def threads(request):
    if request.param > numba.config.NUMBA_NUM_THREADS:
        pytest.skip("one core only")
    before = numba.get_num_threads()
    numba.set_num_threads(request.param)
    yield request.param
    numba.set_num_threads(before)


@numba.njit(nogil=True)
def _count(start, stop, counts, step):
    for row in range(start, stop):
        counts[row] += step


@pytest.mark.parametrize("n", [0, 1, 2, 3, 16, 17, 1000])
def test_each_row_once(threads, n):
    counts = np.zeros(n, np.int64)
    over_rows(_count, n, counts, 3)
    assert (counts == 3).all()


def test_parts_are_small_enough_for_all_threads(threads):
    parts = []
    over_rows(lambda start, stop: parts.append((start, stop)), 100)
    parts.sort()
    assert [start for start, _ in parts] == [0, *(stop for _, stop in parts[:-1])]
    assert parts[-1][1] == 100
    assert len(parts) >= 4 * threads


@pytest.mark.parametrize("wrong", [0, 57, 99])
def test_an_error_in_any_part_is_raised(threads, wrong):
    def kernel(start, stop):
        if start <= wrong < stop:
            raise ValueError("row with an error")

    with pytest.raises(ValueError, match="row with an error"):
        over_rows(kernel, 100)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(threads):
    counts = np.zeros(100, np.int64)
    over_rows(_count, 100, counts, 1)
    child = os.fork()
    if child == 0:
        over_rows(_count, 100, counts, 1)
        os._exit(0 if (counts == 2).all() else 1)
    assert os.waitpid(child, 0)[1] == 0
