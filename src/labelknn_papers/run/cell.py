"""Run one cell: one algorithm at all its settings on every split of a data set. It learns from training rows only."""

from __future__ import annotations

import inspect
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from os import PathLike
from typing import Any

import numpy as np
from numba.core.event import install_timer
from scipy import sparse

from labelknn.datasets._container import Dataset
from labelknn.errors import ConfigError, DataError, LabelknnError, unknown
from labelknn.neighbors._euclidean import Neighbors, k_nearest
from labelknn.neighbors._shared import SharedSearch
from labelknn.utils._base import NeighborMethod, dense_rows
from labelknn.utils._files import atomic, write_table
from labelknn_papers.data.generate import mask_labels
from labelknn_papers.plan.protocol import Split, seed_for
from labelknn_papers.run.adapter import Adapter
from labelknn_papers.run.features import Features, features_for
from labelknn_papers.run.predictions import Predictions
from labelknn_papers.run.provenance import load_class, versions
from labelknn_papers.run.search import Searched


class Stopwatch:
    """Seconds by repeat, fold, setting and stage; kept apart from what must be the same in every run.

    What Numba takes to compile kernels, or to load them, is not counted: it happens once, to whoever comes first.
    """

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, str, str, float]] = []

    def measure(self, split: Split, setting: str, stage: str, call: Callable[[], Any]) -> Any:
        compiling: list[float] = []
        start = time.perf_counter()
        with install_timer("numba:compiler_lock", compiling.append):
            result = call()
        seconds = time.perf_counter() - start - sum(compiling)
        self.rows.append((split.repeat, split.fold, setting, stage, seconds))
        return result

    def write(self, path: str | PathLike) -> None:
        header = ("repeat", "fold", "setting", "stage", "seconds")
        write_table(path, header, ((*row[:-1], f"{row[-1]:.6f}") for row in self.rows))


