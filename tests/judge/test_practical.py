"""The Bayesian signed-rank test: on cases whose answer is known, and against its definition."""

import numpy as np
import pytest

from labelknn_papers.judge.estimates import ValueTable
from labelknn_papers.judge.practical import against, best_method, practical_rows, signed_ranks


def test_cases_whose_answer_is_known():
    x = np.linspace(0.2, 0.8, 15)
    better, equal, worse = signed_ranks(x + 0.1, x, 0.01)
    assert better > 0.999
    assert signed_ranks(x, x + 0.1, 0.01)[::-1] == pytest.approx((better, equal, worse))
    assert signed_ranks(x + 0.001, x, 0.01)[1] > 0.999, "within the rope nothing is better"
    assert signed_ranks(x, x, 0.01)[1] == 1
    assert sum(signed_ranks(x + np.where(np.arange(15) % 2, 0.1, -0.1), x, 0.01)) == pytest.approx(1)


def test_it_is_the_posterior_of_the_definition():
    """Dirichlet weights of the differences and of one at 0 with weight 1/2; mean of two of them beyond the rope."""
    rng = np.random.default_rng(1)
    x, rope = rng.uniform(size=8), 0.02
    y = x + rng.normal(0.01, 0.05, size=8)
    differences = np.concatenate([[0], x - y])
    weights = rng.dirichlet([0.5, *np.ones(8)], size=20_000)
    means = (differences[:, None] + differences) / 2
    parts = np.array([means > rope, abs(means) <= rope, means < -rope], dtype=float)
    winners = np.einsum("si,sj,pij->sp", weights, weights, parts).argmax(axis=1)
    expected = np.bincount(winners, minlength=3) / len(winners)
    assert signed_ranks(x, y, rope) == pytest.approx(expected, abs=0.02)


def test_the_best_method_stands_against_each_other_one():
    losses = np.array([[0.1, 0.3, 0.1001], [0.2, 0.4, 0.2001], [0.1, 0.2, 0.1001], [0.2, 0.3, 0.2001]])
    table = ValueTable("hamming_loss", list("abcd"), ["good", "bad", "like it"], losses)
    assert best_method(table) == "good", "a low loss is good"
    bad, like_it = against(table, "good", 0.01)
    assert (bad.second, like_it.second) == ("bad", "like it")
    assert bad.better > 0.9
    assert like_it.equal > 0.9
    rows = practical_rows(("hamming_loss", ""), [bad, like_it], 0.01)
    assert rows[0][:4] == ("hamming_loss", "", "Bayesian signed ranks", round(bad.better, 4))
    assert list(against(table, "good", 0.01)) == [bad, like_it], "the same in every run"
