"""Multi-label data in Mulan's form: ARFF files, and an XML file that says which attributes are labels.

The labels are what the XML lists, in its order, wherever they stand in the ARFF. The other attributes are features:

* A number is itself. A two-level nominal of a no and a yes (0/1, NO/YES, false/true ...) is 0 for no and 1 for yes,
  however it was declared: genbase declares {YES, NO}, and 0 must be the absence of a motif for a sparse matrix and
  for a cosine to make sense. Any other nominal or string feature is a column of level numbers.
* `levels` names the levels of every nominal feature except plain 0/1.
* X is a CSR matrix if the files are sparse ARFF, or if at least 95 % of the features are two-level nominals and less
  than a fifth of the entries differ from 0 (genbase); else it is dense.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from xml.parsers import expat

import numpy as np
from scipy import sparse

from labelknn.datasets._arff import Table, read_arff
from labelknn.datasets._arff_rows import Attribute, Matrix
from labelknn.datasets._container import TEST, TRAIN, Dataset, concatenate, dense
from labelknn.datasets._text import MAX_LINE, excerpt, line_error
from labelknn.errors import ConfigError, DataError

_NO = {"0", "no", "n", "false", "f", "off"}
_YES = {"1", "yes", "y", "true", "t", "on"}

_BINARY_SHARE = 0.95
_SPARSE_DENSITY = 0.2


def read_mulan(name: str, folder: Path, *, files: Mapping[str, str], xml: str) -> Dataset:
    """A multi-label data set from ``files = {train: ..., test: ...}``, or ``{all: ...}`` without a public split."""
    if set(files) not in ({"train", "test"}, {"all"}):
        raise ConfigError(f"data set {name!r}: files are {sorted(files)}; expected 'train' and 'test', or 'all'")
    labels = read_labels(folder / xml)
    parts = ("all",) if "all" in files else ("train", "test")
    tables = share_string_levels([read_arff(folder / files[part]) for part in parts])
    for table in tables:
        _check_labels(table, labels, folder / xml)
    if "all" in files:
        return from_table(name, tables[0], labels)
    return join(name, [from_table(name, table, labels) for table in tables])


def read_labels(path: Path) -> tuple[str, ...]:
    """The names in Mulan's XML in document order, those of nested labels (a hierarchy) among them."""
    names: dict[str, None] = {}
    parser = expat.ParserCreate(namespace_separator=" ")

    def refuse_doctype(*_: object) -> None:
        # Entities can blow a kilobyte up to gigabytes or name other files; a list of labels has no use for them.
        raise line_error(path, parser.CurrentLineNumber, "a DOCTYPE is not allowed in a list of labels")

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = tag.rpartition(" ")[2]
        if element == "labels":
            return
        if element != "label" or "name" not in attributes:
            raise line_error(path, parser.CurrentLineNumber, f"expected <label name=...>, found <{element[:40]}>")
        label = attributes["name"]
        if label in names:
            raise line_error(path, parser.CurrentLineNumber, f"label {excerpt(label)} is listed twice")
        names[label] = None

    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.StartElementHandler = start
    try:
        if path.stat().st_size > MAX_LINE:  # of which one name could be all
            raise DataError(f"{path}: a list of labels with more than {MAX_LINE} bytes")
        with open(path, "rb") as file:
            parser.ParseFile(file)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    except expat.ExpatError as error:
        raise line_error(path, error.lineno, f"not well-formed XML ({expat.ErrorString(error.code)})") from None
    except DataError:  # a ValueError, too
        raise
    except (LookupError, ValueError) as error:  # what expat says about the encoding that the file declares
        raise line_error(path, 1, f"not well-formed XML ({str(error)[:100]})") from None
    if not names:
        raise DataError(f"{path}: lists no labels")
    return tuple(names)


def share_string_levels(tables: list[Table]) -> list[Table]:
    """The tables with one numbering of each string attribute's values, in order of first appearance."""
    shared: dict[str, dict[str, int]] = {}
    for table in tables:
        for attribute in table.attributes:
            if attribute.kind == "string":
                numbers = shared.setdefault(attribute.name, {})
                for level in attribute.levels:
                    numbers.setdefault(level, len(numbers))
    return [_renumber_strings(table, shared) for table in tables] if shared else tables


def from_table(name: str, table: Table, labels: tuple[str, ...]) -> Dataset:
    """The data set whose labels are the named attributes and whose features are all others."""
    positions = {attribute.name: column for column, attribute in enumerate(table.attributes)}
    label_columns = [positions[label] for label in labels]
    feature_columns = sorted(set(positions.values()) - set(label_columns))
    features, X = _no_before_yes(table, feature_columns)
    levels = {column: attribute.levels for column, attribute in enumerate(features) if attribute.levels}
    return Dataset(
        name,
        "multilabel",
        _fitting_format(X, features),
        _label_sets(table, label_columns),
        tuple(attribute.name for attribute in features),
        labels,
        {column: names for column, names in levels.items() if names != ("0", "1")},
    )


