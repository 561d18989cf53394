"""The measures of label sets and scores, against their definitions read label by label, and against scikit-learn."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn import metrics as sk

from labelknn.errors import ConfigError, DataError
from labelknn.metrics import METRICS, _comparison, average_precision, evaluate, hamming_loss, one_error, subset_accuracy

SETS = [metric for metric in METRICS.values() if metric.needs == "sets"]
SCORES = [metric for metric in METRICS.values() if metric.needs == "scores"]


def label_set(row):
    return {label for label, member in enumerate(row) if member}


def f1(true, predicted, if_empty):
    return 2 * len(true & predicted) / (len(true) + len(predicted)) if true or predicted else if_empty


def slow_set_metrics(truth, predicted):
    rows = [(label_set(y), label_set(z)) for y, z in zip(truth, predicted, strict=True)]
    columns = [(label_set(y), label_set(z)) for y, z in zip(truth.T, predicted.T, strict=True)]
    cells = label_set(truth.ravel()), label_set(predicted.ravel())
    return {
        "hamming_loss": np.mean([len(y ^ z) / truth.shape[1] for y, z in rows]),
        "subset_accuracy": np.mean([y == z for y, z in rows]),
        "example_accuracy": np.mean([len(y & z) / len(y | z) if y | z else 1 for y, z in rows]),
        "example_f1": np.mean([f1(y, z, 1) for y, z in rows]),
        "micro_f1": f1(*cells, 1),
        "macro_f1": np.mean([f1(y, z, 1) for y, z in columns]),
        "macro_f1_zero": np.mean([f1(y, z, 0) for y, z in columns]),
    }


def slow_score_metrics(truth, scores):
    """zhang2005, eqs. (3) to (6), and chiang2012, eq. (16), each a loop over instances and labels."""
    one_errors, coverages, losses, precisions, squares = [], [], [], [], []
    strict_one_errors, strict_precisions = [], []
    for row, f in zip(truth, scores, strict=True):
        labels = range(len(f))
        true = label_set(row)
        others = set(labels) - true
        top = min(label for label in labels if f[label] == max(f))
        one_errors.append(top not in true)
        squares.extend((f[label] - (label in true)) ** 2 for label in labels)
        coverages.append(sum(f[label] >= min(f[k] for k in true) for label in labels) - 1 if true else 0)
        wrong = sum(f[a] <= f[b] for a in true for b in others)
        losses.append(wrong / (len(true) * len(others)) if true and others else 0)
        if true:
            shares = [sum(f[m] >= f[k] for m in true) / sum(f[m] >= f[k] for m in labels) for k in true]
            precisions.append(sum(shares) / len(true))
        # Mulan's strict order: the list of labels from the best to the worst, of equal ones the last first.
        ordered = sorted(labels, key=lambda label: (-f[label], -label))
        strict_one_errors.append(ordered[0] not in true)
        if true:
            places = [ordered.index(k) + 1 for k in true]
            strict_precisions.append(sum(sum(m <= place for m in places) / place for place in places) / len(true))
    return {
        "one_error": np.mean(one_errors),
        "coverage": np.mean(coverages),
        "ranking_loss": np.mean(losses),
        "average_precision": np.mean(precisions) if precisions else math.nan,
        "strict_one_error": np.mean(strict_one_errors),
        "strict_average_precision": np.mean(strict_precisions) if strict_precisions else math.nan,
        "rmse": math.sqrt(np.mean(squares)),
    }


@st.composite
def labelled(draw):
    """Truth, predicted sets and scores of a few instances; few distinct scores, so that ties are common."""
    shape = (draw(st.integers(1, 6)), draw(st.integers(1, 6)))
    scores = draw(hnp.arrays(float, shape, elements=st.sampled_from([0, 0.25, 0.5, 0.75, 1])))
    return draw(hnp.arrays(bool, shape)), draw(hnp.arrays(bool, shape)), scores


@pytest.fixture
def plausible():
    """Scores that know something of the truth, without empty or full label sets."""
    rng = np.random.default_rng(5)
    truth = rng.random((200, 12)) < 0.3
    truth[:, 0] |= ~truth.any(axis=1)
    truth[:, 1] &= ~truth.all(axis=1)
    scores = np.round((truth * 0.5 + rng.random(truth.shape)) / 1.5, 1)
    return truth, scores > 0.5, scores


@settings(max_examples=80, deadline=None)
@given(labelled())
def test_every_metric_is_its_definition(case):
    truth, predicted, scores = case
    found = evaluate("multilabel", truth, {"sets": predicted, "scores": scores})
    expected = slow_set_metrics(truth, predicted) | slow_score_metrics(truth, scores)
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


@settings(max_examples=40, deadline=None)
@given(labelled())
def test_sparse_and_dense_input_give_the_same_bits(case):
    truth, predicted, scores = case
    dense = evaluate("multilabel", truth, {"sets": predicted, "scores": scores})
    as_sparse = {"sets": sparse.csr_array(predicted), "scores": sparse.csr_matrix(scores)}
    assert np.array_equal(
        list(dense.values()),
        list(evaluate("multilabel", sparse.csr_matrix(truth), as_sparse).values()),
        equal_nan=True,
    )


@settings(max_examples=40, deadline=None)
@given(labelled())
def test_values_stay_in_the_declared_range(case):
    truth, predicted, scores = case
    for name, value in evaluate("multilabel", truth, {"sets": predicted, "scores": scores}).items():
        assert math.isnan(value) or METRICS[name].low <= value <= METRICS[name].high, name


@settings(max_examples=40, deadline=None)
@given(labelled(), st.randoms(use_true_random=False))
def test_the_order_of_instances_and_labels_does_not_matter(case, random):
    truth, predicted, scores = case
    # Equal top scores go to the lower label index, so only distinct scores are free of the labels' order.
    scores = scores + np.linspace(0, 0.01, scores.shape[1])
    rows = random.sample(range(len(truth)), len(truth))
    columns = random.sample(range(truth.shape[1]), truth.shape[1])
    one = evaluate("multilabel", truth, {"sets": predicted, "scores": scores})
    pick = np.ix_(rows, columns)
    other = evaluate("multilabel", truth[pick], {"sets": predicted[pick], "scores": scores[pick]})
    assert other == pytest.approx(one, abs=1e-12, nan_ok=True)


def test_rank_based_metrics_see_only_the_order_of_the_scores(plausible):
    truth, _, scores = plausible
    stretched = np.exp(20 * scores) - 7
    for name in ("one_error", "coverage", "ranking_loss", "average_precision"):
        assert METRICS[name].function(truth, stretched) == METRICS[name].function(truth, scores)


def test_perfect_predictions_have_the_best_values(plausible):
    truth, _, _ = plausible
    found = evaluate("multilabel", truth, {"sets": truth, "scores": truth.astype(float)})
    for name, value in found.items():
        metric = METRICS[name]
        best = (
            truth.sum(axis=1).mean() - 1
            if name == "coverage"
            else metric.low
            if metric.lower_is_better
            else metric.high
        )
        assert value == pytest.approx(best), name


def test_a_worked_example():
    """Labels a, b, c, d; true set {a, c}; scores .9 .6 .6 .1: b ties with c."""
    truth, scores = np.array([[1, 0, 1, 0]]), np.array([[0.9, 0.6, 0.6, 0.1]])
    found = evaluate("multilabel", truth, {"sets": scores > 0.5, "scores": scores})
    assert found["one_error"] == 0
    assert found["coverage"] == 2  # a, b and c are needed to have c
    assert found["ranking_loss"] == pytest.approx(1 / 4)  # (c, b), a tie
    assert found["average_precision"] == pytest.approx((1 / 1 + 2 / 3) / 2)
    assert found["rmse"] == pytest.approx(math.sqrt((0.01 + 0.36 + 0.16 + 0.01) / 4))
    assert found["hamming_loss"] == pytest.approx(1 / 4)
    assert found["example_accuracy"] == pytest.approx(2 / 3)
    assert found["example_f1"] == pytest.approx(4 / 5)
    assert found["subset_accuracy"] == 0
    assert found["micro_f1"] == pytest.approx(4 / 5)
    assert found["macro_f1"] == pytest.approx((1 + 0 + 1 + 1) / 4)
    assert found["macro_f1_zero"] == pytest.approx((1 + 0 + 1 + 0) / 4)


def test_instances_without_labels_and_with_all_of_them():
    scores = np.array([[0.2, 0.8, 0.5]])
    none = evaluate("multilabel", np.zeros((1, 3), bool), {"sets": np.zeros((1, 3), bool), "scores": scores})
    assert (none["one_error"], none["coverage"], none["ranking_loss"]) == (1, 0, 0)
    assert math.isnan(none["average_precision"])
    assert none["example_accuracy"] == none["example_f1"] == none["micro_f1"] == none["macro_f1"] == 1
    assert none["macro_f1_zero"] == 0
    every = evaluate("multilabel", np.ones((1, 3), bool), {"scores": scores})
    assert (every["one_error"], every["coverage"], every["ranking_loss"], every["average_precision"]) == (0, 2, 0, 1)


def test_average_precision_leaves_out_instances_without_labels():
    truth, scores = np.array([[0, 1], [0, 0]]), np.array([[0.9, 0.1], [0.9, 0.1]])
    assert average_precision(truth, scores) == 0.5


def test_among_equal_top_scores_the_lower_label_index_wins():
    scores = np.array([[0.1, 0.7, 0.7]])
    assert one_error(np.array([[0, 1, 0]]), scores) == 0
    assert one_error(np.array([[0, 0, 1]]), scores) == 1


def test_scikit_learn_agrees_on_sets(plausible):
    truth, predicted, _ = plausible
    truth, predicted = truth.copy(), predicted.copy()
    truth[:, 3] = predicted[:, 3] = False
    truth[7] = predicted[7] = False
    found = evaluate("multilabel", truth, {"sets": predicted})
    assert found == pytest.approx(
        {
            "hamming_loss": sk.hamming_loss(truth, predicted),
            "subset_accuracy": sk.accuracy_score(truth, predicted),
            "example_accuracy": sk.jaccard_score(truth, predicted, average="samples", zero_division=1),
            "example_f1": sk.f1_score(truth, predicted, average="samples", zero_division=1),
            "micro_f1": sk.f1_score(truth, predicted, average="micro"),
            "macro_f1": sk.f1_score(truth, predicted, average="macro", zero_division=1),
            "macro_f1_zero": sk.f1_score(truth, predicted, average="macro", zero_division=0),
        }
    )


def test_scikit_learn_agrees_on_scores(plausible):
    truth, _, scores = plausible
    found = evaluate("multilabel", truth, {"scores": scores})
    assert found["coverage"] == pytest.approx(sk.coverage_error(truth, scores) - 1)
    assert found["ranking_loss"] == pytest.approx(sk.label_ranking_loss(truth, scores))
    assert found["average_precision"] == pytest.approx(sk.label_ranking_average_precision_score(truth, scores))
    assert found["rmse"] == pytest.approx(sk.root_mean_squared_error(truth.ravel(), scores.ravel()))


def test_blocks_of_rows_do_not_change_the_values(plausible, monkeypatch):
    truth, _, scores = plausible
    whole = evaluate("multilabel", truth, {"scores": scores})
    monkeypatch.setattr(_comparison, "BLOCK_ENTRIES", 7 * truth.shape[1])
    assert evaluate("multilabel", truth, {"scores": sparse.csr_matrix(scores)}) == whole


def test_single_functions_agree_with_evaluate(plausible):
    truth, predicted, scores = plausible
    found = evaluate("multilabel", truth, {"sets": predicted, "scores": scores})
    for metric in SETS + SCORES:
        prediction = predicted if metric.needs == "sets" else scores
        assert metric.function(truth, prediction) == found[metric.name]


def test_a_wide_sparse_problem_is_never_made_dense():
    """10^5 instances with 10^6 labels: a dense matrix of bool would need 100 GB."""
    n, q = 100_000, 1_000_000
    rows, labels = np.arange(n), np.arange(n) * 7 % q
    truth = sparse.csr_matrix((np.ones(n, bool), (rows, labels)), shape=(n, q))
    predicted = sparse.csr_matrix((np.ones(n, bool), (rows, np.where(rows % 4, labels, labels + 1))), shape=(n, q))
    found = evaluate("multilabel", truth, {"sets": predicted})
    assert found["example_f1"] == 0.75
    assert found["hamming_loss"] == pytest.approx(0.25 * 2 / q)


@pytest.mark.parametrize(
    ("indices", "data"),
    [([2, 0, 1, 1], [True, True, True, True]), ([0, 2, 0, 1], [True, True, False, True])],
    ids=["unsorted indices and duplicates", "stored zeros"],
)
def test_untidy_sparse_matrices_are_understood_and_left_as_they_are(indices, data):
    indices, data = np.array(indices), np.array(data)
    untidy = sparse.csr_matrix((data.copy(), indices.copy(), np.array([0, 2, 4])), shape=(2, 3))
    tidy = np.array([[1, 0, 1], [0, 1, 0]], bool)
    assert subset_accuracy(untidy, tidy) == subset_accuracy(tidy, untidy) == 1
    assert np.array_equal(untidy.indices, indices)
    assert np.array_equal(untidy.data, data)


@pytest.mark.parametrize(
    ("prediction", "message"),
    [
        (
            {"sets": np.ones((2, 4), bool)},
            r"predicted sets: found shape \(2, 4\), expected that of the truth, \(2, 3\)",
        ),
        ({"sets": np.full((2, 3), 0.4)}, "predicted sets: found the entry 0.4, expected only 0 and 1"),
        ({"sets": np.ones(3, bool)}, r"predicted sets: found shape \(3,\)"),
        ({"sets": np.full((2, 3), "a")}, "predicted sets: found entries of type"),
        ({"scores": np.ones((3, 2))}, r"scores: found shape \(3, 2\), expected that of the truth, \(2, 3\)"),
        ({"scores": np.full((2, 3), np.nan)}, "scores: found NaN"),
        ({"scores": sparse.csr_matrix([[0, -1.0, 0], [0, 0, 0]])}, "scores: found -1.0, but absent"),
        ({"scores": sparse.csr_matrix([[0, np.nan, 0], [0, 0, 0]])}, "scores: found NaN"),
        ({"score": np.ones((2, 3))}, "a multilabel prediction has score, expected one or more of scores, sets"),
    ],
)
def test_wrong_input_is_refused(prediction, message):
    truth = np.array([[1, 0, 1], [0, 1, 0]], bool)
    with pytest.raises(DataError, match=message):
        evaluate("multilabel", truth, prediction)


def test_data_frames_say_which_labels_they_mean(plausible):
    pandas = pytest.importorskip("pandas")
    truth, predicted, scores = plausible
    names = [f"label {label}" for label in range(truth.shape[1])]
    frames = [pandas.DataFrame(matrix, columns=names) for matrix in (truth.astype(int), predicted, scores)]
    found = evaluate("multilabel", frames[0], {"sets": frames[1], "scores": frames[2]})
    assert found == evaluate("multilabel", truth, {"sets": predicted, "scores": scores})
    for what, frame in zip(("sets", "scores"), frames[1:], strict=True):
        with pytest.raises(DataError, match=f"{what}: found the columns .*, expected those of the truth"):
            evaluate("multilabel", frames[0], {what: frame[names[::-1]]})


def test_no_instances_are_refused():
    with pytest.raises(DataError, match=r"truth: found shape \(0, 3\)"):
        hamming_loss(np.ones((0, 3), bool), np.ones((0, 3), bool))


def test_an_unknown_task_is_refused():
    with pytest.raises(ConfigError, match=r"unknown task 'multilable'\. Did you mean 'multilabel'"):
        evaluate("multilable", np.ones((1, 2)), {"sets": np.ones((1, 2))})


def test_every_published_measure_of_quality_is_declared():
    about_data = {"instances", "train_instances", "test_instances", "features", "labels"}
    about_data |= {"cardinality", "density", "distinct", "feature_cardinality"}
    about_comparison = {"average_rank", "p_value", "relative_tree_size"}
    about_time = {"train_seconds", "test_seconds", "runtime_seconds"}
    published = set()
    for path in (Path(__file__).parents[2] / "config" / "published").glob("*.csv"):
        with open(path, newline="") as file:
            published |= {row["metric"] for row in csv.DictReader(file)}
    assert published - about_data - about_comparison - about_time == METRICS.keys() - {
        "subset_accuracy",
        "macro_f1_zero",
        "strict_one_error",
        "strict_average_precision",
        "bipartition_hamming_loss",
    }


def test_declarations_are_consistent():
    for name, metric in METRICS.items():
        assert metric.name == name == metric.function.__name__
        assert metric.low < metric.high
        assert metric.label
        assert metric.source