def settings_of(algorithm: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The settings of a registry entry by name: one for each swept value, else a single one with an empty name."""
    params = algorithm.get("params", {})
    for name, values in algorithm.get("sweep", {}).items():
        return {f"{name}={value}": {**params, name: value} for value in values}
    return {"": dict(params)}


def run_cell(
    data: Dataset,
    splits: list[Split],
    algorithm: Mapping[str, Any],
    master_seed: int,
    missing: Sequence[float] = (),
    searched: Searched | None = None,
) -> tuple[Predictions, Stopwatch]:
    """Predictions for the test rows of every split.

    missing : shares of labels to delete from the training rankings; each is a setting of its own, e.g. "missing=0.3".
    searched : the neighbours in each split, where a search was made for several methods.
    """
    reference, settings = algorithm["class"], settings_of(algorithm)
    estimators = {name: _build(reference, params, data.task) for name, params in settings.items()}
    task = getattr(next(iter(estimators.values())), "task", data.task)
    if task != data.task:
        raise ConfigError(f"{reference} is for {task} data, but {data.name} is a {data.task} data set")
    if missing and data.task != "ranking":
        raise ConfigError(f"{data.name}: labels can be deleted from rankings only, not from {data.task} data")
    predictions: Predictions = {}
    clock = Stopwatch()
    scaling = algorithm.get("preprocessing")
    try:
        whole = None if searched or scaling else _search_once(data, splits, estimators, clock)
    except LabelknnError as error:
        raise DataError(f"{data.name}: {error}") from error
    for number, split in enumerate(splits, start=1):
        try:
            X = features_for(data, split.train, scaling)
            targets = _training_targets(data, split, master_seed, missing)
            found = searched[split.repeat, split.fold] if searched else None
            neighbors = found or _search_split(X, split, estimators, whole, clock)
            seed = seed_for(master_seed, data.name, split.repeat, split.fold) % 2**32
            for setting, output in _run_split(data, X, split, targets, estimators, seed, neighbors, clock):
                predictions[split.repeat, split.fold, setting] = output
        except LabelknnError as error:
            raise DataError(f"{data.name}, repeat {split.repeat}, fold {split.fold}: {error}") from error
        logging.info("%s: split %d of %d done", data.name, number, len(splits))
    return predictions, clock


def _build(reference: str, params: Mapping[str, Any], task: str) -> Any:
    """The estimator; one that is none of ours, and so has no `output`, in an adapter for the task."""
    cls: Any = load_class(reference)
    known = inspect.signature(cls).parameters
    takes_any = any(one.kind is one.VAR_KEYWORD for one in known.values())
    for name in params:
        if name not in known and not takes_any:
            raise unknown("parameter", name, known, f"algorithm {reference}")
    estimator = cls(**params)
    return estimator if hasattr(estimator, "output") else Adapter(estimator, reference, task)


def _training_targets(
    data: Dataset, split: Split, master_seed: int, missing: Sequence[float]
) -> dict[str, np.ndarray | sparse.csr_matrix]:
    """What there is to learn from, by setting: the training targets, or the rankings with labels deleted."""
    assert data.Y is not None
    Y = data.Y[split.train]
    targets = {}
    for rate in missing:
        # The seed leaves the rate out: what is missing at a low rate is missing at a higher one too.
        rng = np.random.default_rng(seed_for(master_seed, data.name, split.repeat, split.fold, "missing"))
        targets[f"missing={rate:.1f}"] = mask_labels(Y, rate, rng)
    return targets or {"": Y}


def _search_once(
    data: Dataset, splits: list[Split], estimators: Mapping[str, Any], clock: Stopwatch
) -> SharedSearch | None:
    """One search for all splits, if the methods use neighbours and the splits compare more pairs of rows than it."""
    pairs = sum(len(split.train) * (len(split.train) + len(split.test)) for split in splits)
    if not _use_neighbors(estimators) or pairs <= data.n**2:
        return None
    k = max(_neighbors_needed(estimators, len(split.train)) for split in splits)
    share = min(len(split.train) for split in splits) / data.n
    return clock.measure(splits[0], "", "search", lambda: SharedSearch(dense_rows(data.X), k, share))


def _use_neighbors(estimators: Mapping[str, Any]) -> bool:
    return all(isinstance(estimator, NeighborMethod) for estimator in estimators.values())


def _neighbors_needed(estimators: Mapping[str, Any], n: int) -> int:
    """The largest number among n training rows: it serves all smaller ones."""
    return max(estimator.neighbors_needed(n) for estimator in estimators.values())


def _search_split(
    X: Features, split: Split, estimators: Mapping[str, Any], whole: SharedSearch | None, clock: Stopwatch
) -> tuple[Neighbors | None, Neighbors] | None:
    """The neighbours of the training rows, if a method learns from them, and of the test rows, if any are used."""
    if not _use_neighbors(estimators):
        return None
    k = _neighbors_needed(estimators, len(split.train))

    def nearest(tested: np.ndarray | None = None) -> Neighbors:
        if whole is not None:
            return whole.restricted(split.train, tested, k=k)
        return k_nearest(dense_rows(X[split.train]), k, None if tested is None else dense_rows(X[tested]))

    of_training = None
    if any(estimator.learns_from_neighbors for estimator in estimators.values()):
        of_training = clock.measure(split, "", "search training", nearest)
    return of_training, clock.measure(split, "", "search queries", lambda: nearest(split.test))


def _run_split(
    data: Dataset,
    X: Features,
    split: Split,
    targets: Mapping[str, np.ndarray | sparse.csr_matrix],
    estimators: Mapping[str, Any],
    seed: int,
    neighbors: tuple[Neighbors | None, Neighbors] | None,
    clock: Stopwatch,
) -> Iterator[tuple[str, Mapping[str, np.ndarray]]]:
    """What the methods say about the test rows, by setting; all of them draw from the same seed."""
    assert data.Y is not None
    train, queries = X[split.train], X[split.test]
    known, asked = ({"neighbors": found} for found in neighbors) if neighbors else ({}, {})
    for (missing, Y), (swept, estimator) in product(targets.items(), estimators.items()):
        setting = ";".join(filter(None, (missing, swept)))
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=seed)
        # An oracle is asked how far a method could get at best.
        truth = {"truth": data.Y[split.test]} if getattr(estimator, "sees_truth", False) else {}
        clock.measure(split, setting, "fit", partial(estimator.fit, train, Y, **known))
        if getattr(estimator, "outputs", None):
            found = clock.measure(split, setting, "predict", partial(estimator.outputs, queries, **asked, **truth))
        else:
            found = {"": clock.measure(split, setting, "predict", partial(estimator.output, queries, **asked, **truth))}
        for name, output in found.items():
            yield ";".join(filter(None, (setting, name))), output


def write_provenance(path: str | PathLike, data: Dataset, algorithm: Mapping[str, Any], master_seed: int) -> None:
    """What the predictions were made with, beside them."""
    origin = {"dataset": data.name, "algorithm": dict(algorithm), "seed": master_seed, "versions": dict(versions())}
    with atomic(path) as temporary:
        temporary.write_text(json.dumps(origin, indent=1, sort_keys=True) + "\n")
