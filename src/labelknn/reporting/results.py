"""The results of a run, read from its files, and what the page is to show of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from labelknn.experiment.plan import Plan, Target
from labelknn.experiment.score import Score, read_scores
from labelknn.metrics import METRICS
from labelknn.reporting.comparison import Comparison, compare, summarise
from labelknn.reporting.page import FigureReport, Layout, PaperReport, Row, StudyReport, TableReport, Unreached


@dataclass(frozen=True)
class Results:
    """Scores of all cells, facts of all data sets, and why a data set could not be had."""

    scores: Sequence[Score]
    facts: Mapping[str, Mapping[str, float]]
    unreached: Mapping[str, str]

    @classmethod
    def read(cls, scores: Iterable[str], facts: Iterable[str], sources: str) -> Results:
        with open(sources, newline="") as file:
            unreached = {row["dataset"]: row["reason"] for row in csv.DictReader(file) if row["reached"] == "False"}
        described = {Path(path).stem: json.loads(Path(path).read_text()) for path in facts}
        return cls(read_scores(scores), described, unreached)

    def compare(self, plan: Plan, paper: str) -> list[Comparison]:
        return compare(plan.targets[paper], plan.papers[paper]["tables"], self.scores, self.facts, self.unreached)


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
                for figure, definition in paper.get("figures", {}).items()
            ],
        )
        for key, paper in plan.papers.items()
    ]
    missing = [Unreached(name, reason, _addresses(plan, name)) for name, reason in results.unreached.items()]
    return papers, missing, [_study(plan, key, results.scores) for key in plan.studies]


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
    rows = []
    for cell in plan.study_cells(key):
        found = {
            metric: estimates.get((cell.protocol.id, cell.dataset, cell.algorithm, "", metric))
            for metric in study["metrics"]
        }
        if any(found.values()):
            title = plan.algorithms[cell.algorithm]["title"]
            rows.append([title, cell.dataset, *(estimate.mean if estimate else None for estimate in found.values())])
    columns = ["method", "data set", *(METRICS[metric].label for metric in study["metrics"])]
    return StudyReport(key, study["title"], study["caption"], columns, rows)
