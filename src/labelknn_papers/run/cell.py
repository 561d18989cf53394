"""Run one cell: one algorithm at all its settings on every split of a data set. It learns from training rows only."""

from __future__ import annotations

import inspect
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from labelknn.datasets._container import Dataset
from labelknn.errors import ConfigError, DataError, LabelknnError, unknown
from labelknn.neighbors._euclidean import Neighbors, k_nearest
from labelknn.neighbors._shared import SharedSearch
from labelknn.utils._files import atomic, write_table
from labelknn.utils._validation import dense_rows
from labelknn_papers.data.generate import mask_labels
from labelknn_papers.plan.protocol import Split, seed_for
from labelknn_papers.run.adapter import Adapter
from labelknn_papers.run.clock import compiling, without_compiling
from labelknn_papers.run.features import Features, features_for
from labelknn_papers.run.predictions import Predictions
from labelknn_papers.run.provenance import load_class, versions
from labelknn_papers.run.search import Searched

# The columns of the seconds of a cell.
TIMES = ("repeat", "fold", "setting", "stage", "seconds")


class Stopwatch:
    """Seconds by repeat, fold, setting and stage; kept apart from what must be the same in every run."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, str, str, float]] = []

    def measure(self, split: Split, setting: str, stage: str, call: Callable[[], Any]) -> Any:
        compiled = [0.0, 0.0]
        start = time.process_time()
        with compiling(compiled):
            result = call()
        seconds = without_compiling(time.process_time() - start, compiled)
        self.rows.append((split.repeat, split.fold, setting, stage, seconds))
        return result

    def write(self, path: str | PathLike) -> None:
        write_table(path, TIMES, ((*row[:-1], f"{row[-1]:.6f}") for row in self.rows))


@dataclass(frozen=True)
class Fit:
    """An estimator, and what its fit is for: one prediction, or one at each of the values that it learns side by side.

    names : the setting's name for each of these values; a single one, under None, for an estimator that learns one.
    """

    estimator: Any
    names: Mapping[Any, str]


def fits_of(algorithm: Mapping[str, Any], task: str) -> list[Fit]:
    """What to fit for a registry entry: an estimator for each swept value, or one that learns all of them."""
    reference, params = algorithm["class"], algorithm.get("params", {})
    for name, values in algorithm.get("sweep", {}).items():
        parameter, word = getattr(load_class(reference), "_side_by_side", None) or (None, "")
        if name == parameter:
            estimator = _build(reference, {**params, name: values[-1]}, task)
            estimator._values = tuple(values)
            return [Fit(estimator, {value: f"{word}={value}" for value in values})]
        word = name.rpartition("__")[2]
        return [Fit(_build(reference, {**params, name: value}, task), {None: f"{word}={value}"}) for value in values]
    return [Fit(_build(reference, params, task), {None: ""})]


def run_cell(
    data: Dataset,
    splits: list[Split],
    algorithm: Mapping[str, Any],
    master_seed: int,
    missing: Sequence[float] = (),
    searched: Searched | None = None,
    shared: bool = True,
) -> tuple[Predictions, Stopwatch]:
    """Predictions for the test rows of every split.

    missing : shares of labels to delete from the training rankings; each is a setting of its own, e.g. "missing=0.3".
    searched : the neighbours in each split, where a search was made for several methods.
    shared : neighbours are searched beside `fit` and `predict`, which then take less; False leaves it to them.
    """
    fits = fits_of(algorithm, data.task)
    task = getattr(fits[0].estimator, "_task", data.task)
    if task != data.task:
        raise ConfigError(f"{algorithm['class']} is for {task} data, but {data.name} is a {data.task} data set")
    if missing and data.task != "ranking":
        raise ConfigError(f"{data.name}: labels can be deleted from rankings only, not from {data.task} data")
    predictions: Predictions = {}
    clock = Stopwatch()
    scaling = algorithm.get("preprocessing")
    # A method that looks at nothing but neighbours of test rows has been handed all that it looks at.
    seen = None if searched and algorithm.get("neighbors_of") == "test-rows" else scaling
    try:
        whole = _search_once(data, splits, fits, clock) if shared and not (searched or scaling) else None
    except LabelknnError as error:
        raise DataError(f"{data.name}: {error}") from error
    for number, split in enumerate(splits, start=1):
        try:
            X = features_for(data, split.train, seen)
            targets = _training_targets(data, split, master_seed, missing)
            found = searched[split.repeat, split.fold] if searched else None
            neighbors = found or (_search_split(X, split, fits, whole, clock) if shared else None)
            seed = seed_for(master_seed, data.name, split.repeat, split.fold) % 2**32
            for setting, output in _run_split(data, X, split, targets, fits, seed, neighbors, clock):
                predictions[split.repeat, split.fold, setting] = output
        except LabelknnError as error:
            raise DataError(f"{data.name}, repeat {split.repeat}, fold {split.fold}: {error}") from error
        logging.info("%s: split %d of %d done", data.name, number, len(splits))
    return predictions, clock


def _build(reference: str, params: Mapping[str, Any], task: str) -> Any:
    """The estimator; one that is none of ours, and so has no `_output`, in an adapter for the task."""
    estimator = _made(reference, params)
    return estimator if hasattr(estimator, "_output") else Adapter(estimator, reference, task)


def _made(reference: str, params: Mapping[str, Any]) -> Any:
    """A parameter that is an estimator, or what else a class or a function gives, is written as its class and params;
    ``name__inner`` is a parameter of it.
    """
    cls: Any = load_class(reference)
    known = inspect.signature(cls).parameters
    takes_any = any(one.kind is one.VAR_KEYWORD for one in known.values())
    for name in params:
        if name.partition("__")[0] not in known and not takes_any:
            raise unknown("parameter", name, known, f"algorithm {reference}")
    parts = {
        name: _made(value["class"], value.get("params", {}))
        for name, value in params.items()
        if isinstance(value, Mapping) and "class" in value
    }
    inner = {name: value for name, value in params.items() if "__" in name}
    estimator = cls(**{name: parts.get(name, value) for name, value in params.items() if name not in inner})
    if inner:
        estimator.set_params(**inner)
    return estimator


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


def _search_once(data: Dataset, splits: list[Split], fits: Sequence[Fit], clock: Stopwatch) -> SharedSearch | None:
    """One search for all splits, if the methods use neighbours and the splits compare more pairs of rows than it."""
    pairs = sum(len(split.train) * (len(split.train) + len(split.test)) for split in splits)
    if not _use_neighbors(fits) or pairs <= data.n**2:
        return None
    k = max(_neighbors_needed(fits, len(split.train)) for split in splits)
    share = min(len(split.train) for split in splits) / data.n
    return clock.measure(splits[0], "", "search", lambda: SharedSearch(dense_rows(data.X), k, share))


def _use_neighbors(fits: Sequence[Fit]) -> bool:
    return all(getattr(fit.estimator, "_uses_neighbors", False) for fit in fits)


def _neighbors_needed(fits: Sequence[Fit], n: int) -> int:
    """The largest number among n training rows: it serves all smaller ones."""
    return max(fit.estimator._neighbors_needed(n) for fit in fits)


def _search_split(
    X: Features, split: Split, fits: Sequence[Fit], whole: SharedSearch | None, clock: Stopwatch
) -> tuple[Neighbors | None, Neighbors] | None:
    """The neighbours of the training rows, if a method learns from them, and of the test rows, if any are used."""
    if not _use_neighbors(fits):
        return None
    k = _neighbors_needed(fits, len(split.train))

    def nearest(tested: np.ndarray | None = None) -> Neighbors:
        if whole is not None:
            return whole.restricted(split.train, tested, k=k)
        return k_nearest(X[split.train], k, None if tested is None else X[tested])

    of_training = None
    if any(fit.estimator._learns_from_neighbors for fit in fits):
        of_training = clock.measure(split, "", "search training", nearest)
    return of_training, clock.measure(split, "", "search queries", lambda: nearest(split.test))


def _run_split(
    data: Dataset,
    X: Features,
    split: Split,
    targets: Mapping[str, np.ndarray | sparse.csr_matrix],
    fits: Sequence[Fit],
    seed: int,
    neighbors: tuple[Neighbors | None, Neighbors] | None,
    clock: Stopwatch,
) -> Iterator[tuple[str, Mapping[str, np.ndarray]]]:
    """What the methods say about the test rows, by setting; all of them draw from the same seed."""
    assert data.Y is not None
    train, queries = X[split.train], X[split.test]
    known, asked = ({"neighbors": found} for found in neighbors) if neighbors else ({}, {})
    for (missing, Y), fit in product(targets.items(), fits):
        estimator, single = fit.estimator, fit.names.get(None)
        setting = ";".join(filter(None, (missing, single)))
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=seed)
        # An oracle is asked how far a method could get at best.
        truth = {"truth": data.Y[split.test]} if getattr(estimator, "sees_truth", False) else {}
        clock.measure(split, setting, "fit", partial(estimator.fit, train, Y, **known))
        predict = estimator._output if single is not None else estimator._outputs
        found = clock.measure(split, setting, "predict", partial(predict, queries, **asked, **truth))
        if single is not None:
            yield setting, found
            continue
        for value, output in found.items():
            yield ";".join(filter(None, (setting, fit.names[value]))), output


def write_provenance(path: str | PathLike, data: Dataset, algorithm: Mapping[str, Any], master_seed: int) -> None:
    """What the predictions were made with, beside them."""
    origin = {"dataset": data.name, "algorithm": dict(algorithm), "seed": master_seed, "versions": dict(versions())}
    with atomic(path) as temporary:
        temporary.write_text(json.dumps(origin, indent=1, sort_keys=True) + "\n")
