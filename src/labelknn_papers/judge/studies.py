"""Means of methods on data sets that no paper prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from labelknn.metrics import METRICS
from labelknn_papers.judge.estimates import summarise
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.score import Score


class StudyTable(NamedTuple):
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | None]]


def study_table(plan: Plan, key: str, scores: Sequence[Score]) -> StudyTable:
    """One row for each method, data set and, where there are several, setting."""
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
    return StudyTable([*named, *(METRICS[metric].label for metric in study["metrics"])], rows)
