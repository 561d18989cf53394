"""Where a number is on the page: ``cheng2009-table2-wine-iblr-60``, the same in every run of the same table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from labelknn_papers.show.reports import Row


def anchors_of(table: str, rows: Sequence[Row]) -> list[str]:
    """One for each row: data set, method, the metric if it is not the table's first, and the setting."""
    main = next((row["metric"] for row in rows if row["method"]), "")
    found: Counter[str] = Counter()
    anchors = []
    for row in rows:
        plain = row["method"] and row["metric"] == main
        parts = [row["dataset"], row["method"], "" if plain else row["metric"], _values(row["setting"])]
        anchor = "-".join(filter(None, [table, *map(_word, parts)]))
        found[anchor] += 1
        anchors.append(anchor if found[anchor] == 1 else f"{anchor}-{found[anchor]}")
    return anchors


def _values(setting: str) -> str:
    """What of a setting tells it from others: ``missing=0.6`` is 60, ``k=10;weighted`` is 10 and weighted."""
    values = [part.partition("=")[2] or part for part in setting.split(";")]
    shares = [re.fullmatch(r"[01]\.\d+", value) for value in values]
    return "-".join(f"{100 * float(one):g}" if share else one for one, share in zip(values, shares, strict=True))


def _word(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")
