"""What somebody who knows scikit-learn tries in the first half hour."""

import os
import pickle
import subprocess
import sys
import tomllib

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.metrics import accuracy_score, label_ranking_average_precision_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import labelknn
from labelknn import LCIF, LRT, BoosTexter, MLkNN, OneThreshold, RankSVM
from labelknn.datasets import load
from labelknn.errors import DataError
from labelknn.metrics import kendall_tau, scorer
from labelknn.utils import all_estimators
from labelknn_papers.example import NearestSets

from .conftest import ROOT
from .small import small

LABEL_SETS = [small(name) for name, _ in all_estimators("multilabel")]
RANKINGS = [small(name) for name, _ in all_estimators("ranking")]
EVERY = LABEL_SETS + RANKINGS


def by_name(methods):
    return pytest.mark.parametrize("method", methods, ids=lambda method: type(method).__name__)


@pytest.fixture(scope="module")
def data():
    """Features as counts, from 0 on, and four labels."""
    return make_multilabel_classification(n_samples=120, n_features=8, n_classes=4, random_state=3)


@pytest.fixture(scope="module")
def flowers():
    """Iris, and for each flower the ranks of three kinds, by the distance from their means; 1 is the nearest."""
    X, kinds = load_iris(return_X_y=True)
    means = np.stack([X[kinds == kind].mean(axis=0) for kind in range(3)])
    distances = ((X[:, None] - means) ** 2).sum(axis=2)
    rows = np.random.default_rng(0).permutation(len(X))[:90]
    return X[rows], np.argsort(np.argsort(distances[rows], axis=1), axis=1) + 1


def targets(method, data, flowers):
    return data if method._task == "multilabel" else flowers


def dense(array):
    return array.toarray() if sparse.issparse(array) else array


class TestImports:
    def test_the_package_alone_imports_no_library(self):
        heavy = {"sklearn", "numba", "numpy", "scipy", "pandas", "matplotlib"}
        code = f"import sys, labelknn; assert 'MLkNN' in dir(labelknn); print({heavy} & set(sys.modules))"
        environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
        said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert said.stdout == "set()\n"

    def test_every_name_is_there(self):
        for name, cls in all_estimators():
            assert getattr(labelknn, name) is cls
            assert name in labelknn.__all__
            assert name in dir(labelknn)
        assert labelknn.datasets.load is load
        assert labelknn.multilabel.MLkNN is MLkNN
        assert labelknn.ranking.LRT is LRT
        assert labelknn.metrics.scorer is scorer
        with pytest.raises(AttributeError, match="MLKNN"):
            _ = labelknn.MLKNN

    def test_the_version(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        assert labelknn.__version__ == project["version"]


class TestModelSelection:
    def test_default_scoring_is_the_share_of_exact_label_sets(self, data):
        found = cross_val_score(MLkNN(), *data)
        assert found.shape == (5,)
        assert 0 < found.mean() < 1
        model = MLkNN().fit(*data)
        assert model.score(*data) == accuracy_score(data[1], model.predict(data[0]))

    @pytest.mark.parametrize("q", [2, 4])
    @pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csr_array])
    @pytest.mark.parametrize(
        "scoring",
        [
            None,
            "f1_micro",
            "average_precision",
            scorer("average_precision"),
            scorer("hamming_loss"),
            make_scorer(label_ranking_average_precision_score, response_method="predict_proba"),
        ],
        ids=str,
    )
    def test_a_grid_of_parameters(self, data, scoring, container, q):
        X, Y = data[0], data[1][:, :q]
        steps = [MinMaxScaler()] if container is np.asarray else []
        search = GridSearchCV(
            make_pipeline(*steps, MLkNN()), {"mlknn__k": [5, 10]}, scoring=scoring, cv=3, error_score="raise"
        ).fit(container(X), Y)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        assert search.best_params_["mlknn__k"] in (5, 10)
        assert search.predict(container(X)).shape == Y.shape
        assert search.predict_proba(container(X)).shape == Y.shape

    @by_name(LABEL_SETS)
    def test_scores_of_every_method(self, method, data):
        """By scikit-learn's measure of an order and by ours, from whichever scores the method has."""
        of_sklearn = make_scorer(
            label_ranking_average_precision_score, response_method=("predict_proba", "decision_function")
        )
        for scoring in (of_sklearn, scorer("average_precision")):
            found = cross_val_score(make_pipeline(MinMaxScaler(clip=True), clone(method)), *data, scoring=scoring, cv=3)
            assert (found > 0.3).all()
            assert (found <= 1).all()

    @pytest.mark.parametrize("q", [2, 4])
    def test_a_scorer_sees_the_scores_of_all_labels(self, data, q):
        X, Y = data[0], data[1][:, :q]
        for model, method in ((MLkNN(), "predict_proba"), (BoosTexter(rounds=5), "decision_function")):
            asked = make_scorer(label_ranking_average_precision_score, response_method=method)
            scores = getattr(model.fit(X, Y), method)(X)
            assert asked(model, X, Y) == label_ranking_average_precision_score(Y, scores)

    def test_sparse_label_sets(self, data):
        search = GridSearchCV(LCIF(), {"k_instance": [5, 10]}, scoring=scorer("average_precision"), cv=3)
        search.fit(sparse.csr_matrix(data[0]), sparse.csr_matrix(data[1]))
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()

    def test_predictions_out_of_sample(self, data):
        X, Y = data
        shares = cross_val_predict(make_pipeline(MinMaxScaler(), MLkNN()), X, Y, method="predict_proba")
        assert shares.shape == Y.shape
        assert ((shares > 0) & (shares < 1)).all()
        sums = cross_val_predict(BoosTexter(rounds=5), X, Y, method="decision_function")
        assert sums.shape == Y.shape

    def test_rankings(self, flowers):
        X, R = flowers
        found = cross_val_score(LRT(), X, R, cv=3)
        for part, score in zip(np.array_split(np.arange(len(X)), 3), found, strict=True):
            rest = np.setdiff1d(np.arange(len(X)), part)
            assert score == kendall_tau(R[part], LRT().fit(X[rest], R[rest]).predict(X[part]))
        assert found.mean() > 0.8
        np.testing.assert_allclose(cross_val_score(LRT(), X, R, cv=3, scoring=scorer("kendall_tau")), found)


