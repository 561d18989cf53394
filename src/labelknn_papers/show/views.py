"""A table of a paper as the template shows it: cells, laid out in blocks of lines under a header."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from labelknn.errors import ConfigError, DataError, unknown
from labelknn_papers.judge.times import STAGES
from labelknn_papers.judge.verdict import OWN, VERDICTS, tally
from labelknn_papers.show.anchors import anchors_of
from labelknn_papers.show.names import FIELDS, name_in
from labelknn_papers.show.reports import Layout, Names, Origin, Ratio, Row, TableReport
from labelknn_papers.show.texts import as_label, as_number

RANK = "average_rank"


@dataclass(frozen=True)
class Cell:
    """A row of the comparison as the template shows it: the anchor, the two numbers, and the text of its details.

    name : what it is of, in the paper's words.
    place : the values of FIELDS by which it is laid out; only for average ranks other ones than in the row.
    record : what the record has in the place of a number that was not run.
    shortened : which part of the paper's splits it is of, if not of all.
    ratio : in the place of both numbers, if they are run times.
    """

    anchor: str
    name: str
    row: Row
    place: Mapping[str, str]
    digits: int
    origin: Origin
    record: Row | None = None
    shortened: str = ""
    ratio: Ratio | None = None

    @property
    def value(self) -> float | None:
        """The number beside the published one: ours, or else that of the record."""
        return (self.record or self.row)["ours"]

    @property
    def published(self) -> str:
        if self.row["published"] is None:
            return "" if self.row["verdict"] == OWN else "N/A"
        if self.ratio:
            return self.ratio.published
        unit = " s" if self.row["metric"] in STAGES else ""
        return as_number(self.row["published"], self.digits) + unit

    @property
    def ours(self) -> str:
        return "–" if self.value is None else as_number(self.value, self.digits)

    @property
    def judged(self) -> bool:
        return self.row["published"] is not None

    @property
    def moved(self) -> bool:
        return self.place["metric"] != self.row["metric"]

    def padding(self, value: float | None, digits: int) -> str:
        """The invisible tail that puts this number's decimal point under that of a number with `digits` decimals."""
        if value is None or self.ratio or digits == self.digits:
            return ""
        return ("" if self.digits else ".") + "0" * (digits - self.digits)


def table_view(paper: str, table: TableReport, names: Names) -> dict:
    where = f"{paper}/{table.key}"
    anchor = where.replace("/", "-")
    _check_rows(table, where)
    _check_layout(table, where)
    parts = zip(anchors_of(anchor, table.rows), table.rows, _places(table), table.digits, table.origins, strict=True)
    cells = [
        Cell(
            name,
            _in_words(names, row),
            row,
            place,
            digits,
            origin,
            table.record.get(index),
            table.shortened.get(index, ""),
            table.ratios.get(index),
        )
        for index, (name, row, place, digits, origin) in enumerate(parts)
    ]
    unnamed = [
        field
        for field in FIELDS
        if field not in _named(table.layout) and len({_key(cell, [field]) for cell in cells}) == 1
    ]
    return {
        "report": table,
        "anchor": anchor,
        "common": _names(names, unnamed, _key(cells[0], unnamed)) if cells else [],
        "cells": cells,
        "blocks": _blocks(table.layout, cells, names),
        **counts_of(cells),
    }


def _in_words(names: Names, row: Row) -> str:
    return " · ".join(_names(names, FIELDS, [row[field] for field in FIELDS]))  # type: ignore[literal-required]


def _names(names: Names, fields: Sequence[str], key: Sequence[str]) -> list[str]:
    return [name_in(names, field, value) for field, value in zip(fields, key, strict=True) if value]


def _places(table: TableReport) -> list[dict[str, str]]:
    """The values of FIELDS by which each row is laid out: its own, unless it is an average rank.

    Papers print average ranks in the last line, below the values that are ranked. As a metric of its own the rank would
    have a column that is empty in all other lines, or a block of one line.
    """
    own = [{field: row[field] for field in FIELDS} for row in table.rows]  # type: ignore[literal-required]
    scored = list(dict.fromkeys(place["metric"] for place in own if place["metric"] != RANK))
    places = [_below_the_ranked(place, scored) if place["metric"] == RANK else place for place in own]
    taken = {tuple(place[field] for field in _named(table.layout)) for place in places}
    return places if len(taken) == len(places) else own


def _below_the_ranked(place: Mapping[str, str], scored: Sequence[str]) -> dict[str, str]:
    """The setting names the metric that is ranked ("of=hamming_loss"); without, it is the first of the table."""
    start, named, ranked = place["setting"].partition("of=")
    if not named and scored:
        return {**place, "metric": scored[0]}
    return {**place, "metric": ranked, "setting": start} if ranked in scored else dict(place)


def _named(layout: Layout) -> list[str]:
    return [*layout.rows, *layout.columns, *layout.blocks]


def _blocks(layout: Layout, cells: Sequence[Cell], names: Names) -> list[dict]:
    """One sub-table for each combination of the block fields, in the order of the paper."""
    blocks = []
    for block in dict.fromkeys(_key(cell, layout.blocks) for cell in cells):
        inside = [cell for cell in cells if _key(cell, layout.blocks) == block]
        row_fields, column_fields = _informative(layout.rows, inside), _informative(layout.columns, inside)
        row_keys, column_keys = _keys(inside, row_fields), _keys(inside, column_fields)
        grid = {(_key(cell, row_fields), _key(cell, column_fields)): cell for cell in inside}
        decimals = [max(cell.digits for cell in inside if _key(cell, column_fields) == key) for key in column_keys]
        blocks.append(
            {
                "title": " · ".join(_names(names, layout.blocks, block)),
                "row_fields": row_fields,
                "header": _header(column_keys, column_fields, names),
                "width": max(_printed_width(cell, max(decimals)) for cell in inside),
                "lines": [
                    _line([name_in(names, *part) for part in zip(row_fields, key, strict=True)], found)
                    for key in row_keys
                    for found in [[grid.get((key, column)) for column in column_keys]]
                ],
                "decimals": decimals,
            }
        )
    return blocks


