"""The one style of all pictures: seaborn's conventions, in colours that everyone can tell apart, and signs beside them.

What a colour says is said a second time, by a marker, a kind of line, a hatch or a label, so that it is there in grey.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from labelknn_papers.judge.verdict import CLOSE, DIFFERS, EXPLAINED, MATCHES, NOT_RUN
from labelknn_papers.show.looks import LOOKS

# Seaborn's palette "colorblind", with Tol's wine in the place of a pink, in an order in which neighbours differ in
# lightness as well.
PALETTE = {
    "blue": "#0173b2",
    "orange": "#de8f05",
    "green": "#029e73",
    "sky": "#56b4e9",
    "red": "#d55e00",
    "brown": "#ca9161",
    "wine": "#882255",
    "grey": "#949494",
}
COLOURS = tuple(PALETTE.values())
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)), (0, (3, 1)), (0, (3, 1, 1, 1, 1, 1)))
HATCHES = (None, "////", "....", "xxxx")

# Of text: what is read first, what stands beside it, and lines that only lead the eye.
INK, SOFT, FAINT = "0.15", "0.4", "0.85"
# Points: titles and axes; ticks, legends and labels; notes inside a picture.
TEXT, LABEL, NOTE = 9.0, 8.0, 7.0

STYLE: dict[Any, Any] = {
    # Seaborn's style "ticks" without the two spines that it takes away, and its sizes for a page.
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.labelsize": TEXT,
    "axes.linewidth": 0.8,
    "axes.prop_cycle": plt.cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": TEXT,
    "figure.constrained_layout.use": True,
    "figure.labelsize": TEXT,
    "figure.titlesize": TEXT,
    "font.family": "DejaVu Sans",
    "font.size": TEXT,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "legend.fontsize": LABEL,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "lines.markeredgecolor": "white",
    "lines.markeredgewidth": 0.4,
    "lines.markersize": 4,
    "patch.linewidth": 0.6,
    "svg.hashsalt": "labelknn",  # ids in the file follow from its content, not from chance
    "text.color": INK,
    "xtick.color": INK,
    "xtick.labelsize": LABEL,
    "xtick.major.size": 3,
    "xtick.major.width": 0.8,
    "ytick.color": INK,
    "ytick.labelsize": LABEL,
    "ytick.major.size": 3,
    "ytick.major.width": 0.8,
}


def colour(place: int) -> str:
    return COLOURS[place % len(COLOURS)]


def marker(place: int) -> str:
    return MARKERS[place % len(MARKERS)]


def dashes(place: int) -> Any:
    """The kind of line: it changes with the colour, and again where the colours begin anew."""
    return DASHES[(place + place // len(COLOURS)) % len(DASHES)]


def line(place: int) -> dict[str, Any]:
    """The looks of one of several lines."""
    return {"color": colour(place), "linestyle": dashes(place)}


class Sign(NamedTuple):
    """How a verdict looks: the colour, and how a square of it is filled."""

    colour: str
    fill: str


# By verdict: the colours and the signs are those of the page, and the signs differ in grey as well.
FULL, HALF, CORE, CROSSED, HOLLOW = "full", "half", "core", "crossed", "hollow"
_FILLS = {MATCHES: FULL, CLOSE: HALF, EXPLAINED: CORE, DIFFERS: CROSSED, NOT_RUN: HOLLOW}
SIGNS: Mapping[str, Sign] = {verdict: Sign(LOOKS[verdict].light, fill) for verdict, fill in _FILLS.items()}
