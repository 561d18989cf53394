"""BoosTexter against AdaBoost.MH written out in loops, and what boosting guarantees, for ADTBoost.MH too."""

import pickle
from itertools import pairwise
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn import ADTBoostMH, BoosTexter
from labelknn.errors import DataError
from labelknn.solvers._boosting import BoostingData

# What the two methods made of the same steps have in common.
both = pytest.mark.parametrize("method", [BoosTexter, ADTBoostMH])


def slow_sums(X, Y, rows, weights):
    """W+ and W− of each label among some rows."""
    q = Y.shape[1]
    with_label = [sum(weights[i][k] for i in rows if Y[i, k]) for k in range(q)]
    without_label = [sum(weights[i][k] for i in rows if not Y[i, k]) for k in range(q)]
    return with_label, without_label


def slow_conditions(X, Y, rows, weights):
    """Every condition on some rows: its part of Z, the feature, the threshold, and the rows on both sides."""
    for feature in range(X.shape[1]):
        values = sorted({X[i, feature] for i in rows})
        for low, high in pairwise(values):
            threshold = (low + high) / 2
            sides = [i for i in rows if X[i, feature] <= threshold], [i for i in rows if X[i, feature] > threshold]
            z = sum(2 * sqrt(a * b) for side in sides for a, b in zip(*slow_sums(X, Y, side, weights), strict=True))
            yield z, feature, threshold, sides


def slow_votes(X, Y, side, weights):
    epsilon = 1 / Y.size
    sums = zip(*slow_sums(X, Y, side, weights), strict=True)
    return [0.5 * log((a + epsilon) / (b + epsilon)) for a, b in sums]


def slow_reweigh(Y, weights, sides_and_votes):
    """The weights times exp(−y · vote), normalised."""
    for side, votes in sides_and_votes:
        for i in side:
            for k, vote in enumerate(votes):
                weights[i][k] *= exp(-vote if Y[i, k] else vote)
    total = sum(map(sum, weights))
    return [[weight / total for weight in row] for row in weights], total


def adaboost_mh(X, Y, rounds):
    """The method as its paper has it: (feature, threshold, votes of both sides) of each round, and the last weights."""
    n, q = Y.shape
    weights = [[1 / (n * q)] * q for _ in range(n)]
    stumps = []
    for _ in range(rounds):
        undivided = sum(2 * sqrt(a * b) for a, b in zip(*slow_sums(X, Y, range(n), weights), strict=True))
        best = (undivided, 0, np.inf, (range(n), []))
        for found in slow_conditions(X, Y, range(n), weights):
            if found[0] < best[0] - 1e-12:
                best = found
        _, feature, threshold, sides = best
        votes = [slow_votes(X, Y, side, weights) for side in sides]
        weights, _ = slow_reweigh(Y, weights, zip(sides, votes, strict=True))
        stumps.append((feature, threshold, votes))
    return stumps, weights


def example(seed, n=14, d=3, q=3, levels=6):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, levels, (n, d)).astype(float), rng.integers(0, 2, (n, q))
    X[0], X[1] = 0, 1  # every feature can be cut
    return X, Y


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_equals_the_definition(seed):
    X, Y = example(seed)
    model = BoosTexter(rounds=6).fit(X, Y)
    stumps, weights = adaboost_mh(X, Y, 6)
    for i, (feature, threshold, votes) in enumerate(stumps):
        assert (model.features_[i], model.thresholds_[i]) == (feature, threshold)
        np.testing.assert_allclose(model.votes_[i], votes, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.weights_, weights, rtol=1e-8)


@both
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_weights_are_a_distribution_and_the_loss_never_rises(method, seed):
    X, Y = example(seed, n=25)
    sign = np.where(Y, 1, -1)
    for steps in (1, 2, 7):
        model = method(steps).fit(X, Y)
        losses = np.exp(-sign * model.decision_function(X))
        assert model.losses_[-1] == pytest.approx(losses.mean())
        assert (np.diff(model.losses_, prepend=1.0) <= 1e-12).all()
        assert model.weights_.sum() == pytest.approx(1)
        np.testing.assert_allclose(model.weights_, losses / losses.sum(), rtol=1e-9)


def test_a_round_worked_by_hand():
    """One label, ε = ¼. The cut at 1.5 has W+ = ½ below and W− = ½ above; Z = 0 there and at no other cut.

    Votes: ½ ln((½ + ¼) / ¼) = ½ ln 3 below and its opposite above. All rows are right, so the loss is 1/√3.
    """
    X, Y = np.array([[3.0], [0.0], [2.0], [1.0]]), np.array([[0], [1], [0], [1]])
    model = BoosTexter(rounds=1).fit(X, Y)
    assert (model.features_[0], model.thresholds_[0]) == (0, 1.5)
    np.testing.assert_allclose(model.votes_, [[[log(3) / 2], [-log(3) / 2]]])
    assert model.losses_[0] == pytest.approx(1 / sqrt(3))
    np.testing.assert_allclose(model.weights_, 0.25)
    np.testing.assert_array_equal(model.predict(np.array([[1.5], [1.6]])), [[True], [False]])


def test_equal_stumps_go_to_the_first_feature_and_the_smallest_threshold():
    X = np.array([[9.0, 0.0, 0.0], [9.0, 1.0, 1.0], [9.0, 2.0, 2.0]])
    Y = np.array([[1], [0], [1]])
    model = BoosTexter(rounds=1).fit(X, Y)
    assert (model.features_[0], model.thresholds_[0]) == (1, 0.5)


