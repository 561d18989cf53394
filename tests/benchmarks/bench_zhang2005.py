"""The learners of zhang2005's Table II on yeast's 1500/917 split: processor seconds to fit, and the five measures.

Targets on one core: Rank-SVM below 10 s, 30 steps of ADTBoost.MH below 30 s, 1,000 rounds of BoosTexter below 60 s.
scikit-learn's AdaBoostClassifier on stumps, one for each label, is a measure of the machine: it searches each of the
14 labels by itself, so a round of 14 of its stumps is compared with one of BoosTexter's.

Run it with the environment's Python and one thread: OMP_NUM_THREADS=1 python tests/benchmarks/bench_zhang2005.py
"""

import time
import warnings
from pathlib import Path

from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.multioutput import MultiOutputClassifier

from labelknn.datasets._container import TEST, TRAIN
from labelknn.datasets._fetch import mirror_folder
from labelknn.datasets._mulan import read_mulan
from labelknn.metrics import evaluate
from labelknn.multilabel._adtboost import ADTBoostMH
from labelknn.multilabel._boostexter import BoosTexter
from labelknn.multilabel._rank_svm import RankSVM
from labelknn_papers.papers.zhang2005 import MEASURES

ROOT = Path(__file__).parents[2]
ROUNDS = 30


def seconds(call):
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def main():
    files = {part: f"yeast-{part}.arff" for part in ("train", "test")}
    data = read_mulan("yeast", mirror_folder(None, ROOT) / "multilabel" / "yeast", files=files, xml="yeast.xml")
    (X, Y), (queries, truth) = [(data.X[data.part == part], data.Y[data.part == part]) for part in (TRAIN, TEST)]
    print(f"{'':12} {'seconds':>8} " + " ".join(f"{name:>17}" for name in MEASURES))
    for model in (RankSVM(), ADTBoostMH(), BoosTexter()):
        clone(model).fit(X[:50], Y[:50])  # compile, or load from numba's cache
        taken, fitted = seconds(lambda: model.fit(X, Y))  # noqa: B023
        found = evaluate("multilabel", truth, fitted._output(queries))
        name = type(model).__name__
        print(f"{name:12} {taken:8.2f} " + " ".join(f"{found[metric]:17.4f}" for metric in MEASURES))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for epochs in (1, 2, 5, 20):
            model = RankSVM(max_epochs=epochs).fit(X, Y)
            reached = evaluate("multilabel", truth, model._output(queries))["coverage"]
            print(f"Rank-SVM stopped after epoch {epochs:2}: coverage {reached:.3f}")
    ours, _ = seconds(lambda: BoosTexter(ROUNDS).fit(X, Y))
    theirs, _ = seconds(lambda: MultiOutputClassifier(AdaBoostClassifier(n_estimators=ROUNDS)).fit(X, Y.toarray()))
    print(f"{ROUNDS} rounds: BoosTexter {ours:.2f} s, 14 of scikit-learn {theirs:.2f} s, ratio {theirs / ours:.1f}")


if __name__ == "__main__":
    main()
