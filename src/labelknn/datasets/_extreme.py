"""Large multi-label data: the text format of the extreme classification repository, libsvm's, and MEKA's ARFF.

A file of the repository starts with a line ``n d q``, the numbers of instances, features and labels; then each line is
an instance, ``3,17 0:0.25 4:1.5``: its labels, a blank, its features with their values, all counted from 0. A line may
start with the blank (no labels) or be empty. libsvm's multi-label files are the same without the first line.

Such files have up to gigabytes of numbers, so that a compiled kernel parses the bytes of the whole file in one pass.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numba import njit
from scipy import sparse

from labelknn.datasets._arff import read_arff
from labelknn.datasets._container import TEST, TRAIN, Dataset, concatenate, with_training_rows
from labelknn.datasets._mulan import from_table
from labelknn.datasets._text import excerpt, line_error
from labelknn.errors import ConfigError, DataError

# The repository's largest set has 3 million labels; a larger number is damage, and names for it would fill the memory.
MAX_COLUMNS = 10_000_000
# So would those of fewer that a short file announces. A feature or label that occurs takes more than a byte.
ALWAYS_ALLOWED = 100_000

_MEKA_LABELS = re.compile(r"-C\s+(-?[0-9]+)")


def read_extreme(name: str, folder: Path, *, files: Mapping[str, str], header: bool = True) -> Dataset:
    """A multi-label data set from ``files = {train: ..., test: ...}``, or ``{all: ...}`` without a public split.

    Without headers (libsvm) the numbers of features and labels are what occurs in the files, and features count from 1
    unless a 0 occurs."""
    if set(files) not in ({"train", "test"}, {"all"}):
        raise ConfigError(f"data set {name!r}: files are {sorted(files)}; expected 'train' and 'test', or 'all'")
    parts = {
        which: folder / files[part]
        for part, which in (("all", TRAIN), ("train", TRAIN), ("test", TEST))
        if part in files
    }
    rows = {which: _parse_with_header(path) if header else _parse_without(path) for which, path in parts.items()}
    if not header:
        rows = _agree(rows)
    elif len({(part.d, part.q) for part in rows.values()}) > 1:
        shapes = " and ".join(f"{part.d} features, {part.q} labels" for part in rows.values())
        raise DataError(f"{parts[TRAIN]} and {parts[TEST]}: the headers differ ({shapes})")
    if "all" in files:
        return _dataset(name, rows[TRAIN])
    return concatenate(name, {which: _dataset(name, part) for which, part in rows.items()})


def read_meka(name: str, folder: Path, *, file: str, train: Sequence[int] | None = None) -> Dataset:
    """A multi-label data set from an ARFF file whose relation says, as ``-C 28``, that the first 28 attributes are the
    labels; ``-C -28`` means the last ones.

    train : the first and the last training row, from 1, of a public split.
    """
    table = read_arff(folder / file)
    match = _MEKA_LABELS.search(table.relation)
    count = int(match[1]) if match and len(match[1]) < 20 else 0
    names = [attribute.name for attribute in table.attributes]
    if not 0 < abs(count) < len(names):
        reason = f"expected '-C labels' with 1 to {len(names) - 1} labels in the relation {excerpt(table.relation)}"
        raise DataError(f"{table.path}: {reason}")
    data = from_table(name, table, tuple(names[:count] if count > 0 else names[count:]))
    return data if train is None else with_training_rows(data, train)


@dataclass(frozen=True)
class _Parsed:
    """Instance i, on line `first_line` + i, has the labels and features up to the i-th ends."""

    path: Path
    first_line: int
    d: int
    q: int
    labels: np.ndarray
    label_ends: np.ndarray
    features: np.ndarray
    values: np.ndarray
    feature_ends: np.ndarray


def _parse_with_header(path: Path) -> _Parsed:
    buffer = _open(path)
    line = bytes(buffer[: min(100, len(buffer))]).split(b"\n", 1)[0]
    words = line.split()
    if len(words) != 3 or not all(word.isdigit() for word in words):
        found = excerpt(line.decode("latin-1"))
        raise line_error(path, 1, f"expected the numbers of instances, features and labels, found {found}")
    n, d, q = map(int, words)
    if (count := max(d, q)) > (limit := _limit(len(buffer))):
        raise line_error(path, 1, f"{count} features or labels; expected at most {limit} in a file of this size")
    parsed = _parse(path, buffer, len(line) + 1, first_line=2, d=d, q=q)
    rows = len(parsed.feature_ends) - 1
    if rows < n:
        raise DataError(f"{path}: {rows} instances; the header announces {n}, so that the file is cut off")
    if parsed.feature_ends[n] < parsed.feature_ends[-1] or parsed.label_ends[n] < parsed.label_ends[-1]:
        raise line_error(path, n + 2, f"an instance more than the {n} that the header announces")
    # Empty lines at the end of the file are no instances.
    return replace(parsed, label_ends=parsed.label_ends[: n + 1], feature_ends=parsed.feature_ends[: n + 1])


def _parse_without(path: Path) -> _Parsed:
    return _parse(path, _open(path), 0, first_line=1, d=MAX_COLUMNS, q=MAX_COLUMNS)


def _agree(rows: Mapping[int, _Parsed]) -> dict[int, _Parsed]:
    """The two parts with the same number of features and labels, and with features counted from 0."""
    first = min(int(part.features.min(initial=1)) for part in rows.values())
    d = max(int(part.features.max(initial=-1)) + 1 for part in rows.values()) - first
    q = max(int(part.labels.max(initial=-1)) + 1 for part in rows.values())
    if d < 1 or q < 1:
        raise DataError(f"{next(iter(rows.values())).path}: no features or no labels")
    paths = [part.path for part in rows.values()]
    if (count := max(d, q)) > (limit := _limit(sum(path.stat().st_size for path in paths))):
        where = " and ".join(map(str, paths))
        raise DataError(f"{where}: {count} features or labels; expected at most {limit} in files of this size")
    return {which: replace(part, d=d, q=q, features=part.features - first) for which, part in rows.items()}


def _limit(size: int) -> int:
    return min(MAX_COLUMNS, max(ALWAYS_ALLOWED, size))


def _dataset(name: str, part: _Parsed) -> Dataset:
    n = len(part.feature_ends) - 1
    X = sparse.csr_matrix((part.values, part.features, part.feature_ends), shape=(n, part.d))
    X.sort_indices()
    repeated = np.flatnonzero(X.indices[1:] == X.indices[:-1]) + 1
    repeated = repeated[~np.isin(repeated, X.indptr)]
    if len(repeated):
        line = part.first_line + _row_of(X.indptr, repeated[0])
        raise line_error(part.path, line, f"feature {X.indices[repeated[0]]} occurs twice")
    X.eliminate_zeros()
    Y = sparse.csr_matrix((np.ones(len(part.labels), bool), part.labels, part.label_ends), shape=(n, part.q))
    Y.sum_duplicates()
    return Dataset(name, "multilabel", X, Y, tuple(map(str, range(part.d))), tuple(map(str, range(part.q))))


def _open(path: Path) -> np.ndarray:
    try:
        if not path.stat().st_size:
            raise DataError(f"{path}: the file is empty")
        return np.asarray(np.memmap(path, np.uint8, "r"))
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None


def _parse(path: Path, buffer: np.ndarray, start: int, first_line: int, d: int, q: int) -> _Parsed:
    lines, colons, commas = _count(buffer, start)
    labels, label_ends = np.empty(lines + commas, np.int32), np.zeros(lines + 1, np.int64)
    features, feature_ends = np.empty(colons, np.int32), np.zeros(lines + 1, np.int64)
    values = np.empty(colons)
    problem, position, rows, long_numbers = _scan(
        buffer, start, d, q, labels, label_ends, features, values, feature_ends
    )
    if problem:
        raise line_error(path, first_line + rows, _PROBLEMS[problem].format(_word(buffer, position), d=d, q=q))
    for entry, begin, end in long_numbers:
        values[entry] = float(bytes(buffer[begin:end]))
    if not np.isfinite(values[: feature_ends[rows]]).all():
        entry = int(np.flatnonzero(~np.isfinite(values[: feature_ends[rows]]))[0])
        raise line_error(path, first_line + _row_of(feature_ends, entry), "a value is too large to be a number")
    label_ends, feature_ends = label_ends[: rows + 1], feature_ends[: rows + 1]
    return _Parsed(
        path,
        first_line,
        d,
        q,
        labels[: label_ends[-1]],
        label_ends,
        features[: feature_ends[-1]],
        values[: feature_ends[-1]],
        feature_ends,
    )


def _row_of(ends: np.ndarray, entry: int) -> int:
    return int(np.searchsorted(ends, entry, side="right")) - 1


def _word(buffer: np.ndarray, position: int) -> str:
    words = bytes(buffer[position : position + 60]).split(b"\n", 1)[0].split()
    return excerpt(words[0].decode("latin-1")) if words else "the end of the line"


_OK, _NOT_A_LABEL, _NOT_A_FEATURE, _NOT_A_VALUE, _LABEL_RANGE, _FEATURE_RANGE = range(6)
_PROBLEMS = {
    _NOT_A_LABEL: "expected a label's number, found {}",
    _NOT_A_FEATURE: "expected feature:value, found {}",
    _NOT_A_VALUE: "expected the value of a feature, found {}",
    _LABEL_RANGE: "label {} is out of range; expected a number below {q}",
    _FEATURE_RANGE: "feature {} is out of range; expected a number below {d}",
}

_NEWLINE, _RETURN, _TAB, _SPACE = 10, 13, 9, 32
_PLUS, _COMMA, _MINUS, _POINT, _ZERO, _NINE, _COLON = 43, 44, 45, 46, 48, 57, 58
_E, _SMALL_E = 69, 101

# Powers of ten that a double holds exactly: a decimal of at most 15 digits times or divided by one of them is correctly
# rounded (Clinger, 1990, How to Read Floating Point Numbers Accurately). Other numbers are left to Python's float.
_POWERS = 10.0 ** np.arange(23)
_DIGITS = 15


@njit(cache=True)
def _count(buffer, start):
    """Upper bounds for what the rows hold: lines, colons, commas."""
    lines, colons, commas = 1, 0, 0
    for position in range(start, len(buffer)):
        byte = buffer[position]
        lines += byte == _NEWLINE
        colons += byte == _COLON
        commas += byte == _COMMA
    return lines, colons, commas


@njit(cache=True)
def _is_digit(buffer, position):
    return position < len(buffer) and _ZERO <= buffer[position] <= _NINE


@njit(cache=True)
def _is_space(buffer, position):
    return position < len(buffer) and (
        buffer[position] == _SPACE or buffer[position] == _TAB or buffer[position] == _RETURN
    )


@njit(cache=True)
def _is_end(buffer, position):
    return position >= len(buffer) or buffer[position] == _NEWLINE


@njit(cache=True)
def _integer(buffer, position):
    """The whole number at a position, at most 2^31 - 1, and the position after it."""
    number = np.int64(0)
    while _is_digit(buffer, position):
        number = min(number * 10 + (buffer[position] - _ZERO), np.int64(2**31 - 1))
        position += 1
    return number, position


@njit(cache=True)
def _decimal(buffer, position):
    """A decimal number, whether it is exact, and the position after it (the same position if there is no number)."""
    begin = position
    negative = position < len(buffer) and buffer[position] == _MINUS
    if position < len(buffer) and (buffer[position] == _MINUS or buffer[position] == _PLUS):
        position += 1
    mantissa, significant, digits, exponent = np.int64(0), 0, 0, 0
    fraction = False
    while position < len(buffer):
        byte = buffer[position]
        if byte == _POINT and not fraction:
            fraction = True
        elif _ZERO <= byte <= _NINE:
            digits += 1
            significant += significant > 0 or byte != _ZERO
            if significant <= _DIGITS:
                mantissa = mantissa * 10 + (byte - _ZERO)
                exponent -= fraction
        else:
            break
        position += 1
    if digits == 0:
        return 0.0, False, begin
    if position < len(buffer) and (buffer[position] == _E or buffer[position] == _SMALL_E):
        position += 1
        sign = 1
        if position < len(buffer) and (buffer[position] == _MINUS or buffer[position] == _PLUS):
            sign = -1 if buffer[position] == _MINUS else 1
            position += 1
        if not _is_digit(buffer, position):
            return 0.0, False, begin
        power, position = _integer(buffer, position)
        exponent += sign * power
    if significant > _DIGITS or abs(exponent) > 22:
        return 0.0, False, position
    number = mantissa * _POWERS[exponent] if exponent >= 0 else mantissa / _POWERS[-exponent]
    return -number if negative else number, True, position


@njit(cache=True)
def _scan(buffer, start, d, q, labels, label_ends, features, values, feature_ends):
    """Fill the arrays from the rows. Returns a problem and its position, the number of rows before it, and the entries
    whose numbers are too long to be exact here, with the positions of these numbers."""
    long_numbers = np.empty((16, 3), np.int64)
    long_count, label_count, feature_count, row = 0, 0, 0, 0
    position = start
    while position < len(buffer):
        first = True
        while _is_digit(buffer, position):
            begin = position
            number, position = _integer(buffer, position)
            if first and position < len(buffer) and buffer[position] == _COLON:
                position = begin  # no labels, and no blank in their place
                break
            if number >= q:
                return _LABEL_RANGE, begin, row, long_numbers[:0]
            labels[label_count] = number
            label_count += 1
            first = False
            if position < len(buffer) and buffer[position] == _COMMA:
                position += 1
                if not _is_digit(buffer, position):
                    return _NOT_A_LABEL, position, row, long_numbers[:0]
            elif not (_is_space(buffer, position) or _is_end(buffer, position)):
                return _NOT_A_LABEL, begin, row, long_numbers[:0]
        while True:
            while _is_space(buffer, position):
                position += 1
            if _is_end(buffer, position):
                break
            begin = position
            number, position = _integer(buffer, position)
            if position == begin or position >= len(buffer) or buffer[position] != _COLON:
                return _NOT_A_FEATURE, begin, row, long_numbers[:0]
            if number >= d:
                return _FEATURE_RANGE, begin, row, long_numbers[:0]
            begin = position + 1
            value, exact, position = _decimal(buffer, begin)
            if position == begin or not (_is_space(buffer, position) or _is_end(buffer, position)):
                return _NOT_A_VALUE, begin, row, long_numbers[:0]
            if not exact:
                if long_count == len(long_numbers):
                    longer = np.empty((2 * long_count, 3), np.int64)
                    longer[:long_count] = long_numbers
                    long_numbers = longer
                long_numbers[long_count, 0] = feature_count
                long_numbers[long_count, 1] = begin
                long_numbers[long_count, 2] = position
                long_count += 1
            features[feature_count] = number
            values[feature_count] = value
            feature_count += 1
        row += 1
        label_ends[row] = label_count
        feature_ends[row] = feature_count
        position += 1
    return _OK, position, row, long_numbers[:long_count]
