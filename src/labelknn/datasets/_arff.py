"""Weka's attribute-relation file format, dense and sparse, and the dialect of the KEEL repository.

Almost all rows of real files are plain: unquoted, complete, without comments. They are split and converted in bulk;
whatever is awkward in a row (quotes, comments, missing values, mistakes) sends that row, and only that row, to a
careful scanner, which also finds the words for what is wrong with it.

What the format leaves open is read like this. ``%`` starts a comment at the start of a line and after white space. In
an unquoted word, backslashes and quotes are ordinary characters (Mulan's delicious has an attribute ``TAG_m\\'usica``,
and its XML the same letters); in a quoted word the backslash escapes as in Weka. Values are separated by commas. An
entry absent from a sparse row is 0, hence the first level of a nominal attribute and the empty string of a string one.
"""

import itertools
import math
import re
import sys
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from labelknn.datasets._text import excerpt, line_error, numbered_lines, parse_number
from labelknn.errors import DataError

Matrix: TypeAlias = Any  # an array or a CSR matrix; scipy has no types that could tell them apart

# A pattern gives nothing back that it has taken (*+): a long row with a mistake takes no longer than its length.
_QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_KEYWORD = re.compile(r"@(\w+)\s*")
_NAME = re.compile(rf"""({_QUOTED}|[^\s'"{{][^\s{{]*)\s*""")
_NUMERIC = re.compile(r"(?:numeric|real|integer)\s*(?:\[[^\]]*\])?", re.IGNORECASE)  # KEEL adds a range: real [0, 1]
_LEVEL = re.compile(rf"""\s*+({_QUOTED}|(?!['"])[^,}}]*+)\s*+([,}}])""")
_DENSE_VALUE = re.compile(rf"""\s*+({_QUOTED}|(?!['"])[^,]*+)\s*+(,|$)""")
_SPARSE_VALUE = re.compile(rf"""\s*+({_QUOTED}|(?!['"])[^,}}]*+)\s*+([,}}]|$)""")
_SPARSE_INDEX = re.compile(r"\s*+([+-]?[0-9]++)\s+")
_ROLES = ("input", "inputs", "output", "outputs")  # KEEL's; a reader's options name the target
_EMPTY_ROW = re.compile(r"\{\s*\}")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "'": "'", '"': '"', "\\": "\\", "%": "%"}

# A row with one of these is not plain: a quote, a comment, a missing value, or a number that only Python would take.
_AWKWARD = re.compile(r"""['"%?_]|[^\x00-\x7f]""")


@dataclass(frozen=True)
class Attribute:
    """A column: `levels` are those declared for a nominal one, and those that occur for a string; none for a number."""

    name: str
    kind: str  # "numeric", "nominal" or "string"
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """A file's columns and rows. Numbers are themselves, nominal and string values are positions in `levels`, a missing
    value is NaN. `values` is a CSR matrix if the file's rows are sparse."""

    path: Path
    relation: str
    attributes: tuple[Attribute, ...]
    values: Matrix


def read_arff(path: Path) -> Table:
    """The whole of an ARFF file; a malformed one is refused with the line and the reason."""
    lines = numbered_lines(path)
    relation, attributes = _read_header(path, lines)
    rows: _Rows | None = None
    for number, line in lines:
        text = line.strip()
        if not text or text[0] == "%":
            continue
        if rows is None:
            rows = _SparseRows(path, attributes) if text[0] == "{" else _DenseRows(path, attributes)
        rows.add(number, text)
    if rows is None:
        raise DataError(f"{path}: no rows after @data")
    return Table(path, relation, rows.attributes(), rows.matrix())


def _read_header(path: Path, lines: Iterator[tuple[int, str]]) -> tuple[str, list[Attribute]]:
    relation = ""
    attributes: dict[str, Attribute] = {}
    for number, line in lines:
        text = line.strip()
        if not text or text[0] == "%":
            continue
        match = _KEYWORD.match(text)
        keyword, rest = (match[1].lower(), text[match.end() :]) if match else ("", text)
        if keyword == "relation":
            relation = _unquote(rest)
        elif keyword == "attribute":
            attribute = _parse_attribute(path, number, rest)
            if attribute.name in attributes:
                raise line_error(path, number, f"attribute {excerpt(attribute.name)} is declared twice")
            attributes[attribute.name] = attribute
        elif keyword == "data":
            if not attributes:
                raise line_error(path, number, "@data before any @attribute")
            return relation, list(attributes.values())
        elif keyword not in _ROLES:
            raise line_error(path, number, f"expected @relation, @attribute or @data, found {excerpt(text)}")
    raise DataError(f"{path}: no @data line; the file is cut off or not an ARFF file")


