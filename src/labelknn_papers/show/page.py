"""The page that shows the reproduction: every published number beside ours, in one file that asks no host for anything.

`render_page` is a pure function of its arguments. It knows neither the workflow nor the files: whoever calls it fills
the dataclasses below, and the same content gives the same bytes. Values are in the HTML itself, so the page can be read
without JavaScript; the details behind a cell are one JSON block from which the script builds a popover.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict
from xml.etree import ElementTree

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from labelknn.errors import ConfigError, DataError, unknown
from labelknn_papers.judge.verdict import OWN, VERDICTS

FIELDS = ("dataset", "method", "metric", "setting")
RANK = "average_rank"
TITLE = "Nearest-neighbour learning of label sets and label rankings, reproduced"


class Row(TypedDict):
    """One line of a comparison: what the paper printed, what we compute, and how near they are.

    Where the paper prints N/A, `published` is None, there is nothing to judge, and `verdict` is empty. For a method of
    the user's own, which the paper does not know, `verdict` is OWN.
    """

    table: str
    dataset: str
    method: str
    metric: str
    setting: str
    published: float | None
    ours: float | None
    se: float | None
    difference: float | None
    tolerance: float | None
    verdict: str
    reason: str


@dataclass(frozen=True)
class Layout:
    """Which of dataset, method, metric and setting run down, across, and (one sub-table per value) over blocks.

    A field that is named nowhere must be the same in all rows of the table.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    blocks: Sequence[str] = ()


@dataclass(frozen=True)
class TableReport:
    """A printed table; `command` and `digits` (decimals to show) have one entry for each of `rows`.

    times : where our seconds are, relative to the page, if the table has run times. They change from run to run, and
        the page must not.
    """

    key: str
    title: str
    caption: str
    rows: Sequence[Row]
    layout: Layout
    command: Sequence[str]
    digits: Sequence[int]
    times: str = ""


@dataclass(frozen=True)
class FigureReport:
    key: str
    title: str
    caption: str
    svg: str


@dataclass(frozen=True)
class StudyReport:
    """A table of our own, with no published numbers; the first column heads the rows, floats get `digits` decimals.

    folded : show its title only, until the reader asks for more.
    """

    key: str
    title: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | int | float | None]]
    digits: int = 3
    folded: bool = False


@dataclass(frozen=True)
class PaperReport:
    """A paper and all that belongs to it.

    departures : our assumptions and departures from it, each with its reason.
    variants : tables in which our own variants of a method stand against the numbers of the method.
    tests : the significance tests.
    files : the same as data, relative to the page.
    """

    key: str
    title: str
    authors: str
    venue: str
    year: int
    departures: Sequence[str] = ()
    tables: Sequence[TableReport] = ()
    figures: Sequence[FigureReport] = ()
    variants: Sequence[TableReport] = ()
    tests: Sequence[StudyReport] = ()
    files: Sequence[str] = ()


@dataclass(frozen=True)
class Unreached:
    """A data set that could not be had, why, and the public addresses of its files, if there are any."""

    dataset: str
    reason: str
    addresses: Sequence[str] = ()