class TestPredictions:
    @by_name(LABEL_SETS)
    def test_every_method_has_scores_that_a_pipeline_forwards(self, method, data):
        X, Y = data
        model = clone(method).fit(X, Y)
        forwarded = make_pipeline("passthrough", clone(method)).fit(X, Y)
        predicted = model.predict(X)
        assert predicted.dtype.kind == "i"
        assert set(np.unique(predicted)) <= {0, 1}
        kinds = [name for name in ("predict_proba", "decision_function") if hasattr(model, name)]
        assert kinds
        for name in kinds:
            scores = getattr(model, name)(X)
            assert isinstance(scores, np.ndarray)
            assert scores.shape == Y.shape
            assert scores.dtype.kind == "f"
            np.testing.assert_array_equal(getattr(forwarded, name)(X), scores)
            for row, sets in zip(scores, predicted, strict=True):  # no label left out is ahead of a predicted one
                assert row[sets == 1].min(initial=np.inf) >= row[sets == 0].max(initial=-np.inf)
            if name == "decision_function":
                np.testing.assert_array_equal(scores > 0, predicted)
            else:
                assert scores.min() >= 0
                assert scores.max() <= 1

    @by_name(LABEL_SETS)
    @pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array, sparse.coo_array, sparse.csc_matrix])
    def test_sparse_in_and_sparse_out(self, method, container, data):
        X, Y = data
        # Where the result of a minimisation depends on how products round, sets still agree.
        expected = clone(method).fit(X, Y).predict(X)
        model = clone(method).fit(container(X), container(Y))
        predicted = model.predict(container(X))
        assert sparse.issparse(predicted)
        assert predicted.dtype.kind == "i"
        assert (predicted.toarray() != expected).mean() < 0.01
        assert isinstance(clone(method).fit(container(X), Y).predict(container(X)), np.ndarray)
        assert sparse.issparse(clone(method).fit(X, container(Y)).predict(X))

    @by_name([method for method in EVERY if "n_jobs" in method.get_params()])
    def test_the_number_of_threads_changes_no_bit(self, method, data, flowers):
        X, Y = targets(method, data, flowers)
        alone, together = (clone(method).set_params(n_jobs=n).fit(X, Y)._output(X) for n in (1, 2))
        for key, array in alone.items():
            np.testing.assert_array_equal(dense(array), dense(together[key]))


