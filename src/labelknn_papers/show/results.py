"""The results of a run, read from its files, and what the page is to show of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from labelknn.metrics import METRICS
from labelknn.utils._files import damaged
from labelknn_papers.judge import paired
from labelknn_papers.judge.comparison import Comparison, compare, decimals
from labelknn_papers.judge.estimates import ValueTable, summarise, value_table
from labelknn_papers.judge.own import own_values
from labelknn_papers.judge.paired import by_split, paired_tests
from labelknn_papers.judge.significance import SignificanceRow, critical_difference_panels, significance_rows
from labelknn_papers.judge.times import TimeComparison, compare_times, is_time
from labelknn_papers.judge.verdict import OWN
from labelknn_papers.plan.cells import Target
from labelknn_papers.plan.plan import Plan
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.run.score import Score, read_scores
from labelknn_papers.show.contents import pictures_of, side_tables
from labelknn_papers.show.page import FigureReport, Layout, PaperReport, Row, StudyReport, TableReport, Unreached


@dataclass(frozen=True)
class Results:
    """Scores of all cells, facts of all data sets, and why a data set could not be had; `times` is a folder."""

    scores: Sequence[Score]
    facts: Mapping[str, Mapping[str, float]]
    unreached: Mapping[str, str]
    times: str

    @classmethod
    def read(cls, scores: Iterable[str], facts: Iterable[str], sources: str, times: str) -> Results:
        found = {Path(path).stem: _read_facts(path) for path in facts}
        return cls(read_scores(scores), found, read_unreached(sources), times)

    def compare_times(self, plan: Plan, paper: str) -> list[TimeComparison]:
        return compare_times(plan.targets[paper], self.times)

    def compare(self, plan: Plan, paper: str) -> list[Comparison]:
        return self._compare(plan, paper, plan.targets[paper], self.compare_times(plan, paper))

    def compare_variants(self, plan: Plan, paper: str) -> list[Comparison]:
        """Our own variants of the paper's methods, against the numbers of the methods that they vary."""
        return self._compare(plan, paper, plan.variants[paper])

    def own(self, plan: Plan, paper: str) -> list[Comparison]:
        """The methods that the config lets join the paper; they have no published numbers."""
        return own_values(plan.own[paper], self.scores, self.unreached)

    def test(
        self, tests: Mapping[str, Mapping[str, Any]], comparisons: Sequence[Comparison]
    ) -> tuple[tuple[str, ...], list[tuple[Any, ...]], dict[str, Figure]]:
        """The significance tests of a paper: the header and rows of their table, and a diagram for each."""
        diagrams = {}
        for key, test in tests.items():
            found = self._tested(test, comparisons)
            tables = {test["title"]: found.values}
            options = {"lower_is_better": found.lower_is_better}
            diagrams[key] = critical_difference_panels(tables, found.methods, test["level"], **options)
        return *self.test_rows(tests, comparisons), diagrams

    def test_rows(
        self, tests: Mapping[str, Mapping[str, Any]], comparisons: Sequence[Comparison]
    ) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        rows: list[tuple[Any, ...]] = []
        for key, test in tests.items():
            found = self._tested(test, comparisons)
            options = {"lower_is_better": found.lower_is_better}
            rows += [(key, *line) for line in significance_rows(found.values, found.methods, test["level"], **options)]
        return ("comparison", *SignificanceRow._fields), rows

    @staticmethod
    def _tested(test: Mapping[str, Any], comparisons: Sequence[Comparison]) -> ValueTable:
        # A method of one's own that does not give this metric would leave no data set with a value for every method.
        ours = {one.target: one.ours for one in comparisons if one.ours or one.verdict != OWN}
        return value_table(ours, test["table"], test["metric"], test.get("setting"))

    def paired_tests(self, plan: Plan, paper: str) -> list[tuple[Any, ...]]:
        """Rows of `paired.COLUMNS`: pairs of methods on the same splits."""
        return paired_tests(plan.papers[paper]["pairs"], plan.targets[paper], by_split(self.scores))

    def _compare(
        self, plan: Plan, paper: str, targets: Sequence[Target], times: Sequence[TimeComparison] = ()
    ) -> list[Comparison]:
        return compare(targets, plan.papers[paper]["tables"], self.scores, self.facts, self.unreached, times)


def _read_facts(path: str) -> dict[str, float]:
    try:
        return json.loads(Path(path).read_text())
    except ValueError as error:
        raise damaged(path, "facts about a data set", error) from None


def page_content(
    plan: Plan, results: Results, comparisons: Mapping[str, Sequence[Comparison]], pictures: Iterable[str]
) -> tuple[list[PaperReport], list[Unreached], list[StudyReport]]:
    """What `render_page` takes; `pictures` are the files <paper>/<figure>.svg."""
    drawn = {(Path(path).parent.name, Path(path).stem): Path(path).read_text() for path in pictures}
    papers = [_paper(plan, results, key, comparisons[key], drawn) for key in plan.papers]
    missing = [Unreached(name, reason, _addresses(plan, name)) for name, reason in results.unreached.items()]
    return papers, missing, [_study(plan, key, results.scores) for key in plan.run_comparisons]


