"""Weka's attribute-relation file format, dense and sparse, and the dialect of the KEEL repository.

What the format leaves open is read like this. ``%`` starts a comment at the start of a line and after white space. In
an unquoted word, backslashes and quotes are ordinary characters (Mulan's delicious has an attribute ``TAG_m\\'usica``,
and its XML the same letters); in a quoted word the backslash escapes as in Weka. Values are separated by commas. An
entry absent from a sparse row is 0, hence the first level of a nominal attribute and the empty string of a string one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from labelknn.datasets._arff_rows import QUOTED, Attribute, DenseRows, Matrix, Rows, SparseRows, unquote
from labelknn.datasets._text import excerpt, line_error, numbered_lines
from labelknn.errors import DataError

# A pattern gives nothing back that it has taken (*+): a long row with a mistake takes no longer than its length.
_KEYWORD = re.compile(r"@(\w+)\s*")
_NAME = re.compile(rf"""({QUOTED}|[^\s'"{{][^\s{{]*)\s*""")
_NUMERIC = re.compile(r"(?:numeric|real|integer)\s*(?:\[[^\]]*\])?", re.IGNORECASE)  # KEEL adds a range: real [0, 1]
_LEVEL = re.compile(rf"""\s*+({QUOTED}|(?!['"])[^,}}]*+)\s*+([,}}])""")
_ROLES = ("input", "inputs", "output", "outputs")  # KEEL's; a reader's options name the target


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
    rows: Rows | None = None
    for number, line in lines:
        text = line.strip()
        if not text or text[0] == "%":
            continue
        if rows is None:
            rows = SparseRows(path, attributes) if text[0] == "{" else DenseRows(path, attributes)
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
            relation = unquote(rest)
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
    name, kind = unquote(match[1]), text[match.end() :]
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
        level = unquote(match[1].strip())
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
