"""Constraint classification against a plain perceptron that skips nothing, by hand, and against cheng2009's Table 2."""

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from labelknn.datasets._kebi import read_kebi
from labelknn.errors import DataError
from labelknn.metrics._ranking import kendall_tau
from labelknn.ranking._cc import ConstraintClassification


def plain_perceptron(X, ranks, alpha, max_epochs, seed):
    """Every visit, every pair, one weight at a time; returns the weights after each visit and the counts of the run."""
    rows = [[*map(float, x), 1.0] for x in X]
    q = ranks.shape[1]
    W = [[0.0] * len(rows[0]) for _ in range(q)]
    active = []
    for row in ranks:
        labels = sorted((label for label in range(q) if row[label] > 0), key=lambda label: row[label])
        active.append({(a, b): 0 for place, a in enumerate(labels) for b in labels[place + 1 :]})
    order = [i for i in range(len(rows)) if active[i]]
    state = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]) | 1
    epochs = updates = ignored = 0
    history = []
    while epochs < max_epochs:
        epochs += 1
        for m in range(len(order), 1, -1):
            state ^= (state << 13) % 2**64
            state ^= state >> 7
            state ^= (state << 17) % 2**64
            j = ((state >> 32) * m) >> 32
            order[m - 1], order[j] = order[j], order[m - 1]
        before = updates
        for i in order:
            x = rows[i]
            square = 0.0
            for value in x:
                square += value * value
            u = [0.0] * q
            for label in range(q):
                for w, value in zip(W[label], x, strict=True):
                    u[label] += w * value
            wins = [0] * q
            for (a, b), strikes in list(active[i].items()):
                if u[a] - u[b] <= 0:
                    updates += 1
                    u[a], u[b] = u[a] + square, u[b] - square
                    wins[a], wins[b] = wins[a] + 1, wins[b] - 1
                    active[i][a, b] = strikes + 1
                    if strikes + 1 == alpha:
                        del active[i][a, b]
                        ignored += 1
            for label in range(q):
                if wins[label]:
                    W[label] = [w + wins[label] * value for w, value in zip(W[label], x, strict=True)]
            history.append(np.array(W))
        order = [i for i in order if active[i]]
        if updates == before:
            break
    return history, np.array(W), {"n_iter_": epochs, "n_updates_": updates, "n_ignored_": ignored}


def noisy_rankings(rng, n, d, q, noise, missing):
    """Rankings by noisy linear utilities, with labels missing at random."""
    X = rng.normal(size=(n, d))
    utilities = X @ rng.normal(size=(d, q)) + rng.normal(size=q) + noise * rng.normal(size=(n, q))
    ranks = np.argsort(np.argsort(-utilities, axis=1), axis=1) + 1
    return X, np.where(rng.random((n, q)) < missing, 0, ranks)


