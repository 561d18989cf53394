"""Scorers: the value of the measure for what an estimator predicts, with scikit-learn's tools and estimators."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from labelknn.errors import ConfigError, DataError
from labelknn.metrics import METRICS, above_split, evaluate, scorer, scorer_names

X, Y = make_multilabel_classification(n_samples=90, n_features=6, n_classes=4, random_state=0)
FOLDS = KFold(3)
LABEL_METRICS = [name for name, metric in METRICS.items() if metric.task == "multilabel"]


class Says:
    """An estimator that has these methods, each of which gives a known array."""

    def __init__(self, **answers):
        for method, answer in answers.items():
            setattr(self, method, lambda X, answer=answer: answer)


def by_label(estimator, X):
    """The probability of 1 in the words of its definition, from scikit-learn's list of arrays."""
    scores = np.zeros((len(X), len(estimator.classes_)))
    for label, (classes, shares) in enumerate(zip(estimator.classes_, estimator.predict_proba(X), strict=True)):
        for column, value in enumerate(classes):
            scores[:, label] += value * shares[:, column]
    return scores


def columns(estimator, X):
    return estimator.predict_proba(X)


def decisions(estimator, X):
    return estimator.decision_function(X)


ESTIMATORS = {
    "KNeighborsClassifier": (KNeighborsClassifier(), by_label),
    "RandomForestClassifier": (RandomForestClassifier(5, random_state=0), by_label),
    "DecisionTreeClassifier": (DecisionTreeClassifier(max_depth=3, random_state=0), by_label),
    "MultiOutputClassifier": (MultiOutputClassifier(LogisticRegression()), by_label),
    "MLPClassifier": (MLPClassifier((4,), solver="lbfgs", max_iter=30, random_state=0), columns),
    "OneVsRestClassifier of probabilities": (OneVsRestClassifier(LogisticRegression()), columns),
    "OneVsRestClassifier of decisions": (OneVsRestClassifier(LinearSVC()), decisions),
    "RidgeClassifier": (RidgeClassifier(), decisions),
    "Pipeline": (make_pipeline(MinMaxScaler(), KNeighborsClassifier()), by_label),
    "Pipeline of decisions": (make_pipeline(MinMaxScaler(), RidgeClassifier()), decisions),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_metric_of_label_sets_scores_estimators_of_scikit_learn(name):
    estimator, scores = ESTIMATORS[name]
    found = cross_validate(estimator, X, Y, cv=FOLDS, scoring={name: scorer(name) for name in LABEL_METRICS})
    for fold, (train, test) in enumerate(FOLDS.split(X)):
        fitted = clone(estimator).fit(X[train], Y[train])
        answer = {"sets": fitted.predict(X[test]), "scores": scores(fitted, X[test])}
        expected = evaluate("multilabel", Y[test], answer)
        for metric, value in expected.items():
            sign = -1 if METRICS[metric].lower_is_better else 1
            assert found[f"test_{metric}"][fold] == sign * value, metric


def test_losses_are_negated():
    scores = cross_val_score(KNeighborsClassifier(), X, Y, scoring=scorer("hamming_loss"))
    assert (scores < 0).all()
    assert scorer("hamming_loss").__name__ == "neg_hamming_loss"
    assert scorer("micro_f1").__name__ == "micro_f1"


def test_a_grid_search_takes_the_best():
    searched = {}
    for name in ("ranking_loss", "average_precision"):
        search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 15]}, scoring=scorer(name), cv=FOLDS)
        searched[name] = search.fit(X, Y)
        means = search.cv_results_["mean_test_score"]
        assert search.best_score_ == means.max()
        assert np.isfinite(means).all()
    # One neighbour gives shares of 0 and 1, which say little of the order.
    assert {search.best_params_["n_neighbors"] for search in searched.values()} == {15}
    # A search is an estimator, and a scorer is its parameter.
    assert clone(searched["ranking_loss"]).scoring == scorer("ranking_loss")


def test_processes_and_pickles():
    for name in scorer_names():
        assert pickle.loads(pickle.dumps(scorer(name))) == scorer(name)
    for name in ("average_precision", "hamming_loss"):
        alone, together = (
            cross_val_score(KNeighborsClassifier(), X, Y, scoring=scorer(name), cv=FOLDS, n_jobs=n) for n in (1, 2)
        )
        np.testing.assert_array_equal(alone, together)


