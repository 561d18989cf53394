"""What the page is made of: papers with their tables and figures, tables of our own, and data that are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict


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
class Names:
    """What a paper calls things, by their ids in its published numbers."""

    dataset: Mapping[str, str] = field(default_factory=dict)
    method: Mapping[str, str] = field(default_factory=dict)
    metric: Mapping[str, str] = field(default_factory=dict)
    setting: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Origin:
    """How a number is made; a line for each part of an answer, nothing where there is nothing to say.

    rule : when it counts as reproduced.
    command : what to type to make it again, and nothing else.
    scores : where its scores on the splits are.
    """

    rule: str = ""
    protocol: str = ""
    method: str = ""
    data: str = ""
    command: str = ""
    scores: str = ""


@dataclass(frozen=True)
class Ratio:
    """A run time as a multiple of the geometric mean of those of its data set: in print, and as measured."""

    published: str
    measured: str
    seconds: str


@dataclass(frozen=True)
class TableReport:
    """A printed table; `origins` and `digits` (decimals to show) have one entry for each of `rows`.

    times : where our seconds are, relative to the page, if the table has run times.
    record : by the place of a row, what the record has there instead; only of rows that were not run.
    shortened : by the place of a row, which part of the paper's splits it is of, if not of all.
    ratios : by the place of a row, its run time. What is measured changes from run to run (`show.measured`).
    departures : the places in the paper's list of those that concern this table.
    """

    key: str
    title: str
    caption: str
    rows: Sequence[Row]
    layout: Layout
    origins: Sequence[Origin]
    digits: Sequence[int]
    times: str = ""
    record: Mapping[int, Row] = field(default_factory=dict)
    shortened: Mapping[int, str] = field(default_factory=dict)
    ratios: Mapping[int, Ratio] = field(default_factory=dict)
    departures: Sequence[int] = ()


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

    departures : our assumptions and departures from it, each with its reason; a table that one concerns shows it, and
        what no table does stands above all of them.
    variants : tables in which our own variants of a method stand against the numbers of the method.
    tests : the significance tests.
    files : the same as data, relative to the page.
    """

    key: str
    title: str
    authors: str
    venue: str
    year: int
    names: Names = field(default_factory=Names)
    departures: Sequence[str] = ()
    tables: Sequence[TableReport] = ()
    figures: Sequence[FigureReport] = ()
    variants: Sequence[TableReport] = ()
    tests: Sequence[StudyReport] = ()
    files: Sequence[str] = ()


@dataclass(frozen=True)
class Unreached:
    """A data set that could not be downloaded, why, and the public addresses of its files, if there are any."""

    dataset: str
    reason: str
    addresses: Sequence[str] = ()


@dataclass(frozen=True)
class ComparedCell:
    """A method on a data set: its number, or in few letters why it has none; `more` is said of it alone."""

    text: str
    more: str = ""
    best: bool = False


@dataclass(frozen=True)
class ComparedTable:
    """What the methods of a comparison have by one measure.

    view : its name, which pictures and sentences of the same measure bear too.
    lines : method, the features that it sees, a cell for each data set, and its average rank, "" where it has none.
    """

    view: str
    title: str
    caption: str
    lines: Sequence[tuple[str, str, Sequence[ComparedCell], str]]


@dataclass(frozen=True)
class ComparedSentence:
    """A sentence and the test that it is made from."""

    view: str
    text: str
    test: str


@dataclass(frozen=True)
class ComparisonReport:
    """Methods side by side on the same data sets.

    datasets : id, title and protocol of each.
    figures : with the view that each belongs to.
    studies : further tables.
    files : the same as data, relative to the page.
    """

    key: str
    title: str
    lead: str
    datasets: Sequence[tuple[str, str, str]]
    tables: Sequence[ComparedTable]
    sentences: Sequence[ComparedSentence]
    figures: Sequence[tuple[str, FigureReport]] = ()
    studies: Sequence[StudyReport] = ()
    unreached: Sequence[Unreached] = ()
    files: Sequence[str] = ()
