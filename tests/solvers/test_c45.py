"""C4.5 against a twin written from its description, numbers worked out by hand, and the real J48 where there is one."""

import math
import os
import re
import shutil
import subprocess
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri
from sklearn.model_selection import KFold

from labelknn.datasets._kebi import read_kebi
from labelknn.errors import DataError
from labelknn.solvers._c45 import c45
from labelknn.solvers._c45_pruning import expected_errors
from labelknn.solvers._c45_split import best_threshold, information_of
from labelknn.utils._kernels import kernel

# Kernels that only kernels call, for Python.
best_threshold, expected_errors = (kernel(one.py_func) for one in (best_threshold, expected_errors))

Z = 0.6744897501960817  # a standard normal exceeds it with probability 1/4


def fit(X, y, q=None, confidence=0.25, min_leaf=2):
    """The tree for classes of any kind, numbered in their order; q of them, or those in y."""
    occurring, classes = np.unique(y, return_inverse=True)
    return c45(np.ascontiguousarray(X, float), classes, q or len(occurring), confidence, min_leaf)


def entropy(y):
    return -sum(count / len(y) * math.log2(count / len(y)) for count in Counter(y).values())


# The root splits five from five; the second branch, raised, expects fewer errors than both together.
TIE_X = np.array([[4, 4, 3, 1, 1, 1, 2, 3, 1, 4], [2, 0, 4, 0, 0, 3, 4, 5, 1, 5]], float).T
TIE_Y = np.array([1, 0, 1, 1, 1, 1, 1, 0, 1, 0])

# The first branch, raised, takes in the examples of the other; then a split inside it is no longer worth keeping.
TWICE_X = np.array(
    [[4, 3, 3, 3, 4, 0, 1, 1, 5, 4, 4, 0, 3, 3, 0, 3, 1, 4], [4, 4, 2, 2, 1, 4, 3, 5, 2, 2, 5, 2, 3, 2, 4, 0, 4, 1]],
    float,
).T
TWICE_Y = np.array([0, 1, 2, 1, 0, 0, 2, 1, 3, 2, 3, 1, 2, 2, 0, 0, 0, 2])
# A split that gains information but no correct example; six classes allow as few as two examples on a side.
COLLAPSING_X = np.array([0.0] * 2 + [1.0] * 100)[:, None]
COLLAPSING_Y = np.array([0, 1] + [0] * 100)


