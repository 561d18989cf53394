"""What a figure may ask for under `needs` in its paper's yaml, and the files that hold it.

Its function gets each as an argument of the same name; what could not be had is left out of it.

data          the figure's data sets, by name
all_data      the same, or nothing if one of them could not be had
scores        our estimates of its cells, by data set and method, then by setting and metric
seconds       what these cells took, by data set and method, then by stage; of methods with one setting
predictions   the predictions of its cells, by data set and method
splits        the training and test rows of its cells, by data set
measurements  what was measured over the scale of generated data
published     the numbers that the paper prints
recipes       how those of its data sets that are made from others are made
sweeps        the shapes and scales of the measurements

Every parse of the workflow reads this, so it imports nothing that computes or draws.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from labelknn_papers.plan.cells import Cell
from labelknn_papers.plan.plan import Plan
from labelknn_papers.show.names import names_of

# The needs that are files.
FILES = ("data", "all_data", "scores", "seconds", "predictions", "splits", "measurements")


def needed_files(
    plan: Plan,
    paper: str,
    figure: str,
    unreached: Collection[str],
    results: Callable[[Iterable[Cell]], list[str]],
) -> dict[str, list[str]]:
    """By need, without the files of data sets that could not be had.

    results : the lists that name the files of cells.
    """
    folder = plan.config["data"]
    names = plan.figure_data(paper, figure).values()
    cells = [cell for cell in plan.figure_cells(paper, figure).values() if cell.dataset not in unreached]
    data = [f"{folder}/prepared/{name}.npz" for name in names if name not in unreached]
    shapes = _shapes(plan, paper).items()
    files = {
        "data": data,
        "all_data": data if len(data) == len(names) else [],
        "scores": results(cells),
        "seconds": results(cells),
        "predictions": results(cells),
        "splits": list(dict.fromkeys(splits_file(folder, cell) for cell in cells)),
        "measurements": [
            f"{folder}/scale/{paper}/{shape}/{scale:g}.json" for shape, one in shapes for scale in one["scales"]
        ],
    }
    return {need: paths for need, paths in files.items() if need in plan.papers[paper]["figures"][figure]["needs"]}


def splits_file(folder: str, cell: Cell) -> str:
    """The splits of a cell: the same at every rate of missing labels."""
    return f"{folder}/splits/{cell.protocol.complete.id}/{cell.dataset}.npz"


def given(plan: Plan, paper: str, figure: str) -> dict[str, Any]:
    """By need, what the config itself has."""
    values: Mapping[str, Callable[[], Any]] = {
        "published": lambda: plan.published[paper],
        "recipes": lambda: _recipes(plan, plan.figure_data(paper, figure).values()),
        "sweeps": lambda: _shapes(plan, paper),
    }
    return {need: values[need]() for need in plan.papers[paper]["figures"][figure]["needs"] if need in values}


def names_in_pictures(plan: Plan, paper: str) -> dict[str, str]:
    """What methods, data sets and shapes are called in its pictures: the same as on the page."""
    names, shapes = names_of(plan, paper), _shapes(plan, paper).items()
    return {**names.dataset, **{name: one["title"] for name, one in shapes}, **names.method}


def _shapes(plan: Plan, paper: str) -> Mapping[str, Any]:
    """The shapes of generated data, and the scales that they are measured at."""
    return plan.papers[paper].get("scale", {}).get("shapes", {})


def _recipes(plan: Plan, datasets: Collection[str]) -> dict[str, Any]:
    return {name: plan.recipe(name) for name in plan.datasets if name in datasets and plan.bases(name)}