def render_page(
    papers: Sequence[PaperReport],
    unreachable: Sequence[Unreached],
    studies: Sequence[StudyReport],
    figures: Sequence[FigureReport] = (),
    files: Sequence[str] = (),
    title: str = TITLE,
    lead: str = "",
) -> str:
    """The whole page as HTML text; `figures` and `files` are those over all papers, `title` and `lead` are its head."""
    keys = [paper.key for paper in papers] + [study.key for study in studies] + [figure.key for figure in figures]
    _check_keys(keys, "the page")
    views = [_paper_view(paper) for paper in papers]
    cells = [cell for paper in views for table in paper["tables"] for cell in table["cells"]]
    variants = [cell for paper in views for table in paper["variants"] for cell in table["cells"]]
    environment = Environment(
        loader=PackageLoader("labelknn_papers.show"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(label=_label, thousands="{:,}".format, slug=_slug)
    number = f"{len(papers)} paper{'' if len(papers) == 1 else 's'}"
    return environment.get_template("page.html.j2").render(
        title=title,
        lead=lead
        or f"Every number that {number} printed, beside the one that this pipeline computes from the raw data.",
        papers=views,
        unreachable=unreachable,
        studies=[_study_view(study, study.key) for study in studies],
        figures=[
            {"report": figure, "anchor": figure.key, "svg": _inline_svg(figure, figure.key)} for figure in figures
        ],
        files=files,
        verdicts=VERDICTS,
        counts=_counts(cells),
        details=_details(cells + variants),
        css=_asset(environment, "page.css"),
        js=_asset(environment, "page.js"),
    )


@dataclass(frozen=True)
class _Cell:
    """A row of the comparison as the template shows it: the anchor, the two numbers, and the text of its details.

    place : the values of FIELDS by which it is laid out; only for average ranks other ones than in the row.
    """

    anchor: str
    row: Row
    place: Mapping[str, str]
    digits: int
    command: str

    @property
    def published(self) -> str:
        if self.row["published"] is None:
            return "" if self.row["verdict"] == OWN else "N/A"
        return _number(self.row["published"], self.digits)

    @property
    def ours(self) -> str:
        return "–" if self.row["ours"] is None else _number(self.row["ours"], self.digits)

    @property
    def judged(self) -> bool:
        return self.row["published"] is not None

    @property
    def name(self) -> str:
        return ", ".join(_label(self.row[field]) for field in FIELDS if self.row[field])  # type: ignore[literal-required]

    @property
    def moved(self) -> bool:
        return self.place["metric"] != self.row["metric"]

    def padding(self, value: float | None, digits: int) -> str:
        """The invisible tail that puts this number's decimal point under that of a number with `digits` decimals."""
        if value is None or digits == self.digits:
            return ""
        return ("" if self.digits else ".") + "0" * (digits - self.digits)


def _paper_view(paper: PaperReport) -> dict:
    keys = [table.key for table in (*paper.tables, *paper.variants)]
    _check_keys(keys + [test.key for test in paper.tests] + [figure.key for figure in paper.figures], paper.key)
    tables = [_table_view(paper.key, table) for table in paper.tables]
    return {
        "report": paper,
        "tables": tables,
        "variants": [_table_view(paper.key, table) for table in paper.variants],
        "tests": [_study_view(test, f"{paper.key}-{test.key}") for test in paper.tests],
        "figures": [
            {
                "report": figure,
                "anchor": f"{paper.key}-{figure.key}",
                "svg": _inline_svg(figure, f"{paper.key}/{figure.key}"),
            }
            for figure in paper.figures
        ],
        "counts": _counts([cell for table in tables for cell in table["cells"]]),
    }


def _table_view(paper: str, table: TableReport) -> dict:
    where = f"{paper}/{table.key}"
    anchor = where.replace("/", "-")
    _check_rows(table, where)
    _check_layout(table, where)
    cells = [
        _Cell(f"{anchor}-{index}", *parts)
        for index, parts in enumerate(zip(table.rows, _places(table), table.digits, table.command, strict=True), 1)
    ]
    unnamed = [field for field in FIELDS if field not in _named(table.layout)]
    return {
        "report": table,
        "anchor": anchor,
        "common": [value for value in _key(cells[0], unnamed) if value] if cells else [],
        "cells": cells,
        "blocks": _blocks(table.layout, cells),
        "counts": _counts(cells),
    }


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


def _blocks(layout: Layout, cells: Sequence[_Cell]) -> list[dict]:
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
                "title": " · ".join(_label(value) for value in block if value),
                "row_fields": row_fields,
                "header": _header(column_keys),
                "width": max(_printed_width(cell, max(decimals)) for cell in inside),
                "lines": [_line(key, [grid.get((key, column)) for column in column_keys]) for key in row_keys],
                "decimals": decimals,
            }
        )
    return blocks


