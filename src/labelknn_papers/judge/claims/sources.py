"""Where the numbers of claims come from: what judge wrote of a paper, the cells of its figures, and their tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from labelknn_papers.judge import paired
from labelknn_papers.judge.claims.definitions import TESTS
from labelknn_papers.judge.claims.values import NOT_RUN, Place, Values
from labelknn_papers.judge.comparison import Comparison
from labelknn_papers.judge.estimates import Estimate, by_cell, summarise
from labelknn_papers.judge.files import read_table
from labelknn_papers.judge.findings import Findings, Judged, read_findings
from labelknn_papers.judge.times import is_time, mean_seconds
from labelknn_papers.plan.cells import LEFT_OUT, Published
from labelknn_papers.plan.config import read_yaml
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.score import read_scores
from labelknn_papers.run.store import Result, scores_of, times_of

NOT_AVAILABLE = "N/A"
# What the columns of tables are called here, where they are called otherwise.
_COLUMNS = {"shape": "dataset", "scale": "setting", "kind": "method"}
_KEYS = ("dataset", "method", "setting")


def printed_values(plan: Plan, paper: str) -> Values:
    """What the paper prints."""
    places = {_place(number): number.value for number in plan.published[paper]}
    numbers = {place: Estimate(value) for place, value in places.items() if value is not None}
    return Values(numbers, {place: NOT_AVAILABLE for place in places if place not in numbers})


def our_values(
    plan: Plan, paper: str, folder: Path, results: Mapping[str, Result], unreached: Mapping[str, str]
) -> Values:
    """What we have in the same places, and beyond them.

    folder : where the files of the paper are that judge and the figures have written.
    results : the cells of the paper's figures, and of its tables of run times.
    """
    findings, times = read_findings(folder, plan, paper), folder / "times.csv"
    seconds = read_table(times) if times.exists() else []
    return values_of(plan, paper, findings, seconds, folder, results, unreached)


def values_of(
    plan: Plan,
    paper: str,
    findings: Findings | Judged,
    seconds: Iterable[Mapping[str, str]],
    folder: Path,
    results: Mapping[str, Result],
    unreached: Mapping[str, str],
) -> Values:
    """The same before judge has written it.

    seconds : rows of times.csv.
    """
    numbers: dict[Place, Estimate] = {}
    gaps: dict[Place, str] = {}
    for one in (*findings.comparisons, *findings.variants):
        if one.ours is not None:
            numbers[_place(one.published)] = one.ours
        else:
            gaps[_place(one.published)] = _gap(one)
    numbers |= _seconds(plan, paper, seconds, results)
    numbers |= {
        Place(pair[0], pair[1], "", test, pair[2]): Estimate(float(pair[paired.COLUMNS.index(test)]))
        for pair in findings.pairs
        for test in TESTS
    }
    numbers |= _of_figures(plan, paper, folder, results)
    gaps = {place: why for place, why in gaps.items() if place not in numbers}
    return Values(numbers, gaps, _expected(plan, paper, unreached), printed=printed_values(plan, paper))


def _place(number: Published) -> Place:
    return Place(number.table, number.dataset, number.method, number.metric, number.setting)


def _gap(one: Comparison) -> str:
    if one.published.value is None and not one.verdict:
        return NOT_AVAILABLE
    return one.reason or NOT_RUN


def _seconds(
    plan: Plan, paper: str, rows: Iterable[Mapping[str, str]], results: Mapping[str, Result]
) -> dict[Place, Estimate]:
    """The run times of tables: as they stand in times.csv, and by stage."""
    found: dict[Place, Estimate] = {}
    for target in plan.targets[paper]:
        if is_time(target) and target.cell and target.cell.path in results:
            place = _place(target.published)
            path = times_of(results, [target.cell])[target.cell.path]
            seconds = mean_seconds(path, target.setting)
            found |= {place._replace(metric=name): Estimate(mean) for name, mean in seconds.items()}
    for row in rows:
        place = Place(row["table"], row["dataset"], row["method"], row["metric"], row["setting"])
        found[place] = Estimate(float(row["ours"]))
    return found


def _of_figures(plan: Plan, paper: str, folder: Path, results: Mapping[str, Result]) -> dict[Place, Estimate]:
    """The scores and the seconds of the cells of figures, and the numbers of their tables."""
    numbers: dict[Place, Estimate] = {}
    for figure, definition in plan.papers[paper].get("figures", {}).items():
        cells = {name: cell for name, cell in plan.figure_cells(paper, figure).items() if cell.path in results}
        scores = by_cell(summarise(read_scores(scores_of(results, cells.values()))), cells)
        for (dataset, method), estimates in scores.items():
            for (setting, metric), estimate in estimates.items():
                numbers[Place(figure, dataset, method, metric, setting)] = estimate
            path = times_of(results, [cells[dataset, method]])[cells[dataset, method].path]
            for setting in dict.fromkeys(setting for setting, _ in estimates):
                for name, seconds in mean_seconds(path, setting).items():
                    numbers[Place(figure, dataset, method, name, setting)] = Estimate(seconds)
        if definition.get("columns") and (folder / f"{figure}.csv").exists():
            numbers |= _table(figure, folder / f"{figure}.csv", definition["columns"])
    return numbers


def _expected(plan: Plan, paper: str, unreached: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The data sets of each figure as its file has it, whatever the filter `only` leaves of it."""
    figures = read_yaml(plan.root / f"config/papers/{paper}.yaml").get("figures", {})
    drawn = plan.papers[paper].get("figures", {})
    return {
        figure: {
            name: unreached.get(name) or ("" if name in drawn.get(figure, {"datasets": []})["datasets"] else LEFT_OUT)
            for name in definition["datasets"]
        }
        for figure, definition in figures.items()
    }


def _table(figure: str, path: Path, columns: list[str]) -> dict[Place, Estimate]:
    """The numbers of a figure's table: a metric for each column that the paper's file names."""
    found: dict[Place, Estimate] = {}
    for row in read_table(path):
        row = {_COLUMNS.get(name, name): value for name, value in row.items()}
        dataset, method, setting = (row.get(key, "") for key in _KEYS)
        for name in columns:
            if row[name]:
                found[Place(figure, dataset, method, name, setting)] = Estimate(float(row[name]))
    return found
