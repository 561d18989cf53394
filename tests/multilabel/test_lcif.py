"""LCIF and its parts against the formulas of feremans2017, section III, written out row by row."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from labelknn import LCIF, LCIF2, FeatureLabelKNN, InstanceKNN, SecondOrderInstanceKNN
from labelknn.datasets._container import TEST, TRAIN
from labelknn.datasets._mulan import read_mulan
from labelknn.errors import ConfigError, DataError
from labelknn.metrics import METRICS
from labelknn.metrics import _multilabel as multilabel
from labelknn.multilabel._lcif import _combined
from labelknn.solvers import _lcif_grid as grid_search
from labelknn.solvers._confidence import cardinality_threshold
from labelknn.solvers._feature_confidence import MEANS

METHODS = (InstanceKNN, FeatureLabelKNN, LCIF, SecondOrderInstanceKNN, LCIF2)


def cosine(x, y):
    norm = np.sqrt((x @ x) * (y @ y))
    return round(float(x @ y / norm), 12) if norm else 0.0


def nearest(similarities, k, excluded=()):
    """The k most similar ones, by falling similarity, then by number; only positive similarities count."""
    order = sorted((-s, i) for i, s in enumerate(similarities) if s > 0 and i not in excluded)
    return [i for _, i in order[:k]]


def instance_confidence(X, Y, x, k):
    similarities = [cosine(x, row) for row in X]
    found = nearest(similarities, k)
    total = sum(similarities[i] for i in found)
    return sum((similarities[i] * Y[i] for i in found), np.zeros(Y.shape[1])) / (total or 1)


def second_order_confidence(X, Y, x, k):
    both = np.hstack([X, Y])
    similarities = [cosine(x, row) for row in X]
    found = nearest(similarities, k)
    confidence = np.zeros(Y.shape[1])
    for i in found:
        closeness = [cosine(both[i], row) for row in both]
        circle = [i, *nearest(closeness, k - 1, excluded=[i])]
        closeness[i] = 1.0
        reweighted = sum(closeness[j] * Y[j] for j in circle) / sum(closeness[j] for j in circle)
        confidence += similarities[i] * reweighted
    return confidence / (sum(similarities[i] for i in found) or 1)


def feature_confidence(X, Y, x, k, mean):
    near = [nearest([cosine(f, y) for y in Y.T], k) for f in X.T]
    confidence = np.zeros(Y.shape[1])
    for label in range(Y.shape[1]):
        votes = [(x[j], cosine(X[:, j], Y[:, label])) for j in np.flatnonzero(x) if label in near[j]]
        if votes:
            weighted = sum(value * sim for value, sim in votes)
            divisor = {"matching": sum(value for value, _ in votes), "printed": x.sum()}
            confidence[label] = max(sim for _, sim in votes) if mean == "max" else weighted / divisor[mean]
    return confidence


def definition(method, X, Y, x):
    if isinstance(method, FeatureLabelKNN):
        return feature_confidence(X, Y, x, method.k, method.mean)
    instances = second_order_confidence if isinstance(method, LCIF2 | SecondOrderInstanceKNN) else instance_confidence
    if isinstance(method, InstanceKNN):
        return instances(X, Y, x, method.k)
    features = feature_confidence(X, Y, x, method.k_feature, method.mean)
    return method.weight * instances(X, Y, x, method.k_instance) + (1 - method.weight) * features


def methods(k, k_feature, weight):
    yield from (InstanceKNN(k), SecondOrderInstanceKNN(k))
    for mean in MEANS:
        yield from (FeatureLabelKNN(k, mean), LCIF(k, k_feature, weight, mean), LCIF2(k, k_feature, weight, mean))


def binary_data(seed, n=14, d=7, q=5, density=0.4):
    rng = np.random.default_rng(seed)
    return (rng.random((n, d)) < density).astype(float), (rng.random((n, q)) < 0.35).astype(int)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6), st.sampled_from([0.0, 0.3, 1.0]))
@settings(max_examples=8, deadline=None)
def test_scores_and_threshold_equal_the_formulas(seed, k, k_feature, weight):
    """The scores of queries, and the threshold: that of the scores of the training rows, each left out in turn."""
    X, Y = binary_data(seed, n=10, d=6, q=4)
    Y[4] = 0  # a row without labels has a part in the features' columns too
    queries = binary_data(seed + 1, d=6)[0][:2]
    for method in methods(k, k_feature, weight):
        method.fit(X, Y)
        scores = method._output(queries)["scores"].toarray()
        expected = [definition(method, X, Y, x) for x in queries]
        np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-7, err_msg=str(method))

        others = [np.delete(np.arange(len(X)), i) for i in range(len(X))]
        left_out = np.array([definition(method, X[rest], Y[rest], X[i]) for i, rest in enumerate(others)])
        scorers = method._scorers(None)
        ours = sparse.vstack(list(_combined(scorers, method.setting_, len(X)))).toarray()
        np.testing.assert_allclose(ours, left_out, rtol=1e-5, atol=1e-7, err_msg=str(method))
        assert method.threshold_ == cardinality_threshold([ours[ours > 0]], Y.sum())


def test_by_hand():
    """Two neighbours of cosine 1 and 1/√2: the label of the first alone has 1 / (1 + 1/√2) = .586 of the similarity.

    Feature 0 occurs in rows 0 and 1, label 0 in row 0, label 1 in row 1: both similarities are 1/√2. Feature 1 occurs
    in rows 1 and 2, label 2 in row 2. For the query {0}, feature kNN with k = 3 gives both labels .707.
    """
    X = np.array([[1, 0], [1, 1], [0, 1]])
    Y = np.eye(3, dtype=int)
    query = np.array([[1, 0]])
    np.testing.assert_allclose(InstanceKNN(2).fit(X, Y).predict_proba(query), [[0.5858, 0.4142, 0]], atol=1e-4)
    np.testing.assert_allclose(FeatureLabelKNN(3).fit(X, Y).predict_proba(query), [[0.7071, 0.7071, 0]], atol=1e-4)
    # The query {0, 1}: label 0 has one feature of two on its side.
    both = np.array([[1, 1]])
    printed = FeatureLabelKNN(3, mean="printed").fit(X, Y).predict_proba(both)
    matching = FeatureLabelKNN(3, mean="matching").fit(X, Y).predict_proba(both)
    np.testing.assert_allclose(printed, [[0.3536, 0.7071, 0.3536]], atol=1e-4)
    np.testing.assert_allclose(matching, [[0.7071, 0.7071, 0.7071]], atol=1e-4)


def test_parts_are_the_ends_of_the_combination():
    X, Y = binary_data(3, n=40, d=12)
    queries = binary_data(4, d=12)[0]
    for alone, combined in ((InstanceKNN(4), LCIF(4, 3, 1.0)), (FeatureLabelKNN(3), LCIF(4, 3, 0.0))):
        for key, matrix in alone.fit(X, Y)._output(queries).items():
            np.testing.assert_array_equal(matrix.toarray(), combined.fit(X, Y)._output(queries)[key].toarray())


def test_second_order_with_one_neighbour_is_first_order():
    """With k = 1 a circle is the neighbour itself."""
    X, Y = binary_data(5, n=30)
    first, second = InstanceKNN(1).fit(X, Y)._output(X), SecondOrderInstanceKNN(1).fit(X, Y)._output(X)
    np.testing.assert_allclose(first["scores"].toarray(), second["scores"].toarray(), rtol=1e-6)


@pytest.mark.parametrize(
    "method", [InstanceKNN, FeatureLabelKNN, LCIF]
)  # the others compare features and labels together
def test_scale_of_the_features_changes_nothing(method):
    X, Y = binary_data(6, n=30)
    here, there = method().fit(X, Y)._output(X), method().fit(4 * X, Y)._output(4 * X)
    np.testing.assert_allclose(here["scores"].toarray(), there["scores"].toarray(), rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_predictions_are_sparse_and_never_empty_where_there_is_a_candidate(method):
    X, Y = binary_data(7, n=60, d=20, q=12, density=0.15)
    output = method().fit(sparse.csr_matrix(X), sparse.csr_matrix(Y))._output(sparse.csr_matrix(X))
    assert all(sparse.issparse(matrix) for matrix in output.values())
    candidates, predicted = (np.diff(output[key].indptr) for key in ("scores", "sets"))
    np.testing.assert_array_equal(predicted > 0, candidates > 0)
    dense = method().fit(X, Y)._output(X)
    for key, matrix in output.items():
        np.testing.assert_array_equal(matrix.toarray(), dense[key].toarray())


@pytest.mark.parametrize("method", METHODS)
def test_zero_rows_unseen_features_and_unseen_labels(method):
    X, Y = binary_data(8, n=20, d=6, q=4)
    X[3], X[:, 2], Y[:, 1] = 0, 0, 0
    queries = np.array([np.zeros(6), np.eye(6)[2], X[0]])
    output = method().fit(X, Y)._output(queries)
    scores, sets = output["scores"].toarray(), output["sets"].toarray()
    for known in (scores, sets):
        assert not known[:2].any()  # a row without features, or with one that never occurred
        assert not known[:, 1].any()
    assert sets[2].any()


@pytest.mark.parametrize("method", METHODS)
def test_more_neighbours_than_candidates_are_all_of_them(method):
    X, Y = binary_data(9, n=8)
    k = [name for name in method().get_params() if name.startswith("k")]
    few, many = (method(**dict.fromkeys(k, number)).fit(X, Y)._output(X) for number in (8, 1000))
    np.testing.assert_array_equal(few["scores"].toarray(), many["scores"].toarray())
    np.testing.assert_array_equal(few["sets"].toarray(), many["sets"].toarray())


def test_negative_values():
    """Cosine is defined for them, so instances have neighbours: those that do not point away. Features do not."""
    X = np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    Y = np.eye(3, dtype=int)
    scores = InstanceKNN(3).fit(X, Y).predict_proba(np.array([[1.0, -0.5]]))
    similarities = np.array([1.5 / np.sqrt(2 * 1.25), 0.5 / np.sqrt(2 * 1.25), 0])
    np.testing.assert_allclose(scores, [similarities / similarities.sum()], rtol=1e-6)
    with pytest.raises(DataError, match=r"Negative values in data, -1\.0"):
        FeatureLabelKNN().fit(X, Y)
    with pytest.raises(DataError, match=r"Negative values in data, -2\.0"):
        FeatureLabelKNN().fit(abs(X), Y).predict(np.array([[1.0, -2.0]]))


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (InstanceKNN(0), "k = 0"),
        (FeatureLabelKNN(-1), "k = -1"),
        (LCIF(weight=1.5), "λ = 1.5"),
        (FeatureLabelKNN(mean="median"), "median"),
        (LCIF(tune="micro_f1"), "10 parts, but there are 9 rows"),
        (LCIF(tune="micro-f1"), "Did you mean 'micro_f1'"),
    ],
)
def test_bad_parameters(method, message):
    X, Y = binary_data(10, n=9)
    with pytest.raises((DataError, ConfigError), match=message):
        method.fit(X, Y)


def test_bad_data():
    X, Y = binary_data(11)
    with pytest.raises(DataError, match="14 rows of features but 13 label sets"):
        LCIF().fit(X, Y[:-1])
    with pytest.raises(DataError, match="NaN"):
        LCIF().fit(np.full((3, 2), np.nan), Y[:3])
    with pytest.raises(ValueError, match="X has 3 features, but LCIF is expecting 7"):
        LCIF().fit(X, Y).predict(X[:, :3])


def plain_grid(method, X, Y, axes, weights, threshold_bins):
    """The cross-validated score of each setting, each computed from nothing; one threshold for all folds."""
    n = len(X)
    parts = [np.sort(p) for p in np.array_split(np.random.default_rng(method.random_state).permutation(n), 10)]
    scores = {}
    for k_instance, k_feature, weight in product(*axes, weights):
        confidences = np.zeros(Y.shape, np.float32)
        for part in parts:
            rest = np.setdiff1d(np.arange(n), part)
            one = clone(method).set_params(k_instance=k_instance, k_feature=k_feature, weight=weight, tune=None)
            confidences[part] = one.fit(X[rest], Y[rest]).predict_proba(X[part])
        candidate = confidences > 0
        cuts = np.arange(threshold_bins, -1, -1) / threshold_bins
        counts = [np.count_nonzero(candidate & (confidences >= cut)) for cut in cuts]
        cut = cuts[np.argmin(np.abs(np.array(counts) - Y.sum()))]
        sets = candidate & (confidences >= cut)
        empty = ~sets.any(axis=1) & candidate.any(axis=1)
        sets[empty, confidences.argmax(axis=1)[empty]] = True
        for metric in grid_search.TUNED:
            function = getattr(multilabel, metric)
            value = np.mean([function(Y[part], sets[part]) for part in parts])
            scores[metric, k_instance, k_feature, weight] = value
    return scores


@pytest.mark.long
@pytest.mark.parametrize("method", [LCIF(tune="micro_f1", random_state=3), LCIF2(tune="micro_f1", random_state=3)])
def test_grid_equals_cross_validation_from_nothing(method):
    X, Y = binary_data(12, n=45, d=10, q=6)
    folds = method._folds(sparse.csr_matrix(X), sparse.csr_matrix(Y, dtype=bool))
    axes, weights = ([1, 4, 7], [1, 2]), (0.0, 0.3, 1.0)
    ours = grid_search.mean_scores(folds, *axes, weights)
    for (metric, *setting), value in plain_grid(method, X, Y, axes, weights, grid_search.BINS).items():
        places = [list(axis).index(v) for axis, v in zip((*axes, weights), setting, strict=True)]
        assert ours[(grid_search.TUNED.index(metric), *places)] == pytest.approx(value, abs=1e-9), (metric, setting)


def test_what_is_kept_between_the_passes_decides_nothing(monkeypatch):
    X, Y = binary_data(14, n=40, d=12, q=5)
    method = LCIF(tune="micro_f1", random_state=4)
    folds = method._folds(sparse.csr_matrix(X), sparse.csr_matrix(Y, dtype=bool))
    found = []
    for room in (2**30, 3000, 0):
        monkeypatch.setattr(grid_search, "KEPT_BYTES", room)
        found.append(grid_search.mean_scores(folds, [1, 3, 5], [1, 3], (0.0, 0.5, 1.0)))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    assert (found[0][:, :, :1, 2] == found[0][:, :, :, 2]).all(), "without a weight, the other k does not matter"
    assert (found[0][:, :1, :, 0] == found[0][:, :, :, 0]).all()
    assert (found[0][:, :1, :, 1] != found[0][:, :, :, 1]).any()


@pytest.mark.parametrize("method", list(methods(9, 9, 0.5)))
def test_candidates_may_outgrow_the_room_for_them(method, monkeypatch):
    """Rows for which there is no room yet are scored again, at all k: nothing else changes."""
    X, Y = binary_data(5, n=60, d=12, q=20)
    fitted = method.fit(X, Y)

    def scored():
        parts = [
            scorer([1, 3, 9], slice(0, 60))
            for queries in (None, sparse.csr_matrix(X, dtype=float))
            for scorer in fitted._scorers(queries)
            if scorer
        ]
        return [array for part in parts for array in (part.indptr, part.labels, part.values)]

    at_once = scored()
    monkeypatch.setattr("labelknn.solvers._confidence.FIRST_ROOM", 1)
    for one, in_steps in zip(at_once, scored(), strict=True):
        np.testing.assert_array_equal(one, in_steps)


def test_losses_are_the_metrics_that_are_better_low():
    assert {name for name in grid_search.TUNED if METRICS[name].lower_is_better} == set(grid_search.LOSSES)


def test_grid_goes_on_while_the_best_is_at_its_end(monkeypatch):
    """A score that grows up to k_instance = 41 and k_feature = 3 is found there, and no k beyond 49 is tried."""
    tried = set()

    def scores(folds, k_instance, k_feature, weights):
        tried.update(k_instance)
        near = -np.abs(np.array(k_instance) - 41)[:, None, None] - np.abs(np.array(k_feature) - 3)[:, None]
        values = np.broadcast_to(near + np.array(weights), (5, len(k_instance), len(k_feature), len(weights)))
        return values * np.array([1, 1, -1, 1, 1])[:, None, None, None]

    monkeypatch.setattr(grid_search, "mean_scores", scores)
    fold = grid_search.Fold(lambda ks, rows: None, lambda ks, rows: None, sparse.csr_matrix((1, 1)))
    best = grid_search.best_settings([fold])
    assert set(best.values()) == {grid_search.Setting(41, 3, 1.0)}
    assert max(tried) == 49


def test_tuned_outputs():
    X, Y = binary_data(13, n=60, d=15, q=6)
    together = LCIF(tune="micro_f1", random_state=1)
    together._values = grid_search.TUNED
    outputs = together.fit(X, Y)._outputs(X)
    assert tuple(outputs) == grid_search.TUNED
    for metric, output in outputs.items():
        tuned = LCIF(tune=metric, random_state=1).fit(X, Y)
        setting = tuned.setting_
        given = LCIF(setting.k_instance, setting.k_feature, setting.weight).fit(X, Y)
        assert given.threshold_ == tuned.threshold_
        for one in (tuned, given):
            alone = one._output(X)
            for key, matrix in output.items():
                np.testing.assert_array_equal(matrix.toarray(), alone[key].toarray())
        np.testing.assert_array_equal(tuned.predict(X), output["sets"].toarray())


@pytest.mark.parametrize("method", METHODS)
def test_scikit_learn_conventions(method):
    assert clone(method(tune="micro_f1")).get_params() == method(tune="micro_f1").get_params()
    with pytest.raises(NotFittedError):
        method().predict(np.ones((1, 1)))


@pytest.mark.mirror
def test_medical_as_in_table_2(mirror):
    """Feature kNN with the mean over matching features is the paper's, to .005; the printed mean is not."""
    files = {part: f"medical-{part}.arff" for part in ("train", "test")}
    data = read_mulan("medical", mirror / "multilabel" / "medical", files=files, xml="medical.xml")
    train, test = data.part == TRAIN, data.part == TEST
    accuracy = {}
    for mean in ("matching", "printed"):
        method = FeatureLabelKNN(mean=mean, tune="example_accuracy", random_state=0).fit(data.X[train], data.Y[train])
        sets = method.predict(data.X[test])
        accuracy[mean] = multilabel.example_accuracy(data.Y[test], sets)
    assert accuracy["matching"] == pytest.approx(0.515, abs=0.005)
    assert accuracy["printed"] != pytest.approx(0.515, abs=0.02)