def test_neighbouring_floats_are_cut_apart():
    low = 1.0
    X, Y = np.array([[low], [np.nextafter(low, 2)]]), np.array([[0], [1]])
    np.testing.assert_array_equal(BoosTexter(rounds=1).fit(X, Y).predict(X), Y == 1)


def test_stages_are_shorter_fits():
    X, Y = example(3, n=40)
    model = BoosTexter(rounds=12).fit(X, Y)
    stages = list(zip(model.staged_predict(X), model.staged_decision_function(X), strict=True))
    assert len(stages) == 12
    for rounds, (sets, sums) in enumerate(stages, start=1):
        alone = BoosTexter(rounds=rounds).fit(X, Y)
        np.testing.assert_array_equal(sums, alone.decision_function(X))
        np.testing.assert_array_equal(sets, alone.predict(X))


def test_outputs_are_those_of_shorter_fits():
    X, Y = example(3, n=40)
    model = BoosTexter(rounds=12)
    model._values = (1, 2, 5, 12)
    outputs = model.fit(X, Y)._outputs(X)
    assert list(outputs) == [1, 2, 5, 12]
    for rounds, output in outputs.items():
        alone = BoosTexter(rounds=rounds).fit(X, Y)._output(X)
        for key in ("sets", "scores"):
            np.testing.assert_array_equal(output[key], alone[key])


def test_monotone_changes_of_a_feature_change_no_training_score():
    X, Y = example(4, n=30)
    here = BoosTexter(rounds=20).fit(X, Y).decision_function(X)
    there = BoosTexter(rounds=20).fit(np.exp(X) - 5, Y).decision_function(np.exp(X) - 5)
    np.testing.assert_array_equal(here, there)


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(50, 4)), rng.random((50, 3)) < 0.4
    order = rng.permutation(50)
    one, other = BoosTexter(rounds=15).fit(X, Y), BoosTexter(rounds=15).fit(X[order], Y[order])
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), rtol=1e-9, atol=1e-12)


@both
def test_labels_that_never_or_always_occur(method):
    X, Y = example(6, n=30, q=3)
    Y[:, 0], Y[:, 1] = 0, 1
    output = method(20).fit(X, Y)._output(X)
    assert np.isfinite(output["scores"]).all()
    assert not output["sets"][:, 0].any()
    assert output["sets"][:, 1].all()


def test_constant_features_leave_the_prior():
    """¾ and ¼ of the weights of a label, ½ in all: votes ½ ln((3/8 + ⅛) / (⅛ + ⅛)), and none after that."""
    X, Y = np.ones((4, 2)), np.array([[1, 0], [1, 0], [1, 0], [0, 1]])
    model = BoosTexter(rounds=1).fit(X, Y)
    np.testing.assert_allclose(model.decision_function(X), np.tile([log(2) / 2, -log(2) / 2], (4, 1)))
    assert np.isfinite(BoosTexter(rounds=30).fit(X, Y).decision_function(X)).all()


@both
def test_sparse_and_dense_input_agree(method):
    X, Y = example(7, n=30)
    dense, from_sparse = (method(5).fit(*data) for data in ((X, Y), map(sparse.csr_matrix, (X, Y))))
    np.testing.assert_array_equal(dense.decision_function(X), from_sparse.decision_function(sparse.csr_matrix(X)))


def test_conditions_within_some_rows_are_those_of_these_rows_alone():
    X, Y = example(8, n=40)
    inside = np.random.default_rng(8).random(40) < 0.5
    inside[:2] = True
    together, alone = BoostingData.prepare(X, Y), BoostingData.prepare(X[inside], Y[inside])
    found = together.best_condition(together.uniform(), inside)
    expected = alone.best_condition(together.uniform()[inside], np.ones(inside.sum(), dtype=bool))
    assert found[1:] == expected[1:]
    assert found[0] == pytest.approx(expected[0])


@both
def test_scikit_learn_conventions(method):
    X, Y = example(9)
    model = method(3)
    assert list(clone(model).get_params().values()) == [3]
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), model.decision_function(X))


@pytest.mark.parametrize(
    ("rounds", "X", "Y", "message"),
    [
        (0, np.eye(3), np.eye(3), "rounds = 0, expected a whole number from 1"),
        (1, np.array([[1.0], [np.nan]]), np.eye(2), "X holds NaN in row 1, column 0"),
        (1, np.eye(3), np.full((3, 1), 0.5), "0 and 1 only"),
        (1, np.eye(3), np.eye(2), "3 rows of features but 2 label sets"),
        (1, np.eye(3), np.ones((3, 0)), "3 training rows of 3 features with 0 labels"),
    ],
)
def test_bad_input(rounds, X, Y, message):
    with pytest.raises(DataError, match=message):
        BoosTexter(rounds).fit(X, Y)


@both
def test_rows_without_features(method):
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        method(1).fit(np.ones((3, 0)), np.eye(3))


@both
def test_bad_queries(method):
    model = method(1).fit(np.eye(3), np.eye(3))
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3"):
        model.predict(np.zeros((1, 2)))
    with pytest.raises(DataError, match="X holds NaN in row 0, column 0"):
        model.predict(np.full((1, 3), np.nan))
