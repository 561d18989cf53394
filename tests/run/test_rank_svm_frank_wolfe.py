"""Rank-SVM by Frank and Wolfe's method: its linear programmes, its dual, and its constant terms."""

import numpy as np
import pytest
from scipy.optimize import linprog

from labelknn.datasets._container import TEST, TRAIN
from labelknn.datasets._mulan import read_mulan
from labelknn.errors import DataError
from labelknn.metrics import evaluate
from labelknn_papers.run.rank_svm_frank_wolfe import RankSVMFrankWolfe, _Pairs


def random_data(seed, n=40, q=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) / 3
    Y = X @ rng.normal(size=(3, q)) + 0.3 * rng.normal(size=(n, q)) > 0
    Y[:2] = [[True] * q, [False] * q]  # these say nothing
    return X, Y


def primal(model, Y, C, constants):
    """½ Σ |w_k|² and the mean hinge loss of each row's pairs."""
    gram = model._kernel(model.X_)
    (coef, _, _), loss = model.stages_[model.iterations], 0.0
    scores = gram @ coef + constants
    for i, row in enumerate(Y):
        if 0 < row.sum() < len(row):
            missing = 1 - scores[i][row][:, None] + scores[i][~row][None]
            loss += C * np.maximum(missing, 0).mean()
    return (coef * (gram @ coef)).sum() / 2 + loss


@pytest.mark.parametrize("seed", range(6))
def test_the_flow_is_the_best_whatever_prices_it_starts_from(seed):
    rng = np.random.default_rng(seed)
    pairs = _Pairs(random_data(seed)[1], 1.0)
    gains, prices = rng.normal(size=len(pairs.rows)), np.zeros(4)
    whole = linprog(
        -gains, A_eq=pairs.balance, b_eq=np.zeros(4), bounds=np.column_stack([np.zeros(len(gains)), pairs.capacity])
    )
    for _ in range(3):
        flow, prices = pairs.best_flow(gains, prices)
        assert gains @ flow == pytest.approx(-whole.fun)
        assert np.abs(pairs.balance @ flow).max() < 1e-9
        assert ((flow >= -1e-12) & (flow <= pairs.capacity + 1e-12)).all()
        prices = prices + rng.normal(size=4)


def test_the_dual_rises_to_the_primal():
    X, Y = random_data(1)
    model = RankSVMFrankWolfe(C=1, degree=2, iterations=400).fit(X, Y)
    assert (np.diff(model.duals_) >= -1e-9).all()
    coef, constants, _ = model.stages_[400]
    np.testing.assert_allclose(coef.sum(axis=0), 0, atol=1e-9)
    best = primal(model, Y, 1, constants)
    assert model.duals_[-1] <= best <= 1.1 * model.duals_[-1]
    assert best < primal(model, Y, 1, constants + np.array([0.5, 0, 0, -0.5]))


def test_several_numbers_of_iterations_at_once_are_what_each_gives_alone():
    X, Y = random_data(2)
    model = RankSVMFrankWolfe(degree=2, iterations=9)
    model._values = (3, 9)
    found = model.fit(X, Y)._outputs(X)
    for iterations, output in found.items():
        alone = RankSVMFrankWolfe(degree=2, iterations=iterations).fit(X, Y)
        np.testing.assert_allclose(alone._output(X)["scores"], output["scores"], rtol=1e-9)
        np.testing.assert_array_equal(alone.predict(X), output["sets"])
        np.testing.assert_array_equal(alone.decision_function(X) > 0, output["sets"])


def test_constants_by_hand():
    """f_1 − f_2 = .4 and f_1 − f_3 = 1.2 ask for b_1 − b_2 = .6 and b_1 − b_3 = −.2; the shortest b sums to 0."""
    pairs = _Pairs(np.array([[True, False, False]]), 1.0)
    constants = pairs.constants(pairs.capacity / 2, np.array([[1.0, 0.6, -0.2]]))
    np.testing.assert_allclose(constants, [0.4 / 3, 0.4 / 3 - 0.6, 0.4 / 3 + 0.2])


def test_pairs_at_their_bounds_say_nothing_about_constants():
    pairs = _Pairs(np.array([[True, False, False]]), 1.0)
    at_bounds = np.array([0.0, 0.5]) * pairs.capacity
    np.testing.assert_allclose(pairs.constants(at_bounds, np.array([[1.0, 0.6, -0.2]])), [-0.1, 0, 0.1], atol=1e-12)


def test_nothing_to_rank():
    with pytest.raises(DataError, match="nothing to rank"):
        RankSVMFrankWolfe().fit(np.eye(3), np.ones((3, 2), int))


@pytest.mark.mirror
@pytest.mark.long
def test_the_printed_coverage_lies_on_the_way(mirror):
    """zhang2005, Table II: 6.717, passed between 20 and 25 iterations; the ranking loss is then near its .179."""
    files = {part: f"yeast-{part}.arff" for part in ("train", "test")}
    data = read_mulan("yeast", mirror / "multilabel" / "yeast", files=files, xml="yeast.xml")
    train, test = data.part == TRAIN, data.part == TEST
    model = RankSVMFrankWolfe(iterations=25)
    model._values = (20, 25)
    found = [
        evaluate("multilabel", data.Y[test], output)
        for output in model.fit(data.X[train], data.Y[train])._outputs(data.X[test]).values()
    ]
    assert found[0]["coverage"] > 6.717 > found[1]["coverage"]
    assert found[0]["ranking_loss"] == pytest.approx(0.179, abs=0.005)