def _paper(
    plan: Plan, results: Results, key: str, comparisons: Sequence[Comparison], drawn: Mapping[tuple[str, str], str]
) -> PaperReport:
    paper = plan.papers[key]
    comparisons = [*comparisons, *results.own(plan, key)]
    timed = {target.published.table for target in plan.targets[key] if is_time(target)}
    return PaperReport(
        key,
        paper["title"],
        paper["authors"],
        paper["venue"],
        paper["year"],
        paper.get("departures", ()),
        [
            _table(plan, key, table, comparisons, f"{key}/times.csv" if table in timed else "")
            for table in paper["tables"]
        ],
        [
            FigureReport(figure, definition["title"], definition["caption"], drawn[key, figure])
            for figure, definition in pictures_of(paper).items()
        ],
        _variants(plan, key, results.compare_variants(plan, key)),
        _tests(plan, results, key, comparisons),
        [f"{key}/{file}.csv" for file in ("comparison", *side_tables(plan, key))],
    )


def _variants(plan: Plan, paper: str, comparisons: Sequence[Comparison]) -> list[TableReport]:
    """For each table that we have variants for, these, laid out as the table is."""
    tables = dict.fromkeys(one.published.table for one in comparisons)
    return [
        replace(
            report,
            key=f"{report.key}-variants",
            title=f"{report.title}, variants of our own",
            caption="Beside each number of the paper: what our variant of the paper's method gives in its place.",
        )
        for report in (_table(plan, paper, table, comparisons) for table in tables)
    ]


def _tests(plan: Plan, results: Results, paper: str, comparisons: Sequence[Comparison]) -> list[StudyReport]:
    """The significance tests that the run has values for: over the data sets of a table, and of two methods on one."""
    tests, found = plan.papers[paper].get("tests", {}), []
    (_, *columns), rows = results.test_rows(tests, comparisons)
    for name, test in tests.items():
        lines = [line for key, *line in rows if key == name]
        caption = (
            f"Of our values over the data sets, at the {test['level']:.0%} level; the diagram below shows the ranks."
        )
        found.append(StudyReport(f"{name}-tests", f"{test['title']}: tests", caption, columns, lines, folded=True))
    if "pairs" in plan.papers[paper]:
        caption = (
            "Of our values on the same splits: the plain paired t-test, and beside it the one corrected for training "
            "sets that overlap (Nadeau and Bengio 2003)."
        )
        lines = [[*row[:5], *map(_plain, row[5:])] for row in results.paired_tests(plan, paper)]
        title = "Pairs of methods: tests"
        found.append(StudyReport("paired-tests", title, caption, paired.COLUMNS, lines, folded=True))
    return [report for report in found if report.rows]


def _plain(value: str) -> str | float:
    """A number that a file has as text."""
    try:
        return float(value)
    except ValueError:
        return value


def _table(plan: Plan, paper: str, table: str, comparisons: Sequence[Comparison], times: str = "") -> TableReport:
    definition = plan.papers[paper]["tables"][table]
    inside = [one for one in comparisons if one.published.table == table]
    return TableReport(
        table,
        definition["title"],
        definition["caption"],
        [_row(one) for one in inside],
        Layout(**definition["layout"]),
        [_command(plan, one.target) for one in inside],
        decimals(inside),
        times,
    )


def _row(one: Comparison) -> Row:
    number, ours = one.published, one.ours
    return Row(
        table=number.table,
        dataset=number.dataset,
        method=number.method,
        metric=number.metric,
        setting=number.setting,
        published=number.value,
        ours=ours.mean if ours else None,
        se=ours.se if ours else None,
        difference=one.difference,
        tolerance=one.tolerance,
        verdict=one.verdict,
        reason=one.reason,
    )


def _command(plan: Plan, target: Target) -> str:
    """What to type to make the number again, in a run without a config of one's own."""
    command, folder = "snakemake --cores all --force", plan.config["data"]
    if target.cell is not None:
        return f"{command} {folder}/predictions/{target.cell.path}.npz {folder}/scores/{target.cell.path}.csv"
    return f"{command} {folder}/prepared/{target.dataset}.json" if target.dataset else ""


def _addresses(plan: Plan, name: str) -> list[str]:
    files = [file for source in plan.datasets[name].get("sources", []) for file in source.get("files", {}).values()]
    return list(dict.fromkeys(url for file in files for url in file.get("urls", [])))


def _study(plan: Plan, key: str, scores: Sequence[Score]) -> StudyReport:
    study = plan.comparisons[key]
    estimates = summarise(scores)
    cells = {(cell.protocol.id, cell.dataset, cell.method): cell for cell in plan.run_cells(key)}
    settings = list(dict.fromkeys(setting for *cell, setting, _ in estimates if tuple(cell) in cells))
    rows = []
    for place, cell in cells.items():
        for setting in settings:
            found = [estimates.get((*place, setting, metric)) for metric in study["metrics"]]
            if any(found):
                title = plan.methods[cell.method]["title"]
                means = [estimate.mean if estimate else None for estimate in found]
                rows.append([title, cell.dataset, *([setting] if any(settings) else []), *means])
    named = ["method", "data set", *(["setting"] if any(settings) else [])]
    columns = [*named, *(METRICS[metric].label for metric in study["metrics"])]
    return StudyReport(key, study["title"], study["caption"], columns, rows, digits=4)
