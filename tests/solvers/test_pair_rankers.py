"""The rankers of neighbours against pairs of them written out one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from labelknn.solvers._pair_rankers import (
    corrected_perceptron,
    margin_perceptron,
    ordered_pairs,
    passive_aggressive,
    ranking_svm,
)


def random_items(seed, n=12, k=4, d=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n * k, d)), rng.integers(0, 3, (n, k))


def pair_differences(items, distances):
    """q_a − q_b for all pairs of a query with distance a < distance b, in the order of `ordered_pairs`."""
    n, k = distances.shape
    return np.array(
        [
            items[i * k + a] - items[i * k + b]
            for i in range(n)
            for a in range(k)
            for b in range(k)
            if distances[i, a] < distances[i, b]
        ]
    ).reshape(-1, items.shape[1])


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0]))
@settings(max_examples=15, deadline=None)
def test_ranking_svm_minimises_the_loss_of_all_pairs(seed, C):
    items, distances = random_items(seed)
    differences = pair_differences(items, distances)

    def objective(w):
        return w @ w / 2 + C * (np.maximum(0, 1 - differences @ w) ** 2).sum()

    found = ranking_svm(items, distances, C, 0, np.random.default_rng(0), tolerance=1e-8)
    best = minimize(objective, np.zeros(3), method="BFGS", options={"gtol": 1e-8})
    assert objective(found) <= best.fun + 1e-8
    np.testing.assert_allclose(found, best.x, atol=1e-4)
    from_sparse = ranking_svm(sparse.csr_matrix(items), distances, C, 0, np.random.default_rng(0), tolerance=1e-8)
    np.testing.assert_allclose(from_sparse, found, atol=1e-6)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=10, deadline=None)
def test_online_rankers_step_by_step(seed):
    items, distances = random_items(seed)
    differences = pair_differences(items, distances)
    rng = np.random.default_rng(seed)
    drawn, signs = rng.integers(len(differences), size=50), rng.choice([-1, 1], size=50)
    aggressive, corrected, perceptron = np.zeros((3, 3))
    for t, (x, y) in enumerate(zip(differences[drawn], signs, strict=True), start=1):
        aggressive += max(0, 1 - aggressive @ x) / (x @ x) * x
        corrected += (corrected @ x < 1) * x / (0.1 * t)
        first_minus_second = y * x  # of the pair as it comes; the program's step does not ask which is the better one
        perceptron += (y * (perceptron @ first_minus_second) < 1) * first_minus_second / (0.1 * t)
    for ranker, expected in (
        (passive_aggressive, aggressive),
        (corrected_perceptron, corrected),
        (margin_perceptron, perceptron),
    ):
        found = ranker(items, distances, 0, 50, np.random.default_rng(seed))
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
        of_sparse = ranker(sparse.csr_matrix(items), distances, 0, 50, np.random.default_rng(seed))
        np.testing.assert_array_equal(of_sparse, found)


def test_pairs_by_hand():
    better, worse = ordered_pairs(np.array([[2, 0, 2], [1, 1, 1], [0, 3, 1]]))
    assert list(zip(better.tolist(), worse.tolist(), strict=True)) == [(1, 0), (1, 2), (6, 7), (6, 8), (8, 7)]
