"""What a page says of measured times. It changes from run to run, so two pages are compared without it."""

from __future__ import annotations

import re
from os import PathLike

from labelknn_papers.judge.files import read_table
from labelknn_papers.show.reports import Ratio

# In the HTML of a page, an element of this class with nothing but text inside.
CLASS = "measured"
_ELEMENT = re.compile(rf'<(\w+) class="(?:[^"]* )?{CLASS}(?: [^"]*)?"[^>]*>[^<]*</\1>')

# A line of times.csv by the columns that say which number it is of.
Place = tuple[str, ...]
PLACE = ("table", "dataset", "method", "metric", "setting")


def without_measured(page: str) -> str:
    """The page as it is in every run of the same code, config and data."""
    return _ELEMENT.sub("", page)


def read_ratios(path: str | PathLike) -> dict[Place, Ratio]:
    """The run times of a paper by the place of their number."""
    return {
        tuple(row[column] for column in PLACE): Ratio(_plain(row["ratio"]), _plain(row["our_ratio"]), row["ours"])
        for row in read_table(path)
    }


def _plain(number: str) -> str:
    """Three digits without an exponent."""
    return f"{float(number):,.0f}" if float(number) >= 100 else f"{float(number):#.3g}"
