"""Two methods on the same splits: differences by hand, the printed one-sided p, and the corrected test beside it."""

import pytest
from scipy import stats

from labelknn_papers.judge.paired import COLUMNS, by_split, p_values, paired_tests
from labelknn_papers.plan.cells import Cell, Published, Target
from labelknn_papers.plan.protocol import Protocol
from labelknn_papers.run.score import Score

PROTOCOL = Protocol("cross-validation", 1, 5)
RS, IBLR = (0.10, 0.12, 0.11, 0.13, 0.10), (0.12, 0.13, 0.11, 0.16, 0.14)


def target(method, metric="hamming_loss", setting="", dataset="yeast", algorithm=None):
    number = Published("table3", dataset, method, metric, setting, ".05", "")
    return Target(number, metric, dataset, Cell(PROTOCOL, dataset, algorithm or method) if method else None)


def scores(algorithm, values, dataset="yeast"):
    return [
        Score(PROTOCOL.id, dataset, algorithm, "", 0, fold, "hamming_loss", value) for fold, value in enumerate(values)
    ]


P = target("rs", "p_value", "of=hamming_loss;vs=iblr-ml")
TARGETS = [target("rs"), target("iblr-ml"), P]
SCORES = by_split(scores("rs", RS) + scores("iblr-ml", IBLR))


def test_the_printed_p_value_is_that_of_a_one_sided_paired_test():
    found = p_values(TARGETS, SCORES)
    assert found[P] == pytest.approx(stats.ttest_rel(RS, IBLR, alternative="less").pvalue)


def test_without_the_scores_there_is_no_p_value():
    assert p_values(TARGETS, by_split(scores("rs", RS))) == {}
    assert p_values([P], SCORES) == {}


def test_both_tests_of_a_pair():
    pairs = {"ours": {"table": "table3", "methods": ["rs", "iblr-ml"], "metrics": ["hamming_loss"]}}
    (row,) = paired_tests(pairs, TARGETS, SCORES)
    found = dict(zip(COLUMNS, row, strict=True))
    assert (found["comparison"], found["dataset"], found["better"]) == ("ours", "yeast", "rs")
    assert float(found["first_mean"]) == pytest.approx(sum(RS) / 5)
    plain = stats.ttest_rel(RS, IBLR)
    assert [float(found["t"]), float(found["p"])] == pytest.approx([plain.statistic, plain.pvalue], rel=1e-5)
    # The variance 1/5 becomes 1/5 + n_test / n_train = 1/5 + 1/4.
    assert float(found["corrected_t"]) == pytest.approx(plain.statistic * (0.2 / 0.45) ** 0.5, rel=1e-5)
    assert float(found["corrected_p"]) > float(found["p"])


def test_the_better_method_depends_on_the_direction_of_the_metric():
    swapped = [target("rs", algorithm="iblr-ml"), target("iblr-ml", algorithm="rs")]
    pairs = {"ours": {"table": "table3", "methods": ["rs", "iblr-ml"], "metrics": ["hamming_loss"]}}
    (row,) = paired_tests(pairs, swapped, SCORES)
    assert dict(zip(COLUMNS, row, strict=True))["better"] == "iblr-ml"
