"""How verdicts look, on the page and in pictures: the one place that has their colours.

The marks differ in grey as well: full, half, with a core, crossed, hollow; their shapes are in templates/page.css.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Look(NamedTuple):
    """A colour and a tint for the ground of a cell, on white and in the dark; `meaning` is what the legend says."""

    light: str
    light_tint: str
    dark: str
    dark_tint: str
    meaning: str


_GREY = ("#5f6670", "#f4f5f6", "#98a0ab", "#20242a")

LOOKS = {
    "matches": Look("#0b5c8a", "#dcebf4", "#5aaee0", "#173649", "the same number, within chance or rounding"),
    "close": Look("#0b5c8a", "#eff6fa", "#5aaee0", "#19262f", "off by more than chance, but by little"),
    "explained": Look(
        "#7a3fb0",
        "#f3ecfa",
        "#c79bf2",
        "#2e2340",
        "another number, or none of ours; a formula or a variant that the details name gives it",
    ),
    "differs": Look("#bf4400", "#fce6d8", "#f58b4c", "#47291a", "another number; the details give a reason"),
    "not run": Look(*_GREY, "no number of ours: left out, not implemented, its data not available, or never published"),
}


def verdict_css(verdicts: Iterable[str]) -> str:
    """`--tone` and `--tint` of every element that has a verdict for a class."""
    names = [(verdict.replace(" ", "-"), LOOKS[verdict]) for verdict in verdicts]
    light = "\n".join(f".{name} {{ --tone: {look.light}; --tint: {look.light_tint}; }}" for name, look in names)
    dark = "\n".join(f"  .{name} {{ --tone: {look.dark}; --tint: {look.dark_tint}; }}" for name, look in names)
    return f"{light}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
