"""The page that shows the reproduction: every published number beside ours, in one HTML file that asks nobody for anything.

`render_page` is a pure function of its arguments. It knows neither the workflow nor the files: whoever calls it fills
the dataclasses below, and the same content gives the same bytes. Values are in the HTML itself, so the page can be read
without JavaScript; the details behind a cell are one JSON block from which the script builds a popover.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypedDict
from xml.etree import ElementTree

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from labelknn.errors import ConfigError, DataError, unknown

VERDICTS = ("matches", "close", "differs", "not run")
FIELDS = ("dataset", "method", "metric", "setting")


class Row(TypedDict):
    """One line of a comparison: what the paper printed, what we compute, and how near they are."""

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
    """A printed table; `command` and `digits` (decimals to show) have one entry for each of `rows`."""

    key: str
    title: str
    caption: str
    rows: Sequence[Row]
    layout: Layout
    command: Sequence[str]
    digits: Sequence[int]


@dataclass(frozen=True)
class FigureReport:
    key: str
    title: str
    caption: str
    svg: str


@dataclass(frozen=True)
class PaperReport:
    """A paper; `departures` are our assumptions and departures from it, each with its reason."""

    key: str
    title: str
    authors: str
    venue: str
    year: int
    departures: Sequence[str] = ()
    tables: Sequence[TableReport] = ()
    figures: Sequence[FigureReport] = ()


@dataclass(frozen=True)
class Unreached:
    """A data set that could not be had, why, and how a reader can get it."""

    dataset: str
    reason: str
    how_to_get: str


@dataclass(frozen=True)
class StudyReport:
    """A table of our own, with no published numbers; the first column heads the rows, floats get `digits` decimals."""

    key: str
    title: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | int | float | None]]
    digits: int = 3


def render_page(
    papers: Sequence[PaperReport], unreachable: Sequence[Unreached], studies: Sequence[StudyReport]
) -> str:
    """The whole page as HTML text."""
    raise NotImplementedError
