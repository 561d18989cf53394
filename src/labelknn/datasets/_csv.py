"""Comma-separated values: tables, and label sets, a column of 0 and 1 for each label.

The first line has the names of the columns. A value is missing if it is empty or `?`. Which columns are labels is said
by their names, or by how many of the last ones they are; features and labels are coded as in Mulan's files.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from labelknn.datasets._arff import Table
from labelknn.datasets._arff_rows import Attribute
from labelknn.datasets._container import Dataset, with_training_rows
from labelknn.datasets._mulan import from_table, join, share_string_levels
from labelknn.datasets._text import excerpt, line_error, numbered_lines, parse_number
from labelknn.errors import ConfigError, DataError, unknown


def read_csv(
    name: str,
    folder: Path,
    *,
    file: str,
    labels: Sequence[str] | int,
    test: str | None = None,
    train: Sequence[int] | None = None,
    drop: Sequence[str] = (),
) -> Dataset:
    """A multi-label data set from a CSV file, of the training rows if there is a file `test` of the others.

    labels : the names of the label columns, in the order that they are wanted in, or how many of the last columns.
    train : the first and the last training row, from 1, where one file has the rows of a public split.
    drop : columns that are not used.
    """
    where = f"data set {name!r}"
    if test is not None and train is not None:
        raise ConfigError(f"{where}: option 'test' is a file of test rows, and 'train' divides one file; give one")
    tables = [_without(read_csv_table(folder / part), drop, where) for part in (file, test) if part is not None]
    tables = share_string_levels(tables)
    chosen = _label_names(tables[0], labels, where)
    for table in tables:
        _column_numbers(table, chosen, where)
    parts = [from_table(name, table, chosen) for table in tables]
    data = parts[0] if test is None else join(name, parts)
    return data if train is None else with_training_rows(data, train)


def _without(table: Table, drop: Sequence[str], where: str) -> Table:
    dropped = set(_column_numbers(table, drop, where))
    kept = [number for number in range(len(table.attributes)) if number not in dropped]
    return replace(table, attributes=tuple(table.attributes[c] for c in kept), values=table.values[:, kept])


def _label_names(table: Table, labels: Sequence[str] | int, where: str) -> tuple[str, ...]:
    names = [attribute.name for attribute in table.attributes]
    if not labels or isinstance(labels, str | bool) or (isinstance(labels, int) and not 0 < labels < len(names)):
        expected = f"a list of names, or a number of columns from 1 to {len(names) - 1}"
        raise ConfigError(f"{where}: option 'labels' is {labels!r}; expected {expected}")
    chosen = tuple(names[-labels:]) if isinstance(labels, int) else tuple(map(str, labels))
    if len(set(chosen)) < len(chosen) or len(chosen) == len(names):
        raise ConfigError(f"{where}: option 'labels' names a column twice, or all columns")
    return chosen


def _column_numbers(table: Table, columns: Sequence[str], where: str) -> list[int]:
    names = [attribute.name for attribute in table.attributes]
    for column in map(str, columns):
        if column not in names:
            raise unknown(f"column of {table.path.name}", column, names, where)
    return [names.index(str(column)) for column in columns]


def read_csv_table(path: Path, columns: Sequence[str] | None = None) -> Table:
    """Numbers are numbers, and a column with anything else has the levels that occur, by their first appearance."""
    records = _csv_records(path)
    if columns is None:
        number, header = next(records, (1, []))
        columns = header
        if not header:
            raise line_error(path, number, "no header")
    names = [str(column).strip() for column in columns]
    for position, column in enumerate(names):
        if column in ("", "?") or column in names[:position]:
            raise DataError(f"{path}: column name {excerpt(column)} is empty or occurs twice")
    words: list[list[str]] = []
    for number, record in records:
        if len(record) != len(names):
            raise line_error(path, number, f"{len(record)} values, expected {len(names)}")
        words.append(record)
    if not words:
        raise DataError(f"{path}: no rows")
    attributes, values = zip(*map(_csv_column, names, zip(*words, strict=True)), strict=True)
    return Table(path, "", attributes, np.column_stack(values))


def _csv_records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line number and stripped values of each row that is not blank; '' is missing as '?' is."""
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        try:
            (record,) = csv.reader([line], skipinitialspace=True, strict=True)
        except csv.Error as error:
            raise line_error(path, number, f"not comma-separated values ({error})") from None
        yield number, [word.strip() or "?" for word in record]


def _csv_column(name: str, words: Sequence[str]) -> tuple[Attribute, np.ndarray]:
    numbers = [np.nan if word == "?" else parse_number(word) for word in words]
    if None not in numbers:
        return Attribute(name, "numeric"), np.array(numbers, dtype=float)
    levels = {level: number for number, level in enumerate(dict.fromkeys(word for word in words if word != "?"))}
    return Attribute(name, "string", tuple(levels)), np.array([levels.get(word, np.nan) for word in words], dtype=float)
