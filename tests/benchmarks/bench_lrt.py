"""Label ranking trees against scikit-learn's DecisionTreeRegressor on the rank vectors, same least size of a leaf.

Targets: a fit takes at most 10 times as long on pendigits, calhousing and fried; doubling n on fried takes at most 2.3
times as long; peak memory on fried stays below 1 GB. Both are single-threaded, so processor time is measured, which
other programs on the machine disturb least.

Run it with the environment's Python: python tests/benchmarks/bench_lrt.py
"""

import resource
import time
from pathlib import Path

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from labelknn.datasets._fetch import mirror_folder
from labelknn.datasets._kebi import read_kebi
from labelknn.ranking._lrt import LRT

ROOT = Path(__file__).parents[2]
ROUNDS = 5


def seconds(*calls):
    """The best of a few rounds for each call, in turn, so that a busy moment hits all of them."""
    taken = np.empty((ROUNDS, len(calls)))
    for i in range(ROUNDS):
        for j, call in enumerate(calls):
            start = time.process_time()
            call()
            taken[i, j] = time.process_time() - start
    return taken.min(axis=0)


def main():
    folder = mirror_folder(None, ROOT) / "label-ranking" / "published"
    data = {name: read_kebi(name, folder, file=f"{name}.txt") for name in ("fried", "pendigits", "calhousing")}
    for criterion in ("mallows", "concordance"):
        for name, (X, Y) in {name: (one.X, one.Y) for name, one in data.items()}.items():
            ours = LRT(criterion)  # with complete rankings both have two examples in a leaf
            theirs = DecisionTreeRegressor(min_samples_leaf=2, random_state=0)
            ours.fit(X[:100], Y[:100])  # compile, or load from numba's cache
            our_seconds, their_seconds = seconds(lambda: ours.fit(X, Y), lambda: theirs.fit(X, Y))  # noqa: B023
            print(
                f"{criterion:12} {name:12} LRT {our_seconds:6.3f} s, {ours.n_leaves_:5} leaves   "
                f"DecisionTreeRegressor {their_seconds:6.3f} s, {theirs.get_n_leaves():5} leaves   "
                f"ratio {our_seconds / their_seconds:4.1f}"
            )
        X, Y = data["fried"].X, data["fried"].Y
        half = np.random.default_rng(0).permutation(len(X))[: len(X) // 2]
        model = LRT(criterion)
        some, all_rows = seconds(lambda: model.fit(X[half], Y[half]), lambda: model.fit(X, Y))  # noqa: B023
        print(f"{criterion:12} fried        twice the rows take {all_rows / some:.2f} times as long")
    # Linux gives kilobytes. The peak is that of the whole script, so that of fried alone is no higher.
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, libraries included")


if __name__ == "__main__":
    main()
