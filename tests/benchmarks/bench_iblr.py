"""IBLR against scikit-learn's KNeighborsRegressor on the published rankings, and IBLR's memory on the largest set.

Ten folds of calhousing (20,640 rows, complete rankings), k = 20: seconds for fit + predict, and their ratio, which
should be at most 3. Then one fold of fried (40,768 rows) with k chosen from the whole grid: peak memory of the process,
which should stay below 1 GB.

Run it with the environment's Python: python tests/benchmarks/bench_iblr.py
"""

import resource
import sys
import time
from pathlib import Path

import numba
import numpy as np
from sklearn.neighbors import KNeighborsRegressor

from labelknn.datasets._fetch import mirror_folder
from labelknn.datasets._kebi import read_kebi
from labelknn.ranking._iblr import IBLR

ROOT = Path(__file__).parents[2]
ROUNDS = 3


def published(name):
    """The rankings as published, with a fold number for each row."""
    folder = mirror_folder(None, ROOT)
    if folder is None:
        sys.exit("no mirror of the data: set LABELKNN_MIRROR")
    data = read_kebi(name, Path(folder) / "label-ranking/published", file=f"{name}.txt")
    return data, np.random.default_rng(0).permutation(data.n) % 10


def ten_folds(make, data, fold):
    """Seconds for all folds: the best of a few rounds."""
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for number in range(10):
            test = fold == number
            make().fit(data.X[~test], data.Y[~test]).predict(data.X[test])
        taken.append(time.perf_counter() - start)
    return min(taken)


def compare_speed():
    data, fold = published("calhousing")
    IBLR(k=20).fit(data.X, data.Y).predict(data.X[:10])  # compile, or load from numba's cache
    for threads in sorted({1, numba.config.NUMBA_NUM_THREADS}):
        numba.set_num_threads(threads)
        ours = ten_folds(lambda: IBLR(k=20), data, fold)
        theirs = ten_folds(lambda jobs=threads: KNeighborsRegressor(20, n_jobs=jobs), data, fold)
        print(
            f"calhousing, {threads} thread(s): IBLR {ours:.3f} s, KNeighborsRegressor {theirs:.3f} s, "
            f"ratio {ours / theirs:.2f}"
        )


def measure_memory():
    data, fold = published("fried")
    test = fold == 0
    start = time.perf_counter()
    model = IBLR().fit(data.X[~test], data.Y[~test])
    model.predict(data.X[test])
    taken = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(f"fried, one fold, k = {model.k_} chosen: {taken:.1f} s, peak memory {peak / 1e6:.0f} MB")


def main():
    compare_speed()
    measure_memory()


if __name__ == "__main__":
    main()
