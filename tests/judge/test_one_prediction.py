"""What printed values say about a single prediction: no real one is called impossible, and Medical's ML-kNN row is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.datasets._container import TEST
from labelknn.datasets._mulan import read_mulan
from labelknn.metrics import evaluate
from labelknn_papers.judge.one_prediction import METRICS, bounds, least_scoring, most_hits
from labelknn_papers.plan.cells import Published, read_published

from ..conftest import ROOT


def printed(values, digits):
    return {
        metric: Published("table2", "toy", "ours", metric, "", f"{value:.{digits}f}", "")
        for metric, value in values.items()
        if metric in METRICS
    }


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3, 8]), st.floats(0, 1))
@settings(max_examples=100, deadline=None)
def test_a_prediction_is_possible(seed, digits, noise):
    rng = np.random.default_rng(seed)
    truth = rng.random((40, 6)) < 0.25
    sets = np.where(rng.random(truth.shape) < noise, rng.random(truth.shape) < 0.3, truth)
    unlabelled = int((~truth.any(axis=1)).sum())
    found = bounds(printed(evaluate("multilabel", truth, {"sets": sets}), digits), *truth.shape, unlabelled)
    assert found.possible
    scoring = ((truth & sets).any(axis=1) | ~(truth | sets).any(axis=1)).mean()
    assert found.rows_at_least - 1e-6 <= scoring <= found.rows_at_most + 1e-6


def test_by_hand():
    """Four hits beside two wrong cells: F1 = 8/10. All rows alike with F1 = 1/2 have the accuracy 1/3."""
    assert most_hits(2, 0.8) == pytest.approx(4)
    assert least_scoring(1 / 3, 0.5) == pytest.approx(1)
    assert least_scoring(0.5, 0.5) == pytest.approx(0.5)


def test_values_that_do_not_go_together():
    """Half of the rows must score, since accuracy and F1 are both .5; three wrong cells in ten rows leave one hit."""
    values = {"hamming_loss": 0.1, "micro_f1": 0.4, "example_accuracy": 0.5, "example_f1": 0.5}
    found = bounds(printed(values, 6), rows=10, labels=3, unlabelled=0)
    assert found[:2] == pytest.approx((0.1, 0.5), abs=1e-5)
    assert not found.possible
    assert bounds(printed(values, 6), rows=10, labels=3, unlabelled=4).possible, "rows without labels score unseen"


@pytest.mark.mirror
def test_the_printed_row_of_medical_is_no_single_prediction(mirror):
    """ML-kNN in Table II: at most 363 of the 645 test rows can be hit, and at least 59.2 % would have to be."""
    files = {part: f"medical-{part}.arff" for part in ("train", "test")}
    data = read_mulan("medical", mirror / "multilabel" / "medical", files=files, xml="medical.xml")
    truth = data.Y[data.part == TEST].toarray()
    assert truth.shape == (645, 45)
    assert truth.any(axis=1).all()
    numbers = read_published(ROOT / "config/published/feremans2017.csv")
    row = {one.metric: one for one in numbers if (one.table, one.dataset, one.method) == ("table2", "Medical", "mlknn")}
    found = bounds(row, *truth.shape, unlabelled=0)
    assert found.rows_at_most == 363 / 645
    assert found.rows_at_least == pytest.approx(0.592, abs=0.001)
    assert not found.possible
