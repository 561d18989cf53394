"""Classification and regression tables: the raw data from which label rankings are generated.

The files come as ARFF, as comma-separated values, and as KEEL's .dat, which is ARFF with ranges and roles in the
header, or, in some collections, the rows alone. Whatever the form, a column is numeric if all its values are numbers
(a nominal attribute whose levels are numbers too: CHAS of the Boston housing data is a predictor like the others), else
nominal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from labelknn.datasets._arff import Table, read_arff
from labelknn.datasets._arff_rows import Attribute
from labelknn.datasets._container import Dataset, dense
from labelknn.datasets._csv import read_csv_table
from labelknn.datasets._text import numbered_lines, parse_number
from labelknn.errors import ConfigError, DataError, unknown

FORMATS = ("arff", "csv", "keel")
LOADERS = ("load_iris", "load_wine")


def read_table(
    name: str,
    folder: Path,
    *,
    file: str,
    format: str,
    columns: Sequence[str] | None = None,
    target: str | None = None,
    classes: Sequence[object] | None = None,
    drop: Sequence[str] = (),
    rows: Mapping[str, object] | None = None,
    missing: str | None = None,
) -> Dataset:
    """A classification data set with the classes of column `target`, or without a target a regression data set that
    has all numeric columns in X.

    columns : the column names of a csv or keel file that has no header.
    classes : the order of the classes. By default the order of the ARFF declaration; in a file without declarations
        numbers in ascending order, names in the order of their first appearance.
    drop : columns that are not used.
    rows : ``{column: ..., equals: ...}``: use only the rows with this value.
    missing : "drop" leaves out rows with a missing value in a used column; by default such values are NaN.
    """
    where = f"data set {name!r}"
    if format not in FORMATS:
        raise unknown("format", format, FORMATS, where)
    if missing not in (None, "drop"):
        raise unknown("value of option 'missing'", missing, ["drop"], where)
    table = _number_levels(_read(folder / file, format, columns), target)
    if rows is not None:
        table = _select_rows(table, rows, where)
    for column in drop:
        _column(table, column, where)
    kept = [number for number, attribute in enumerate(table.attributes) if attribute.name not in set(drop)]
    table = _keep_columns(table, kept)
    if target is None:
        table = _keep_columns(table, [number for number, a in enumerate(table.attributes) if not a.levels])
    if missing == "drop":
        table = replace(table, values=table.values[~np.isnan(table.values).any(axis=1)])
    if not table.values.size:
        raise DataError(f"{table.path}: no rows or no columns are left of {where}")
    return _regression(name, table) if target is None else _classification(name, table, target, classes, where)


def read_scikit_learn(name: str, folder: Path | None = None, *, loader: str) -> Dataset:
    """A classification data set that comes with scikit-learn."""
    if loader not in LOADERS:
        raise unknown("loader", loader, LOADERS, f"data set {name!r}")
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, loader)()
    return Dataset(
        name,
        "classification",
        np.ascontiguousarray(bunch.data, dtype=float),
        bunch.target.astype(np.int64),
        tuple(map(str, bunch.feature_names)),
        tuple(map(str, bunch.target_names)),
    )


def _read(path: Path, format: str, columns: Sequence[str] | None) -> Table:
    bare = format == "csv" or (format == "keel" and not _starts_with_header(path))
    if not bare:
        if columns is not None:
            raise ConfigError(f"{path}: the file declares its columns, so that the option 'columns' has no use")
        table = read_arff(path)
        return replace(table, values=dense(path, table.values))
    if format == "keel" and columns is None:
        raise ConfigError(f"{path}: the file has no header; name its columns with the option 'columns'")
    return read_csv_table(path, columns)


def _starts_with_header(path: Path) -> bool:
    for _, line in numbered_lines(path):
        if line.strip() and not line.startswith("%"):
            return line.lstrip().startswith("@")
    return False


def _number_levels(table: Table, target: str | None) -> Table:
    """Nominal attributes whose levels are all numbers become numeric, except the target: its declared order counts."""
    values = table.values.copy()
    attributes = list(table.attributes)
    for column, attribute in enumerate(attributes):
        numbers = [parse_number(level) for level in attribute.levels]
        if numbers and None not in numbers and attribute.name != target:
            present = ~np.isnan(values[:, column])
            values[present, column] = np.array(numbers, dtype=float)[values[present, column].astype(int)]
            attributes[column] = Attribute(attribute.name, "numeric")
    return replace(table, attributes=tuple(attributes), values=values)


def _column(table: Table, name: str, where: str) -> int:
    names = [attribute.name for attribute in table.attributes]
    if name not in names:
        raise unknown(f"column of {table.path.name}", name, names, where)
    return names.index(name)


def _keep_columns(table: Table, columns: Sequence[int]) -> Table:
    attributes = tuple(table.attributes[column] for column in columns)
    return replace(table, attributes=attributes, values=table.values[:, list(columns)])


def _select_rows(table: Table, rows: Mapping[str, object], where: str) -> Table:
    if set(rows) != {"column", "equals"}:
        raise ConfigError(f"{where}: option 'rows' is {dict(rows)}; expected the keys 'column' and 'equals'")
    column = _column(table, str(rows["column"]), where)
    names, numbers = _values_by_name(table, column)
    wanted = str(rows["equals"])
    if wanted not in names:
        raise unknown(f"value of column {rows['column']!r}", wanted, names, where)
    return replace(table, values=table.values[numbers == names.index(wanted)])


def _values_by_name(table: Table, column: int) -> tuple[list[str], np.ndarray]:
    """The names of a column's values in their natural order, and for each row its position among them (-1: missing)."""
    values = table.values[:, column]
    if table.attributes[column].levels:
        return list(table.attributes[column].levels), np.where(np.isnan(values), -1, values).astype(int)
    distinct = np.unique(values[~np.isnan(values)])
    names = [str(int(value)) if value == int(value) else repr(float(value)) for value in distinct]
    return names, np.where(np.isnan(values), -1, np.searchsorted(distinct, values))


def _regression(name: str, table: Table) -> Dataset:
    names = tuple(attribute.name for attribute in table.attributes)
    return Dataset(name, "regression", np.ascontiguousarray(table.values), None, names)


def _classification(name: str, table: Table, target: str, classes: Sequence[object] | None, where: str) -> Dataset:
    column = _column(table, target, where)
    names, numbers = _values_by_name(table, column)
    if (numbers < 0).any():
        raise DataError(f"{table.path}: the target {target!r} is missing in {int((numbers < 0).sum())} rows")
    if classes is not None:
        order = [str(label) for label in classes]
        occurring = [names[number] for number in np.unique(numbers)]
        if len(set(order)) < len(order) or not set(occurring) <= set(order):
            raise ConfigError(f"{where}: classes are {order}; expected each of {occurring} once")
        position = [order.index(label) if label in order else -1 for label in names]
        names, numbers = order, np.array(position)[numbers]
    features = _keep_columns(table, [c for c in range(len(table.attributes)) if c != column])
    return Dataset(
        name,
        "classification",
        np.ascontiguousarray(features.values),
        numbers.astype(np.int64),
        tuple(attribute.name for attribute in features.attributes),
        tuple(names),
        {c: attribute.levels for c, attribute in enumerate(features.attributes) if attribute.levels},
    )