def _parse_attribute(path: Path, number: int, text: str) -> Attribute:
    match = _NAME.match(text)
    if not match:
        reason = "unclosed quote in the attribute's name" if text[:1] in ("'", '"') else "@attribute without a name"
        raise line_error(path, number, reason)
    name, kind = _unquote(match[1]), text[match.end() :]
    if kind.startswith("{"):
        return Attribute(name, "nominal", _parse_levels(path, number, name, kind))
    kind = re.sub(r"\s%.*", "", kind).strip()
    if _NUMERIC.fullmatch(kind):
        return Attribute(name, "numeric")
    if kind.lower() == "string":
        return Attribute(name, "string")
    raise line_error(
        path,
        number,
        f"attribute {excerpt(name)} has the type {excerpt(kind)}; expected numeric, real, integer, string or {{...}}",
    )


def _parse_levels(path: Path, number: int, name: str, text: str) -> tuple[str, ...]:
    levels: dict[str, None] = {}
    position, end = 1, ","
    while end == ",":
        match = _LEVEL.match(text, position)
        if not match:
            raise line_error(path, number, f"the levels of attribute {excerpt(name)} have an unclosed quote or brace")
        level = _unquote(match[1].strip())
        if not match[1].strip():
            raise line_error(path, number, f"attribute {excerpt(name)} has an empty level")
        if level in levels:
            raise line_error(path, number, f"attribute {excerpt(name)} has the level {excerpt(level)} twice")
        levels[level] = None
        position, end = match.end(), match[2]
    rest = text[position:].strip()
    if rest and rest[0] != "%":
        raise line_error(path, number, f"unexpected {excerpt(rest)} after the levels of attribute {excerpt(name)}")
    return tuple(levels)


def _unquote(word: str) -> str:
    if len(word) < 2 or word[0] not in "'\"" or word[-1] != word[0]:
        return word
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[0]), word[1:-1])


class _FirstSeen(dict[str, float]):
    """Numbers the values of a string attribute as they come."""

    def __missing__(self, value: str) -> float:
        number = self[value] = float(len(self))
        return number


class _Rows:
    """Converts rows and collects them in flat arrays, so that a file takes the memory of its numbers."""

    def __init__(self, path: Path, attributes: list[Attribute]) -> None:
        self.path = path
        self.columns = attributes
        self.codes: list[dict[str, float] | None] = [_code(attribute) for attribute in attributes]
        self.converters: list[Callable[[str], float]] = [
            float if code is None else code.__getitem__ for code in self.codes
        ]
        self.data = array("d")

    def add(self, number: int, text: str) -> None:
        """Convert one row, by the fast way if it is plain and comes out finite, else by the careful one."""
        if _AWKWARD.search(text) or not self._add_plain(text):
            self._add_scanned(number, text)

    def _add_plain(self, text: str) -> bool:
        raise NotImplementedError

    def _add_scanned(self, number: int, text: str) -> None:
        raise NotImplementedError

    def matrix(self) -> Matrix:
        raise NotImplementedError

    def attributes(self) -> tuple[Attribute, ...]:
        """The declared attributes, strings with the values that occurred."""
        return tuple(
            Attribute(column.name, "string", tuple(code)) if column.kind == "string" and code is not None else column
            for column, code in zip(self.columns, self.codes, strict=True)
        )

    def _convert(self, number: int, column: int, word: str) -> float:
        if word == "?":
            return math.nan
        attribute, code = self.columns[column], self.codes[column]
        if not word:
            raise line_error(self.path, number, f"attribute {excerpt(attribute.name)} has an empty value")
        value = _unquote(word)
        if code is None:
            parsed = parse_number(value)
            if parsed is None:
                reason = f"attribute {excerpt(attribute.name)} is {excerpt(value)}; expected a finite number"
                raise line_error(self.path, number, reason)
            return parsed
        if attribute.kind == "nominal" and value not in code:
            levels = excerpt(", ".join(attribute.levels))
            reason = f"attribute {excerpt(attribute.name)} is {excerpt(value)}; expected one of its levels {levels}"
            raise line_error(self.path, number, reason)
        return code[value]


class _DenseRows(_Rows):
    def _add_plain(self, text: str) -> bool:
        words = text.split(",")
        if text[0] == "{" or len(words) != len(self.converters):
            return False
        if " " in text or "\t" in text:
            words = [word.strip() for word in words]
        try:
            row = [convert(word) for convert, word in zip(self.converters, words, strict=True)]
        except (ValueError, KeyError):
            return False
        if "" in words or not math.isfinite(sum(row)):
            return False
        self.data.extend(row)
        return True

    def _add_scanned(self, number: int, text: str) -> None:
        if text[0] == "{":
            raise line_error(self.path, number, "a sparse row in a file that started with dense rows")
        words = list(self._scan(number, text))
        if len(words) != len(self.columns):
            raise line_error(self.path, number, f"{len(words)} values, expected {len(self.columns)}")
        self.data.extend(self._convert(number, column, word) for column, word in enumerate(words))

    def _scan(self, number: int, text: str) -> Iterator[str]:
        text = _without_comment(text)
        position, end = 0, ","
        while end:
            match = _DENSE_VALUE.match(text, position)
            if not match:
                raise line_error(self.path, number, _quote_problem(text[position:]))
            yield match[1].strip()
            position, end = match.end(), match[2]

    def matrix(self) -> np.ndarray:
        return np.array(self.data, dtype=float).reshape(-1, len(self.columns))


