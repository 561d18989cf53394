"""What the page says of the papers' claims: counts by verdict, and each claim with its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from labelknn_papers.judge.claims.decide import VERDICTS, scorecard
from labelknn_papers.show.names import in_words

NO_NAMES: Mapping[str, Mapping[str, Mapping[str, str]]] = {}
# What a sentence is stated with; ids stand in it for what the paper has names for.
_SAID = ("criterion", "evidence", "evidence_printed")


def claims_view(
    rows: Iterable[Mapping[str, str]], names: Mapping[str, Mapping[str, Mapping[str, str]]] = NO_NAMES
) -> dict[str, Any] | None:
    """For the template; `rows` are those of claims.csv, `names` those of each paper. None if there are no claims."""
    by_paper: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        said = {key: in_words(row[key], names.get(row["paper"], {})) for key in _SAID}
        by_paper.setdefault(row["paper"], []).append({**row, **said})
    if not by_paper:
        return None
    counts = scorecard(by_paper)
    pairs = {verdict: [one[verdict] for one in counts.values()] for verdict in VERDICTS}
    sums = {verdict: tuple(map(sum, zip(*found, strict=True))) for verdict, found in pairs.items()}
    total = sum(map(len, by_paper.values()))
    return {"total": total, "verdicts": VERDICTS, "scorecard": counts, "sums": sums, "rows": by_paper}
