"""ADTBoost.MH against the same written out in loops, trees worked by hand, and what is shown of a tree."""

from math import log, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from labelknn import ADTBoostMH, BoosTexter
from labelknn.errors import DataError

from .test_boostexter import slow_conditions, slow_reweigh, slow_votes


def alternating_tree(X, Y, steps):
    """Rules (precondition, feature, threshold), the votes of all nodes, and the last weights."""
    n, q = Y.shape
    weights = [[1 / (n * q)] * q for _ in range(n)]
    nodes = [list(range(n))]
    votes = [slow_votes(X, Y, nodes[0], weights)]
    weights, _ = slow_reweigh(Y, weights, [(nodes[0], votes[0])])
    rules = []
    for _ in range(steps):
        best = None
        for precondition, rows in enumerate(nodes):
            outside = sum(sum(weights[i]) for i in range(n) if i not in rows)
            for z, *condition in slow_conditions(X, Y, rows, weights):
                if outside + z < (1.0 if best is None else best[0]) - 1e-12:
                    best = (outside + z, precondition, *condition)
        if best is None:
            break
        _, precondition, feature, threshold, sides = best
        new = [slow_votes(X, Y, side, weights) for side in sides]
        weights, _ = slow_reweigh(Y, weights, zip(sides, new, strict=True))
        rules.append((precondition, feature, threshold))
        nodes += sides
        votes += new
    return rules, votes, weights


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=12, deadline=None)
def test_equals_the_definition(seed):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(14, 2)).round(1), rng.integers(0, 2, (14, 3))
    model = ADTBoostMH(steps=5).fit(X, Y)
    rules, votes, weights = alternating_tree(X, Y, 5)
    tree = model.tree_
    found = list(zip(tree.preconditions, tree.features, tree.thresholds, strict=True))
    assert [rule[:2] for rule in found] == [rule[:2] for rule in rules]
    np.testing.assert_allclose(tree.thresholds, [rule[2] for rule in rules], rtol=1e-12)
    np.testing.assert_allclose(tree.votes, votes, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.weights_, weights, rtol=1e-8)


def test_the_first_tree_of_a_balanced_label_is_a_stump():
    """With as many rows that have the label as have not, the root's vote is 0 and step 1 is BoosTexter's round 1."""
    X = np.random.default_rng(1).normal(size=(20, 3))
    Y = np.tile([[0], [1]], (10, 1))
    tree, stump = ADTBoostMH(steps=1).fit(X, Y).tree_, BoosTexter(rounds=1).fit(X, Y)
    assert (tree.features[0], tree.thresholds[0]) == (stump.features_[0], stump.thresholds_[0])
    np.testing.assert_allclose(tree.votes, np.vstack([[[0.0]], stump.votes_[0]]), rtol=1e-12, atol=1e-15)


def test_two_steps_worked_by_hand():
    """Rows 0 and 1 have the label, 2 and 3 have not; ε = ¼ for one label.

    Root: ½ ln(¾ / ¾) = 0. Rule 1 cuts at 1.5 with Z = 0: votes ±½ ln 3, and the loss is 1/√3. All weights are ¼ again,
    so the cut at 1.5 is again the best, below the root: the same votes once more. (Below node 1 or 2 a cut cannot lower
    Z, since all rows there agree: Z = 0 for them already, and ½ is the weight of the others.)
    """
    X, Y = np.arange(4.0)[:, None], np.array([[1], [1], [0], [0]])
    model = ADTBoostMH(steps=2).fit(X, Y)
    vote = log(3) / 2
    np.testing.assert_allclose(model.tree_.votes, [[0], [vote], [-vote], [vote], [-vote]], atol=1e-15)
    np.testing.assert_array_equal(model.tree_.preconditions, [0, 0])
    np.testing.assert_allclose(model.losses_, [1, 1 / sqrt(3), 1 / 3])
    np.testing.assert_allclose(model.decision_function(np.array([[1.0], [9.0]])), [[2 * vote], [-2 * vote]])


def test_a_rule_below_a_rule():
    """The exclusive or of two features needs the second asked below the first; its four cells then vote right."""
    X = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0) for _ in range(3)])
    X = np.vstack([X, [[0.0, 0.0]]])  # breaks the tie that would leave nothing to gain at the root
    Y = (X[:, :1] != X[:, 1:]).astype(int)
    model = ADTBoostMH(steps=3).fit(X, Y)
    assert (model.tree_.preconditions > 0).any()
    np.testing.assert_array_equal(model.predict(X), Y == 1)
    reached = model.tree_.reached(X)
    assert reached[0].all()
    for rule, above in enumerate(model.tree_.preconditions):
        np.testing.assert_array_equal(reached[2 * rule + 1] ^ reached[2 * rule + 2], reached[above])


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(60, 4)), rng.random((60, 3)) < 0.4
    order = rng.permutation(60)
    one, other = ADTBoostMH(steps=8).fit(X, Y), ADTBoostMH(steps=8).fit(X[order], Y[order])
    np.testing.assert_array_equal(one.tree_.preconditions, other.tree_.preconditions)
    np.testing.assert_allclose(one.tree_.votes, other.tree_.votes, rtol=1e-9, atol=1e-12)


