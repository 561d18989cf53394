"""From a figure's entry in its paper's yaml to its table and its picture, by its two functions in `papers`.

`<figure>` gets what the entry asks for and gives the table; `draw_<figure>` gets the table, and what its methods and
data sets are called, and draws it. So the picture has nothing that the file beside it lacks.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from labelknn.datasets._container import load
from labelknn.errors import unknown
from labelknn_papers.judge.estimates import by_cell, summarise
from labelknn_papers.judge.times import mean_seconds
from labelknn_papers.plan.cells import LEFT_OUT, Cell
from labelknn_papers.plan.config import known
from labelknn_papers.plan.plan import Plan
from labelknn_papers.plan.protocol import load_splits
from labelknn_papers.run.predictions import Predictions, load_predictions
from labelknn_papers.run.scale import read_measurements
from labelknn_papers.run.score import read_scores
from labelknn_papers.run.store import Result, read_results, scores_of, times_of
from labelknn_papers.show.figures import Table, picture_of
from labelknn_papers.show.needs import given, names_in_pictures

Files = Mapping[str, Collection[str]]


def tabulate(plan: Plan, paper: str, figure: str, files: Files) -> Table:
    """files : what `needs.needed_files` has named, as far as it is there."""
    arguments = {**given(plan, paper, figure), **_load(plan, paper, figure, files)}
    table = figure_function(paper, figure)(**arguments).rounded()
    for column in plan.papers[paper]["figures"][figure].get("columns", []):
        known("column", column, table.header, f"config/papers/{paper}.yaml, figures, {figure}, columns")
    return table


def picture(plan: Plan, paper: str, figure: str, table: Table, unreached: Mapping[str, str]) -> Figure:
    """unreached : why a data set is not there, by its id."""
    draw, names = figure_function(paper, f"draw_{figure}"), names_in_pictures(plan, paper)
    missing = [unreached[name] for name in plan.figure_data(paper, figure).values() if name in unreached]
    return picture_of(table, lambda table: draw(table, names), missing[0] if missing else LEFT_OUT)


def figure_function(paper: str, figure: str) -> Callable[..., Any]:
    module = importlib.import_module(f"labelknn_papers.papers.{paper}")
    functions = [name for name, one in vars(module).items() if getattr(one, "__module__", "") == module.__name__]
    if figure not in functions:
        raise unknown("function", figure, functions, f"src/labelknn_papers/papers/{paper}.py")
    return getattr(module, figure)


def _load(plan: Plan, paper: str, figure: str, files: Files) -> dict[str, Any]:
    """The content of the files, under the names that the figure's entry uses."""
    datasets, cells = plan.figure_data(paper, figure), plan.figure_cells(paper, figure)
    read: Mapping[str, Callable[[Collection[str]], Any]] = {
        "data": lambda paths: _of_datasets(load, datasets, paths),
        "all_data": lambda paths: _of_datasets(load, datasets, paths),
        "scores": lambda paths: by_cell(summarise(read_scores(scores_of(read_results(paths), cells.values()))), cells),
        "seconds": lambda paths: _seconds(read_results(paths), cells),
        "predictions": lambda paths: _predictions(read_results(paths), cells),
        "splits": lambda paths: _of_datasets(load_splits, datasets, paths),
        "measurements": read_measurements,
    }
    return {need: read[need](paths) for need, paths in files.items()}


def _seconds(
    found: Mapping[str, Result], cells: Mapping[tuple[str, str], Cell]
) -> dict[tuple[str, str], dict[str, float]]:
    there = {name: cell for name, cell in cells.items() if cell.path in found}
    return {name: mean_seconds(times_of(found, [cell])[cell.path], "") for name, cell in there.items()}


def _predictions(
    found: Mapping[str, Result], cells: Mapping[tuple[str, str], Cell]
) -> dict[tuple[str, str], Predictions]:
    there = {name: found[cell.path] for name, cell in cells.items() if cell.path in found}
    return {name: load_predictions(result.predictions) for name, result in there.items()}


def _of_datasets(read: Callable[[str], Any], datasets: Mapping[str, str], paths: Collection[str]) -> dict[str, Any]:
    """Files that are called after the id of their data set."""
    by_id = {Path(path).stem: path for path in paths}
    return {name: read(by_id[one]) for name, one in datasets.items() if one in by_id}