def _line(key: Sequence[str], cells: Sequence[Cell | None]) -> dict:
    """A line of a table; `summary` says what it has in place of the values that its columns announce."""
    there = [cell for cell in cells if cell]
    summary = RANK if all(cell.moved for cell in there) else ""
    return {"key": key, "cells": cells, "summary": summary}


@dataclass(frozen=True)
class _Head:
    """A cell of a column header; `column` is the column it heads, None for a group of several."""

    label: str
    columns: int
    lines: int
    column: int | None


def _header(keys: Sequence[tuple[str, ...]], fields: Sequence[str], names: Names) -> list[list[_Head]]:
    """The lines of a column header: neighbours share a label, and a column without further labels reaches down.

    `keys` are sorted field by field, so equal beginnings are adjacent.
    """
    depth = len(keys[0])
    if depth == 0:
        return [[_Head("value", 1, 1, 0)]]
    columns_below = Counter(key[: level + 1] for key in keys for level in range(depth))
    lines: list[list[_Head]] = [[] for _ in range(depth)]
    for column, key in enumerate(keys):
        for level, value in enumerate(key):
            start = key[: level + 1]
            if column and keys[column - 1][: level + 1] == start:
                continue
            label = name_in(names, fields[level], value) if value else ""
            span = columns_below[start]
            if span == 1 and not any(key[level + 1 :]):
                lines[level].append(_Head(label, 1, depth - level, column))
                break
            lines[level].append(_Head(label, span, 1, None))
    return lines


def _key(cell: Cell, fields: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell.place[field] for field in fields)


def _keys(cells: Sequence[Cell], fields: Sequence[str]) -> list[tuple[str, ...]]:
    """The combinations that occur, ordered field by field after the first appearance of each value."""
    order = {field: list(dict.fromkeys(_key(cell, [field])[0] for cell in cells)) for field in fields}
    found = {_key(cell, fields) for cell in cells}
    return sorted(found, key=lambda key: [order[field].index(value) for field, value in zip(fields, key, strict=True)])


def _informative(fields: Sequence[str], cells: Sequence[Cell]) -> list[str]:
    """Without the fields that are empty in all cells: a paper's data table has no method, most tables no setting."""
    return [field for field in fields if any(_key(cell, [field])[0] for cell in cells)]


def _printed_width(cell: Cell, digits: int) -> float:
    """In widths of a digit; a decimal point takes half of one."""
    values = [(cell.row["published"], cell.published)]
    if not cell.ratio:  # what is measured must change nothing else on the page
        values.append((cell.row["ours"], cell.ours))
    texts = [text + cell.padding(value, digits) for value, text in values]
    return max(len(text) - text.count(".") / 2 for text in texts)


def counts_of(cells: Sequence[Cell]) -> dict[str, dict[str, int]]:
    """Printed numbers by verdict: those of this run, and with what the record has in the place of the others."""
    judged = [cell for cell in cells if cell.judged]
    alone = tally(cell.row["verdict"] for cell in judged)
    together = tally((cell.record or cell.row)["verdict"] for cell in judged)
    return {"counts": {"cells": len(judged), **alone}, "with_record": {"cells": len(judged), **together}}


def _check_rows(table: TableReport, where: str) -> None:
    for name in ("origins", "digits"):
        if len(getattr(table, name)) != len(table.rows):
            raise ConfigError(
                f"{where}: {len(getattr(table, name))} entries in {name} for {len(table.rows)} rows; "
                "there must be one per row"
            )
    for number, row in enumerate(table.rows, 1):
        if set(row) != set(Row.__annotations__):
            odd = ", ".join(sorted(set(row) ^ set(Row.__annotations__)))
            raise ConfigError(f"{where}, row {number}: missing or unexpected: {odd}")
        verdicts = VERDICTS if row["published"] is not None else ("", OWN)
        if row["verdict"] not in verdicts:
            raise unknown("verdict", row["verdict"], verdicts, f"{where}, row {number}")
        for name in ("published", "ours", "se", "difference", "tolerance"):
            value = row[name]  # type: ignore[literal-required]
            if value is not None and not math.isfinite(value):
                raise DataError(f"{where}, row {number}: {name} is {value}; expected a finite number or None")


def _check_layout(table: TableReport, where: str) -> None:
    named = _named(table.layout)
    for name in named:
        if name not in FIELDS:
            raise unknown("layout field", name, FIELDS, where)
    if len(set(named)) < len(named):
        raise ConfigError(f"{where}: the layout names a field twice: {', '.join(named)}")
    taken: dict[tuple[str, ...], str] = {}
    for row in table.rows:
        values = {field: row[field] for field in FIELDS}  # type: ignore[literal-required]
        name = ", ".join(as_label(value) for value in values.values() if value)
        other = taken.setdefault(tuple(values[field] for field in named), name)
        if other is not name:
            raise ConfigError(
                f"{where}: the layout ({', '.join(named)}) puts two rows into one cell: "
                f"{other!r} and {name!r}; name the field in which they differ"
            )
