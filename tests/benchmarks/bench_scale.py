"""LCIF (k = 15) from search to metrics on data of extreme shapes: seconds of each part, and the peak of the memory.

Each shape and scale has a process of its own, so that the peak is its own. Kernels are compiled beforehand.
Run it with the environment's Python: python tests/benchmarks/bench_scale.py [shape scale]
"""

import sys

import numba

from labelknn_papers.run.scale import measure_apart

RUNS = [("wiki-10", 1.0), ("wiki-lshtc", 0.05)]
SEED = 2017


def main():
    for shape, scale in [(sys.argv[1], float(sys.argv[2]))] if len(sys.argv) == 3 else RUNS:
        run = measure_apart(shape, scale, SEED, numba.config.NUMBA_NUM_THREADS)
        print(f"{shape} at {scale:g}: {run.train} + {run.test} rows, {run.features} features, {run.labels} labels")
        for part, seconds in {**run.part_seconds, "together": run.seconds}.items():
            print(f"  {part:20} {seconds:8.1f} s")
        print(f"  {'peak memory':20} {run.peak_memory_mb / 1e3:8.2f} GB, data included; {run.threads} threads")
        print("  " + ", ".join(f"{name} {value:.3f}" for name, value in run.scores.items()))


if __name__ == "__main__":
    main()
