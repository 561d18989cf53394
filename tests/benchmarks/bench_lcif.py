"""LCIF against scikit-multilearn-ng's ML-kNN on bibtex's public split, k = 15: seconds for fit + predict, their ratio.

Run it with the environment's Python: python tests/benchmarks/bench_lcif.py
"""

import time
import warnings

import numpy as np
from bench_mlknn import ROOT, seconds
from scipy import sparse

from labelknn.datasets import registry
from labelknn.datasets._container import TEST, TRAIN
from labelknn.datasets._fetch import fetch, mirror_folder
from labelknn.metrics._multilabel import micro_f1
from labelknn.multilabel._lcif import LCIF
from labelknn_papers.data.prepare import prepare


def main():
    entry = registry()["bibtex"]
    folder = ROOT / "data/raw/bibtex"
    data = prepare("bibtex", entry, fetch("bibtex", entry, folder, mirror_folder(None, ROOT)), folder)
    training, test = data.part == TRAIN, data.part == TEST
    X, Y, queries, truth = data.X[training], data.Y[training], data.X[test], data.Y[test]

    LCIF().fit(X, Y)._output(queries)  # compile, or load from numba's cache
    ours, sets = seconds(lambda: LCIF(k_instance=15, k_feature=15, weight=0.7).fit(X, Y).predict(queries))
    print(f"LCIF                        {ours:8.3f} s   micro F1 {micro_f1(truth, sets):.4f}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from skmultilearn.adapt import MLkNN as TheirMLkNN

        labels, rows = sparse.lil_matrix(Y.astype(np.int64)), sparse.lil_matrix(X)
        start = time.perf_counter()
        sets = TheirMLkNN(k=15, s=1.0).fit(rows, labels).predict(queries)
        theirs = time.perf_counter() - start  # once: it takes a minute or more
    print(f"scikit-multilearn-ng ML-kNN {theirs:8.3f} s   micro F1 {micro_f1(truth, sets.toarray() > 0):.4f}")
    print(f"ratio                       {theirs / ours:8.1f}")


if __name__ == "__main__":
    main()
