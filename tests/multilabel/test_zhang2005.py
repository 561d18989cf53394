"""Rank-SVM, ADTBoost.MH and BoosTexter on yeast's 1500/917 split, against Table II of zhang2005."""

import pytest

from labelknn import ADTBoostMH, BoosTexter, RankSVM
from labelknn.datasets._container import TEST, TRAIN
from labelknn.datasets._mulan import read_mulan
from labelknn.metrics import evaluate

pytestmark = [pytest.mark.mirror, pytest.mark.long]


@pytest.fixture(scope="module")
def yeast(mirror):
    files = {part: f"yeast-{part}.arff" for part in ("train", "test")}
    data = read_mulan("yeast", mirror / "multilabel" / "yeast", files=files, xml="yeast.xml")
    return [(data.X[data.part == part], data.Y[data.part == part]) for part in (TRAIN, TEST)]


def scores(model, yeast):
    (X, Y), (queries, truth) = yeast
    return evaluate("multilabel", truth, model.fit(X, Y)._output(queries))


def test_rank_svm_has_the_printed_sets_and_orders_labels_better(yeast):
    model = RankSVM(C=1.0, degree=8)
    found = scores(model, yeast)
    assert model.gap_ <= 1e-4 * model.primal_
    assert found["hamming_loss"] == pytest.approx(0.196, abs=0.005)
    assert found["one_error"] == pytest.approx(0.225, abs=0.005)
    assert found["coverage"] < 6.717
    assert found["ranking_loss"] < 0.179
    assert found["average_precision"] > 0.763


def test_adtboost_comes_close(yeast):
    found = scores(ADTBoostMH(steps=30), yeast)
    assert found["hamming_loss"] == pytest.approx(0.213, abs=0.005)
    assert found["coverage"] == pytest.approx(6.502, abs=0.05)
    assert found["average_precision"] == pytest.approx(0.738, abs=0.005)


def test_boostexter_is_best_long_before_it_has_fitted_the_training_rows(yeast):
    (X, Y), (queries, truth) = yeast
    stages = BoosTexter(rounds=100).fit(X, Y).staged_predict(queries)
    losses = [(sets != truth).mean() for sets in stages]
    assert losses[19] < losses[0]
    assert losses[19] < losses[99] < 0.237
