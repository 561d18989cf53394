"""Readers for one's own files, by their paths; the data sets are as `labelknn.datasets.load` gives them."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from labelknn.datasets import _csv, _extreme, _kebi, _mulan
from labelknn.datasets._container import Dataset, with_integer_labels

FilePath: TypeAlias = str | os.PathLike[str]

# What a registered reader takes its files from; a path of one's own is complete.
_HERE = Path()


def read_csv(
    path: FilePath,
    labels: Sequence[str] | int,
    *,
    test: FilePath | None = None,
    drop: Sequence[str] = (),
    name: str | None = None,
) -> Dataset:
    """Label sets as comma-separated values under a header; a label is a column of 0 and 1, of no and yes, or of False
    and True.

    labels : the names of the label columns, or how many of the last columns they are.
    test : the file of the test rows where the data come in two files; `path` has the training rows then.
    drop : columns that are not used.
    """
    rest = None if test is None else os.fspath(test)
    data = _csv.read_csv(_name(name, path), _HERE, file=os.fspath(path), labels=labels, test=rest, drop=drop)
    return with_integer_labels(data)


def read_mulan(path: FilePath, xml: FilePath, *, test: FilePath | None = None, name: str | None = None) -> Dataset:
    """Label sets in Mulan's form: an ARFF file, dense or sparse, and an XML file that lists the labels.

    test : the file of the test rows where the data come in two files; `path` has the training rows then.
    name : what the data set is called; by default the name of the file.
    """
    data = _mulan.read_mulan(_name(name, path), _HERE, files=_parts(path, test), xml=os.fspath(xml))
    return with_integer_labels(data)


def read_meka(path: FilePath, *, name: str | None = None) -> Dataset:
    """Label sets in MEKA's form: an ARFF file with ``-C q`` in its relation, whose first q attributes are the labels.

    With ``-C -q`` they are the last ones.
    """
    return with_integer_labels(_extreme.read_meka(_name(name, path), _HERE, file=os.fspath(path)))


def read_extreme(
    path: FilePath, *, test: FilePath | None = None, header: bool = True, name: str | None = None
) -> Dataset:
    """Sparse label sets in the text form of the extreme classification repository, or in libsvm's multi-label form.

    header : the first line says ``rows features labels``; libsvm's files have no such line.
    test : the file of the test rows where the data come in two files.
    """
    data = _extreme.read_extreme(_name(name, path), _HERE, files=_parts(path, test), header=header)
    return with_integer_labels(data)


def read_kebi(path: FilePath, *, ranking: str = "order", name: str | None = None) -> Dataset:
    """Label rankings in KEBI's form: comma-separated features, then a column `ranking` such as ``b>a>c``.

    ranking : "order", b>a>c has label b first; "ranks", the i-th letter is the rank of label i, a = 1.
    """
    return _kebi.read_kebi(_name(name, path), _HERE, file=os.fspath(path), ranking=ranking)


def _name(name: str | None, path: FilePath) -> str:
    return name or Path(path).stem


def _parts(path: FilePath, test: FilePath | None) -> dict[str, str]:
    if test is None:
        return {"all": os.fspath(path)}
    return {"train": os.fspath(path), "test": os.fspath(test)}