def join(name: str, parts: list[Dataset]) -> Dataset:
    """Training and test part as one data set, sparse only if both are."""
    matrices: list[Matrix] = [part.X for part in parts]
    if len({sparse.issparse(X) for X in matrices}) > 1:
        matrices = [dense(name, X) for X in matrices]
        parts = [replace(part, X=X) for part, X in zip(parts, matrices, strict=True)]
    return concatenate(name, dict(zip((TRAIN, TEST), parts, strict=True)))


def _check_labels(table: Table, labels: tuple[str, ...], xml: Path) -> None:
    known = {attribute.name for attribute in table.attributes}
    for label in labels:
        if label not in known:
            raise DataError(f"{table.path}: no attribute for the label {excerpt(label)} that {xml} lists")


def _renumber_strings(table: Table, shared: Mapping[str, Mapping[str, int]]) -> Table:
    values = table.values.tocsc() if sparse.issparse(table.values) else table.values.copy()
    attributes = list(table.attributes)
    for column, attribute in enumerate(attributes):
        if attribute.kind == "string":
            numbers = shared[attribute.name]
            new = np.array([numbers[level] for level in attribute.levels], dtype=float)
            entries = _column_view(values, column)
            present = ~np.isnan(entries)
            entries[present] = new[entries[present].astype(int)]
            attributes[column] = replace(attribute, levels=tuple(numbers))
    return replace(table, attributes=tuple(attributes), values=values.tocsr() if sparse.issparse(values) else values)


def _column_view(values: Matrix, column: int) -> np.ndarray:
    """A column's stored entries, to be changed in place."""
    if sparse.issparse(values):
        return values.data[values.indptr[column] : values.indptr[column + 1]]
    return values[:, column]


def _no_yes(levels: tuple[str, ...]) -> bool:
    return len(levels) == 2 and levels[0].lower() in _NO and levels[1].lower() in _YES


def _no_before_yes(table: Table, chosen: list[int]) -> tuple[list[Attribute], Matrix]:
    """Attributes and values of the chosen columns with every {yes, no} turned into {no, yes}."""
    attributes, values = [table.attributes[column] for column in chosen], table.values[:, chosen]
    turned = np.array([_no_yes(attribute.levels[::-1]) for attribute in attributes], dtype=bool)
    if not turned.any():
        return attributes, values
    columns = np.flatnonzero(turned)
    if sparse.issparse(values):
        # What was absent becomes a 1, so that these columns are dense in truth.
        values = values.tolil()
        values[:, columns] = 1 - dense(table.path, values[:, columns])
        values = values.tocsr()
    else:
        values = values.copy()
        values[:, columns] = 1 - values[:, columns]
    attributes = [
        replace(attribute, levels=attribute.levels[::-1]) if turn else attribute
        for attribute, turn in zip(attributes, turned, strict=True)
    ]
    return attributes, values


def _fitting_format(X: Matrix, features: list[Attribute]) -> Matrix:
    binary = sum(len(attribute.levels) == 2 for attribute in features)
    if sparse.issparse(X) or binary < _BINARY_SHARE * len(features) or np.count_nonzero(X) >= _SPARSE_DENSITY * X.size:
        return X if sparse.issparse(X) else np.ascontiguousarray(X)
    return sparse.csr_matrix(X)


def _label_sets(table: Table, columns: list[int]) -> sparse.csr_matrix:
    attributes, values = _no_before_yes(table, columns)
    for attribute in attributes:
        if attribute.kind != "numeric" and not _no_yes(attribute.levels):
            levels = excerpt("{" + ",".join(attribute.levels) + "}")
            raise DataError(f"{table.path}: label {excerpt(attribute.name)} has the levels {levels}; expected {{0,1}}")
    entries = values.data if sparse.issparse(values) else values
    if not np.isin(entries, (0, 1)).all():
        wrong = attributes[_first_wrong_column(values)].name
        raise DataError(f"{table.path}: label {excerpt(wrong)} has a value that is missing or neither 0 nor 1")
    Y = sparse.csr_matrix(values, dtype=bool)
    Y.sort_indices()  # the XML's order need not be that of the columns
    return Y


def _first_wrong_column(values: Matrix) -> int:
    entries = sparse.coo_matrix(values)
    return int(entries.col[~np.isin(entries.data, (0, 1))].min())
