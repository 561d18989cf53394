"""One array format for every data set, and its file: what the readers make and the methods take.

Label sets are rows of a sparse boolean matrix; whoever loads a data set by its name gets them as 0/1 integers. Rankings
are rows of ranks: ``ranks[i, j]`` is the place of label j for instance i, 1 is best, 0 means that the label is missing
from the ranking, and equal ranks are ties.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from labelknn.errors import ConfigError, DataError
from labelknn.utils._files import load_arrays, pack, save_arrays, unpack

TASKS = ("multilabel", "ranking", "classification", "regression")

# The label that stands for a split point inside a ranking: what ranks above it is relevant, below it irrelevant.
SPLIT_LABEL = "|"

# Values of `Dataset.part`, where a public split into training and test rows exists.
TRAIN, TEST = 0, 1

# 256 MB as numbers; the largest table that is read as a dense one has a tenth of this.
MAX_DENSE = 2**25


# What `Dataset.X` and `Dataset.Y` can be: an array, a CSR matrix or a data frame.
Values: TypeAlias = Any


@dataclass(frozen=True, repr=False, eq=False)
class Dataset:
    """Features, targets and names of one data set.

    X : (n, d) float64 array, or CSR matrix where the source is sparse. A nominal feature is a column of level numbers.
    Y : multilabel: (n, q) label sets; from `labelknn.datasets.load` as 0/1 integers, in an array where X is one, else
        in a CSR matrix; from a registered reader as a CSR matrix of bool. ranking: (n, q) int array of ranks.
        classification: (n,) int array of class numbers (into `label_names`). regression: None; all columns are in X.
    levels : the level names of each nominal feature, by its column. A feature that is not listed is numeric.
    part : (n,) int8 array of TRAIN (0) and TEST (1) where the data set comes with a public split, else None.
    row_names : what the rows are called, where the source says so (genes, say), else empty.
    DESCR : title, origin and size in words.
    """

    name: str
    task: str
    X: Values
    Y: Values
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...] = ()
    levels: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    part: np.ndarray | None = None
    row_names: tuple[str, ...] = ()
    DESCR: str = ""

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise DataError(f"{self.name}: unknown task {self.task!r}; known: {', '.join(TASKS)}")
        n, d = self.X.shape
        if len(self.feature_names) != d:
            raise DataError(f"{self.name}: {d} feature columns but {len(self.feature_names)} feature names")
        if (self.Y is None) != (self.task == "regression"):
            raise DataError(f"{self.name}: a {self.task} data set {'has' if self.Y is not None else 'needs'} a target")
        if self.Y is not None:
            if self.Y.shape[0] != n:
                raise DataError(f"{self.name}: {n} rows of features but {self.Y.shape[0]} rows of targets")
            if self.task in ("multilabel", "ranking") and self.Y.shape[1] != len(self.label_names):
                raise DataError(f"{self.name}: {self.Y.shape[1]} label columns but {len(self.label_names)} label names")
        if self.row_names and len(self.row_names) != n:
            raise DataError(f"{self.name}: {n} rows but {len(self.row_names)} row names")
        if self.part is not None and self.part.shape != (n,):
            raise DataError(f"{self.name}: the split names {self.part.shape[0]} rows of {n}")

    @property
    def n(self) -> int:
        return self.X.shape[0]

    @property
    def d(self) -> int:
        return self.X.shape[1]

    @property
    def q(self) -> int:
        return len(self.label_names)

    def __repr__(self) -> str:
        parts = [f"{self.n} rows", f"{self.d} {'sparse ' * sparse.issparse(self.X)}features"]
        if self.label_names:
            parts.append(f"{self.q} {'classes' if self.task == 'classification' else 'labels'}")
        if self.part is not None:
            parts.append(f"public split {(self.part == TRAIN).sum()}/{(self.part == TEST).sum()}")
        return f"Dataset({self.name!r}, {self.task}: {', '.join(parts)})"

    def train_test(self) -> tuple[Values, Values, Values, Values]:
        """X_train, X_test, Y_train, Y_test of the public split, in the order of scikit-learn's `train_test_split`."""
        if self.part is None:
            raise DataError(
                f"{self.name} has no public split into training and test rows; make one with "
                "sklearn.model_selection.train_test_split(data.X, data.Y)"
            )
        parts = [np.flatnonzero(self.part == which) for which in (TRAIN, TEST)]
        X_train, X_test = (_rows(self.X, rows) for rows in parts)
        Y_train, Y_test = (_rows(self.Y, rows) for rows in parts)
        return X_train, X_test, Y_train, Y_test

    def to_frame(self) -> Dataset:
        """The same with X and Y as pandas data frames that have the names of features, labels and rows.

        A nominal feature stays a column of level numbers, so that the frames can be fitted as they are.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("data frames need pandas, which is not installed: pip install pandas") from error

        def frame(values: Values, names: tuple[str, ...]) -> Values:
            if values is None:
                return None
            index = list(self.row_names) or None
            if values.ndim == 1:
                return pandas.Series(values, index, name="class")
            make = pandas.DataFrame.sparse.from_spmatrix if sparse.issparse(values) else pandas.DataFrame
            return make(values, index=index, columns=list(names))

        return replace(self, X=frame(self.X, self.feature_names), Y=frame(self.Y, self.label_names))


def _rows(table: Values, rows: np.ndarray) -> Values:
    return table.iloc[rows] if hasattr(table, "iloc") else table[rows]


def with_integer_labels(data: Dataset) -> Dataset:
    """Label sets as 0/1 integers in the container of the features; other targets as they are."""
    if data.task != "multilabel":
        return data
    Y: Values = data.Y.astype(int)
    return replace(data, Y=Y if sparse.issparse(data.X) else Y.toarray())


def dense(path: str | os.PathLike, matrix: np.ndarray | sparse.csr_matrix) -> np.ndarray:
    """A matrix with all its zeros: empty sparse rows of a few bytes each could fill the memory with them."""
    if isinstance(matrix, np.ndarray):
        return matrix
    rows, columns = matrix.shape
    if rows * columns > MAX_DENSE:
        raise DataError(f"{path}: {rows} sparse rows of {columns} values are too many for a dense table")
    return matrix.toarray()


def concatenate(name: str, parts: Mapping[int, Dataset]) -> Dataset:
    """One data set from a training and a test file, which must have the same columns."""
    first, *others = parts.values()
    for other in others:
        if (other.feature_names, other.label_names) != (first.feature_names, first.label_names):
            raise DataError(f"{name}: the training and the test file have different features or labels")
        if other.levels != first.levels:
            raise DataError(f"{name}: the training and the test file have different levels of a nominal feature")
    stack = sparse.vstack if sparse.issparse(first.X) else np.concatenate
    X = stack([part.X for part in parts.values()])
    Y = sparse.vstack([part.Y for part in parts.values()])
    membership = np.concatenate([np.full(part.n, which, np.int8) for which, part in parts.items()])
    return Dataset(
        name,
        first.task,
        sparse.csr_matrix(X) if sparse.issparse(X) else X,
        Y.tocsr(),
        first.feature_names,
        first.label_names,
        first.levels,
        membership,
    )


def with_training_rows(data: Dataset, train: Sequence[int]) -> Dataset:
    """The data set with a public split: the rows from `train[0]` to `train[1]`, both included and counted from 1, come
    first, and all others are test rows."""
    numbers = [row for row in train if isinstance(row, int) and not isinstance(row, bool)]
    if len(train) != 2 or len(numbers) != 2 or not 1 <= train[0] <= train[1] <= data.n or tuple(train) == (1, data.n):
        expected = f"the first and the last training row, from 1, of {data.n} rows"
        raise ConfigError(f"data set {data.name!r}: option 'train' is {train!r}; expected {expected}")
    inside = np.zeros(data.n, bool)
    inside[train[0] - 1 : train[1]] = True
    order = np.concatenate([np.flatnonzero(inside), np.flatnonzero(~inside)])
    part = np.where(inside[order], TRAIN, TEST).astype(np.int8)
    row_names = tuple(data.row_names[row] for row in order) if data.row_names else ()
    return replace(data, X=data.X[order], Y=data.Y[order], part=part, row_names=row_names)


def describe(data: Dataset) -> dict[str, float]:
    """The counts that papers print about their data, over all rows; those with train_ are over the training part."""
    labels = sum(label != SPLIT_LABEL for label in data.label_names)
    facts: dict[str, float] = {"instances": data.n, "features": data.d, "labels": labels}
    X: sparse.csr_matrix = data.X
    Y: sparse.csr_matrix = data.Y
    if data.task == "multilabel":
        label_sets = np.split(Y.indices, Y.indptr[1:-1])
        facts["density"] = float(Y.nnz / data.n / data.q)
        facts["distinct"] = len({labels.tobytes() for labels in label_sets})
    sizes = {}
    if data.task == "multilabel":
        sizes["cardinality"] = np.diff(Y.indptr)
    if sparse.issparse(X):
        sizes["feature_cardinality"] = np.diff(X.indptr)
    for name, size in sizes.items():
        facts[name] = float(size.mean())
        if data.part is not None:
            facts[f"train_{name}"] = float(size[data.part == TRAIN].mean())
    if data.part is not None:
        facts["train_instances"] = int((data.part == TRAIN).sum())
        facts["test_instances"] = int((data.part == TEST).sum())
    return facts


def save(data: Dataset, path: str | os.PathLike) -> None:
    """Write `data` to an .npz file, whole or not at all. The bytes depend on the data alone."""
    arrays = {
        "task": np.array(data.task),
        "name": np.array(data.name),
        "feature_names": np.array(data.feature_names, dtype=str),
        "label_names": np.array(data.label_names, dtype=str),
        "row_names": np.array(data.row_names, dtype=str),
        **pack("X", data.X),
    }
    if data.Y is not None:
        arrays |= pack("Y", data.Y)
    if data.part is not None:
        arrays["part"] = data.part
    for column, names in data.levels.items():
        arrays[f"levels/{column}"] = np.array(names, dtype=str)
    save_arrays(path, arrays)


def load(path: str | os.PathLike) -> Dataset:
    """Read a data set that `save` wrote; a damaged file is refused with its name."""
    arrays = load_arrays(path)
    try:
        return Dataset(
            str(arrays["name"]),
            str(arrays["task"]),
            unpack("X", arrays),
            unpack("Y", arrays) if any(key.startswith("Y") for key in arrays) else None,
            tuple(arrays["feature_names"].tolist()),
            tuple(arrays["label_names"].tolist()),
            {int(key[7:]): tuple(names.tolist()) for key, names in arrays.items() if key.startswith("levels/")},
            arrays.get("part"),
            tuple(arrays["row_names"].tolist()),
        )
    except KeyError as error:
        raise DataError(f"{path}: not a prepared data set: {error} is missing") from None