class _SparseRows(_Rows):
    def __init__(self, path: Path, attributes: list[Attribute]) -> None:
        super().__init__(path, attributes)
        for code in self.codes:
            if isinstance(code, _FirstSeen):
                code[""] = 0.0
        self.indices = array("i")
        self.ends = array("q", [0])

    def _add_plain(self, text: str) -> bool:
        if text[0] != "{" or text[-1] != "}":
            return False
        try:
            entries = [entry.split() for entry in text[1:-1].split(",")] if len(text) > 2 else []
            indices = [int(index) for index, _ in entries]
            if indices and not (indices[0] >= 0 and indices[-1] < len(self.columns) and _increasing(indices)):
                return False
            row = [self.converters[index](word) for index, (_, word) in zip(indices, entries, strict=True)]
        except (ValueError, KeyError):
            return False
        if not math.isfinite(sum(row)):
            return False
        self._append(indices, row)
        return True

    def _add_scanned(self, number: int, text: str) -> None:
        if text[0] != "{":
            raise line_error(self.path, number, "a dense row in a file that started with sparse rows")
        indices: list[int] = []
        row: list[float] = []
        for index, word in self._scan(number, _without_comment(text)):
            if not 0 <= index < len(self.columns):
                reason = f"sparse index {index} is out of range; the file has {len(self.columns)} attributes (from 0)"
                raise line_error(self.path, number, reason)
            if indices and index <= indices[-1]:
                reason = f"sparse index {index} after {indices[-1]}; expected increasing indices"
                raise line_error(self.path, number, reason)
            indices.append(index)
            row.append(self._convert(number, index, word))
        self._append(indices, row)

    def _scan(self, number: int, text: str) -> Iterator[tuple[int, str]]:
        if _EMPTY_ROW.fullmatch(text):
            return
        position, end = 1, ","
        while end == ",":
            index = _SPARSE_INDEX.match(text, position)
            if not index:
                found = text[position:].strip()
                reason = f"expected 'index value', found {excerpt(found)}" if "}" in found else _CUT_OFF
                raise line_error(self.path, number, reason)
            match = _SPARSE_VALUE.match(text, index.end())
            if not match:
                raise line_error(self.path, number, _quote_problem(text[index.end() :]))
            position, end = match.end(), match[2]
            if not end:
                raise line_error(self.path, number, _CUT_OFF)
            yield _position(index[1]), match[1].strip()
        if text[position:].strip():
            raise line_error(self.path, number, f"unexpected {excerpt(text[position:].strip())} after the row's brace")

    def _append(self, indices: list[int], row: list[float]) -> None:
        self.indices.extend(indices)
        self.data.extend(row)
        self.ends.append(len(self.indices))

    def matrix(self) -> sparse.csr_matrix:
        shape = (len(self.ends) - 1, len(self.columns))
        indices = np.array(self.indices, dtype=np.int32)
        matrix = sparse.csr_matrix((np.array(self.data), indices, np.array(self.ends)), shape=shape)
        matrix.eliminate_zeros()
        return matrix


def _position(digits: str) -> int:
    """An index; one beyond all files as the largest number that an index can be, since Python refuses to read it."""
    return int(digits) if len(digits) < 20 else sys.maxsize


_CUT_OFF = "the sparse row is cut off: no closing brace"


def _code(attribute: Attribute) -> dict[str, float] | None:
    if attribute.kind == "numeric":
        return None
    if attribute.kind == "string":
        return _FirstSeen()
    return {level: float(number) for number, level in enumerate(attribute.levels)}


def _increasing(indices: list[int]) -> bool:
    return all(before < after for before, after in itertools.pairwise(indices))


def _without_comment(text: str) -> str:
    """The row up to a ``%`` that follows white space and stands outside quotes."""
    if "%" not in text:
        return text
    match = re.match(rf"""(?:{_QUOTED}|(?!\s%).)*""", text)
    return text[: match.end()] if match else text


def _quote_problem(text: str) -> str:
    word = text.strip()
    closed = re.match(_QUOTED, word)
    if closed:
        return f"unexpected text after the quoted value {excerpt(closed[0])}"
    return f"unclosed quote at {excerpt(word)}"