def test_a_label_that_no_or_every_training_row_has():
    Z = Y.copy()
    Z[:60, 0], Z[:60, 1] = 0, 1
    fitted = KNeighborsClassifier().fit(X[:60], Z[:60])
    assert [list(classes) for classes in fitted.classes_[:2]] == [[0], [1]]
    scores = by_label(fitted, X[60:])
    assert (scores[:, :2] == [0, 1]).all()
    expected = METRICS["average_precision"].function(Z[60:], scores)
    assert scorer("average_precision")(fitted, X[60:], Z[60:]) == expected


@pytest.mark.parametrize("name", ["micro_f1", "average_precision"])
def test_sparse_label_sets(name):
    """`cross_val_score` refuses them itself."""
    estimator = OneVsRestClassifier(LogisticRegression())
    dense, found = (
        GridSearchCV(estimator, {"estimator__C": [0.1, 1]}, scoring=scorer(name), cv=FOLDS).fit(X, Z).cv_results_
        for Z in (Y, sparse.csr_matrix(Y))
    )
    assert np.isfinite(dense["mean_test_score"]).all()
    np.testing.assert_array_equal(found["mean_test_score"], dense["mean_test_score"])


def test_sparse_predictions():
    said = Says(predict=sparse.csr_matrix(Y), predict_proba=sparse.csr_array(Y / 2))
    assert scorer("subset_accuracy")(said, X, Y) == 1
    assert scorer("average_precision")(said, X, sparse.csr_matrix(Y)) == 1


def test_probabilities_go_before_decisions():
    right, wrong = Y.astype(float), 1.0 - Y
    assert scorer("ranking_loss")(Says(predict_proba=right, decision_function=wrong), X, Y) == 0
    assert scorer("ranking_loss")(Says(decision_function=wrong), X, Y) < 0


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(Y, columns=list("abcd"))
    scores = cross_val_score(KNeighborsClassifier(), X, frame, scoring=scorer("micro_f1"), cv=FOLDS)
    np.testing.assert_array_equal(scores, cross_val_score(KNeighborsClassifier(), X, Y, scoring="f1_micro", cv=FOLDS))


def test_rankings():
    rng = np.random.default_rng(0)
    R = np.argsort(np.argsort(X[:, :4] + rng.normal(size=(len(X), 4)), axis=1), axis=1) + 1
    for name in ("kendall_tau", "spearman"):
        found = cross_val_score(KNeighborsRegressor(), X, R, scoring=scorer(name), cv=FOLDS)
        ranks = cross_val_predict(KNeighborsRegressor(), X, R, cv=FOLDS)
        expected = [METRICS[name].function(R[test], ranks[test]) for _, test in FOLDS.split(X)]
        np.testing.assert_array_equal(found, expected)


def test_the_split_is_read_from_the_virtual_label():
    """Labels a, b, c around the split point, the last column: a > | > c > b and the prediction a > c > | > b."""
    truth, predicted = np.array([[1, 4, 3, 2]]), np.array([[1, 4, 2, 3]])
    split = scorer("bipartition_hamming_loss")(Says(predict=predicted), None, truth)
    assert split == -METRICS["bipartition_hamming_loss"].function(truth, above_split(predicted)) == -1 / 3


def test_unknown_names():
    with pytest.raises(ConfigError, match=r"unknown metric 'averge_precision'\. Did you mean 'average_precision'\?"):
        scorer("averge_precision")
    with pytest.raises(ConfigError, match=r"Did you mean 'hamming_loss'\?"):
        scorer("neg_hamming_loss")


def test_names_and_representation():
    assert scorer_names() == list(METRICS)
    assert repr(scorer("micro_f1")) == "scorer('micro_f1')"
    assert eval(repr(scorer("micro_f1"))) == scorer("micro_f1")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"predict": Y}, "Says has neither predict_proba nor decision_function"),
        ({"predict_proba": Y[:, 1:]}, r"scores: found shape \(90, 3\), expected that of the truth, \(90, 4\)"),
        ({"predict_proba": np.full(Y.shape, np.nan)}, "scores: found NaN"),
    ],
)
def test_what_no_scores_can_be_had_from_is_refused(said, message):
    with pytest.raises(DataError, match=message):
        scorer("coverage")(Says(**said), X, Y)


def test_classes_that_are_no_label_sets_are_refused():
    fitted = KNeighborsClassifier().fit(X, Y + 1)
    with pytest.raises(DataError, match=r"label 0 has the classes \[1, 2\], expected 0 and 1"):
        scorer("coverage")(fitted, X, Y)
