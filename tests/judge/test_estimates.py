"""Numbers that papers derive from others: average ranks and relative tree sizes."""

import numpy as np
import pytest

from labelknn_papers.judge.estimates import (
    Estimate,
    best_setting,
    derived_numbers,
    partial_average_rank,
    summarise,
    value_table,
)
from labelknn_papers.plan.cells import Cell, Published, Target
from labelknn_papers.plan.protocol import Protocol
from labelknn_papers.run.score import Score

PROTOCOL = Protocol("cross-validation", 1, 2, missing=(0.0, 0.3))


def target(dataset, method, metric, setting="missing=0.0", table="table2"):
    cell = None if dataset == "AVG" else Cell(PROTOCOL, dataset, method)
    number = Published(table, dataset, method, metric, setting, "0.5", "")
    return Target(number, metric, None if dataset == "AVG" else dataset, cell, setting)


def taus(**values):
    """Our tau of each method on data sets a, b, ..., at the setting missing=0.0."""
    return {
        target(dataset, method, "kendall_tau"): Estimate(value) if value is not None else None
        for method, row in values.items()
        for dataset, value in zip("abcd", row, strict=False)
    }


def test_average_ranks_by_hand():
    """Ranks of cc: 1, 2.5, 2; of iblr: 2, 1, 1; of lrt: 3, 2.5, 3."""
    ours = taus(cc=(0.9, 0.5, 0.6), iblr=(0.8, 0.7, 0.7), lrt=(0.7, 0.5, 0.1))
    wanted = {method: target("AVG", method, "average_rank") for method in ("cc", "iblr", "lrt")}
    found = derived_numbers(ours | dict.fromkeys(wanted.values()), {})
    means = [found[wanted[method]].mean for method in ("cc", "iblr", "lrt")]
    assert means == pytest.approx([5.5 / 3, 4 / 3, 8.5 / 3])


def test_an_average_over_fewer_data_sets_stands_against_the_papers_own_over_the_same():
    ours = taus(cc=(0.9, 0.1), iblr=(0.8, None))
    wanted = target("AVG", "iblr", "average_rank")
    assert derived_numbers(ours | {wanted: None}, {}) == {}
    # All printed values are equal, so that the paper's ranks are all 1.5.
    assert partial_average_rank(wanted, ours) == (2.0, 1.5, ["b"])
    assert partial_average_rank(wanted, taus(cc=(0.9,), iblr=(None,))) is None
    assert partial_average_rank(target("a", "iblr", "kendall_tau"), ours) is None
    assert partial_average_rank(wanted, taus(cc=(0.9, 0.1), iblr=(0.8, 0.2))) is None, "it is no part"


def test_another_setting_has_its_own_ranks():
    ours = taus(cc=(0.9,), iblr=(0.8,))
    wanted = target("AVG", "cc", "average_rank", setting="missing=0.3")
    assert derived_numbers(ours | {wanted: None}, {}) == {}


def test_the_setting_may_name_the_metric_that_is_ranked():
    ours = {
        target("a", "rs", "hamming_loss", ""): Estimate(0.2),
        target("a", "pa", "hamming_loss", ""): Estimate(0.1),
        target("a", "rs", "average_precision", ""): Estimate(0.9),
        target("a", "pa", "average_precision", ""): Estimate(0.8),
    }
    by_loss = target("AVG", "rs", "average_rank", "of=hamming_loss")
    by_precision = target("AVG", "rs", "average_rank", "of=average_precision")
    found = derived_numbers(ours | {by_loss: None, by_precision: None}, {})
    assert (found[by_loss].mean, found[by_precision].mean) == (2, 1)  # a loss is better if lower


def test_tree_sizes_are_relative_to_c45_on_complete_rankings():
    wanted = target("a", "lrt", "relative_tree_size", "missing=0.3")
    leaves = {
        (PROTOCOL.id, "a", "lrt", "missing=0.3", "leaves"): Estimate(30.0, 3.0),
        (PROTOCOL.id, "a", "c45", "missing=0.3", "leaves"): Estimate(20.0, 1.0),
        (PROTOCOL.complete.id, "a", "c45", "", "leaves"): Estimate(10.0, 1.0),
    }
    assert derived_numbers({wanted: None}, leaves) == {wanted: Estimate(3.0, 0.3)}
    assert derived_numbers({wanted: None}, {}) == {}


@pytest.mark.parametrize(("splits", "quantile"), [(2, 12.706), (5, 2.776), (10, 2.262), (31, 2.042)])
def test_an_error_from_few_splits_is_widened_as_students_table_says(splits, quantile):
    """A table of the t distribution has these for 95 %, where the normal distribution has 1.96."""
    assert Estimate(0.5, 0.01, splits).error == pytest.approx(0.01 * quantile / 1.96, rel=1e-3)
    assert Estimate(0.5, None, splits).error is None


def test_the_widened_error_covers_what_two_errors_of_many_splits_do():
    rng = np.random.default_rng(1)
    for splits in (3, 10):
        means, errors = zip(
            *((one.mean, one.error) for one in (_of(rng.normal(size=splits)) for _ in range(2000))), strict=True
        )
        assert np.mean(np.abs(means) <= 1.96 * np.array(errors)) == pytest.approx(0.95, abs=0.02)


def _of(values):
    scores = [Score("p", "d", "m", "", 0, fold, "hamming_loss", float(value)) for fold, value in enumerate(values)]
    (found,) = summarise(scores).values()
    return found


def test_a_value_table_has_the_papers_names():
    found = value_table(taus(cc=(0.9, 0.1), iblr=(0.8, None)), "table2", "kendall_tau", "missing=0.0")
    assert (found.datasets, found.methods) == (["a", "b"], ["cc", "iblr"])
    assert found.values[0].tolist() == [0.9, 0.8]
    assert not found.lower_is_better


def test_the_best_setting_is_chosen_for_each_metric_in_its_direction():
    cell = Cell(PROTOCOL, "a", "knn")
    place = (PROTOCOL.id, "a", "knn")
    values = {"k=1": (0.3, 0.4), "k=2": (0.2, 0.6), "k=3": (0.25, 0.7)}
    estimates = {
        (*place, setting, metric): Estimate(value)
        for setting, row in values.items()
        for metric, value in zip(("hamming_loss", "micro_f1"), row, strict=True)
    }
    estimates |= {(PROTOCOL.id, "b", "knn", "k=1", "hamming_loss"): Estimate(0.0)}
    assert best_setting(estimates, cell, "hamming_loss").mean == 0.2
    assert best_setting(estimates, cell, "micro_f1").mean == 0.7
    assert best_setting(estimates, cell, "one_error") is None
