"""What LCIF (k = 15) costs on data of extreme shapes: seconds of each part, and the peak of the memory.

`measure_apart` gives each measurement a process of its own, so that the peak is its own. The same by hand:

    python -m labelknn_papers.run.scale wiki-lshtc 0.01 --seed 2017 --threads 2
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

import numba
import numpy as np
from scipy import sparse

from labelknn.datasets._container import TEST, TRAIN, Dataset
from labelknn.errors import DataError, LabelknnError
from labelknn.metrics._multilabel import compare_sets, example_accuracy, example_f1, macro_f1, micro_f1
from labelknn.multilabel._lcif import LCIF
from labelknn.solvers._confidence import Confidences, Scorer
from labelknn.solvers._feature_confidence import FeatureNeighbors
from labelknn.solvers._instance_confidence import InstanceNeighbors
from labelknn.utils._files import atomic
from labelknn_papers.data.extreme_synthetic import read_synthetic_extreme
from labelknn_papers.run.job import forget_peak, linux_memory_mb, peak_memory_mb

# The parts of a run. Both predictions are made twice: for the training rows, which the threshold needs, and for the
# test rows. The threshold's part has all that is neither a search nor a prediction, such as the linear combination.
PARTS = (
    "instance_search",
    "feature_search",
    "instance_prediction",
    "feature_prediction",
    "threshold",
    "metrics",
)
METRICS = (example_accuracy, example_f1, micro_f1, macro_f1)

# Of a small run before the measured one: kernels are compiled, or read from their cache, once in each process.
WARM_UP_SHAPE, WARM_UP_SCALE = "wiki-lshtc", 0.001

T = TypeVar("T")


@dataclass(frozen=True)
class Measurement:
    """One run from search to metrics. Making the data takes none of the seconds, but the data are in the memory.

    idle_memory_mb : what the process had before the data, with all libraries loaded; 0 where that is not known.
    """

    shape: str
    scale: float
    train: int
    test: int
    features: int
    labels: int
    threads: int
    part_seconds: dict[str, float]
    idle_memory_mb: float
    peak_memory_mb: float
    scores: dict[str, float]

    @property
    def seconds(self) -> float:
        return sum(self.part_seconds.values())


@dataclass
class Clock:
    """Seconds by part; a part that is measured several times adds up."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))

    def measure(self, part: str, call: Callable[[], T]) -> T:
        """The result of the call. What other parts take within it is theirs alone."""
        start, others = time.perf_counter(), sum(self.seconds.values())
        result = call()
        self.seconds[part] += time.perf_counter() - start - (sum(self.seconds.values()) - others)
        return result


class _TimedNeighbors:
    """Neighbours of one kind, whose searches and predictions are timed."""

    def __init__(self, kind: str, clock: Clock, build: Callable[[], InstanceNeighbors | FeatureNeighbors]) -> None:
        self.kind, self.clock = kind, clock
        self.neighbors = clock.measure(f"{kind}_search", build)

    def scorer(self, queries: sparse.csr_matrix | None) -> Scorer:
        score = self.clock.measure(f"{self.kind}_search", lambda: self.neighbors.scorer(queries))

        def timed(ks: Sequence[int], rows: slice) -> Confidences:
            return self.clock.measure(f"{self.kind}_prediction", lambda: score(ks, rows))

        return timed


class _TimedLCIF(LCIF):
    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock

    def _instances(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> _TimedNeighbors:  # type: ignore[override]
        return _TimedNeighbors("instance", self.clock, lambda: InstanceNeighbors(X, Y, k))

    def _features(self, X: sparse.csr_matrix, Y: sparse.csr_matrix, k: int) -> _TimedNeighbors:  # type: ignore[override]
        return _TimedNeighbors("feature", self.clock, lambda: FeatureNeighbors(X, Y, k, self.mean))


def measure(shape: str, scale: float, seed: int) -> Measurement:
    """Run in this process, with its number of threads; its peak of memory so far counts where it cannot be reset."""
    _run(read_synthetic_extreme("warm-up", shape=WARM_UP_SHAPE, scale=WARM_UP_SCALE, seed=seed), Clock())
    forget_peak()
    idle = linux_memory_mb("VmRSS") or 0.0
    data = read_synthetic_extreme(shape, shape=shape, scale=scale, seed=seed)
    clock = Clock()
    scores = _run(data, clock)
    train, test = (int(np.count_nonzero(data.part == part)) for part in (TRAIN, TEST))
    size, memory = (train, test, data.d, data.q), (idle, peak_memory_mb())
    return Measurement(shape, scale, *size, numba.get_num_threads(), clock.seconds, *memory, scores)


def measure_apart(shape: str, scale: float, seed: int, threads: int) -> Measurement:
    """Run in a process of its own."""
    options = [shape, str(scale), "--seed", str(seed), "--threads", str(threads)]
    run = subprocess.run([sys.executable, "-m", __name__, *options], capture_output=True, text=True)
    if run.returncode:
        said = run.stderr.strip().rpartition("\n")[2] or "nothing was said; was the memory used up?"
        raise DataError(f"{shape} at scale {scale:g} ended with status {run.returncode}: {said}")
    return Measurement(**json.loads(run.stdout))


def write_measurement(path: str | Path, measurement: Measurement) -> None:
    with atomic(path) as temporary:
        temporary.write_text(json.dumps(asdict(measurement), indent=2) + "\n")


def read_measurements(paths: Iterable[str | Path]) -> list[Measurement]:
    return [Measurement(**json.loads(Path(path).read_text())) for path in paths]


def _run(data: Dataset, clock: Clock) -> dict[str, float]:
    assert data.Y is not None
    training, test = data.part == TRAIN, data.part == TEST
    X, Y, queries, truth = data.X[training], data.Y[training], data.X[test], data.Y[test]
    model = clock.measure("threshold", lambda: _TimedLCIF(clock).fit(X, Y))
    sets = clock.measure("threshold", lambda: model._output(queries)["sets"])
    return clock.measure("metrics", lambda: _scores(truth, sets))


def _scores(truth: sparse.csr_matrix, sets: sparse.csr_matrix) -> dict[str, float]:
    counts = compare_sets(truth, sets)
    return {metric.__name__: float(metric(truth, counts)) for metric in METRICS}


def main() -> None:
    parser = argparse.ArgumentParser(description="LCIF on data of an extreme shape, from search to metrics, as JSON.")
    parser.add_argument("shape")
    parser.add_argument("scale", type=float)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    numba.set_num_threads(min(options.threads, numba.config.NUMBA_NUM_THREADS))
    try:
        print(json.dumps(asdict(measure(options.shape, options.scale, options.seed))))
    except LabelknnError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