def _line(key: tuple[str, ...], cells: Sequence[_Cell | None]) -> dict:
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


def _header(keys: Sequence[tuple[str, ...]]) -> list[list[_Head]]:
    """The lines of a column header: neighbours share a label, and a column without further labels reaches down.

    `keys` are sorted field by field, so equal beginnings are adjacent.
    """
    depth = len(keys[0])
    if depth == 0:
        return [[_Head("value", 1, 1, 0)]]
    columns_below = Counter(key[: level + 1] for key in keys for level in range(depth))
    lines: list[list[_Head]] = [[] for _ in range(depth)]
    for column, key in enumerate(keys):
        for level, label in enumerate(key):
            start = key[: level + 1]
            if column and keys[column - 1][: level + 1] == start:
                continue
            span = columns_below[start]
            if span == 1 and not any(key[level + 1 :]):
                lines[level].append(_Head(label, 1, depth - level, column))
                break
            lines[level].append(_Head(label, span, 1, None))
    return lines


def _key(cell: _Cell, fields: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell.place[field] for field in fields)


def _keys(cells: Sequence[_Cell], fields: Sequence[str]) -> list[tuple[str, ...]]:
    """The combinations that occur, ordered field by field after the first appearance of each value."""
    order = {field: list(dict.fromkeys(_key(cell, [field])[0] for cell in cells)) for field in fields}
    found = {_key(cell, fields) for cell in cells}
    return sorted(found, key=lambda key: [order[field].index(value) for field, value in zip(fields, key, strict=True)])


def _informative(fields: Sequence[str], cells: Sequence[_Cell]) -> list[str]:
    """Without the fields that are empty in all cells: a paper's data table has no method, most tables no setting."""
    return [field for field in fields if any(_key(cell, [field])[0] for cell in cells)]


def _printed_width(cell: _Cell, digits: int) -> float:
    """In widths of a digit; a decimal point takes half of one."""
    values = (cell.row["published"], cell.published), (cell.row["ours"], cell.ours)
    texts = [text + cell.padding(value, digits) for value, text in values]
    return max(len(text) - text.count(".") / 2 for text in texts)


def _counts(cells: Sequence[_Cell]) -> dict[str, int]:
    found = Counter(cell.row["verdict"] for cell in cells if cell.judged)
    return {"cells": found.total(), **{verdict: found[verdict] for verdict in VERDICTS}}


def _details(cells: Sequence[_Cell]) -> Markup:
    """What the popovers say, as JSON; reasons and commands recur in hundreds of cells and are stored once."""
    texts: dict[str, int] = {}
    entries = {
        cell.anchor: [
            _precise(cell.row["ours"], cell.digits),
            _precise(cell.row["se"], cell.digits),
            _signed(cell.row["difference"], cell.digits),
            _precise(cell.row["tolerance"], cell.digits),
            texts.setdefault(cell.row["reason"], len(texts)),
            texts.setdefault(cell.command, len(texts)),
        ]
        for cell in cells
    }
    text = json.dumps({"texts": list(texts), "cells": entries}, ensure_ascii=False, separators=(",", ":"))
    # Inside <script> HTML is not unescaped, so what could end the element is escaped the JSON way.
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def _study_view(study: StudyReport, anchor: str) -> dict:
    for number, row in enumerate(study.rows, 1):
        if len(row) != len(study.columns):
            raise ConfigError(
                f"study {study.key}, row {number}: {len(row)} values for {len(study.columns)} columns; "
                "every row needs one value per column"
            )
    columns = zip(*study.rows, strict=True) if study.rows else [()] * len(study.columns)
    words = [any(isinstance(value, str) and value for value in column) for column in columns]
    rows = [[_study_text(value, study.digits) for value in row] for row in study.rows]
    return {"report": study, "anchor": anchor, "words": words, "rows": rows}


def _study_text(value: str | int | float | None, digits: int) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    return _number(value, digits) if isinstance(value, float) else str(value)