def fit_quietly(X, ranks, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return ConstraintClassification(**params).fit(X, ranks)


def weights_of(model):
    return np.column_stack([model.coef_, model.intercept_])


@given(
    seed=st.integers(0, 2**32 - 1),
    q=st.integers(2, 6),
    alpha=st.integers(1, 20),
    noise=st.sampled_from([0.0, 0.1, 1.0]),
    missing=st.sampled_from([0.0, 0.3]),
)
@settings(max_examples=25, deadline=None)
def test_equals_the_plain_perceptron(seed, q, alpha, noise, missing):
    X, ranks = noisy_rankings(np.random.default_rng(seed), 12, 2, q, noise, missing)
    if ((ranks > 0).sum(axis=1) < 2).all():
        return
    history, W, counts = plain_perceptron(X, ranks, alpha, 80, seed)
    model = fit_quietly(X, ranks, alpha=alpha, max_epochs=80, random_state=seed)
    np.testing.assert_array_equal(weights_of(model), W)
    assert {name: getattr(model, name) for name in counts} == counts
    averaged = fit_quietly(X, ranks, alpha=alpha, max_epochs=80, average=True, random_state=seed)
    np.testing.assert_allclose(weights_of(averaged), np.mean(history, axis=0), atol=1e-9)


@pytest.mark.parametrize(("seed", "n", "d"), [(0, 60, 2), (1, 60, 2), (2, 60, 2), (2, 300, 1)])
def test_skipping_visits_changes_no_bit(seed, n, d):
    """The last case is a long run, in which the weights go far from where skipping began."""
    X, ranks = noisy_rankings(np.random.default_rng(seed), n, d, 3, 0.01, 0.0)
    if n == 60:
        ranks[:2] = 4 - ranks[:2]  # two rankings that no linear utilities agree with
    _, W, counts = plain_perceptron(X, ranks, 100, 400, seed)
    model = fit_quietly(X, ranks, alpha=100, max_epochs=400, random_state=seed)
    assert model.n_skipped_ > 0
    assert model.n_ignored_ > 0
    np.testing.assert_array_equal(weights_of(model), W)
    assert {name: getattr(model, name) for name in counts} == counts


def test_one_example_by_hand():
    """x = (2, 1) with the constant, |x|² = 5, a before b before c, from weights 0.

    a-b is violated: u = (5, -5, 0). a-c holds. b-c is violated: u = (5, 0, -5). So w_a = x, w_b = 0, w_c = -x, and the
    second epoch finds nothing to do.
    """
    model = ConstraintClassification().fit([[2.0]], np.array([[1, 2, 3]]))
    np.testing.assert_array_equal(model.coef_, [[2], [0], [-2]])
    np.testing.assert_array_equal(model.intercept_, [1, 0, -1])
    assert (model.n_iter_, model.n_updates_, model.converged_) == (2, 2, True)


def test_alpha_trick_by_hand():
    """Two examples contradict each other in the same point: in each epoch both are violated and undo each other's
    update, until both have α strikes. The next epoch has no example left."""
    model = ConstraintClassification(alpha=7).fit(np.zeros((2, 1)), np.array([[1, 2], [2, 1]]))
    assert (model.n_iter_, model.n_updates_, model.n_ignored_) == (8, 14, 2)
    np.testing.assert_array_equal(weights_of(model), np.zeros((2, 2)))


def test_a_constraint_is_corrected_the_alphath_time_too():
    model = ConstraintClassification(alpha=1).fit([[2.0]], np.array([[1, 2]]))
    assert (model.n_updates_, model.n_ignored_) == (1, 1)
    np.testing.assert_array_equal(model.coef_, [[2], [-2]])


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_separable_rankings_are_learned_without_ignoring_any(missing):
    X, ranks = noisy_rankings(np.random.default_rng(1), 100, 3, 5, 0.0, missing)
    model = ConstraintClassification(alpha=10**6).fit(X, ranks)
    assert model.converged_
    assert model.n_ignored_ == 0
    assert kendall_tau(ranks, model.predict(X)) == 1


def test_rankings_without_a_pair_do_not_count():
    X, ranks = noisy_rankings(np.random.default_rng(2), 40, 3, 4, 0.3, 0.3)
    more = np.vstack([ranks, [[0, 0, 0, 0], [0, 1, 0, 0]]])
    alone = ConstraintClassification(alpha=20).fit(X, ranks)
    together = ConstraintClassification(alpha=20).fit(np.vstack([X, [[9, 9, 9], [-9, 9, 0]]]), more)
    np.testing.assert_array_equal(weights_of(together), weights_of(alone))


def test_only_the_order_of_ranks_counts():
    X = np.random.default_rng(3).normal(size=(2, 2))
    closed, with_gaps = np.array([[1, 0, 2, 3], [2, 1, 0, 0]]), np.array([[1, 0, 3, 4], [4, 2, 0, 0]])
    np.testing.assert_array_equal(
        weights_of(ConstraintClassification().fit(X, with_gaps)), weights_of(ConstraintClassification().fit(X, closed))
    )


def test_a_label_in_no_pair_has_utility_zero():
    X, ranks = noisy_rankings(np.random.default_rng(4), 30, 2, 4, 0.1, 0.0)
    ranks[:, 2] = 0
    np.testing.assert_array_equal(ConstraintClassification(alpha=10).fit(X, ranks).utilities(X)[:, 2], np.zeros(30))


def test_renaming_the_labels_renames_the_weights():
    X, ranks = noisy_rankings(np.random.default_rng(5), 60, 3, 5, 0.5, 0.2)
    renamed = np.array([3, 0, 4, 1, 2])
    model, other = (ConstraintClassification(alpha=30).fit(X, Y) for Y in (ranks, ranks[:, renamed]))
    np.testing.assert_array_equal(weights_of(other), weights_of(model)[renamed])


@pytest.mark.parametrize("average", [False, True])
def test_weights_sum_to_zero_over_the_labels(average):
    """Each update adds to one label what it takes from another."""
    rng = np.random.default_rng(6)
    X, ranks = noisy_rankings(rng, 50, 3, 5, 0.5, 0.2)
    model = ConstraintClassification(alpha=20, average=average).fit(X, ranks)
    np.testing.assert_allclose(weights_of(model).sum(axis=0), 0, atol=1e-9)


def test_equal_utilities_rank_the_lower_label_first():
    model = ConstraintClassification(alpha=3).fit(np.zeros((2, 1)), np.array([[1, 2, np.nan], [2, 1, np.nan]]))
    np.testing.assert_array_equal(model.predict([[1.0]]), [[1, 2, 3]])


def test_same_seed_same_bits_also_in_threads():
    X, ranks = noisy_rankings(np.random.default_rng(7), 200, 4, 5, 0.5, 0.2)

    def fit(seed):
        return weights_of(ConstraintClassification(alpha=30, random_state=seed).fit(X, ranks))

    alone = [fit(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for ours, theirs in zip(alone, pool.map(fit, range(4)), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert not np.array_equal(alone[0], alone[1])


def test_training_data_stay_as_they_are():
    X, ranks = noisy_rankings(np.random.default_rng(8), 30, 2, 4, 0.5, 0.2)
    X_before, ranks_before = X.copy(), ranks.copy()
    ConstraintClassification(alpha=5).fit(X, ranks)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(ranks, ranks_before)


def test_warm_start_goes_on_from_the_last_weights():
    X, ranks = noisy_rankings(np.random.default_rng(9), 100, 3, 5, 0.0, 0.0)
    model = ConstraintClassification(alpha=10**6, warm_start=True).fit(X, ranks)
    learned = weights_of(model)
    model.fit(X, ranks)
    assert (model.n_iter_, model.n_updates_) == (1, 0)
    np.testing.assert_array_equal(weights_of(model), learned)
    with pytest.raises(DataError, match="for 5 labels and 3 features, but the data have 5 and 2"):
        model.fit(X[:, :2], ranks)
    assert model.set_params(warm_start=False).fit(X, ranks).n_iter_ > 1


def test_too_few_epochs_warn_unless_weights_are_averaged():
    X, ranks = noisy_rankings(np.random.default_rng(10), 50, 2, 4, 1.0, 0.0)
    with pytest.warns(ConvergenceWarning, match="still violated after 3 epochs"):
        model = ConstraintClassification(max_epochs=3).fit(X, ranks)
    assert not model.converged_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ConstraintClassification(max_epochs=3, average=True).fit(X, ranks)


def test_scikit_learn_conventions():
    model = ConstraintClassification(alpha=20, max_epochs=50, average=True, random_state=3)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        model.predict(np.zeros((1, 2)))
    X, ranks = noisy_rankings(np.random.default_rng(11), 30, 2, 4, 0.3, 0.0)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model.fit(X, ranks))).predict(X), model.predict(X))


def test_constant_features_are_harmless():
    X, ranks = noisy_rankings(np.random.default_rng(12), 50, 2, 4, 0.3, 0.0)
    model = ConstraintClassification(alpha=20).fit(np.ones((50, 2)), ranks)
    assert len(np.unique(model.predict(X * 0 + 1), axis=0)) == 1


X4, RANKS4 = np.arange(8.0).reshape(4, 2), np.array([[1, 2], [2, 1], [1, 2], [2, 1]])


@pytest.mark.parametrize(
    ("params", "X", "ranks", "message"),
    [
        ({"alpha": 0}, X4, RANKS4, "alpha = 0, expected a whole number from 1"),
        ({"max_epochs": 0}, X4, RANKS4, "max_epochs = 0, expected a whole number from 1"),
        ({}, np.where(X4 == 5, np.nan, X4), RANKS4, "X holds NaN in row 2, column 1"),
        ({}, X4 * 1e200, RANKS4, "too large"),
        ({}, X4, RANKS4[:3], "4 rows of features but 3 rankings"),
        ({}, X4, -RANKS4, "rank -1 of label 0 in row 0"),
        ({}, X4, RANKS4 / 2, "rank 0.5 of label 0 in row 0"),
        ({}, X4, np.ones((4, 2)), "occurs twice in row 0"),
        ({}, X4, np.zeros((4, 2)), "none of 4 rankings has two labels"),
        ({}, X4, np.array([[1, 0], [0, 0], [0, 0], [1, 0]]), "none of 4 rankings has two labels"),
    ],
)
def test_bad_input(params, X, ranks, message):
    with pytest.raises(DataError, match=message):
        ConstraintClassification(**params).fit(X, ranks)


def test_bad_queries():
    model = ConstraintClassification(alpha=5).fit(X4, RANKS4)
    with pytest.raises(ValueError, match="X has 3 features, but ConstraintClassification is expecting 2"):
        model.predict(np.zeros((1, 3)))
    with pytest.raises(DataError, match="X holds inf in row 0, column 1"):
        model.predict([[0.0, np.inf]])


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("name", "missing", "published"),
    [("housing", 0.0, 0.660), ("housing", 0.6, 0.638), ("vehicle", 0.0, 0.855), ("glass", 0.3, 0.835)],
)
def test_table_2(mirror, name, missing, published):
    """One ten-fold cross-validation; its mean has a standard error of about .01 on these small sets."""
    data = read_kebi(name, mirror / "label-ranking/published", file=f"{name}.txt")
    rng = np.random.default_rng(0)
    folds = rng.integers(0, 10, data.n)
    observed = np.where(rng.random(data.Y.shape) < missing, 0, data.Y)
    predicted = np.empty_like(data.Y)
    for fold in range(10):
        model = ConstraintClassification(random_state=fold).fit(data.X[folds != fold], observed[folds != fold])
        predicted[folds == fold] = model.predict(data.X[folds == fold])
    assert kendall_tau(data.Y, predicted) == pytest.approx(published, abs=0.02)
