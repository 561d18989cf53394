"""Estimators that know nothing of labelknn: what they may have, and what they are told if they have it not."""

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from labelknn.datasets._container import Dataset
from labelknn.errors import ConfigError, DataError
from labelknn_papers.plan.protocol import Protocol, make_splits
from labelknn_papers.run.adapter import Adapter, expected_ranks
from labelknn_papers.run.cell import run_cell
from labelknn_papers.run.score import score_cell

N, Q = 40, 3
RNG = np.random.default_rng(4)
X = RNG.normal(size=(N, 2))
SETS = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, np.ones(N, bool)])  # the last label is in all sets
RANKS = np.argsort(np.argsort(-X @ RNG.normal(size=(2, Q)), axis=1), axis=1) + 1


def scores_of(reference, task):
    Y = sparse.csr_matrix(SETS) if task == "multilabel" else RANKS
    data = Dataset("toy", task, X, Y, ("x", "y"), tuple("abc"))
    splits = make_splits(Protocol("cross-validation", folds=2), data, 1)
    predictions, _ = run_cell(data, splits, {"class": reference, "params": {}}, 1)
    found = score_cell("p", "mine", data, splits, predictions)
    return {one.metric: one.value for one in found if one.fold == 0}


class Says:
    """Gives what it was made with; `names` are the methods that it has."""

    def __init__(self, **answers):
        self.answers = answers
        for name, answer in answers.items():
            setattr(self, name, lambda X, answer=answer: answer)

    def fit(self, X, Y):
        self.seen = Y
        return self


def output(task="multilabel", Y=SETS, **answers):
    return (
        Adapter(Says(**answers), "mine:Says", task)
        .fit(X, sparse.csr_matrix(Y) if task == "multilabel" else Y)
        ._output(X)
    )


def test_the_examples_learn_something():
    sets = scores_of("labelknn_papers.example:NearestSets", "multilabel")
    assert sets["hamming_loss"] < 0.3
    assert "ranking_loss" in sets
    assert scores_of("labelknn_papers.example:NearestRanking", "ranking")["kendall_tau"] > 0.5


def test_an_estimator_of_scikit_learn_by_its_name():
    found = scores_of("sklearn.neighbors:KNeighborsClassifier", "multilabel")
    assert found["hamming_loss"] < 0.3
    assert found["one_error"] == 0, "the label in all sets is first"


def test_probabilities_by_class():
    said = Adapter(KNeighborsClassifier(3), "knn", "multilabel").fit(X, sparse.csr_matrix(SETS))._output(X)
    assert said["scores"].shape == (N, Q)
    assert (said["scores"][:, 2] == 1).all()
    never = np.column_stack([SETS[:, :2], np.zeros(N, bool)])
    said = Adapter(KNeighborsClassifier(3), "knn", "multilabel").fit(X, sparse.csr_matrix(never))._output(X)
    assert (said["scores"][:, 2] == 0).all()


def test_what_is_there_is_used():
    assert set(output(predict=SETS)) == {"sets"}
    by_chance = np.where(SETS, 0.7, 0.2)
    for answers in ({"predict_proba": by_chance}, {"decision_function": by_chance - 0.5}):
        said = output(**answers)
        np.testing.assert_array_equal(said["sets"], SETS)
        np.testing.assert_array_equal(said["scores"], next(iter(answers.values())))
    both = output(predict=sparse.csr_matrix(~SETS), predict_proba=by_chance)
    np.testing.assert_array_equal(both["sets"], ~SETS)
    np.testing.assert_array_equal(output("ranking", RANKS, predict=RANKS.astype(float))["ranks"], RANKS)


def test_label_sets_are_learnt_as_zeros_and_ones():
    adapter = Adapter(Says(predict=SETS), "mine:Says", "multilabel").fit(X, sparse.csr_matrix(SETS))
    np.testing.assert_array_equal(adapter.estimator.seen, SETS.astype(int))
    assert adapter.get_params() == {}


@pytest.mark.parametrize(
    ("task", "answers", "message"),
    [
        (
            "multilabel",
            {"predict": SETS[:, 0]},
            r"predict gave an array of shape \(40,\).*expected label sets .*\(40, 3\)",
        ),
        ("multilabel", {"predict": SETS + 1}, "predict gave 2 in a label set; expected 0 and 1"),
        ("multilabel", {"predict_proba": SETS[:3]}, r"predict_proba gave .* \(3, 3\).*expected scores"),
        (
            "multilabel",
            {"decision_function": np.full((N, Q), np.nan)},
            "decision_function gave a score that is no finite",
        ),
        ("ranking", {"predict": RANKS - 1}, "predict gave the rank 0; expected 1"),
        ("ranking", {"predict": np.array([["a"] * Q] * N)}, "type <U1; expected ranks as numbers"),
    ],
)
def test_a_wrong_answer_is_refused_with_what_is_expected(task, answers, message):
    with pytest.raises(DataError, match=rf"mine:Says: .*{message}"):
        output(task, SETS if task == "multilabel" else RANKS, **answers)


def test_a_missing_method_is_named():
    with pytest.raises(ConfigError, match="x has no method predict or predict_proba or decision_function; expected:"):
        Adapter(Says(), "x", "multilabel")
    with pytest.raises(ConfigError, match=r"x has no method fit and no predict; expected: .* \(n, q\) ranks"):
        Adapter(object(), "x", "ranking")


def test_missing_labels_are_where_they_are_on_average():
    for row in ([1, 2, 0, 3], [0, 1, 0, 2], [2, 1, 3, 4], [0, 0, 0, 0]):
        ranked = [label for label in np.argsort(row) if row[label]]
        orders = [order for order in permutations(range(4)) if [one for one in order if one in ranked] == ranked]
        ranks = np.array([[order.index(label) + 1 for label in range(4)] for order in orders])
        np.testing.assert_allclose(expected_ranks(np.array([row]))[0], ranks.mean(axis=0))


def test_a_regressor_ranks_by_what_it_predicts():
    adapter = Adapter(KNeighborsRegressor(1), "knn", "ranking").fit(X, RANKS)
    np.testing.assert_array_equal(adapter._output(X)["ranks"], RANKS)
    two = np.array([[1, 2, 3], [2, 1, 3]])
    tied = Adapter(KNeighborsRegressor(2), "knn", "ranking").fit(np.zeros((2, 1)), two)
    assert tied._output(np.zeros((1, 1)))["ranks"].tolist() == [[1, 1, 3]], "what is equal is tied"
    chosen = Adapter(GridSearchCV(KNeighborsRegressor(), {"n_neighbors": [1, 3]}, cv=3), "chosen", "ranking")
    assert (chosen.fit(X, RANKS)._output(X)["ranks"] >= 1).all()
