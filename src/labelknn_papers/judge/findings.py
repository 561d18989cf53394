"""What was found about a paper, and the CSV files that hold it: judge writes them, and the page reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from labelknn.utils._files import damaged, write_table
from labelknn_papers.judge import paired
from labelknn_papers.judge.comparison import Comparison, compare, read_comparison, write_comparison
from labelknn_papers.judge.estimates import ValueTable, value_table
from labelknn_papers.judge.files import read_table, side_tables
from labelknn_papers.judge.own import own_values, read_own, write_own
from labelknn_papers.judge.paired import by_split, paired_tests
from labelknn_papers.judge.significance import MethodTests, SignificanceRow, compare_methods
from labelknn_papers.judge.times import TimeComparison, compare_times, write_times
from labelknn_papers.judge.verdict import OWN
from labelknn_papers.plan.cells import Target
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.score import Score

Facts = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Findings:
    """What tables and the page show of a paper; numbers are those of the files, to six decimals.

    own : the methods that the config lets join the paper. They have no published numbers.
    tests : the rows of each significance test over a table's data sets.
    pairs : rows of `paired.COLUMNS`.
    """

    comparisons: Sequence[Comparison]
    variants: Sequence[Comparison] = ()
    own: Sequence[Comparison] = ()
    tests: Mapping[str, Sequence[SignificanceRow]] = field(default_factory=dict)
    pairs: Sequence[Sequence[str]] = ()

    @property
    def in_tables(self) -> list[Comparison]:
        return [*self.comparisons, *self.own]


@dataclass(frozen=True)
class Judged:
    """The same as it comes from the scores, with the tests that diagrams show, and run times.

    measured : why run times differ, with seconds.
    """

    comparisons: Sequence[Comparison]
    variants: Sequence[Comparison]
    own: Sequence[Comparison]
    tests: Mapping[str, MethodTests | None]
    pairs: Sequence[Sequence[str]]
    times: Sequence[TimeComparison]
    measured: Mapping[Target, str] = field(default_factory=dict)


def judge_paper(
    plan: Plan,
    paper: str,
    scores: Sequence[Score],
    facts: Facts,
    unreached: Mapping[str, str],
    times: Mapping[str, str],
) -> Judged:
    """The published numbers of a paper against ours, and what its config asks for beside them.

    Why they differ is said when all is judged (`judge.reasons`).

    times : the files with the run times of its cells, by cell.
    """
    definition, targets = plan.papers[paper], plan.targets[paper]
    timed, one_split = compare_times(targets, times), definition.get("one_split", False)
    comparisons = compare(targets, scores, facts, unreached, timed, one_split)
    own = own_values(plan.own[paper], scores, unreached)
    return Judged(
        comparisons,
        compare(plan.variants[paper], scores, facts, unreached, one_split=one_split),
        own,
        {name: _test(test, [*comparisons, *own]) for name, test in definition.get("tests", {}).items()},
        paired_tests(definition.get("pairs", {}), targets, by_split(scores)),
        timed,
    )


def _test(test: Mapping[str, Any], comparisons: Sequence[Comparison]) -> MethodTests | None:
    found = tested_table(test, comparisons)
    return compare_methods(found.values, found.methods, test["level"], lower_is_better=found.lower_is_better)


def tested_table(test: Mapping[str, Any], comparisons: Sequence[Comparison]) -> ValueTable:
    # A method of one's own that does not give this metric would leave no data set with a value for every method.
    ours = {one.target: one.ours for one in comparisons if one.ours or one.verdict != OWN}
    return value_table(ours, test["table"], test["metric"], test.get("setting"))


def write_findings(folder: Path, plan: Plan, paper: str, judged: Judged) -> None:
    """comparison.csv, and those of the other files that the paper has."""
    write = {
        "tests": lambda path: _write_tests(path, judged.tests),
        "paired_tests": lambda path: write_table(path, paired.COLUMNS, judged.pairs),
        "variants": lambda path: write_comparison(path, judged.variants),
        "times": lambda path: write_times(path, judged.times, judged.measured),
        "own": lambda path: write_own(path, judged.own),
    }
    for name in side_tables(plan, paper):
        write[name](folder / f"{name}.csv")
    write_comparison(folder / "comparison.csv", judged.comparisons)


def read_findings(folder: Path, plan: Plan, paper: str) -> Findings:
    """What `write_findings` wrote."""
    beside = side_tables(plan, paper)
    return Findings(
        read_comparison(folder / "comparison.csv", plan.targets[paper]),
        read_comparison(folder / "variants.csv", plan.variants[paper]) if "variants" in beside else (),
        read_own(folder / "own.csv", plan.own[paper]) if "own" in beside else (),
        _read_tests(folder / "tests.csv") if "tests" in beside else {},
        [list(row.values()) for row in read_table(folder / "paired_tests.csv")] if "paired_tests" in beside else (),
    )


def _write_tests(path: str | PathLike, tests: Mapping[str, MethodTests | None]) -> None:
    rows = [(name, *row) for name, one in tests.items() if one for row in one.rows()]
    write_table(path, ("comparison", *SignificanceRow._fields), rows)


def _read_tests(path: str | PathLike) -> dict[str, list[SignificanceRow]]:
    found: dict[str, list[SignificanceRow]] = {}
    try:
        for row in read_table(path):
            p = float(row["p"]) if row["p"] else None
            line = SignificanceRow(row["test"], float(row["statistic"]), p, row["detail"])
            found.setdefault(row["comparison"], []).append(line)
    except (KeyError, ValueError) as error:
        raise damaged(path, "a table of tests", error) from None
    return found
