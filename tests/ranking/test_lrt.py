"""Label ranking trees against cheng2009, section 5: all splits by brute force, trees by hand, what must not matter."""

import math
import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn.datasets._kebi import read_kebi
from labelknn.errors import ConfigError, DataError
from labelknn.metrics._ranking import kendall_tau
from labelknn.ranking._lrt import LRT
from labelknn.solvers._rank_tree_criterion import (
    CONCORDANCE,
    MALLOWS,
    Rules,
    capped_spread,
    spread_splines,
    worth_at_most,
    worth_limits,
    worth_of,
)
from labelknn.solvers._rank_tree_split import center_order, empty_sums
from labelknn.utils._kernels import kernel

from .stats.test_completion import most_probable_extension
from .stats.test_mallows import spread

# Kernels that only kernels call, for Python.
capped_spread, center_order, worth_at_most, worth_of = (
    kernel(one.py_func) for one in (capped_spread, center_order, worth_at_most, worth_of)
)

CAP = 5.0

# θ as it is, for what is worked out by hand.
PLAIN = {"smoothing": 0.0, "max_theta": CAP}


def central_order(Y, ties):
    """All labels, each the one that wins most against those after it; the first of `ties` where nobody wins."""
    q = Y.shape[1]

    def margin(i, others):
        both = [(row[i], row[j]) for row in Y for j in others if j != i and row[i] and row[j]]
        return sum(1 if mine < other else -1 for mine, other in both)

    order, waiting = [], list(range(q))
    while waiting:
        margins = [margin(label, waiting) for label in waiting]
        undecided = not any(margins)
        order.append(next(t for t in ties if t in waiting) if undecided else waiting[margins.index(max(margins))])
        waiting.remove(order[-1])
    return order


def summary(Y, ties):
    """Definitions only: the labels that occur, in the centre's order, the observed pairs and the discordant ones."""
    q = Y.shape[1]
    order = central_order(Y, ties)
    place = {label: order.index(label) for label in order}
    pairs = discordant = 0
    for ranking in Y:
        for i, j in combinations([label for label in range(q) if ranking[label]], 2):
            pairs += 1
            discordant += (ranking[i] < ranking[j]) != (place[i] < place[j])
    labels = [label for label in order if Y[:, label].any()]
    return labels, pairs, discordant


def smoothed_spread(n, labels, pairs, discordant, smoothing):
    """θ of n rankings and `smoothing` more with the mean number of pairs, half of them discordant."""
    added = smoothing * pairs / n
    share = (discordant + added / 2) / (pairs + added)
    return min(spread(share * len(labels) * (len(labels) - 1) / 2, len(labels)), CAP)


def worth(Y, ties, criterion, smoothing):
    labels, pairs, discordant = summary(Y, ties)
    if criterion == "concordance":
        return pairs * math.log2(1 - discordant / pairs)
    return len(Y) * smoothed_spread(len(Y), labels, pairs, discordant, smoothing)


def splits(X, Y, ties, ties_of_children, criterion, smoothing, min_leaf):
    """Every split of the rows: its gain, feature and threshold."""
    own = worth(Y, ties, criterion, smoothing)
    for feature in range(X.shape[1]):
        for threshold in np.unique(X[:, feature])[:-1]:
            left = X[:, feature] <= threshold
            if min(left.sum(), (~left).sum()) >= min_leaf:
                gain = sum(worth(Y[side], ties_of_children, criterion, smoothing) for side in (left, ~left)) - own
                yield gain, feature, threshold


def is_pure(Y):
    first = {}
    for ranking in Y:
        for i, j in combinations(np.flatnonzero(ranking), 2):
            if first.setdefault((i, j), ranking[i] < ranking[j]) != (ranking[i] < ranking[j]):
                return False
    return True


def random_rankings(rng, n, q, missing):
    Y = np.argsort(rng.random((n, q)), axis=1) + 1
    return np.where(rng.random((n, q)) < missing, 0, Y)


def closed_up(Y):
    """The same rankings with the ranks 1..m for the m labels of a row."""
    return np.array([[(r > 0) * sum(0 < other <= r for other in row) for r in row] for row in Y])