class Twin:
    """A node as the module's text describes it, slowly: its examples, and a test with two branches unless it is a leaf.

    `events` records what happened to the tree, so that a test can tell whether its data made it happen.
    """

    def __init__(self, X, y, q, min_leaf, everything, events):
        self.X, self.y, self.test = X, y, None
        self.q, self.min_leaf, self.events = q, min_leaf, events
        if len(y) < 2 * min_leaf or len(set(y)) == 1:
            return
        splits = {j: split for j in range(X.shape[1]) if (split := self.best_threshold(X[:, j]))}
        best, best_ratio = None, 0.0
        for j, (gain, ratio, _) in splits.items():
            enough = gain >= sum(split[0] for split in splits.values()) / len(splits) - 0.001
            events["below average"] += not enough
            if enough and ratio > best_ratio + 1e-6:
                best, best_ratio = j, ratio
        if best is not None:
            threshold = max(value for value in everything[:, best] if value <= splits[best][2])
            events["moved to another node's value"] += threshold not in X[:, best]
            self.test = best, threshold
            self.branches = [Twin(X[s], y[s], q, min_leaf, everything, events) for s in self.sides(X)]

    def sides(self, X):
        feature, threshold = self.test
        return X[:, feature] <= threshold, X[:, feature] > threshold

    def best_threshold(self, values):
        n = len(values)
        asked = max(self.min_leaf, min(25, 0.1 * n / self.q))
        best_gain, best, tried = 0.0, None, 0
        present = sorted(set(values))
        for below, above in pairwise(present):
            left, right = self.y[values <= below], self.y[values >= above]
            if min(len(left), len(right)) < asked or above - below <= 1e-5:
                continue
            tried += 1
            gain = entropy(self.y) - len(left) / n * entropy(left) - len(right) / n * entropy(right)
            if gain > best_gain + 1e-6:
                best_gain, best, sides = gain, (below + above) / 2, [0] * len(left) + [1] * len(right)
        if best is None:
            return None
        gain = best_gain - math.log2(tried) / n
        self.events["gain used up"] += gain <= 0
        return None if gain < 1e-6 else (gain, gain / entropy(sides), best)

    def mistakes(self, y):
        return len(y) - max(Counter(y).values(), default=0)

    def training_errors(self):
        return sum(branch.training_errors() for branch in self.branches) if self.test else self.mistakes(self.y)

    def collapse(self):
        if self.test and self.training_errors() == self.mistakes(self.y):
            self.test = None
            self.events["collapsed"] += 1
        if self.test:
            for branch in self.branches:
                branch.collapse()

    def expected_errors(self, X, y):
        """With these examples in the place of its own."""
        if self.test:
            return sum(b.expected_errors(X[s], y[s]) for b, s in zip(self.branches, self.sides(X), strict=True))
        return upper_limit(len(y), self.mistakes(y)) if len(y) else 0.0

    def replace_examples(self, X, y):
        self.X, self.y = X, y
        if self.test:
            for branch, side in zip(self.branches, self.sides(X), strict=True):
                branch.replace_examples(X[side], y[side])

    def prune(self):
        if not self.test:
            return
        for branch in self.branches:
            branch.prune()
        left, right = self.branches
        larger = left if len(left.y) > len(right.y) else right
        as_leaf = upper_limit(len(self.y), self.mistakes(self.y))
        as_tree = self.expected_errors(self.X, self.y)
        as_branch = larger.expected_errors(self.X, self.y)
        if as_leaf <= as_tree + 0.1 + 1e-6 and as_leaf <= as_branch + 0.1 + 1e-6:
            self.test = None
            self.events["pruned"] += 1
        elif as_branch <= as_tree + 0.1 + 1e-6:
            self.events["raised"] += 1
            self.test, self.branches = larger.test, larger.branches
            self.replace_examples(self.X, self.y)
            self.prune()

    def lines(self, depth=0):
        """Depth, test and class counts of all nodes, left before right."""
        counts = Counter(self.y.tolist())
        own = (depth, self.test, [counts[c] for c in range(self.q)])
        return [own] + ([line for b in self.branches for line in b.lines(depth + 1)] if self.test else [])


def upper_limit(n, errors):
    """Quinlan's pessimistic number of errors: the solution of (1 - p)^n = 1/4 for none, else the normal approximation
    |errors + 1/2 - np| = z sqrt(np(1 - p)), solved by bisection."""
    if errors == 0:
        return n * (1 - 0.25 ** (1 / n))
    low, high = min((errors + 0.5) / n, 1.0), 1.0
    for _ in range(80):
        p = (low + high) / 2
        low, high = (p, high) if n * p - errors - 0.5 < Z * math.sqrt(n * p * (1 - p)) else (low, p)
    return n * high


def twin(X, y, q, min_leaf=2):
    events = Counter()
    tree = Twin(X, y, q, min_leaf, X, events)
    tree.collapse()
    tree.prune()
    return tree, events


def lines(tree, node=0, depth=0):
    if tree.feature[node] < 0:
        return [(depth, None, tree.counts[node].tolist())]
    own = (depth, (tree.feature[node], tree.threshold[node]), tree.counts[node].tolist())
    return [own, *lines(tree, tree.left[node], depth + 1), *lines(tree, tree.right[node], depth + 1)]


def noisy_problem(rng, n, d, q, noise, values=None):
    """Classes from the order of a sum of two features, some replaced at random; features below `values` or normal."""
    X = rng.normal(size=(n, d)) if values is None else rng.integers(0, values, (n, d)).astype(float)
    score = X[:, 0] + X[:, -1]
    y = np.searchsorted(np.quantile(score, np.linspace(0, 1, q + 1)[1:-1]), score)
    return X, np.where(rng.random(n) < noise, rng.integers(0, q, n), y)


def test_trees_equal_the_twins():
    rng = np.random.default_rng(0)
    seen = Counter()
    for _ in range(80):
        n, d, q = rng.integers(1, 90), rng.integers(1, 5), rng.integers(2, 5)
        X, y = noisy_problem(rng, n, d, q, noise=rng.random(), values=rng.choice([None, 3, 10]))
        expected, events = twin(X, y, q + 1)
        assert lines(c45(X, y, int(q) + 1)) == expected.lines()
        seen += events
    missing = {"below average", "moved to another node's value", "gain used up", "collapsed", "pruned"} - set(seen)
    assert not missing, f"the data never showed: {missing}"
    assert seen["raised"] > 3


