"""What papers call their methods, data sets, measures and settings; ids stay in the details and in the files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields

from labelknn.metrics import METRICS
from labelknn_papers.plan.plan import Plan
from labelknn_papers.show.reports import Names
from labelknn_papers.show.texts import as_label

FIELDS = tuple(field.name for field in fields(Names))


def names_of(plan: Plan, paper: str) -> Names:
    """The paper's own, from its yaml; else the titles that config and registries have."""
    own = plan.papers[paper].get("names", {})
    ids = plan.papers[paper].get("datasets", {})
    titles = {name: entry["title"] for name, entry in plan.datasets.items()}
    return Names(
        titles | {name: titles[one] for name, one in ids.items()} | own.get("datasets", {}),
        {name: entry["title"] for name, entry in plan.methods.items()} | own.get("methods", {}),
        {name: metric.label for name, metric in METRICS.items()} | own.get("metrics", {}),
        own.get("settings", {}),
    )


def name_in(names: Names, field: str, key: str) -> str:
    """An id in the paper's words."""
    return getattr(names, field).get(key) or as_label(key)


def used_names(names: Names, rows: Sequence[Mapping]) -> dict[str, dict[str, str]]:
    """By field and id, the names of what occurs in the rows."""
    return {
        field: {key: name_in(names, field, key) for key in dict.fromkeys(row[field] for row in rows) if key}
        for field in FIELDS
    }


def in_words(text: str, names: Mapping[str, Mapping[str, str]]) -> str:
    """A sentence that a test or a criterion is stated in, with names in the place of ids."""
    ids = {key: name for of_field in names.values() for key, name in of_field.items()}
    if not ids:
        return text
    longest_first = "|".join(re.escape(key) for key in sorted(ids, key=lambda key: (-len(key), key)))
    return re.sub(rf"(?<![\w+=-])(?:{longest_first})(?![\w+=-])", lambda found: ids[found[0]], text)


def citation(authors: str, year: int) -> str:
    """A paper in few words: Brinker & Hüllermeier 2007, Cheng et al. 2009."""
    surnames = [name.split()[-1] for name in re.split(r",\s*(?:and\s+)?|\s+and\s+|\s+&\s+", authors) if name.strip()]
    return f"{surnames[0]} et al. {year}" if len(surnames) > 2 else f"{' & '.join(surnames)} {year}"