class TestNames:
    @by_name(EVERY)
    def test_data_frames(self, method, data, flowers):
        X, Y = targets(method, data, flowers)
        names = [f"label {i}" for i in range(Y.shape[1])]
        frame = pd.DataFrame(X, columns=[f"feature {i}" for i in range(X.shape[1])])
        model = clone(method).fit(frame, pd.DataFrame(Y, columns=names))
        assert list(model.feature_names_in_) == list(frame.columns)
        assert list(model.label_names_) == names
        np.testing.assert_array_equal(model.predict(frame), clone(method).fit(X, Y).predict(X))
        with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit"):
            model.predict(frame[frame.columns[::-1]])
        assert not hasattr(model.fit(X, Y), "label_names_")

    def test_a_label_without_a_training_row_warns_at_the_call(self, data):
        X, Y = data[0], pd.DataFrame(data[1], columns=["calm", "sad", "happy", "angry"])
        Y["sad"] = 0
        with pytest.warns(UserWarning, match=r"labels without a training row: 1 of 4 \(sad\)") as caught:
            model = MLkNN().fit(X, Y)
        assert caught[0].filename == __file__
        assert not model.predict(X)[:, 1].any()

    def test_lists_of_label_names_are_refused_with_a_word_on_what_to_do(self, data):
        names = [["calm", "sad"], ["happy"]] * 60
        for Y in (names, [tuple(one) for one in names], np.array(["calm", "sad"] * 60)):
            with pytest.raises(DataError, match="MultiLabelBinarizer"):
                MLkNN().fit(data[0], Y)


class TestRefusals:
    @pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix, sparse.csr_array])
    @pytest.mark.parametrize(("value", "shown"), [(np.nan, "NaN"), (np.inf, "inf")])
    def test_what_is_missing_is_named_by_row_and_column(self, data, container, value, shown):
        X = data[0].copy()
        X[7, 3] = value
        for method in (MLkNN(), LCIF(), RankSVM(degree=1)):
            with pytest.raises(DataError, match=f"X holds {shown} in row 7, column 3; impute or drop it first"):
                method.fit(container(X), data[1])

    def test_ranks_from_0_are_refused(self, flowers):
        X, R = flowers
        for method in RANKINGS:
            with pytest.raises(DataError, match="add 1"):
                clone(method).fit(X, R - 1)

    def test_missing_ranks_are_0_or_nan(self, flowers):
        X, R = flowers
        holes = np.random.default_rng(1).random(R.shape) < 0.2
        zeros, nans = np.where(holes, 0, R), np.where(holes, np.nan, R)
        for method in RANKINGS:
            try:
                expected = clone(method).fit(X, zeros).predict(X)
            except DataError:  # of bucket orders, which are complete
                with pytest.raises(DataError, match=r"split point|complete rankings"):
                    clone(method).fit(X, nans)
            else:
                np.testing.assert_array_equal(clone(method).fit(X, nans).predict(X), expected)


class TestEstimators:
    @by_name(EVERY)
    def test_files(self, method, data, flowers, tmp_path):
        X, Y = targets(method, data, flowers)
        model = clone(method).fit(X, Y)
        joblib.dump(model, tmp_path / "model.joblib")
        for again in (joblib.load(tmp_path / "model.joblib"), pickle.loads(pickle.dumps(model))):
            np.testing.assert_array_equal(again.predict(X), model.predict(X))

    @by_name(EVERY)
    def test_shown_cloned_and_set(self, method, data, flowers):
        X, Y = targets(method, data, flowers)
        name = type(method).__name__
        assert repr(method).startswith(f"{name}(")
        assert name in method._repr_html_()
        assert name in clone(method).fit(X, Y)._repr_html_()
        parameter = next(iter(method.get_params(deep=False)))
        changed = clone(method).set_params(**{parameter: 7})
        assert changed.get_params()[parameter] == 7
        assert method.get_params()[parameter] != 7
        with pytest.raises(ValueError, match="Invalid parameter 'neighbours'"):
            clone(method).set_params(neighbours=3)

    def test_an_own_estimator_with_ours(self, data):
        class Roots(TransformerMixin, BaseEstimator):
            def fit(self, X, y=None):
                return self

            def transform(self, X):
                return np.sqrt(X)

        X, Y = data
        own_first = make_pipeline(Roots(), MLkNN(k=5)).fit(X, Y)
        np.testing.assert_array_equal(own_first.predict(X), MLkNN(k=5).fit(np.sqrt(X), Y).predict(np.sqrt(X)))
        own_last = make_pipeline(MinMaxScaler(), OneThreshold(NearestSets(k=5))).fit(X, Y)
        assert own_last.predict(X).shape == Y.shape
        assert 0 < own_last[-1].threshold_ < 1

    def test_a_ranking_tree_is_shown(self, flowers):
        X, R = flowers
        text = LRT().fit(X, R).export_text(feature_names=load_iris().feature_names)
        assert "petal" in text
        assert " > " in text


@pytest.mark.mirror
def test_a_data_set_by_its_name(mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("LABELKNN_MIRROR", str(mirror))
    monkeypatch.setenv("LABELKNN_CACHE", str(tmp_path))
    X_train, X_test, Y_train, Y_test = load("emotions").train_test()
    assert Y_test.shape == (202, 6)
    assert make_pipeline(MinMaxScaler(), MLkNN()).fit(X_train, Y_train).score(X_test, Y_test) > 0.2