def nodes_with_rows(tree, X):
    """Each node with the training rows that reach it."""
    waiting = [(0, np.arange(len(X)))]
    while waiting:
        node, rows = waiting.pop()
        yield node, rows
        if tree.feature[node] >= 0:
            left = X[rows, tree.feature[node]] <= tree.threshold[node]
            waiting += [(tree.left[node], rows[left]), (tree.right[node], rows[~left])]


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 5),
    st.sampled_from([0.0, 0.4]),
    st.sampled_from(["mallows", "concordance"]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.integers(1, 3),
)
@settings(max_examples=60, deadline=None)
def test_every_node_is_what_the_definitions_say(seed, q, missing, criterion, smoothing, min_leaf):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (14, 2)).astype(float)
    Y = closed_up(random_rankings(rng, 14, q, missing))
    Y[0] = np.arange(q) + 1  # something to learn from
    tree = LRT(criterion, smoothing, CAP, min_leaf).fit(X, Y).tree_
    ordering = (Y > 0).sum(axis=1) > 1
    X, Y = X[ordering], Y[ordering]
    own, orders = {}, {-1: list(range(q))}
    parent = {-1: -1} | dict(enumerate(tree.parent))
    for node, rows in nodes_with_rows(tree, X):
        ties, ties_of_children = orders[parent[parent[node]]], orders[parent[node]]
        orders[node] = central_order(Y[rows], ties)
        labels, pairs, discordant = summary(Y[rows], ties)
        assert tree.size[node] == len(rows)
        own[node] = np.zeros(q, int)
        own[node][labels if node else orders[0]] = np.arange(len(labels) if node else q) + 1
        theta = smoothed_spread(len(rows), labels, pairs, discordant, smoothing)
        np.testing.assert_allclose(tree.spread[node], theta, rtol=1e-12)

        candidates = list(splits(X[rows], Y[rows], ties, ties_of_children, criterion, smoothing, min_leaf))
        best = max((gain for gain, _, _ in candidates), default=0)
        if tree.feature[node] < 0:
            # A gain of up to 1e-6 for each example, or each pair, is none.
            weight = pairs if criterion == "concordance" else len(rows)
            assert is_pure(Y[rows]) or best < 1e-6 * weight + 1e-7
        else:
            assert not is_pure(Y[rows])
            split = (tree.feature[node], tree.threshold[node])
            # The kernel's spread is interpolated: splits within its error of the best are as good.
            assert split in [(feature, at) for gain, feature, at in candidates if gain > best - 1e-7]

        completed, predecessor = own[node], tree.parent[node]
        while not completed.all():
            completed = most_probable_extension(completed, own[predecessor])
            predecessor = tree.parent[predecessor]
        np.testing.assert_array_equal(tree.ranks[node], completed)


def test_the_centre_by_hand():
    """Four rankings: two a > b > c, one b > c > a, one c > b. Of their 10 pairs 3 are discordant with a > b > c.

    a wins against b and against c by 2 − 1, so its margin is 2; that of b is −1 + 2, of c −1 − 2. Without a, b has 2.
    """
    signs = np.array([1, 1, 2], np.int32)  # a with b, a with c, b with c
    order = np.empty(3, np.int32)
    assert center_order(order, signs, np.arange(3, dtype=np.int32), empty_sums(3)) == 4 == 10 - 2 * 3
    assert order.tolist() == [0, 1, 2]


def test_labels_that_nothing_orders_come_as_in_a_predecessor():
    """a > b > c > a: all margins are 0, so the first of the ties goes first, and it decides about the others."""
    order = np.empty(3, np.int32)
    for first, rest in ((0, [1, 2]), (1, [2, 0]), (2, [0, 1])):
        ties = np.array([first, *({0, 1, 2} - {first})], np.int32)
        assert center_order(order, np.array([1, -1, 1], np.int32), ties, empty_sums(3)) == 1
        assert order.tolist() == [first, *rest]


