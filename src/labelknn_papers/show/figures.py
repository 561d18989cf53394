"""What all figures share: the table that one is drawn from, its panels, its labels, and files without dates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import ceil, floor, inf, log10
from os import PathLike
from textwrap import fill
from typing import Any, Literal, NamedTuple

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from labelknn.utils._files import atomic, write_table
from labelknn_papers.show.style import FAINT, LABEL, SOFT, STYLE

# A line of text takes this much more than its size; so many letters of a title, or of a label, fit into an inch.
_LEADING = 1.25
_LETTERS = 12
# Inches: of a picture, so that its axis can say what it shows.
_NARROWEST = 3.0


class Table(NamedTuple):
    """What a figure shows, all of it: the picture is drawn from the rows, and they stand beside it as a file."""

    header: Sequence[str]
    rows: Sequence[Sequence[Any]] = ()

    def rounded(self) -> Table:
        """Numbers to six decimals: these are the same on every machine, the sixteenth may not be."""
        return Table(self.header, [tuple(_rounded(value) for value in row) for row in self.rows])

    def records(self, **where: Any) -> list[dict[str, Any]]:
        """The rows by column, those that have these values."""
        found = [dict(zip(self.header, row, strict=True)) for row in self.rows]
        return [row for row in found if all(row[name] == value for name, value in where.items())]

    def values(self, column: str) -> list[Any]:
        """Those of a column, each once, in their order."""
        place = list(self.header).index(column)
        return list(dict.fromkeys(row[place] for row in self.rows))

    def write(self, path: str | PathLike) -> None:
        write_table(path, self.header, [[_written(value) for value in row] for row in self.rows])


def _rounded(value: Any) -> Any:
    return round(float(value), 6) + 0.0 if isinstance(value, float) else value


def _written(value: Any) -> Any:
    return f"{value:.12g}" if isinstance(value, float) else value


@contextmanager
def new_figure(width: float, height: float, **grid: Any) -> Iterator[tuple[Figure, Any]]:
    """``with new_figure(6, 3) as (figure, axes):`` in the project's style; `grid` goes to plt.subplots."""
    with styled():
        figure, axes = plt.subplots(figsize=(width, height), **grid)
        try:
            yield figure, axes
        finally:
            plt.close(figure)


def styled() -> Any:
    """``with styled():`` for a picture that a method draws of itself."""
    return matplotlib.rc_context(STYLE)


@contextmanager
def panels(names: Sequence[str], width: float, height: float, columns: int = 5, **grid: Any) -> Iterator[Any]:
    """``with panels(["iris", "wine"], 2, 2) as (figure, axes):`` of which each has a title, and these inches."""
    columns = min(columns, len(names))
    lines = ceil(len(names) / columns)
    size = (max(width * columns + 0.4, _NARROWEST), height * lines + 0.3)
    with new_figure(*size, nrows=lines, ncols=columns, squeeze=False, **grid) as (figure, axes):
        for name, one in zip(names, axes.flat, strict=False):
            one.set_title(fill(name, int(size[0] / columns * _LETTERS)))
        for one in axes.flat[len(names) :]:
            one.set_axis_off()
        yield figure, list(axes.flat[: len(names)])


