"""chiang2012 on one fold of a data set: seconds of the pattern search against the plain algorithm, and of every method.

Target on one core: 300 starts of the pattern search on a fold of yeast in less than half a second. The plain algorithm,
which looks at every cell for every point, is run from one of the same starts and must end at the same weights.

Run it with the environment's Python and one thread:
OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 python tests/benchmarks/bench_chiang2012.py [prepared data set ...]
"""

import argparse
import time
from pathlib import Path

import numpy as np
import yaml

from labelknn.datasets._container import load
from labelknn.neighbors._euclidean import k_nearest
from labelknn.solvers import _pattern_search as pattern_search
from labelknn_papers.plan.protocol import Protocol, make_splits
from labelknn_papers.run.cell import run_cell

ROOT = Path(__file__).parents[2]
METHODS = (
    "feature-knn-10w", "brknn", "br-logistic", "iblr-ml", "mlknn-scaled", "rakel", "ranked-pm", "ranked-pa",
    "ranked-svm", "ranked-svm-signed", "plain-neighbors",
)  # fmt: skip


def seconds(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def plain_search(point, votes, truth, mesh=1.0, tolerance=1e-6):
    """Algorithm 3 with the loss summed up over all cells at every point."""

    def errors(weights):
        ordered = np.concatenate([[1.0], weights, [0.0]])
        if (np.diff(ordered) > 0).any() or weights.sum() <= 0:
            return np.inf
        return int(((np.tensordot(votes, weights, (1, 0)) / weights.sum() >= 0.5 - 1e-12) != truth).sum())

    at = errors(point)
    while mesh >= tolerance:
        for direction in range(2 * len(point)):
            moved = point.copy()
            moved[direction // 2] += mesh if direction % 2 == 0 else -mesh
            if errors(moved) < at:
                point, at = moved, errors(moved)
                break
        else:
            mesh /= 2
    return point


def bench_search(data, split):
    rng = np.random.default_rng(0)
    held, learned = np.split(rng.permutation(split.train), [len(split.train) // 5])
    learned.sort()
    rows = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    sets = data.Y.toarray()
    votes, truth = sets[learned[k_nearest(rows[learned], 10, rows[held]).indices]], sets[held]

    def search(starts):
        return pattern_search.find_weights(votes, truth, np.random.default_rng(1), starts)

    search(1)  # compile, or load from numba's cache
    taken, _ = seconds(lambda: search(300))
    few, weights = seconds(lambda: search(1))
    start = pattern_search.feasible_points(1, 10, np.random.default_rng(1))[0]
    plain, expected = seconds(lambda: plain_search(start, votes, truth))
    patterns, _ = pattern_search.count_patterns(votes, truth)
    print(
        f"{data.name}: {len(patterns)} patterns, 300 starts {taken:.3f} s; one start {few:.4f} s, plain {plain:.2f} s"
        f" (ratio {plain / few:.0f}), same weights: {np.array_equal(weights, expected)}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=["yeast", "scene", "emotions", "genbase", "medical"])
    registry = yaml.safe_load((ROOT / "config/methods.yaml").read_text())
    for name in parser.parse_args().sets:
        data = load(ROOT / "data/prepared" / f"{name}.npz")
        split = make_splits(Protocol("cross-validation", folds=10), data, 1)[0]
        bench_search(data, split)
        for method in METHODS:
            run_cell(data, [split], registry[method], 1)  # compile
            taken, (_, clock) = seconds(lambda: run_cell(data, [split], registry[method], 1))  # noqa: B023
            stages = ", ".join(f"{stage} {spent:.2f}" for *_, stage, spent in clock.rows)
            print(f"  {method:18} {taken:6.2f} s  ({stages})", flush=True)


if __name__ == "__main__":
    main()
