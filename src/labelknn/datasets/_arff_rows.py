"""The rows of ARFF files: text to numbers.

Almost all rows of real files are plain: unquoted, complete, without comments. They are split and converted in bulk;
whatever is awkward in a row (quotes, comments, missing values, mistakes) sends that row, and only that row, to a
careful scanner, which also finds the words for what is wrong with it.
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

from labelknn.datasets._text import excerpt, line_error, parse_number

Matrix: TypeAlias = Any  # an array or a CSR matrix; scipy has no types that could tell them apart

# A pattern gives nothing back that it has taken (*+): a long row with a mistake takes no longer than its length.
QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
_DENSE_VALUE = re.compile(rf"""\s*+({QUOTED}|(?!['"])[^,]*+)\s*+(,|$)""")
_SPARSE_VALUE = re.compile(rf"""\s*+({QUOTED}|(?!['"])[^,}}]*+)\s*+([,}}]|$)""")
_SPARSE_INDEX = re.compile(r"\s*+([+-]?[0-9]++)\s+")
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


def unquote(word: str) -> str:
    if len(word) < 2 or word[0] not in "'\"" or word[-1] != word[0]:
        return word
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[0]), word[1:-1])


class _FirstSeen(dict[str, float]):
    """Numbers the values of a string attribute as they come."""

    def __missing__(self, value: str) -> float:
        number = self[value] = float(len(self))
        return number


class Rows:
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
        value = unquote(word)
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


class DenseRows(Rows):
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


class SparseRows(Rows):
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
    match = re.match(rf"""(?:{QUOTED}|(?!\s%).)*""", text)
    return text[: match.end()] if match else text


def _quote_problem(text: str) -> str:
    word = text.strip()
    closed = re.match(QUOTED, word)
    if closed:
        return f"unexpected text after the quoted value {excerpt(closed[0])}"
    return f"unclosed quote at {excerpt(word)}"