def test_the_second_of_two_equal_branches_is_raised():
    # Before pruning x0 <= 2 has five of class 1, and x0 > 2 is split by x1 <= 4 into counts {1, 2} and {2, 0}: 1.21 +
    # 2.04 + 1 = 4.26 errors expected. The second branch alone, now {1, 7} and {2, 0}, expects 2.37 + 1; a leaf 4.56.
    unpruned = Twin(TIE_X, TIE_Y, 2, 2, TIE_X, Counter())
    assert [counts for _, _, counts in unpruned.lines()] == [[3, 7], [0, 5], [3, 2], [1, 2], [2, 0]]
    assert lines(fit(TIE_X, TIE_Y)) == [(0, (1, 4.0), [3, 7]), (1, None, [1, 7]), (1, None, [2, 0])]


def test_what_has_been_raised_is_pruned_once_more():
    unpruned = Twin(TWICE_X, TWICE_Y, 4, 2, TWICE_X, Counter())
    unpruned.collapse()
    # Of the root's branch x0 <= 3, the child x1 > 3 with the counts {3, 2, 0, 0} is split by x0 <= 0.
    assert unpruned.lines()[4][2] == [2, 0, 0, 0]
    assert unpruned.lines()[5][2] == [1, 2, 0, 0]
    # Raised, the split would leave {2, 0, 0, 0} and {2, 2, 0, 1}.
    pruned = [(0, (1, 3.0), [6, 4, 6, 2]), (1, None, [2, 2, 6, 1]), (1, None, [4, 2, 0, 1])]
    assert lines(fit(TWICE_X, TWICE_Y)) == pruned


def test_large_nodes_ask_for_no_more_than_25_examples_on_a_side():
    # A tenth of the mean class size would be 60 here, and J48 finds the 30 that differ nevertheless; not so 20 of them.
    X = np.arange(1200.0)[:, None]
    assert fit(X, X[:, 0] >= 30).counts[1].tolist() == [30, 0]
    assert fit(X, X[:, 0] >= 20).counts[1].tolist() == [20, 5]
    # With six times as many classes, of which the others do not occur, it is 10.
    assert fit(X, X[:, 0] >= 20, 12).counts[1].tolist()[:2] == [20, 0]
    # A larger min_leaf holds.
    assert fit(X, X[:, 0] >= 30, min_leaf=40).counts[1].tolist() == [30, 10]


def test_expected_errors_of_quinlans_example():
    # C4.5 (1993), chapter 4: U25(0, 6) = .206, U25(0, 9) = .143, U25(0, 1) = .750 and, from the binomial, U25(1, 16) =
    # .157, which the normal approximation meets within .01.
    def share(n, errors):
        return expected_errors(np.array([n - errors, errors]), 0.25, Z) / n

    assert [round(share(n, 0), 3) for n in (6, 9, 1)] == [0.206, 0.143, 0.750]
    assert share(16, 1) == pytest.approx(0.157, abs=0.01)
    assert share(2, 1) <= 1
    assert expected_errors(np.array([1, 1, 1]), 0.25, Z) == pytest.approx(upper_limit(3, 2))


def test_a_subtree_without_fewer_errors_collapses():
    # The split leaves one error, as does a leaf. Pruning would keep it: at 5 % confidence it expects 1.93 errors among
    # two examples and 2.95 among a hundred, a leaf 5.13 among all.
    assert fit(COLLAPSING_X, COLLAPSING_Y, 6, confidence=0.05).n_leaves == 1

    def expected(n, errors):
        return expected_errors(np.array([n - errors, errors]), 0.05, ndtri(0.95))

    assert expected(2, 1) + expected(100, 0) + 0.1 < expected(102, 1)


