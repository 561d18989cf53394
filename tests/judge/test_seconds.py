"""What methods take, who is unbeaten, and two libraries side by side; by hand."""

import pytest

from labelknn_papers.judge.outcomes import outcomes, rank
from labelknn_papers.judge.seconds import (
    Seconds,
    cell_seconds,
    point_rows,
    seconds_by_entry,
    time_rows,
    trade_off,
)
from labelknn_papers.plan.cells import Cell, Entry, Limits
from labelknn_papers.plan.comparisons import View
from labelknn_papers.plan.protocol import Protocol
from labelknn_papers.run.score import Score

FOLDS = Protocol("cross-validation", folds=2)
COMPARISON = {"datasets": ["a", "b"], "metrics": ["hamming_loss"], "level": 0.05}
LOSSES = {"Fast": (0.4, 0.3), "Best": (0.1, 0.1), "Slow": (0.2, 0.4), "Middle": (0.3, 0.2), "Absent": (0.05, None)}
SECONDS = {"Fast": (1, 1), "Best": (4, 9), "Slow": (100, 100), "Middle": (2, 2), "Absent": (1, 1)}


def entry(method, dataset, condition=""):
    return Entry(method, Cell(FOLDS, dataset, method.lower(), Limits(120, 4)), condition, condition)


@pytest.fixture
def points():
    entries = [entry(method, dataset) for method in LOSSES for dataset in "ab"]
    scores = [
        Score(FOLDS.id, dataset, method.lower(), "", 0, 0, "hamming_loss", value)
        for method, values in LOSSES.items()
        for dataset, value in zip("ab", values, strict=True)
        if value is not None
    ]
    ranked = rank(outcomes(entries, COMPARISON, scores, {}, {}), View("hamming_loss", ""))
    taken = [
        Seconds(dataset, method, "", 1, value / 2, value / 2)
        for method, both in SECONDS.items()
        for dataset, value in zip("ab", both, strict=True)
    ]
    return trade_off(ranked, taken)


def test_a_method_alone_has_no_rank():
    scores = [Score(FOLDS.id, "a", "fast", "", 0, 0, "hamming_loss", 0.1)]
    ranked = rank(outcomes([entry("Fast", "a")], COMPARISON, scores, {}, {}), View("hamming_loss", ""))
    assert trade_off(ranked, [Seconds("a", "Fast", "", 1, 0.5, 0.5)]) == []


def test_ranks_times_and_who_is_unbeaten(points):
    # Ranks on a: Best, Slow, Middle, Fast; on b: Best, Middle, Fast, Slow. A method without a value is not there.
    assert [(p.method, p.average_rank, p.unbeaten) for p in points] == [
        ("Fast", 3.5, True),
        ("Middle", 2.5, True),
        ("Best", 1.0, True),
        ("Slow", 3.0, False),
    ]
    assert points[2].seconds == pytest.approx(6)  # the geometric mean of 4 and 9
    assert point_rows(points)[2] == ("hamming_loss", "", "Best", "6", "1.000", True)


def times(path, rows):
    lines = [f"0,{fold},{setting},{stage},{seconds}" for fold, setting, stage, seconds in rows]
    path.write_text("\n".join(["repeat,fold,setting,stage,seconds", *lines]) + "\n")
    return str(path)


def test_fit_and_predict_are_apart_and_cells_add_up(tmp_path):
    rates = ("missing=0.0", "missing=0.3")
    entries = [entry("One", "a", rate) for rate in rates] + [entry("Two", "a"), entry("Late", "b")]
    rows = [(0, rates[0], "fit", 1), (0, rates[0], "predict", 2), (1, rates[0], "fit", 3), (1, rates[0], "predict", 4)]
    files = {entries[0].cell.path: times(tmp_path / "one.csv", [*rows, (0, rates[1], "fit", 10)])}
    found = seconds_by_entry(entries, files)
    assert found == [Seconds("a", "One", rates[0], 2, 2.0, 3.0), Seconds("a", "One", rates[1], 1, 10.0, 0.0)]
    assert time_rows(found)[0] == ("a", "One", rates[0], 2, "2", "3")
    stopped = {entries[3].cell.path: "more than 120 s"}
    assert dict(cell_seconds(entries, found, stopped)) == {
        entries[0].cell.path: "20.00",
        entries[3].cell.path: "120.00",
    }
