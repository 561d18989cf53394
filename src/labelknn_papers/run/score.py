"""Score the predictions of one cell: rows of one long table, the only thing that tables and figures are made from."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Any, NamedTuple

from labelknn.datasets._container import Dataset
from labelknn.metrics import evaluate
from labelknn.utils._files import damaged, write_table
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.predictions import Predictions


class Score(NamedTuple):
    protocol: str
    dataset: str
    algorithm: str
    setting: str
    repeat: int
    fold: int
    metric: str
    value: float


def score_cell(
    protocol: str, algorithm: str, data: Dataset, splits: list[Split], predictions: Predictions
) -> list[Score]:
    """All metrics of the data set's task that the predictions allow, for every split and setting.

    A single number about the model is a score under its own name.
    """
    assert data.Y is not None
    tested = {(split.repeat, split.fold): split.test for split in splits}
    scores = []
    for (repeat, fold, setting), output in predictions.items():
        values = {what: array for what, array in output.items() if array.ndim == 0}
        if len(values) < len(output):
            values |= evaluate(data.task, data.Y[tested[repeat, fold]], output)
        for metric, value in values.items():
            scores.append(Score(protocol, data.name, algorithm, setting, repeat, fold, metric, float(value)))
    return scores


def write_scores(path: str | PathLike, scores: Iterable[Score]) -> None:
    write_table(path, Score._fields, scores)


def read_scores(paths: Iterable[str | PathLike]) -> list[Score]:
    scores: list[Score] = []
    for path in paths:
        try:
            scores += _read(path)
        except (ValueError, KeyError, TypeError, csv.Error) as error:
            raise damaged(path, "a table of scores", error) from None
    return scores


def _read(path: str | PathLike) -> Iterator[Score]:
    with open(path, newline="") as file:
        for line in csv.DictReader(_whole_lines(file)):
            numbers = {"repeat": int(line["repeat"]), "fold": int(line["fold"]), "value": float(line["value"])}
            fields: dict[str, Any] = {**line, **numbers}
            yield Score(**fields)


def _whole_lines(file: Iterable[str]) -> Iterator[str]:
    """A number that is cut off would still be a number."""
    for line in file:
        if not line.endswith("\n"):
            raise ValueError("the last line is cut off")
        yield line