# What a file of each format would otherwise say about the moment it was written in.
_UNDATED: Mapping[str, Mapping[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def save_figure(figure: Figure, paths: Sequence[str | PathLike]) -> None:
    """The same picture in each format; the same figure gives the same bytes."""
    with styled():
        for path in paths:
            suffix = str(path).rpartition(".")[2]
            with atomic(path) as temporary:
                figure.savefig(temporary, format=suffix, dpi=150, metadata=_UNDATED.get(suffix))


def say(axes: Axes, text: str) -> None:
    """In the place of what cannot be shown."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, text, ha="center", va="center", color=SOFT, transform=axes.transAxes)


def nothing_to_compare(axes: Axes) -> None:
    """For a comparison that has too few values."""
    say(axes, "too few values to compare")


def empty_figure(why: str) -> Figure:
    with new_figure(4, 1) as (figure, axes):
        say(axes, f"not run: {why}")
        return figure


def picture_of(table: Table, draw: Callable[[Table], Figure], why: str) -> Figure:
    """What is drawn of a table, or why it has no rows."""
    return draw(table) if table.rows else empty_figure(why)


def shared_legend(figure: Figure) -> None:
    """One for all panels, above them."""
    found = {
        label: handle
        for axes in figure.axes
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        if not label.startswith("_")
    }
    side_by_side(figure, found)


def side_by_side(figure: Figure, handles: Mapping[str, Any]) -> None:
    """A legend of these names above the panels, in as many lines as it needs; the picture becomes higher by them."""
    sign = 6  # the place that a handle takes, in letters
    columns = int(figure.get_figwidth() * _LETTERS / (max(map(len, handles)) + sign))
    ncols = min(len(handles), max(1, columns))
    figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=ncols)
    lines = ceil(len(handles) / ncols)
    figure.set_figheight(figure.get_figheight() + lines * 1.5 * LABEL / 72)


class End(NamedTuple):
    """Where a line ends at the right, and what it is called."""

    y: float
    text: str
    colour: str


def label_ends(axes: Axes, ends: Sequence[End], size: float = LABEL) -> None:
    """Each line's name at its right end, moved up or down as little as keeps the names apart.

    The limits of the axes stay as they are when it is called.
    """
    axes.set_ylim(axes.get_ylim())
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # the layout says how high the axes are
    height = axes.get_window_extent().height * 72 / figure.dpi
    heights = [float(axes.transAxes.inverted().transform(axes.transData.transform((0, end.y)))[1]) for end in ends]
    for end, height_of, place in zip(ends, heights, spread(heights, _LEADING * size / height, 0, 1), strict=True):
        leader: dict[str, Any] = {"color": end.colour, "linewidth": 0.8, "linestyle": "-", "marker": ""}
        axes.plot([1, 1.03], [height_of, place], transform=axes.transAxes, clip_on=False, **leader)
        axes.annotate(
            end.text, (1.03, place), (2, 0), xycoords="axes fraction", textcoords="offset points", va="center_baseline",
            ha="left", fontsize=size, annotation_clip=False,
        )  # fmt: skip


def spread(heights: Sequence[float], gap: float, low: float = -inf, high: float = inf) -> list[float]:
    """Places for labels at these heights, in the same order but at least `gap` apart, and as near as that allows.

    Labels that would overlap form a block, which is centred on the mean of its heights; blocks that meet become one.
    All lie between `low` and `high`, if there is room for them.
    """
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    blocks: list[tuple[float, list[int]]] = []  # the place of the lowest label, and who is in the block
    for index in order:
        start, members = _between(heights[index], low, high), [index]
        while blocks and blocks[-1][0] + gap * len(blocks[-1][1]) > start:
            members = blocks.pop()[1] + members
            start = sum(heights[one] - gap * step for step, one in enumerate(members)) / len(members)
            start = _between(start, low, high - gap * (len(members) - 1))
        blocks.append((start, members))
    places = {one: start + gap * step for start, members in blocks for step, one in enumerate(members)}
    return [places[index] for index in range(len(heights))]


def _between(value: float, low: float, high: float) -> float:
    return max(low, min(value, high))


def few_ticks(axes: Axes, number: int = 4, **options: Any) -> None:
    """At most so many along each axis; `options` go to MaxNLocator."""
    axes.locator_params(nbins=number, **options)


def log_ticks(axis: Axis, low: float, high: float, most: int = 6) -> None:
    """1, 2, 5, 10, ... in plain figures on a logarithmic scale, at most so many; of many decades some only."""
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 10 else f"{value:g}"))
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        inside = [step * 10.0**decade for decade in decades for step in steps if low <= step * 10.0**decade <= high]
        if 2 <= len(inside) <= most:
            break
    if len(inside) < 2:
        axis.set_major_locator(MaxNLocator(most - 1))
    else:
        axis.set_major_locator(FixedLocator(inside[:: ceil(len(inside) / most)]))


def light_grid(axes: Axes, axis: Literal["both", "x", "y"] = "both") -> None:
    axes.grid(axis=axis, color=FAINT, linewidth=0.6)
