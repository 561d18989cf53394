"""Constraint classification on cheng2009's sets: seconds of a fit, and what its cheaper forms cost and lose.

For each set and share of missing labels it prints Kendall's tau of the converged form (α = 500) over the folds of one
cross-validation, how much the cheaper forms differ from it on the same folds (mean and standard error), and the median
processor time of a fit of each. Ten folds of the four largest sets take a quarter of an hour on one core.

Run it with the environment's Python: python tests/benchmarks/bench_cc.py [--folds 10] [--missing 0 0.6] [set ...]
"""

import argparse
import time
from pathlib import Path

import numpy as np

from labelknn.datasets._fetch import mirror_folder
from labelknn.datasets._kebi import read_kebi
from labelknn.metrics._ranking import kendall_tau
from labelknn.ranking._cc import ConstraintClassification

ROOT = Path(__file__).parents[2]
CONVERGED = "converged"
FORMS = {
    CONVERGED: {"alpha": 500},
    "alpha 100": {"alpha": 100},
    "averaged": {"alpha": 20, "max_epochs": 100, "average": True},
}
SMALL = ("iris", "wine", "wisconsin", "glass", "bodyfat", "housing", "vowel", "vehicle", "authorship", "stock")
LARGE = ("segment", "cpu-small", "pendigits", "elevators", "calhousing", "fried")


def measure(X, ranks, missing, tested_folds):
    """Tau and seconds of each form in each tested one of ten folds, (forms, folds) each."""
    rng = np.random.default_rng(1)
    folds = np.array_split(rng.permutation(len(X)), 10)
    observed = np.where(rng.random(ranks.shape) < missing, 0, ranks)
    tau, seconds = np.empty((2, len(FORMS), tested_folds))
    for fold, test in enumerate(folds[:tested_folds]):
        train = np.setdiff1d(np.arange(len(X)), test)
        for form, params in enumerate(FORMS.values()):
            model = ConstraintClassification(random_state=fold, **params)
            start = time.process_time()
            model.fit(X[train], observed[train])
            seconds[form, fold] = time.process_time() - start
            tau[form, fold] = kendall_tau(ranks[test], model.predict(X[test]))
    return tau, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", default=SMALL + LARGE)
    parser.add_argument("--folds", type=int, default=1, choices=range(1, 11), help="folds to run, of ten")
    parser.add_argument("--missing", type=float, nargs="+", default=(0.0, 0.6))
    arguments = parser.parse_args()
    folder = mirror_folder(None, ROOT) / "label-ranking" / "published"

    ConstraintClassification().fit([[0.0], [1.0]], [[1, 2], [2, 1]])  # compile, or load from numba's cache
    for name in arguments.sets:
        data = read_kebi(name, folder, file=f"{name}.txt")
        for missing in arguments.missing:
            tau, seconds = measure(data.X, data.Y, missing, arguments.folds)
            cells = []
            for form, values, taken in zip(FORMS, tau, np.median(seconds, axis=1), strict=True):
                difference = values - tau[0]
                error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else np.nan
                value = f"tau {values.mean():.4f}" if form == CONVERGED else f"{difference.mean():+.4f} ±{error:.4f}"
                cells.append(f"{form} {value} {taken:6.2f} s")
            print(f"{name:11} {missing:4.0%}  " + "   ".join(cells), flush=True)


if __name__ == "__main__":
    main()
