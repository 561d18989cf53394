"""What the report of a run consists of: its files, and the titles and captions of its tables and figures.

Every parse of the workflow reads this, so it imports nothing that computes or draws.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from labelknn_papers.plan.plan import Plan

FORMATS = ("csv", "md", "tex")
PICTURES = ("svg", "pdf", "png")

# Titles and captions.
SCORECARD = ("Scorecard", "One square for each printed number, by paper, table and verdict.")
AGREEMENT = (
    "Published against reproduced",
    "Each printed number against ours; on the line both are the same. Left out are run times, which are compared as "
    "ratios, and what was not run. Sizes and properties of the data are on logarithmic scales.",
)


def file_name(table: str) -> str:
    return table.replace("table", "table_")


def pictures_of(paper: Mapping[str, Any], on_request: bool = False) -> dict[str, Mapping[str, Any]]:
    """The pictures of a paper with their titles and captions: diagrams of its tests, and its figures.

    on_request : those included that are no part of a run.
    """
    figures = paper.get("figures", {}).items()
    drawn = {
        name: figure
        for name, figure in figures
        if figure.get("picture", True) and (on_request or not figure.get("on_request"))
    }
    return {**paper.get("tests", {}), **drawn}


def figure_tables(paper: Mapping[str, Any]) -> list[str]:
    """The figures of a run that have a table: all pictures, and what has one without a picture."""
    figures = paper.get("figures", {}).items()
    return [name for name, figure in figures if has_table(figure) and not figure.get("on_request")]


def has_table(figure: Mapping[str, Any]) -> bool:
    return figure.get("picture", True) or figure.get("table", False)


def captions(plan: Plan) -> dict[str, tuple[str, str]]:
    """Title and caption by name: "cheng2009/table2", "cheng2009/iris_tree", or "overview", which is over all papers."""
    found = {"overview": AGREEMENT, "scorecard": SCORECARD}
    for key, paper in plan.papers.items():
        for name, part in {**paper["tables"], **pictures_of(paper, on_request=True)}.items():
            found[f"{key}/{name}"] = part["title"], part["caption"]
    return found


def as_rst(title: str, caption: str) -> str:
    """A caption as Snakemake's own report wants it: plain text, without markup of reStructuredText or of Jinja."""
    bold, text = (re.sub(r"([\\*`|_])", r"\\\1", part.strip()) for part in (title, caption))
    return f"{{% raw %}}**{bold}.** {text}{{% endraw %}}\n"
