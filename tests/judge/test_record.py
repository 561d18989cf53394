"""What the repository's own run has found, beside a run of some of its numbers."""

from dataclasses import replace

import pytest

from labelknn.errors import DataError
from labelknn_papers.judge.comparison import Comparison, write_comparison
from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.judge.record import Balance, balance, in_place_of, read_record
from labelknn_papers.plan.cells import Cell, Published, Target
from labelknn_papers.plan.protocol import Protocol

WHOLE = Protocol("cross-validation", 5, 10)
PAPER = {"datasets": {"Yeast": "yeast"}}


def target(method, dataset="Yeast", printed="0.2", protocol=WHOLE, chosen="yeast"):
    published = Published("table1", dataset, method, "hamming_loss", "", printed, "")
    return Target(published, "hamming_loss", chosen, Cell(protocol, chosen, method))


def found(one, mean, verdict="matches"):
    return Comparison(one, None if mean is None else Estimate(mean, 0.01), 0.0, 0.02, verdict)


RUN = [target("same"), target("other"), target("seconds"), target("left-out"), target("never"), target("new")]
PART = target("part", protocol=replace(WHOLE, first=5))
GENERATED = target("generated", chosen="yeast-generated")
UNPRINTED = target("unprinted", printed="")
ALL = [*RUN, PART, GENERATED, UNPRINTED]


@pytest.fixture
def record(tmp_path):
    values = {"same": 0.123456, "other": 0.2, "left-out": 0.3, "part": 0.4, "generated": 0.5, "unprinted": 0.6}
    rows = [
        found(one, values.get(one.published.method), "not run" if one.published.method == "never" else "close")
        for one in ALL
        if one.published.method != "new"
    ]
    write_comparison(
        tmp_path / "comparison.csv", [replace(row, verdict="") if row.target is UNPRINTED else row for row in rows]
    )
    return read_record(tmp_path / "comparison.csv", ALL)


@pytest.fixture
def comparisons():
    absent = [Comparison(one, verdict="not run", reason="left out of this run") for one in RUN[3:]]
    run = [found(RUN[0], 0.123456), found(RUN[1], 0.200001), found(RUN[2], None)]
    return [*run, *absent, found(PART, 0.4), found(GENERATED, 0.5), Comparison(UNPRINTED)]


def test_only_what_was_not_run_is_shown_from_the_record(comparisons, record):
    shown = {one.published.method: in_place_of(one, record) for one in comparisons}
    assert [method for method, other in shown.items() if other] == ["left-out"]
    assert shown["left-out"].ours.mean == 0.3
    assert shown["left-out"].verdict == "close"


def test_the_balance_counts_as_the_same_what_comes_from_the_same_data_and_splits(comparisons, record):
    """same and other are comparable; a run time has no value, part has fewer splits, generated has other rows."""
    assert balance(comparisons, record, PAPER) == Balance(run=5, shortened=1, alike=2, same=1, recorded=1)
    assert balance(comparisons, {}, PAPER) == Balance(run=5, shortened=1)
    assert Balance(1, 2, 3, 4, 5) + Balance(1, 1, 1, 1, 1) == Balance(2, 3, 4, 5, 6)


def test_a_number_that_is_printed_otherwise_is_another_one(tmp_path, comparisons):
    write_comparison(tmp_path / "comparison.csv", comparisons)
    changed = [replace(one, published=replace(one.published, printed="0.3")) for one in ALL]
    assert read_record(tmp_path / "comparison.csv", changed) == {}


def test_a_damaged_record_is_named(tmp_path, comparisons):
    write_comparison(tmp_path / "comparison.csv", comparisons)
    text = (tmp_path / "comparison.csv").read_text()
    (tmp_path / "comparison.csv").write_text(text.replace("0.123456", "0.12x"))
    with pytest.raises(DataError, match="the comparison of a full run"):
        read_record(tmp_path / "comparison.csv", ALL)