def test_gain_and_ratio_by_hand():
    # Eight examples, classes a a a b b b b b: the third threshold separates them, gain = 0.9544 bits. With at least two
    # examples on each side there are five thresholds, log2(5) / 8 = 0.2902; the split's own entropy is 0.9544 again.
    classes = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    counts, left, right = np.array([[3, 5], [0, 0], [0, 0]], np.int32)
    gain, ratio, size, threshold = best_threshold(
        np.arange(8, dtype=np.int32), np.arange(8.0), classes, counts, 2, information_of(8), left, right
    )
    assert (size, threshold) == (3, 2.5)
    assert gain == pytest.approx(0.9544 - 0.2902, abs=1e-4)
    assert ratio == pytest.approx((0.9544 - 0.2902) / 0.9544, abs=1e-4)


def test_values_closer_than_a_hundred_thousandth_are_one():
    y = np.array([0, 0, 0, 1, 1, 1])
    X = np.array([0, 1e-6, 2e-6, 1.1e-5, 1.2e-5, 1.3e-5])[:, None]
    assert fit(X, y).n_leaves == 1
    assert fit(2 * X, y).n_leaves == 2


def test_thresholds_are_training_values_and_the_boundary_goes_left():
    X = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])[:, None]
    tree = fit(X, [0, 0, 0, 1, 1, 1])
    assert tree.threshold[0] == 2.0
    assert tree.predict(np.array([[2.0], [np.nextafter(2.0, 3.0)], [5.9]])).tolist() == [0, 1, 1]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(4, 150), st.integers(2, 5))
def test_what_must_not_matter(seed, n, q):
    """The order of the rows, a constant feature, the scale of a feature and the names of the classes."""
    rng = np.random.default_rng(seed)
    X, y = noisy_problem(rng, n, 3, q, noise=0.2, values=20)
    tree = fit(X, y)
    order = rng.permutation(n)
    assert lines(fit(X[order], y[order])) == lines(tree)
    widened = fit(np.column_stack([X[:, :1], np.ones(n), X[:, 1:]]), y)
    assert widened.counts.tolist() == tree.counts.tolist()
    scale = [2.0, 1024.0, 0.5]
    scaled = fit(X * scale, y)
    assert scaled.counts.tolist() == tree.counts.tolist()
    assert (scaled.predict(X * scale) == tree.predict(X)).all()
    names = np.array([f"class {q - c}" for c in range(q)])
    assert fit(X, names[y]).n_leaves == tree.n_leaves


def test_leaves_predict_their_majority():
    X, y = noisy_problem(np.random.default_rng(3), 300, 4, 3, noise=0.1)
    tree = fit(X, y)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        counts = np.bincount(y[leaves == leaf], minlength=3)
        assert counts.tolist() == tree.counts[leaf].tolist()
        assert (tree.predict(X[leaves == leaf]) == counts.argmax()).all()
    assert len(np.unique(leaves)) == tree.n_leaves


def test_more_confidence_in_the_training_data_prunes_less():
    X, y = noisy_problem(np.random.default_rng(0), 600, 4, 3, noise=0.3)
    leaves = [fit(X, y, confidence=confidence).n_leaves for confidence in (0.001, 0.25, 0.5)]
    assert leaves[0] < leaves[1] < leaves[2]


@pytest.mark.parametrize(
    ("X", "classes", "q", "parameters", "message"),
    [
        ([[0.0], [1.0]], [0, 1], 2, {"confidence": 0.6}, "confidence"),
        ([[0.0], [1.0]], [0, 1], 2, {"confidence": 0.0}, "confidence"),
        ([[0.0], [1.0]], [0, 1], 2, {"min_leaf": 0}, "min_leaf"),
        ([[0.0], [1.0]], [0, 1], 1, {}, "classes from 0 to 1; expected 0 to 0"),
        ([[0.0], [1.0]], [-1, 1], 2, {}, "classes from -1 to 1; expected 0 to 1"),
        ([[0.0], [1.0]], [0], 1, {}, "2 rows of features"),
        (np.empty((0, 2)), [], 1, {}, "no training rows"),
    ],
)
def test_bad_input_is_refused(X, classes, q, parameters, message):
    with pytest.raises(DataError, match=message):
        c45(np.array(X), np.array(classes), q, **parameters)


