"""Case-based multilabel ranking against section 4 and 5 of brinker2007 in plain Python, by hand, and on real data."""

import csv
import pickle
from fractions import Fraction

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn.datasets._container import Dataset
from labelknn.errors import DataError, LabelknnError
from labelknn.metrics._ranking import above_split, spearman
from labelknn.neighbors._euclidean import k_nearest
from labelknn.ranking._base_case_based import WEIGHTS
from labelknn.ranking._case_based import GRID, CaseBasedRanking
from labelknn.ranking.stats._buckets import generalised_ranks, order_text, strict_ranks
from labelknn.solvers._hold_out import hold_out
from labelknn_papers.data.expression import expression_task


def random_problem(seed, n=30, q=4):
    """Few distinct points and ranks, so that equal distances, ties and empty sides are common."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, (n, 2)).astype(float), rng.integers(1, q + 1, (n, q)), rng.integers(0, 5, (5, 2)) * 1.0


def weigh(weights, far, width):
    """The four kinds of weights by their definitions, for one query."""
    first, last = far[0], far[-1]
    found = {
        "uniform": lambda: [1.0 for _ in far],
        "linear": lambda: [max(1 - d / width, 0) if width else 1.0 for d in far],
        "inverse": lambda: [float(d == 0) for d in far] if first == 0 else [1 / d for d in far],
        "dudani": lambda: [(last - d) / (last - first) if last > first else 1.0 for d in far],
    }[weights]()
    return found if any(found) else [1.0 for _ in far]


def section_5(X, orders, k, query, weights, p):
    """Strict ranks for one query: p columns for the split point, mean ranks, ties to the split, then by index."""
    far = [float(np.sqrt(((x - query) ** 2).sum())) for x in X]
    nearest = sorted(range(len(X)), key=lambda row: (far[row], row))[:k]
    center = X.mean(axis=0)
    width = 2 * max(np.sqrt(((x - center) ** 2).sum()) for x in X)
    by_row = weigh(weights, [far[row] for row in nearest], width)
    q = orders.shape[1]
    means = [Fraction(0)] * q
    for row, weight in zip(nearest, by_row, strict=True):
        order = [*orders[row], *[orders[row, -1]] * (p - 1)]
        for label in range(q):
            before, within = sum(r < order[label] for r in order), sum(r == order[label] for r in order)
            means[label] += Fraction(weight) * (before + Fraction(within + 1, 2))
    rounded = [round(float(mean / sum(map(Fraction, by_row))), 8) for mean in means]
    best_first = sorted(range(q), key=lambda label: (rounded[label], label != q - 1, label))
    return [best_first.index(label) + 1 for label in range(q)]


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.sampled_from(WEIGHTS), st.sampled_from([1, 2, 7]))
@settings(max_examples=60, deadline=None)
def test_equals_the_definition(seed, k, weights, p):
    X, orders, queries = random_problem(seed)
    output = CaseBasedRanking(k, weights=weights, p=p).fit(X, orders)._output(queries)
    for i, query in enumerate(queries):
        assert output["ranks"][i].tolist() == section_5(X, orders, k, query, weights, p)
    np.testing.assert_array_equal(output["split"], above_split(output["ranks"]))
    np.testing.assert_array_equal(np.sort(output["ranks"], axis=1), np.tile([1, 2, 3, 4], (5, 1)))


@given(st.integers(0, 2**32 - 1), st.sampled_from(WEIGHTS), st.sampled_from(["ranking", "bipartition"]))
@settings(max_examples=20, deadline=None)
def test_k_is_chosen_on_held_out_training_rows(seed, weights, targets):
    """All k at once give what each k alone gives, scored against the whole rankings."""
    X, orders, _ = random_problem(seed)
    options = {"weights": weights, "targets": targets}
    model = CaseBasedRanking(grid=(5, 1, 3, 15, 151), random_state=seed, **options).fit(X, orders)
    learned, held_out = hold_out(len(X), 0.7, seed)
    assert list(model.grid_spearman_) == [1, 3, 5, 15]
    for k, found in model.grid_spearman_.items():
        alone = CaseBasedRanking(k, **options).fit(X[learned], orders[learned])
        assert found == pytest.approx(spearman(orders[held_out], alone.predict(X[held_out])))
    best = max(model.grid_spearman_.values())
    assert model.k_ == min(k for k, value in model.grid_spearman_.items() if value == best)
    refitted = CaseBasedRanking(model.k_, **options).fit(X, orders)
    np.testing.assert_array_equal(model.predict(X), refitted.predict(X))


def test_held_out_rows_follow_from_the_seed():
    learned, held_out = hold_out(10, 0.7, 1)
    assert len(learned) == 7
    np.testing.assert_array_equal(np.sort(np.concatenate([learned, held_out])), np.arange(10))
    np.testing.assert_array_equal(hold_out(10, 0.7, 1)[0], learned)
    assert any(not np.array_equal(hold_out(10, 0.7, seed)[0], learned) for seed in range(2, 6))
    with pytest.raises(DataError, match="1 training rows are too few to hold out 30%"):
        hold_out(1, 0.7, 0)


def test_the_papers_grid():
    assert len(GRID) == 20
    assert (GRID[:8], GRID[-1]) == ((1, 3, 5, 7, 9, 11, 21, 31), 151)


def test_bipartitions_lose_the_order_within_the_sides():
    """a > b > | > c, once: from the bipartition a and b tie, and the lower index comes first."""
    X, orders = np.zeros((1, 1)), np.array([[2, 1, 4, 3]])
    assert CaseBasedRanking(1).fit(X, orders).predict(X).tolist() == [[2, 1, 4, 3]]
    assert CaseBasedRanking(1, targets="bipartition").fit(X, orders).predict(X).tolist() == [[1, 2, 4, 3]]


def test_weights_by_hand():
    """Neighbours at 1, 2 and 4 of rows from 1 to 5 (mean 3, so 4 wide)."""
    X, orders = np.array([[1.0], [2.0], [4.0], [5.0]]), np.tile([1, 2, 3], (4, 1))
    expected = {
        "uniform": [1, 1, 1],
        "linear": [3 / 4, 2 / 4, 0],
        "inverse": [1, 1 / 2, 1 / 4],
        "dudani": [1, 2 / 3, 0],
    }
    for weights, values in expected.items():
        model = CaseBasedRanking(3, weights=weights).fit(X, orders)
        np.testing.assert_allclose(model.explain(np.zeros((1, 1))).weights, [values])


def test_zero_and_equal_distances():
    X, orders = np.array([[0.0], [0.0], [1.0]]), np.array([[1, 3, 2], [1, 3, 2], [3, 1, 2]])
    for weights in WEIGHTS:
        model = CaseBasedRanking(3, weights=weights).fit(X, orders)
        assert model.predict(np.zeros((1, 1))).tolist() == [[1, 3, 2]]
        assert np.isfinite(model.explain(np.zeros((1, 1))).weights).all()
    everywhere = np.ones((3, 2))  # no distances at all: all weights are 1, the rows with the lowest numbers are next
    for weights in WEIGHTS:
        model = CaseBasedRanking(2, weights=weights).fit(everywhere, orders)
        found = model.explain(everywhere[:1])
        np.testing.assert_array_equal(found.weights, [[1, 1]])
        np.testing.assert_array_equal(found.rows, [[0, 1]])


def test_queries_beyond_the_training_rows_still_count_their_neighbours():
    X, orders = np.array([[0.0], [1.0]]), np.array([[1, 2], [1, 2]])
    np.testing.assert_array_equal(
        CaseBasedRanking(2, weights="linear").fit(X, orders).explain([[9.0]]).weights, [[1, 1]]
    )


def test_an_explanation_adds_up_to_the_prediction():
    X, orders, queries = random_problem(3)
    model = CaseBasedRanking(4, weights="inverse").fit(X, orders)
    found = model.explain(queries)
    np.testing.assert_array_equal(found.orders, orders[found.rows])
    np.testing.assert_allclose(found.distances, np.linalg.norm(X[found.rows] - queries[:, None], axis=2))
    ranks = generalised_ranks(found.orders.reshape(-1, 4)).reshape(found.orders.shape)
    means = (found.weights[:, :, None] * ranks).sum(axis=1) / found.weights.sum(axis=1)[:, None]
    np.testing.assert_array_equal(strict_ranks(means), model.predict(queries))
    assert "|" in order_text(found.orders[0, 0], "abc")


def test_shared_search_and_threads_change_nothing():
    rng = np.random.default_rng(5)
    X, queries = rng.normal(size=(90, 3)), rng.normal(size=(30, 3))
    orders = rng.integers(1, 6, (90, 5))
    model = CaseBasedRanking(weights="linear")
    needed = model._neighbors_needed(len(X))
    assert needed == 61
    alone = model.fit(X, orders)._output(queries)
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        shared = clone(model).fit(X, orders, neighbors=k_nearest(X, needed))
        output = shared._output(queries, neighbors=k_nearest(X, needed, queries))
    finally:
        numba.set_num_threads(threads)
    for key, array in alone.items():
        np.testing.assert_array_equal(array, output[key])


def test_scikit_learn_conventions():
    X, Y = np.arange(4.0)[:, None], np.array([[2, 1], [1, 2], [2, 2], [1, 1]])
    model = CaseBasedRanking(k=2)
    with pytest.raises(NotFittedError):
        model.predict(X)
    model = clone(model).fit(X, Y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_any_seed_of_the_held_out_rows():
    X, orders, queries = random_problem(4)
    assert CaseBasedRanking(random_state=None).fit(X, orders).predict(queries).shape == (5, 4)


def test_names_of_the_labels_are_kept():
    X, orders, queries = random_problem(4)
    named = CaseBasedRanking(3).fit(X, pd.DataFrame(orders, columns=["a", "b", "c", "|"]))
    assert named.label_names_.tolist() == ["a", "b", "c", "|"]
    np.testing.assert_array_equal(named.predict(queries), CaseBasedRanking(3).fit(X, orders).predict(queries))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"k": 4}, "k = 4 neighbours asked for, 3 rows"),
        ({"k": 0}, "k = 0"),
        ({"grid": (3, 10)}, "a value up to 2, 70 % of rows"),
        ({"grid": (0, 1)}, "must be positive"),
        ({"k": 1, "p": 0}, "p = 0 virtual labels, expected a whole number from 1 on"),
        ({"k": 1, "p": 1.5}, r"p = 1\.5 virtual labels"),
        ({"k": 1, "weights": "linaer"}, "linear"),
        ({"k": 1, "targets": "sets"}, "bipartition"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(LabelknnError, match=message):
        CaseBasedRanking(**params).fit(np.arange(3.0)[:, None], np.tile([1, 2], (3, 1)))


@pytest.mark.parametrize(
    ("X", "Y", "message"),
    [
        ([[0.0], [np.nan]], [[1, 2], [1, 2]], "X holds NaN in row 1, column 0"),
        ([[0.0], [1.0]], [[1, 2], [1, 0]], "row 1 has no split point"),
        ([[0.0], [1.0]], [[1, 2], [0, 1]], "rank 0 of label 0 in row 1"),
        ([[0.0], [1.0]], [[0, 1], [1, 0]], "ranks start at 1, the best, so add 1"),
    ],
)
def test_bad_data(X, Y, message):
    with pytest.raises(DataError, match=message):
        CaseBasedRanking(1).fit(np.array(X), np.array(Y))


@pytest.mark.mirror
@pytest.mark.parametrize(("task", "knn", "knn_r"), [("spo", 0.1858, 0.1691), ("cold", 0.2739, 0.2719)])
def test_reproduces_table_2(mirror, task, knn, knn_r):
    """Three splits; the standard deviation of one is below .02."""
    with open(mirror / "yeast-expression" / "expected_exp_phylo.csv", encoding="utf-8", newline="") as file:
        (_, *names), *rows = csv.reader(file)
    genes = Dataset("yeast", "regression", np.array([row[1:] for row in rows], float), None, tuple(names))
    data = expression_task(genes, task)
    for targets, published in (("ranking", knn), ("bipartition", knn_r)):
        found = []
        for seed in range(3):
            train, test = hold_out(data.n, 0.7, seed)
            model = CaseBasedRanking(targets=targets, random_state=seed).fit(data.X[train], data.Y[train])
            found.append(spearman(data.Y[test], model.predict(data.X[test])))
        assert np.mean(found) == pytest.approx(published, abs=0.03)
