"""ML-kNN against scikit-multilearn-ng's on yeast's 1500/917 split, k = 10: seconds for fit + predict, and their ratio.

Run it with the environment's Python: python tests/benchmarks/bench_mlknn.py
"""

import time
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse

from labelknn.datasets import registry
from labelknn.datasets._container import TEST, TRAIN
from labelknn.datasets._fetch import fetch, mirror_folder
from labelknn.metrics._multilabel import hamming_loss
from labelknn.multilabel._mlknn import MLkNN
from labelknn_papers.data.prepare import prepare

ROOT = Path(__file__).parents[2]
ROUNDS = 5


def seconds(call):
    """The best of a few rounds: what the code needs when nothing else is in its way."""
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        result = call()
        taken.append(time.perf_counter() - start)
    return min(taken), result


def main():
    entry = registry()["yeast"]
    folder = ROOT / "data/raw/yeast"
    data = prepare("yeast", entry, fetch("yeast", entry, folder, mirror_folder(None, ROOT)), folder)
    training, test = data.part == TRAIN, data.part == TEST
    X, Y, queries, truth = data.X[training], data.Y[training], data.X[test], data.Y[test]

    MLkNN(k=10).fit(X, Y)._output(queries)  # compile, or load from numba's cache
    ours, sets = seconds(lambda: MLkNN(k=10).fit(X, Y).predict(queries))
    print(f"labelknn             {ours:8.4f} s   Hamming loss {hamming_loss(truth, sets):.4f}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from skmultilearn.adapt import MLkNN as TheirMLkNN

        labels = sparse.lil_matrix(Y.astype(np.int64))
        theirs, sets = seconds(lambda: TheirMLkNN(k=10, s=1.0).fit(sparse.lil_matrix(X), labels).predict(queries))
    print(f"scikit-multilearn-ng {theirs:8.4f} s   Hamming loss {hamming_loss(truth, sets.toarray() > 0):.4f}")
    print(f"ratio                {theirs / ours:8.1f}")


if __name__ == "__main__":
    main()
