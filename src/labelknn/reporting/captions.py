"""The captions of tables and figures in reStructuredText, as Snakemake's own report wants them: one file for each."""

from __future__ import annotations

import re

from labelknn.experiment.plan import Plan
from labelknn.reporting import overview
from labelknn.reporting.results import pictures_of


def captions(plan: Plan) -> dict[str, tuple[str, str]]:
    """Title and caption by name: "cheng2009/table2", "cheng2009/iris_tree", or "overview", which is over all papers."""
    found = {"overview": overview.AGREEMENT, "scorecard": overview.SCORECARD}
    for key, paper in plan.papers.items():
        for name, part in {**paper["tables"], **pictures_of(paper)}.items():
            found[f"{key}/{name}"] = part["title"], part["caption"]
    return found


def as_rst(title: str, caption: str) -> str:
    """Plain text: nothing in it is markup, neither of reStructuredText nor of Jinja, which Snakemake applies before."""
    bold, text = (re.sub(r"([\\*`|_])", r"\\\1", part.strip()) for part in (title, caption))
    return f"{{% raw %}}**{bold}.** {text}{{% endraw %}}\n"
