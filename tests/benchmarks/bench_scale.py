"""LCIF (k = 15) from search to metrics on data of extreme shapes: seconds of each step, and the peak of the memory.

Each shape and scale has a process of its own, so that the peak is its own. The first run compiles; its seconds count.
Run it with the environment's Python: python tests/benchmarks/bench_scale.py [shape scale]
"""

import resource
import subprocess
import sys
import time

from labelknn.algorithms.lcif import LCIF
from labelknn.datasets.container import TEST, TRAIN
from labelknn.datasets.extreme_synthetic import read_synthetic_extreme
from labelknn.metrics.multilabel import compare_sets, example_accuracy, example_f1, macro_f1, micro_f1

RUNS = [("wiki-10", 1.0), ("wiki-lshtc", 0.05)]
SEED = 2017


def measure(shape, scale):
    data = read_synthetic_extreme(shape, shape=shape, scale=scale, seed=SEED)
    training, test = data.part == TRAIN, data.part == TEST
    X, Y, queries, truth = data.X[training], data.Y[training], data.X[test], data.Y[test]
    print(f"{shape} at {scale:g}: {X.shape[0]} + {len(test) - X.shape[0]} rows, {data.d} features, {data.q} labels")

    times = [time.perf_counter()]
    model = LCIF().fit(X, Y)
    times.append(time.perf_counter())
    sets = model.output(queries)["sets"]
    times.append(time.perf_counter())
    counts = compare_sets(truth, sets)
    scores = {metric.__name__: metric(truth, counts) for metric in (example_accuracy, example_f1, micro_f1, macro_f1)}
    times.append(time.perf_counter())
    for step, start, end in zip(("searches, threshold", "predictions", "metrics"), times, times[1:], strict=False):
        print(f"  {step:20} {end - start:8.1f} s")
    print(f"  {'together':20} {times[-1] - times[0]:8.1f} s")
    print(f"  {'peak memory':20} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:8.2f} GB, data included")
    print("  " + ", ".join(f"{name} {value:.3f}" for name, value in scores.items()))


def main():
    if len(sys.argv) == 3:
        measure(sys.argv[1], float(sys.argv[2]))
        return
    for shape, scale in RUNS:
        subprocess.run([sys.executable, __file__, shape, str(scale)], check=True)


if __name__ == "__main__":
    main()
