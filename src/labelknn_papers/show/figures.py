"""What all figures share: one style, colours that everyone can tell apart, also in grey, and files without dates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any, NamedTuple

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from labelknn.utils._files import atomic

# Okabe and Ito's palette, ordered so that neighbours also differ in lightness.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")

_STYLE: dict[Any, Any] = {
    "axes.prop_cycle": plt.cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "legend.frameon": False,
    "svg.hashsalt": "labelknn",  # ids in the file follow from its content, not from chance
}


class Drawing(NamedTuple):
    """What a figure's function gives: the picture and, where the config says `table: true`, a table beside it.

    There is no picture where the config says `picture: false`.
    """

    figure: Figure | None
    header: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()


@contextmanager
def new_figure(width: float, height: float, **grid: Any) -> Iterator[tuple[Figure, Any]]:
    """``with new_figure(6, 3) as (figure, axes):`` in the project's style; `grid` goes to plt.subplots."""
    with matplotlib.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(width, height), **grid)
        try:
            yield figure, axes
        finally:
            plt.close(figure)


# What a file of each format would otherwise say about the moment it was written in.
_UNDATED: Mapping[str, Mapping[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def save_figure(figure: Figure, paths: Sequence[str | PathLike]) -> None:
    """The same picture in each format; the same figure gives the same bytes."""
    with matplotlib.rc_context(_STYLE):
        for path in paths:
            suffix = str(path).rpartition(".")[2]
            with atomic(path) as temporary:
                figure.savefig(temporary, format=suffix, dpi=150, metadata=_UNDATED.get(suffix))


def nothing_to_show(axes: plt.Axes) -> None:
    """For a figure whose data could not be had."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, "not run: source unreachable", ha="center", va="center", transform=axes.transAxes)


def nothing_to_compare(axes: plt.Axes) -> None:
    """For a comparison that has too few values."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, "too few values to compare", ha="center", va="center", transform=axes.transAxes)


def empty_figure() -> Figure:
    with new_figure(4, 2) as (figure, axes):
        nothing_to_show(axes)
        return figure