def test_constant_features_leave_the_root():
    """Votes ½ ln((3/8 + ⅛) / (⅛ + ⅛)) = ½ ln 2: the prior log odds, smoothed."""
    model = ADTBoostMH(steps=3).fit(np.ones((4, 2)), np.array([[1, 0], [1, 0], [1, 0], [0, 1]]))
    assert len(model.tree_.features) == 0
    np.testing.assert_allclose(model.decision_function(np.zeros((1, 2))), [[log(2) / 2, -log(2) / 2]])
    assert model.export_text() == "root: y1 0.35, y2 -0.35\n"
    assert isinstance(model.plot(), Figure)


@pytest.fixture
def model():
    X = np.random.default_rng(11).normal(size=(60, 3))
    Y = np.column_stack([X[:, 0] + X[:, 1] > 0, (X[:, 0] > 0) & (X[:, 2] > 0)])
    return ADTBoostMH(steps=6).fit(X, Y)


def test_text_has_every_node_below_its_precondition(model):
    tree = model.tree_
    assert (tree.preconditions > 0).any()
    lines = model.export_text(["a", "b", "c"], ["first", "second"]).splitlines()
    assert len(lines) == 2 * 6 + 1
    depths = [line.count("|   ") for line in lines]
    nodes = [node for node, _ in tree.in_reading_order()]
    for place, (node, depth) in enumerate(zip(nodes, depths, strict=True)):
        line = lines[place].replace("|   ", "")
        if node == 0:
            assert line.startswith("root: first ")
            continue
        rule = (node - 1) // 2
        sign = "<=" if node == 2 * rule + 1 else ">"
        assert line.startswith(f"({rule + 1}) {'abc'[tree.features[rule]]} {sign} {tree.thresholds[rule]:.4g}: first ")
        assert line.endswith(f"second {tree.votes[node, 1]:.2f}")
        above = max(earlier for earlier in range(place) if depths[earlier] == depth - 1)
        assert nodes[above] == tree.preconditions[rule]


def test_the_picture_shows_every_node(model):
    left, right, _ = model.plot(["a", "b", "c"], ["first", "second"]).axes
    assert len(left.texts) == len(model.tree_.votes)
    assert right.images[0].get_array().shape == model.tree_.votes.shape
    assert [tick.get_text() for tick in right.get_xticklabels()] == ["first", "second"]


def test_names_of_data_frames_are_shown():
    frame = pd.DataFrame({"height": [0.0, 1.0, 2.0, 3.0]})
    model = ADTBoostMH(steps=1).fit(frame, pd.DataFrame({"low": [1, 1, 0, 0], "high": [0, 0, 1, 1]}))
    assert model.export_text().splitlines()[1] == "|   (1) height <= 1.5: low 0.55, high -0.55"


def test_names_that_do_not_fit(model):
    with pytest.raises(DataError, match="1 feature and 2 label names for a tree with 3 and 2 of them"):
        model.export_text(["a"])
    with pytest.raises(DataError, match="3 feature and 1 label names"):
        model.plot(["a", "b", "c"], ["first"])


@pytest.mark.parametrize(
    ("steps", "X", "Y", "message"),
    [
        (-1, np.eye(3), np.eye(3), "steps = -1, expected a whole number from 0"),
        (1, np.array([[1.0], [np.inf]]), np.eye(2), "X holds inf in row 1, column 0"),
        (1, np.eye(3), np.eye(2), "3 rows of features but 2 label sets"),
    ],
)
def test_bad_input(steps, X, Y, message):
    with pytest.raises(DataError, match=message):
        ADTBoostMH(steps).fit(X, Y)


def test_outputs_are_those_of_shorter_fits():
    rng = np.random.default_rng(5)
    X, Y = rng.random((40, 3)), (rng.random((40, 2)) < 0.5).astype(int)
    model = ADTBoostMH(steps=8)
    model._values = (0, 1, 3, 8)
    outputs = model.fit(X, Y)._outputs(X)
    assert list(outputs) == [0, 1, 3, 8]
    for steps, output in outputs.items():
        alone = ADTBoostMH(steps=steps).fit(X, Y)._output(X)
        for key in ("sets", "scores"):
            np.testing.assert_array_equal(output[key], alone[key])


def test_a_tree_that_stopped_growing_stays_as_it_is():
    X, Y = np.array([[0.0], [0.0]]), np.array([[1, 0], [0, 1]])
    model = ADTBoostMH(steps=5)
    model._values = (1, 5)
    first, last = model.fit(X, Y)._outputs(X).values()
    np.testing.assert_array_equal(first["scores"], last["scores"])