@pytest.mark.parametrize("labels", [2, 3, 7, 16])
@pytest.mark.parametrize(("cap", "error"), [(0.5, 1e-9), (5.0, 1e-9), (20.0, 1e-7)])
def test_interpolated_spread(labels, cap, error):
    splines = spread_splines(labels, cap, True)
    for distance in np.geomspace(1e-12, labels * (labels - 1) / 2, 300):
        exact = min(spread(distance, labels), cap)
        assert capped_spread(distance, labels, cap, splines) == pytest.approx(exact, rel=0, abs=error)
    assert capped_spread(0.0, labels, cap, splines) == cap


@pytest.mark.parametrize("criterion", [MALLOWS, CONCORDANCE])
@pytest.mark.parametrize("cap", [0.5, 20.0, 300.0])
@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_no_worth_is_above_its_limit(criterion, cap, smoothing):
    """Nor far below it, where a share is not next to 0."""
    splines, limits = spread_splines(7, cap, False), worth_limits(7, criterion, cap, False)
    rules = Rules(criterion, smoothing, cap, 1, 9, splines, limits)
    rng = np.random.default_rng(0)
    for _ in range(2000):
        size, labels = int(rng.integers(1, 3000)), int(rng.integers(2, 8))
        pairs = int(rng.integers(1, size * labels * (labels - 1) // 2 + 1))
        agreement = pairs - int(pairs * rng.random() ** rng.integers(1, 9))
        worth = worth_of(rules, size, pairs, agreement, labels)
        limit = worth_at_most(rules, size, pairs, agreement, labels)
        assert worth <= limit
        if agreement < 0.9 * pairs:
            assert limit - worth < 0.05 * (pairs if criterion == CONCORDANCE else size)


def test_by_hand():
    """Two labels, six examples on a line, one of them (at 2) out of line; leaves of any size.

    a > b wins at 1, 2, 3 with one dissent of three; for two labels a share s of dissents has θ = ln((1 − s) / s). After
    x ≤ 3 the right side is pure, worth 3 · 5, the left 3 ln 2: 17.1. x ≤ 1 gives 5 + 5 ln(3/2), x ≤ 2 (one against one,
    then three against one) 0 + 4 ln 3, x ≤ 4 gives 0 + 2 · 5, x ≤ 5 gives 5 ln(3/2) + 5. Then 1 | 2 3 and 2 | 3.
    """
    X = np.arange(1.0, 7)[:, None]
    Y = np.array([[1, 2], [2, 1], [1, 2], [2, 1], [2, 1], [2, 1]])
    model = LRT(min_leaf=1, **PLAIN).fit(X, Y)
    assert model.export_text(["size"], ["a", "b"]) == (
        "size <= 3\n"
        "|   size <= 1: a > b  (n = 1, θ = 5.00)\n"
        "|   size > 1\n"
        "|   |   size <= 2: b > a  (n = 1, θ = 5.00)\n"
        "|   |   size > 2: a > b  (n = 1, θ = 5.00)\n"
        "size > 3: b > a  (n = 3, θ = 5.00)\n"
    )
    assert (model.n_leaves_, model.depth_) == (4, 3)
    np.testing.assert_allclose(model.tree_.spread[1], math.log(2))
    np.testing.assert_allclose(model.tree_.spread[0], math.log(2))
    np.testing.assert_allclose(model.predict_reliability([[0.0], [9.0]]), [5 / 6, 5 * 3 / 6])

    concordance = LRT("concordance", **PLAIN).fit(X, Y)  # three examples cannot be split into two and two
    assert concordance.export_text() == ("x1 <= 3: y1 > y2  (n = 3, θ = 0.69)\nx1 > 3: y2 > y1  (n = 3, θ = 5.00)\n")
    np.testing.assert_array_equal(concordance.predict([[3.0], [3.5]]), [[1, 2], [2, 1]])


def test_a_large_pure_leaf_is_worth_more_than_a_small_one():
    """One and three examples of two labels that agree: θ = log((1 − s) / s) at shares s of 1/4 and 1/8."""
    X = np.arange(4.0)[:, None]
    tree = LRT(min_leaf=1).fit(X, np.array([[1, 2], [2, 1], [2, 1], [2, 1]])).tree_
    np.testing.assert_allclose(tree.spread[tree.leaves], [math.log(3), math.log(7)])


def test_a_leaf_is_completed_from_its_predecessors():
    """Right of 2 no example has label c. The root ranks c > b > a, so c goes where that costs least: Proposition 1 puts
    it before a > b, the first of the places that cost nothing."""
    X = np.arange(1.0, 5)[:, None]
    Y = np.array([[3, 2, 1], [3, 2, 1], [1, 2, 0], [1, 2, 0]])
    model = LRT(min_leaf=1, **PLAIN).fit(X, Y)
    assert model.export_text(label_names="abc") == (
        "x1 <= 2: c > b > a  (n = 2, θ = 5.00)\nx1 > 2: c > a > b  (n = 2, θ = 5.00)\n"
    )


def test_leaves_have_two_examples_that_order_labels():
    """Rankings of fewer than two labels are not there at all: not in the sizes, not for the bound on them."""
    X = np.arange(6.0)[:, None]
    Y = np.array([[1, 2, 3]] * 3 + [[3, 2, 1]] * 2 + [[0, 1, 0]])
    assert LRT().fit(X, Y).tree_.size.tolist() == [5, 3, 2]
    Y[4] = [0, 0, 1]
    assert LRT().fit(X, Y).tree_.size.tolist() == [4]  # two and two would be a pure leaf and one that is all strife
    assert LRT(min_leaf=1).fit(X, Y).tree_.size.tolist() == [4, 3, 1]


def clear_cut(n=60, q=4, missing=0.0, seed=3):
    """Noisy rankings that depend on the features, where no two labels are ever tied."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    utility = X @ rng.normal(size=(3, q)) + rng.normal(size=q) + 0.3 * rng.normal(size=(n, q))
    Y = np.argsort(np.argsort(-utility, axis=1), axis=1) + 1
    return X, np.where(rng.random((n, q)) < missing, 0, Y)


def same_partition(a, b):
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


@pytest.mark.parametrize("criterion", ["mallows", "concordance"])
@pytest.mark.parametrize("missing", [0.0, 0.4])
class TestInvariances:
    def test_monotone_transformation_of_a_feature(self, criterion, missing):
        X, Y = clear_cut(missing=missing)
        queries = np.random.default_rng(4).normal(size=(200, 3))
        model = LRT(criterion).fit(X, Y)
        assert model.n_leaves_ > 3
        bent = LRT(criterion).fit(X**3 + np.exp(X), Y)
        np.testing.assert_array_equal(model.apply(queries), bent.apply(queries**3 + np.exp(queries)))

    def test_order_of_examples(self, criterion, missing):
        X, Y = clear_cut(missing=missing)
        order = np.random.default_rng(5).permutation(len(X))
        here, there = LRT(criterion).fit(X, Y), LRT(criterion).fit(X[order], Y[order])
        assert here.export_text() == there.export_text()

    def test_constant_features(self, criterion, missing):
        X, Y = clear_cut(missing=missing)
        wider = np.column_stack([X, np.full(len(X), 7.0)])
        here, there = LRT(criterion).fit(X, Y), LRT(criterion).fit(wider, Y)
        assert here.export_text() == there.export_text()

    def test_names_of_labels(self, criterion, missing):
        """With many examples in a leaf no two labels have the same votes, and renaming labels renames predictions."""
        X, Y = clear_cut(400, missing=missing)
        permutation = np.array([2, 0, 3, 1])
        size = {"min_leaf": 40}
        here, there = LRT(criterion, **size).fit(X, Y), LRT(criterion, **size).fit(X, Y[:, permutation])
        assert here.n_leaves_ > 3
        np.testing.assert_array_equal(here.predict(X)[:, permutation], there.predict(X))
        np.testing.assert_allclose(here.predict_reliability(X), there.predict_reliability(X))

    def test_every_example_twice(self, criterion, missing):
        """All worths double, so the best split stays the best where the bounds on sizes are doubled too."""
        X, Y = clear_cut(missing=missing)
        once = LRT(criterion, min_leaf=2, **PLAIN).fit(X, Y)
        twice = LRT(criterion, min_leaf=4, **PLAIN).fit(*(np.repeat(one, 2, axis=0) for one in (X, Y)))
        assert same_partition(once.apply(X), twice.apply(X))
        np.testing.assert_array_equal(once.predict(X), twice.predict(X))
        np.testing.assert_allclose(once.predict_reliability(X), twice.predict_reliability(X))


def test_only_the_order_of_ranks_counts():
    X, Y = clear_cut(missing=0.4)
    here, there = LRT().fit(X, Y), LRT().fit(X, closed_up(Y).astype(float))
    assert here.export_text() == there.export_text()


def test_many_labels():
    """40 labels, half of them missing: the tree tells the two groups apart and ranks all labels."""
    rng = np.random.default_rng(8)
    X = np.repeat([0.0, 1.0], 300)[:, None]
    Y = np.where(X == 0, np.arange(1, 41), np.arange(40, 0, -1))
    Y = np.where(rng.random(Y.shape) < 0.5, 0, Y)
    predicted = LRT().fit(X, Y).predict([[0.0], [1.0]])
    assert kendall_tau(np.array([np.arange(1, 41), np.arange(40, 0, -1)]), predicted) > 0.9


def test_pure_rankings_are_not_split():
    """Consistent as section 5.1 defines it: the rankings share no pair that they order differently."""
    X = np.arange(6.0)[:, None]
    Y = np.array([[1, 2, 0], [0, 1, 2], [1, 2, 3]] * 2)
    model = LRT("concordance", **PLAIN).fit(X, Y)
    assert (model.n_leaves_, model.depth_) == (1, 0)
    assert model.export_text(label_names="abc") == "a > b > c  (n = 6, θ = 5.00)\n"


def test_nothing_to_split_on():
    Y = np.array([[1, 2], [2, 1]] * 10)
    model = LRT().fit(np.ones((20, 3)), Y)
    assert model.n_leaves_ == 1
    np.testing.assert_array_equal(model._output(np.ones((1, 3)))["reliability"], [0.0])


def test_one_row():
    output = LRT(**PLAIN).fit([[1.0]], [[2, 1, 3]])._output([[5.0]])
    np.testing.assert_array_equal(output["ranks"], [[2, 1, 3]])
    np.testing.assert_array_equal(output["reliability"], [CAP])


def test_a_label_that_is_never_observed_is_ranked_in_the_middle():
    np.testing.assert_array_equal(LRT().fit([[1.0], [2.0]], [[3, 0, 1], [3, 0, 1]]).predict([[5.0]]), [[3, 2, 1]])


def test_deep_trees_are_no_recursion():
    """2,000 examples that alternate, split off one by one from the end: far deeper than Python's stack."""
    n = 2000
    X = np.arange(float(n))[:, None]
    Y = np.where(np.arange(n)[:, None] % 2, [1, 2], [2, 1])
    model = LRT(min_leaf=1, **PLAIN).fit(X, Y)
    assert model.depth_ > 900
    assert model.export_text().count("\n") == len(model.tree_.feature) - 1


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_a_bounded_tree_is_the_whole_tree_cut_off(missing):
    """Down to the bound the nodes are the same ones; a bound that is not reached changes nothing."""
    X, Y = clear_cut(missing=missing)
    whole = LRT(min_leaf=1).fit(X, Y)
    assert whole.depth_ > 3
    for bound in range(1, whole.depth_ + 1):
        bounded = LRT(min_leaf=1, max_depth=bound).fit(X, Y)
        assert bounded.depth_ == bound
        kept = whole.export_text().splitlines()
        kept = [line.partition(":")[0] for line in kept if line.count("|   ") < bound]
        assert [line.partition(":")[0] for line in bounded.export_text().splitlines()] == kept
        above = whole.tree_.depths() <= bound
        np.testing.assert_array_equal(np.sort(bounded.tree_.spread), np.sort(whole.tree_.spread[above]))
    assert LRT(min_leaf=1, max_depth=1000).fit(X, Y).export_text() == whole.export_text()


def test_names_are_those_of_the_data_frames():
    X, Y = clear_cut(missing=0.4)
    plain = LRT().fit(X, Y)
    table, rankings = pd.DataFrame(X, columns=["u", "v", "w"]), pd.DataFrame(Y, columns=list("abcd")).replace(0, np.nan)
    named = LRT().fit(table, rankings)
    assert named.export_text() == plain.export_text(["u", "v", "w"], "abcd")
    assert named.export_text(["x1", "x2", "x3"], ["y1", "y2", "y3", "y4"]) == plain.export_text()
    axes = Figure().add_subplot(), Figure().add_subplot()
    here, there = named.plot(ax=axes[0]), plain.plot(["u", "v", "w"], "abcd", axes[1])
    assert [text.get_text() for text in here.texts] == [text.get_text() for text in there.texts]
    with pytest.raises(NotFittedError):
        LRT().export_text()


def test_score_is_kendalls_tau():
    X, Y = clear_cut(missing=0.4)
    model = LRT().fit(X, Y)
    assert model.score(X, Y) == pytest.approx(kendall_tau(Y, model.predict(X)))


def test_scikit_learn_conventions():
    model = LRT("concordance", max_theta=3.0)
    assert clone(model).get_params() == {
        "criterion": "concordance",
        "smoothing": 1.0,
        "max_theta": 3.0,
        "min_leaf": 2,
        "max_depth": None,
    }
    with pytest.raises(NotFittedError):
        model.predict(np.zeros((1, 1)))
    X, Y = clear_cut()
    model.fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    with pytest.raises(ValueError, match="X has 2 features, but LRT is expecting 3"):
        model.predict(X[:, :2])
    with pytest.raises(DataError, match="X holds NaN in row 0, column 0"):
        model.predict(np.full((1, 3), np.nan))


@pytest.mark.parametrize(
    ("params", "X", "Y", "error", "message"),
    [
        ({}, [[1.0], [np.nan]], [[1, 2], [1, 2]], DataError, "X holds NaN in row 1, column 0"),
        ({}, [[1.0], [2.0]], [[1, 2]], DataError, "2 rows of features but 1 rankings"),
        ({}, [[1.0], [2.0]], [[1, 2], [1, 1]], DataError, "rank 1 occurs twice in row 1"),
        ({}, [[1.0], [2.0]], [[1, 2], [1, -2]], DataError, "rank -2 of label 1 in row 1"),
        ({}, [[1.0], [2.0]], [[0, 0], [0, 0]], DataError, "no training ranking orders any two labels"),
        ({}, [[1.0], [2.0]], [[0, 1], [0, 0]], DataError, "no training ranking orders any two labels"),
        ({}, [[1.0], [2.0]], [[0, 1], [1, 0]], DataError, "ranks start at 1, the best, so add 1"),
        ({}, np.empty((0, 1)), np.empty((0, 2)), ValueError, "minimum of 1 is required by LRT"),
        ({"max_theta": np.inf}, [[1.0]], [[1, 2]], DataError, "max_theta must be positive and finite"),
        ({"smoothing": -1.0}, [[1.0]], [[1, 2]], DataError, "smoothing must be finite and not negative"),
        ({"max_depth": 0}, [[1.0]], [[1, 2]], DataError, "max_depth must be at least 1, or None, got 0"),
        ({"min_leaf": 0}, [[1.0]], [[1, 2]], DataError, "a leaf needs at least one example, got min_leaf = 0"),
        ({"criterion": "mallow"}, [[1.0]], [[1, 2]], ConfigError, "Did you mean 'mallows'"),
    ],
)
def test_bad_input(params, X, Y, error, message):
    with pytest.raises(error, match=message):
        LRT(**params).fit(X, Y)


@pytest.mark.mirror
def test_close_to_the_paper_on_stock(mirror):
    """Table 2 prints a tau of .895 for complete rankings: ten folds come close to it with either criterion."""
    data = read_kebi("stock", mirror / "label-ranking" / "published", file="stock.txt")
    fold = np.random.default_rng(0).permutation(data.n) % 10
    for criterion in ("mallows", "concordance"):
        taus = []
        for test in range(10):
            model = LRT(criterion).fit(data.X[fold != test], data.Y[fold != test])
            taus.append(kendall_tau(data.Y[fold == test], model.predict(data.X[fold == test])))
        assert np.mean(taus) == pytest.approx(0.895, abs=0.015)