def _label(name: str) -> str:
    """An id as a reader wants it: ``of=hamming_loss;vs=iblr-ml`` becomes ``of=hamming loss, vs=iblr-ml``."""
    return name.replace("_", " ").replace(";", ", ")


def _slug(verdict: str) -> str:
    return verdict.replace(" ", "-")


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def _precise(value: float | None, digits: int) -> str:
    """One decimal more than printed; counts stay whole."""
    if value is None:
        return ""
    return _number(value, 0 if digits == 0 and value == round(value) else digits + 1)


def _signed(value: float | None, digits: int) -> str:
    text = _precise(value, digits)
    return f"+{text}" if value is not None and value > 0 and text.strip("0.") else text


def _check_keys(keys: Sequence[str], where: str) -> None:
    """Keys become the anchors of the page, so they must be words, each used once."""
    for key, count in Counter(keys).items():
        if not re.fullmatch(r"[A-Za-z0-9_.-]+", key):
            raise ConfigError(f"{where}: the key {key!r} is not one word of letters, digits, '_', '.' and '-'")
        if count > 1:
            raise ConfigError(f"{where}: the key {key!r} is used {count} times; every key must be unique")


def _check_rows(table: TableReport, where: str) -> None:
    for name in ("command", "digits"):
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
        name = ", ".join(_label(value) for value in values.values() if value)
        other = taken.setdefault(tuple(values[field] for field in named), name)
        if other is not name:
            raise ConfigError(
                f"{where}: the layout ({', '.join(named)}) puts two rows into one cell: "
                f"{other!r} and {name!r}; name the field in which they differ"
            )


_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"


def _inline_svg(figure: FigureReport, where: str) -> Markup:
    """The picture as an element of the page: no prologue, no metadata (it holds a date), ids that no other figure uses.

    Matplotlib calls the parts of every figure figure_1, axes_1, ...; side by side on one page they must differ.
    """
    try:
        root = ElementTree.fromstring(figure.svg)
    except ElementTree.ParseError as error:
        raise DataError(f"{where}: the figure is not well-formed SVG ({error})") from error
    if root.tag != f"{{{_SVG}}}svg":
        raise DataError(f"{where}: the figure's outermost element is {root.tag!r}, expected an svg element")
    prefix = where.replace("/", "-") + "-"
    for element in root.iter():
        for child in [child for child in element if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}script")]:
            element.remove(child)
        element.text = _own_references(element.text, prefix, where)
        if element.tag not in (f"{{{_SVG}}}text", f"{{{_SVG}}}tspan"):
            for child in element:  # line breaks between the parts of a picture are a tenth of its size
                child.tail = child.tail and child.tail.strip()
        for name, value in list(element.attrib.items()):
            local = name.rpartition("}")[2]
            if local == "id":
                element.set(name, prefix + value)
            elif local == "href":
                if not value.startswith(("#", "data:")):
                    raise DataError(f"{where}: the figure refers to {value!r}; it must contain all that it shows")
                element.set(name, f"#{prefix}{value[1:]}" if value.startswith("#") else value)
            elif local.startswith("on"):
                del element.attrib[name]
            else:
                element.set(name, _own_references(value, prefix, where) or "")
    root.set("role", "img")
    root.set("aria-label", f"{figure.title}: {figure.caption}")
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _own_references(text: str | None, prefix: str, where: str) -> str | None:
    """url(#clip) becomes url(#<prefix>clip); a url that leads out of the figure is refused."""
    for target in re.findall(r"url\(\s*['\"]?([^)'\"]*)", text or ""):
        if not target.startswith(("#", "data:")):
            raise DataError(f"{where}: the figure refers to {target!r}; it must contain all that it shows")
    return text and re.sub(r"(url\(\s*['\"]?#)", rf"\g<1>{prefix}", text)


def _asset(environment: Environment, name: str) -> Markup:
    assert environment.loader is not None
    return Markup(environment.loader.get_source(environment, name)[0])
