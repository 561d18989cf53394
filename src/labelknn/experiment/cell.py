"""Run one cell: one algorithm at all its settings on every split of a data set. It learns from training rows only."""

from __future__ import annotations

import csv
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from labelknn.algorithms.base import NeighborMethod
from labelknn.datasets.container import Dataset
from labelknn.datasets.generate import mask_labels
from labelknn.errors import ConfigError, DataError, LabelknnError, unknown
from labelknn.experiment.predictions import Predictions
from labelknn.experiment.protocol import Split, seed_for
from labelknn.experiment.provenance import load_class, versions
from labelknn.files import atomic
from labelknn.neighbors.dense import k_nearest


class Stopwatch:
    """Seconds by repeat, fold, setting and stage; kept apart from what must be the same in every run."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, str, str, float]] = []

    def measure(self, split: Split, setting: str, stage: str, call: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = call()
        self.rows.append((split.repeat, split.fold, setting, stage, time.perf_counter() - start))
        return result

    def write(self, path: str | PathLike) -> None:
        with atomic(path) as temporary, open(temporary, "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(("repeat", "fold", "setting", "stage", "seconds"))
            table.writerows((*row[:-1], f"{row[-1]:.6f}") for row in self.rows)


def settings_of(algorithm: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The settings of a registry entry by name: one for each swept value, else a single one with an empty name."""
    params = algorithm.get("params", {})
    for name, values in algorithm.get("sweep", {}).items():
        return {f"{name}={value}": {**params, name: value} for value in values}
    return {"": dict(params)}


def run_cell(
    data: Dataset, splits: list[Split], algorithm: Mapping[str, Any], master_seed: int, missing: float = 0.0
) -> tuple[Predictions, Stopwatch]:
    """Predictions for the test rows of every split; `missing` is the share of labels deleted from training rankings."""
    estimators = {name: _build(algorithm["class"], params) for name, params in settings_of(algorithm).items()}
    task = getattr(next(iter(estimators.values())), "task", data.task)
    if task != data.task:
        raise ConfigError(f"{algorithm['class']} is for {task} data, but {data.name} is a {data.task} data set")
    if missing and data.task != "ranking":
        raise ConfigError(f"{data.name}: labels can be deleted from rankings only, not from {data.task} data")
    predictions: Predictions = {}
    clock = Stopwatch()
    for number, split in enumerate(splits, start=1):
        try:
            assert data.Y is not None
            Y = data.Y[split.train]
            if missing:
                # The seed leaves the rate out: what is missing at a low rate is missing at a higher one too.
                rng = np.random.default_rng(seed_for(master_seed, data.name, split.repeat, split.fold, "missing"))
                Y = mask_labels(Y, missing, rng)
            for setting, output in _run_split(data, split, Y, estimators, master_seed, clock):
                predictions[split.repeat, split.fold, setting] = output
        except LabelknnError as error:
            raise DataError(f"{data.name}, repeat {split.repeat}, fold {split.fold}: {error}") from error
        logging.info("%s: split %d of %d done", data.name, number, len(splits))
    return predictions, clock


def _build(reference: str, params: Mapping[str, Any]) -> Any:
    cls = load_class(reference)
    known = cls._get_param_names()  # scikit-learn's list of what __init__ takes
    for name in params:
        if name not in known:
            raise unknown("parameter", name, known, f"algorithm {reference}")
    return cls(**params)


def _run_split(
    data: Dataset,
    split: Split,
    Y: np.ndarray | sparse.csr_matrix,
    estimators: Mapping[str, Any],
    master_seed: int,
    clock: Stopwatch,
) -> Iterator[tuple[str, Mapping[str, np.ndarray]]]:
    X, queries = data.X[split.train], data.X[split.test]
    of_training, of_queries = {}, {}
    if all(isinstance(estimator, NeighborMethod) for estimator in estimators.values()):
        largest = max(estimator.neighbors_needed(len(X)) for estimator in estimators.values())  # serves all smaller k
        of_training["neighbors"] = clock.measure(split, "", "search training", lambda: k_nearest(X, largest))
        of_queries["neighbors"] = clock.measure(split, "", "search queries", lambda: k_nearest(X, largest, queries))
    for setting, estimator in estimators.items():
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=seed_for(master_seed, data.name, split.repeat, split.fold) % 2**32)
        clock.measure(split, setting, "fit", lambda method=estimator: method.fit(X, Y, **of_training))
        output = clock.measure(split, setting, "predict", lambda method=estimator: method.output(queries, **of_queries))
        yield setting, output


def write_provenance(path: str | PathLike, data: Dataset, algorithm: Mapping[str, Any], master_seed: int) -> None:
    """What the predictions were made with, beside them."""
    origin = {"dataset": data.name, "algorithm": dict(algorithm), "seed": master_seed, "versions": dict(versions())}
    with atomic(path) as temporary:
        temporary.write_text(json.dumps(origin, indent=1, sort_keys=True) + "\n")
