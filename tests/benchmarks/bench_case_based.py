"""Case-based ranking against the training of CRPC, as in brinker2007's Table 1: seconds, and their ratio.

One split of a yeast expression task: 740 queries at k = 100, the search included, against CRPC's training on 1725 rows,
with fixed parameters and whole with its validation. The ratio to the whole should be at least 50; it is smallest with
linear kernels on dtc, the smallest task with 10 pairs of labels (the paper's are 13 on dtc and 236 on alpha, with 171
pairs). Then k chosen from the whole grid against the largest k alone, which should be about as fast, and CRPC's
machines against those of scikit-learn's SVC.

Run it with the environment's Python: python tests/benchmarks/bench_case_based.py [task ...]
"""

import csv
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.svm import SVC

from labelknn.datasets._container import Dataset
from labelknn.datasets._fetch import mirror_folder
from labelknn.ranking._case_based import CaseBasedRanking
from labelknn.ranking._crpc import CRPC
from labelknn.solvers._hold_out import hold_out
from labelknn.solvers._smo import solve_path
from labelknn_papers.data.expression import expression_task

ROOT = Path(__file__).parents[2]


def genes():
    """The reference reconstruction: profiles and log ratios."""
    folder = mirror_folder(None, ROOT)
    if folder is None:
        sys.exit("no mirror of the data: set LABELKNN_MIRROR")
    with open(Path(folder) / "yeast-expression/expected_exp_phylo.csv", encoding="utf-8", newline="") as file:
        (_, *names), *rows = csv.reader(file)
    return Dataset("yeast", "regression", np.array([row[1:] for row in rows], float), None, tuple(names))


def seconds(call, rounds=3):
    """The best of some rounds."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


def compare(table, task):
    data = expression_task(table, task)
    train, test = hold_out(data.n, 0.7, 0)
    unit = data.X / np.linalg.norm(data.X, axis=1, keepdims=True)
    model = CaseBasedRanking(100).fit(data.X[train], data.Y[train])
    predicting = seconds(lambda: model.predict(data.X[test]), 100)
    CRPC("poly", 2, 1.0).fit(unit[train][:50], data.Y[train][:50])  # compiled, if it was not
    print(f"{task}: k-NN predicts {len(test)} rankings in {predicting * 1000:.1f} ms")
    for name, crpc in {
        "linear, C = 1": CRPC(C=1.0),
        "degree 2, C = 1": CRPC("poly", 2, 1.0),
        "linear, validated": CRPC(),
        "poly, validated": CRPC("poly"),
    }.items():
        training = seconds(lambda machines=crpc: machines.fit(unit[train], data.Y[train]), 1 if "poly, " in name else 3)
        print(f"{task}: CRPC ({name}) trains in {training:.2f} s, ratio {training / predicting:.0f}")
    largest, chosen = (
        seconds(lambda grid=grid: CaseBasedRanking(grid=grid).fit(data.X[train], data.Y[train]))
        for grid in ((151,), CaseBasedRanking().grid)
    )
    print(f"{task}: k validated in {chosen:.3f} s, the largest k alone in {largest:.3f} s")


def compare_machines(table):
    """The 21 machines of heat at five costs, from one kernel matrix."""
    data = expression_task(table, "heat")
    train, _ = hold_out(data.n, 0.7, 0)
    X, orders = data.X[train] / np.linalg.norm(data.X[train], axis=1, keepdims=True), data.Y[train]
    costs = [0.25, 0.5, 1.0, 2.0, 4.0]

    def ours():
        signs = [np.sign(orders[:, b] - orders[:, a]) for a, b in pairs]
        solve_path((1 + X @ X.T) ** 2, np.array(signs), costs)

    def theirs():
        kernel = (1 + X @ X.T) ** 2
        for a, b in pairs:
            told = np.flatnonzero(orders[:, a] != orders[:, b])
            part = kernel[np.ix_(told, told)]
            for cost in costs:
                SVC(C=cost, kernel="precomputed").fit(part, orders[told, a] < orders[told, b])

    pairs = CRPC()._pairs(orders.shape[1])
    fast, slow = seconds(ours), seconds(theirs)
    print(f"heat: {len(pairs)} machines at {len(costs)} costs {fast:.2f} s, SVC {slow:.2f} s, ratio {slow / fast:.1f}")


def main():
    table = genes()
    for task in sys.argv[1:] or ["dtc", "alpha"]:
        compare(table, task)
    compare_machines(table)


if __name__ == "__main__":
    main()
