"""The page that shows the reproduction: every published number beside ours, in one file that asks no host for anything.

`render_page` is a pure function of its arguments. It knows neither the workflow nor the files: whoever calls it fills
the dataclasses of `show.reports`, and the same content gives the same bytes. Values are in the HTML itself, so the page
can be read without JavaScript; the details behind a cell are one JSON block from which the script builds a popover.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from labelknn.errors import ConfigError
from labelknn_papers.judge.record import Balance
from labelknn_papers.judge.verdict import VERDICTS
from labelknn_papers.show.claims import claims_view
from labelknn_papers.show.looks import LOOKS, verdict_css
from labelknn_papers.show.names import citation, in_words, used_names
from labelknn_papers.show.reports import FigureReport, PaperReport, StudyReport, Unreached
from labelknn_papers.show.svg import inline_svg
from labelknn_papers.show.texts import as_label, as_number, precise, signed, slug
from labelknn_papers.show.views import Cell, counts_of, table_view

# By field and id, what the page calls it.
Names = Mapping[str, Mapping[str, str]]

TITLE = "Nearest-neighbour learning of label sets and label rankings, reproduced"


def render_page(
    papers: Sequence[PaperReport],
    unreachable: Sequence[Unreached],
    studies: Sequence[StudyReport],
    figures: Sequence[FigureReport] = (),
    files: Sequence[str] = (),
    title: str = TITLE,
    lead: str = "",
    balance: Balance | None = None,
    claims: Sequence[Mapping[str, str]] = (),
) -> str:
    """The whole page as HTML text; `figures` and `files` are those over all papers, `title` and `lead` are its head.

    balance : what the run and the record have, where the papers' tables show numbers of the record.
    claims : the rows of claims.csv.
    """
    keys = [paper.key for paper in papers] + [study.key for study in studies] + [figure.key for figure in figures]
    _check_keys(keys, "the page")
    names = {paper.key: _names(paper) for paper in papers}
    views = [_paper_view(paper, names[paper.key]) for paper in papers]
    cells = [cell for paper in views for table in paper["tables"] for cell in table["cells"]]
    variants = [cell for paper in views for table in paper["variants"].values() for cell in table["cells"]]
    environment = Environment(
        loader=PackageLoader("labelknn_papers.show"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(label=as_label, thousands="{:,}".format, slug=slug)
    those = f"{len(papers)} paper{'' if len(papers) == 1 else 's'}"
    return environment.get_template("page.html.j2").render(
        title=title,
        lead=lead
        or f"Every number that {those} printed, beside the one that this pipeline computes from the raw data.",
        papers=views,
        unreachable=unreachable,
        studies=[_study_view(study, study.key, {}) for study in studies],
        figures=[{"report": figure, "anchor": figure.key, "svg": inline_svg(figure, figure.key)} for figure in figures],
        files=files,
        claims=claims_view(claims, names),
        verdicts=VERDICTS,
        looks=LOOKS,
        balance=balance or Balance(),
        **counts_of(cells),
        details=_details(cells + variants, names),
        css=Markup(verdict_css(VERDICTS)) + _asset(environment, "side.css", "page.css"),
        js=_asset(environment, "page.js", "side.js"),
    )


def _names(paper: PaperReport) -> dict[str, dict[str, str]]:
    return used_names(paper.names, [row for table in (*paper.tables, *paper.variants) for row in table.rows])


def _paper_view(paper: PaperReport, names: Names) -> dict:
    """Variants stand below their tables, by whose keys they are; a test's diagram goes with the test."""
    keys = [table.key for table in (*paper.tables, *paper.variants)]
    _check_keys(keys + [test.key for test in paper.tests] + [figure.key for figure in paper.figures], paper.key)
    tables = [
        table_view(paper.key, table, paper.names) | {"departures": [paper.departures[one] for one in table.departures]}
        for table in paper.tables
    ]
    concerned = {place for table in paper.tables for place in table.departures}
    figures = {
        figure.key: {
            "report": figure,
            "anchor": f"{paper.key}-{figure.key}",
            "svg": inline_svg(figure, f"{paper.key}/{figure.key}"),
        }
        for figure in paper.figures
    }
    tests = [
        _study_view(test, f"{paper.key}-{test.key}", names)
        | {"diagram": figures.pop(test.key.removesuffix("-tests"), None)}
        for test in paper.tests
    ]
    return {
        "report": paper,
        "citation": citation(paper.authors, paper.year),
        "tables": tables,
        "variants": {
            table.key.removesuffix("-variants"): table_view(paper.key, table, paper.names) for table in paper.variants
        },
        "departures": [text for place, text in enumerate(paper.departures) if place not in concerned],
        "tests": tests,
        "figures": list(figures.values()),
        **counts_of([cell for table in tables for cell in table["cells"]]),
    }


def _details(cells: Sequence[Cell], names: Mapping[str, Names]) -> Markup:
    """What the details say, as JSON; reasons, methods and commands recur in hundreds of cells and are stored once.

    Of a number of the record, the last entry is why it was not run.
    """
    texts: dict[str, int] = {}
    entries = {}
    for cell in cells:
        row, origin = cell.record or cell.row, cell.origin
        said = [
            precise(row["ours"], cell.digits),
            precise(row["se"], cell.digits),
            signed(row["difference"], cell.digits),
            precise(row["tolerance"], cell.digits),
            as_number(row["published"], cell.digits) if row["published"] is not None else "N/A",
            row["reason"],
            *(origin.rule, origin.protocol, origin.method, origin.data, origin.command, origin.scores),
            *([cell.row["reason"]] if cell.record else []),
        ]
        entries[cell.anchor] = [texts.setdefault(text, len(texts)) for text in said]
    content = {"texts": list(texts), "cells": entries, "names": names}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # Inside <script> HTML is not unescaped, so what could end the element is escaped the JSON way.
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def _study_view(study: StudyReport, anchor: str, names: Names) -> dict:
    for line, row in enumerate(study.rows, 1):
        if len(row) != len(study.columns):
            raise ConfigError(
                f"study {study.key}, row {line}: {len(row)} values for {len(study.columns)} columns; "
                "every row needs one value per column"
            )
    columns = zip(*study.rows, strict=True) if study.rows else [()] * len(study.columns)
    words = [any(isinstance(value, str) and value for value in column) for column in columns]
    rows = [[in_words(_study_text(value, study.digits), names) for value in row] for row in study.rows]
    return {"report": study, "anchor": anchor, "words": words, "rows": rows}


def _study_text(value: str | int | float | None, digits: int) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    return as_number(value, digits) if isinstance(value, float) else str(value)


def _check_keys(keys: Sequence[str], where: str) -> None:
    """Keys become the anchors of the page, so they must be words, each used once."""
    for key, count in Counter(keys).items():
        if not re.fullmatch(r"[A-Za-z0-9_.-]+", key):
            raise ConfigError(f"{where}: the key {key!r} is not one word of letters, digits, '_', '.' and '-'")
        if count > 1:
            raise ConfigError(f"{where}: the key {key!r} is used {count} times; every key must be unique")


def _asset(environment: Environment, *names: str) -> Markup:
    assert environment.loader is not None
    return Markup("\n".join(environment.loader.get_source(environment, name)[0] for name in names))
