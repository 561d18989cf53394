"""Score the predictions of one cell: rows of one long table, the only thing that tables and figures are made from."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from os import PathLike
from typing import NamedTuple

from labelknn.datasets.container import Dataset
from labelknn.experiment.predictions import Predictions
from labelknn.experiment.protocol import Split
from labelknn.files import atomic
from labelknn.metrics import evaluate


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
    """All metrics of the data set's task that the predictions allow, for every split and setting."""
    tested = {(split.repeat, split.fold): split.test for split in splits}
    return [
        Score(protocol, data.name, algorithm, setting, repeat, fold, metric, float(value))
        for (repeat, fold, setting), output in predictions.items()
        for metric, value in evaluate(data.task, data.Y[tested[repeat, fold]], output).items()
    ]


def write_scores(path: str | PathLike, scores: Iterable[Score]) -> None:
    with atomic(path) as temporary, open(temporary, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(Score._fields)
        table.writerows(scores)


def read_scores(paths: Iterable[str | PathLike]) -> list[Score]:
    scores = []
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                numbers = {"repeat": int(row["repeat"]), "fold": int(row["fold"]), "value": float(row["value"])}
                scores.append(Score(**{**row, **numbers}))
    return scores