@pytest.fixture(scope="session")
def j48(tmp_path_factory):
    """The real J48: a function of X, y, the number of classes and options, which returns its printed tree."""
    jar = Path(os.environ.get("WEKA_JAR") or "/usr/share/java/weka.jar")
    if shutil.which("java") is None:
        pytest.skip("no Java to run J48 with")
    if not jar.is_file():
        pytest.skip(f"no Weka to compare with: {jar} does not exist (set WEKA_JAR)")
    folder = tmp_path_factory.mktemp("weka")

    def run(X, y, q, *options):
        header = "".join(f"@attribute f{j} numeric\n" for j in range(X.shape[1]))
        header += "@attribute class {" + ",".join(map(str, range(q))) + "}\n"
        rows = "".join(",".join(map(repr, [*row, int(c)])) + "\n" for row, c in zip(X.tolist(), y, strict=True))
        (folder / "train.arff").write_text(f"@relation train\n{header}@data\n{rows}")
        command = ["java", "-Dweka.packageManager.offline=true", "-cp", jar, "weka.classifiers.trees.J48"]
        command += ["-t", folder / "train.arff", "-no-cv", "-v", *options]
        environment = {**os.environ, "WEKA_HOME": str(folder)}
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout

    return run


def printed_lines(text):
    """J48's lines: depth, feature, sign, threshold, and of a leaf its class, examples and errors."""
    branch = r"^((?:\|   )*)f(\d+) (<=|>) (\S+?)(?:: (\d+) \(([\d.]+)(?:/([\d.]+))?\))?$"
    for bars, feature, sign, threshold, label, size, errors in re.findall(branch, text, re.MULTILINE):
        leaf = (int(label), float(size), float(errors or 0)) if label else ()
        yield len(bars) // 4, int(feature), sign, float(threshold), *leaf


def leaves_printed(text):
    return int(re.search(r"Number of Leaves\s*:\s*(\d+)", text)[1])


def lines_to_print(tree, node=0, depth=0):
    if tree.feature[node] < 0:
        return
    for sign, child in (("<=", tree.left[node]), (">", tree.right[node])):
        counts = tree.counts[child]
        is_leaf = tree.feature[child] < 0
        leaf = (counts.argmax(), counts.sum(), counts.sum() - counts.max()) if is_leaf else ()
        yield depth, tree.feature[node], sign, round(tree.threshold[node], 6), *leaf
        yield from lines_to_print(tree, child, depth + 1)


@pytest.mark.parametrize(
    ("seed", "n", "d", "q", "values", "confidence", "min_leaf"),
    [
        (0, 400, 4, 3, None, 0.25, 2),
        (1, 1500, 3, 2, None, 0.25, 2),
        (2, 300, 5, 4, 12, 0.25, 2),
        (3, 300, 3, 3, 8, 0.1, 1),
        (4, 500, 4, 5, None, 0.4, 5),
    ],
)
def test_trees_equal_those_of_j48(j48, seed, n, d, q, values, confidence, min_leaf):
    X, y = noisy_problem(np.random.default_rng(seed), n, d, q, noise=0.25, values=values)
    tree = fit(X, y, confidence=confidence, min_leaf=min_leaf)
    printed = j48(X, y, q, "-C", str(confidence), "-M", str(min_leaf))
    assert tree.n_leaves > 4
    assert list(lines_to_print(tree)) == list(printed_lines(printed))


@pytest.mark.parametrize(("X", "y"), [(TIE_X, TIE_Y), (TWICE_X, TWICE_Y)])
def test_subtree_raising_equals_that_of_j48(j48, X, y):
    assert list(lines_to_print(fit(X, y))) == list(printed_lines(j48(X, y, len(set(y)))))


def test_collapsing_equals_that_of_j48(j48):
    assert leaves_printed(j48(COLLAPSING_X, COLLAPSING_Y, 6, "-C", "0.05")) == 1


@pytest.mark.mirror
@pytest.mark.parametrize("name", ["authorship", "glass", "housing", "pendigits", "segment", "wisconsin"])
def test_leaves_are_as_many_as_those_of_j48_on_published_rankings(j48, mirror, name):
    data = read_kebi(name, mirror / "label-ranking" / "published", file=f"{name}.txt")
    train, _ = next(KFold(10, shuffle=True, random_state=0).split(data.X))
    X, tops, q = data.X[train], data.Y[train].argmin(axis=1), data.Y.shape[1]
    assert fit(X, tops, q).n_leaves == leaves_printed(j48(X, tops, q))
