"""Ranks against properties of the data."""

import numpy as np
import pytest
from scipy import stats

from labelknn_papers.judge.estimates import ValueTable
from labelknn_papers.judge.properties import correlation_rows, correlations, properties_of

NAMES = [f"d{number}" for number in range(9)]
RNG = np.random.default_rng(5)
FACTS = {
    name: {"instances": 100 * (place + 1), "features": 50, "labels": int(RNG.integers(3, 40)), "cardinality": 1.5}
    for place, name in enumerate(NAMES)
}


def test_properties_that_differ_and_that_all_have():
    facts = {name: dict(of) for name, of in FACTS.items()}
    facts["d0"]["feature_cardinality"] = 5.0
    found = properties_of(facts, NAMES)
    assert set(found) == {"rows", "labels", "sparsity"}, "the others are the same everywhere"
    assert found["sparsity"].tolist() == [0.9] + [0.0] * 8
    del facts["d3"]["cardinality"]
    assert "cardinality" not in properties_of(facts, NAMES)


def test_it_is_spearmans_correlation_adjusted_for_all():
    scores = np.column_stack([np.arange(9.0), np.full(9, 3.5), RNG.uniform(0, 9, 9)])
    table = ValueTable("micro_f1", NAMES, ["more", "same", "chance"], scores)
    found = {(one.method, one.property): one for one in correlations(table, FACTS)}
    ranks = stats.rankdata(-scores, axis=1)
    for (method, name), one in found.items():
        rho, p = stats.spearmanr(properties_of(FACTS, NAMES)[name], ranks[:, table.methods.index(method)])
        assert (one.rho, one.p) == (pytest.approx(rho), pytest.approx(p))
        assert one.p <= one.adjusted_p <= 1
    assert found["more", "rows"].rho < 0, "its scores, and so its ranks, get better with more rows"
    rows = correlation_rows(("micro_f1", ""), list(found.values()))
    assert rows[0][:4] == ("micro_f1", "", "more", "rows")


def test_a_few_data_sets_tell_nothing():
    table = ValueTable("micro_f1", NAMES[:7], ["a", "b"], RNG.uniform(size=(7, 2)))
    assert correlations(table, FACTS) == []
