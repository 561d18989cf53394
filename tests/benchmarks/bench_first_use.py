"""The first fit + predict of every public estimator with an empty kernel cache, as on a new machine, and the second.

The unit is what Numba takes to compile np.argsort of one vector in a process of its own: a loop over everything that
Numba has to do once. Each estimator runs in two new processes with one cache, on 300 rows of 20 features and 6 labels.
Seconds are those of fit + predict, imports are done before.

    python tests/benchmarks/bench_first_use.py                     all
    python tests/benchmarks/bench_first_use.py MLkNN IBLR          some
    python tests/benchmarks/bench_first_use.py MLkNN --functions   with the functions that Numba compiled, dearest first
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter

import numpy as np

ROWS, FEATURES, LABELS = 300, 20, 6
UNIT = "np.argsort"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="estimators; all public ones without")
    parser.add_argument("--functions", action="store_true", help="what was compiled, dearest first")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(options.measure)))
        return
    from labelknn.utils import all_estimators

    unit = first_and_second(UNIT)[0]
    print(f"{UNIT} of one vector: {unit['seconds']:.2f} s ({unit['processor']:.2f} s of processor time)")
    print(f"{'first fit + predict':24}{'seconds':>9}{'times':>7}{'processor':>11}{'functions':>11}{'second use':>12}")
    for name in options.names or [name for name, _ in all_estimators()]:
        first, second = first_and_second(name)
        times = first["seconds"] / unit["seconds"]
        print(
            f"{name:24}{first['seconds']:9.2f}{times:7.2f}{first['processor'] / unit['processor']:11.2f}"
            f"{sum(first['functions'].values()):11}{second['seconds']:12.2f}",
            flush=True,
        )
        if options.functions:
            for function, seconds in sorted(first["own"].items(), key=lambda item: -item[1])[:40]:
                print(f"    {1000 * seconds:7.0f} ms {first['functions'][function]:3} times  {function}")


def first_and_second(name):
    """What two processes that share an empty cache measure."""
    with tempfile.TemporaryDirectory() as cache:
        call = [sys.executable, __file__, "--measure", name]
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        return [json.loads(subprocess.check_output(call, env=environment).splitlines()[-1]) for _ in range(2)]


def measured(name):
    """Seconds of one call in this process, and those of each function that Numba compiled in it but for its callees."""
    import numba
    from numba.core import event

    class Listener(event.Listener):
        def __init__(self):
            self.open, self.own, self.functions = [], Counter(), Counter()

        def on_start(self, event):
            self.open.append([time.perf_counter(), 0.0])

        def on_end(self, event):
            start, inside = self.open.pop()
            taken = time.perf_counter() - start
            function = event.data["dispatcher"].py_func
            label = f"{function.__module__}.{function.__qualname__}"
            self.own[label] += taken - inside
            self.functions[label] += 1
            if self.open:
                self.open[-1][1] += taken

    call = sort if name == UNIT else estimator(name)
    listener = Listener()
    with event.install_listener("numba:compile", listener), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numba.get_num_threads()
        start, processor = time.perf_counter(), time.process_time()
        call()
        seconds, processor = time.perf_counter() - start, time.process_time() - processor
    return {"seconds": seconds, "processor": processor, "own": listener.own, "functions": listener.functions}


def sort():
    import numba

    numba.njit(lambda values: np.argsort(values))(np.arange(300.0))


def estimator(name):
    """fit + predict of an estimator with the settings it comes with."""
    from labelknn.multilabel import MLkNN
    from labelknn.utils import all_estimators

    rng = np.random.default_rng(0)
    X, queries = rng.random((ROWS, FEATURES)), rng.random((ROWS, FEATURES))
    rankings = np.argsort(rng.random((ROWS, LABELS)) + X[:, :LABELS], axis=1).argsort(axis=1) + 1
    sets = (rankings <= 2).astype(int)
    kind = dict(all_estimators())[name]
    method = kind(MLkNN()) if name == "OneThreshold" else kind()
    Y = rankings if name in dict(all_estimators("ranking")) else sets
    return lambda: method.fit(X, Y).predict(queries)


if __name__ == "__main__":
    main()
