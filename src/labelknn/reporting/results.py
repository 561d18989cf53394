"""The results of a run, read from its files, and what the page is to show of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from labelknn.experiment.plan import Plan, Target
from labelknn.experiment.score import Score, read_scores
from labelknn.metrics import METRICS
from labelknn.reporting.comparison import Comparison, compare
from labelknn.reporting.estimates import summarise, value_table
from labelknn.reporting.page import FigureReport, Layout, PaperReport, Row, StudyReport, TableReport, Unreached
from labelknn.reporting.paired import by_split, paired_tests
from labelknn.reporting.significance import SignificanceRow, critical_difference_panels, significance_rows
from labelknn.reporting.times import TimeComparison, compare_times


@dataclass(frozen=True)
class Results:
    """Scores of all cells, facts of all data sets, and why a data set could not be had; `times` is a folder."""

    scores: Sequence[Score]
    facts: Mapping[str, Mapping[str, float]]
    unreached: Mapping[str, str]
    times: str

    @classmethod
    def read(cls, scores: Iterable[str], facts: Iterable[str], sources: str, times: str) -> Results:
        with open(sources, newline="") as file:
            unreached = {row["dataset"]: row["reason"] for row in csv.DictReader(file) if row["reached"] == "False"}
        described = {Path(path).stem: json.loads(Path(path).read_text()) for path in facts}
        return cls(read_scores(scores), described, unreached, times)

    def compare_times(self, plan: Plan, paper: str) -> list[TimeComparison]:
        return compare_times(plan.targets[paper], self.times)

    def compare(self, plan: Plan, paper: str) -> list[Comparison]:
        return self._compare(plan, paper, plan.targets[paper], self.compare_times(plan, paper))

    def compare_variants(self, plan: Plan, paper: str) -> list[Comparison]:
        """Our own variants of the paper's methods, against the numbers of the methods that they vary."""
        return self._compare(plan, paper, plan.variants[paper])

    def test(
        self, tests: Mapping[str, Mapping[str, Any]], comparisons: Sequence[Comparison]
    ) -> tuple[tuple[str, ...], list[tuple[Any, ...]], dict[str, Figure]]:
        """The significance tests of a paper: the header and rows of their table, and a diagram for each."""
        ours = {one.target: one.ours for one in comparisons}
        rows: list[tuple[Any, ...]] = []
        diagrams = {}
        for key, test in tests.items():
            found = value_table(ours, test["table"], test["metric"], test.get("setting"))
            options = {"lower_is_better": found.lower_is_better}
            lines = significance_rows(found.values, found.methods, test["level"], **options)
            rows += [(key, *line) for line in lines]
            tables = {test["title"]: found.values}
            diagrams[key] = critical_difference_panels(tables, found.methods, test["level"], **options)
        return ("comparison", *SignificanceRow._fields), rows, diagrams

    def paired_tests(self, plan: Plan, paper: str) -> list[tuple[Any, ...]]:
        """Rows of `paired.COLUMNS`: pairs of methods on the same splits."""
        return paired_tests(plan.papers[paper]["pairs"], plan.targets[paper], by_split(self.scores))

    def _compare(
        self, plan: Plan, paper: str, targets: Sequence[Target], times: Sequence[TimeComparison] = ()
    ) -> list[Comparison]:
        return compare(targets, plan.papers[paper]["tables"], self.scores, self.facts, self.unreached, times)


def page_content(
    plan: Plan, results: Results, comparisons: Mapping[str, Sequence[Comparison]], pictures: Iterable[str]
) -> tuple[list[PaperReport], list[Unreached], list[StudyReport]]:
    """What `render_page` takes; `pictures` are the files <paper>/<figure>.svg."""
    drawn = {(Path(path).parent.name, Path(path).stem): Path(path).read_text() for path in pictures}
    papers = [
        PaperReport(
            key,
            paper["title"],
            paper["authors"],
            paper["venue"],
            paper["year"],
            paper.get("departures", ()),
            [
                _table(plan, key, table, [one for one in comparisons[key] if one.published.table == table])
                for table in paper["tables"]
            ],
            [
                FigureReport(figure, definition["title"], definition["caption"], drawn[key, figure])
                for figure, definition in pictures_of(paper).items()
            ],
        )
        for key, paper in plan.papers.items()
    ]
    missing = [Unreached(name, reason, _addresses(plan, name)) for name, reason in results.unreached.items()]
    return papers, missing, [_study(plan, key, results.scores) for key in plan.studies]


def pictures_of(paper: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The pictures of a paper with their titles and captions: diagrams of its tests, and its figures."""
    return {**paper.get("tests", {}), **paper.get("figures", {})}


def _table(plan: Plan, paper: str, table: str, comparisons: Sequence[Comparison]) -> TableReport:
    definition = plan.papers[paper]["tables"][table]
    return TableReport(
        table,
        definition["title"],
        definition["caption"],
        [_row(one) for one in comparisons],
        Layout(**definition["layout"]),
        [_command(plan, one.target) for one in comparisons],
        [one.published.digits if one.published.printed else 3 for one in comparisons],
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
    """What to type to make the number again."""
    folder = plan.config["data"]
    if target.cell is not None:
        return f"snakemake --cores all {folder}/scores/{target.cell.path}.csv"
    return f"snakemake --cores all {folder}/prepared/{target.dataset}.json" if target.dataset else ""


def _addresses(plan: Plan, name: str) -> list[str]:
    files = [file for source in plan.datasets[name].get("sources", []) for file in source.get("files", {}).values()]
    return list(dict.fromkeys(url for file in files for url in file.get("urls", [])))


def _study(plan: Plan, key: str, scores: Sequence[Score]) -> StudyReport:
    study = plan.studies[key]
    estimates = summarise(scores)
    cells = {(cell.protocol.id, cell.dataset, cell.algorithm): cell for cell in plan.study_cells(key)}
    settings = list(dict.fromkeys(setting for *cell, setting, _ in estimates if tuple(cell) in cells))
    rows = []
    for place, cell in cells.items():
        for setting in settings:
            found = [estimates.get((*place, setting, metric)) for metric in study["metrics"]]
            if any(found):
                title = plan.algorithms[cell.algorithm]["title"]
                means = [estimate.mean if estimate else None for estimate in found]
                rows.append([title, cell.dataset, *([setting] if any(settings) else []), *means])
    named = ["method", "data set", *(["setting"] if any(settings) else [])]
    columns = [*named, *(METRICS[metric].label for metric in study["metrics"])]
    return StudyReport(key, study["title"], study["caption"], columns, rows, digits=4)
