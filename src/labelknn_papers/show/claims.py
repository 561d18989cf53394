"""What the page says of the papers' claims: counts by verdict, and each claim with its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from labelknn_papers.judge.claims.decide import VERDICTS, scorecard


def claims_view(rows: Iterable[Mapping[str, str]]) -> dict[str, Any] | None:
    """For the template; `rows` are those of claims.csv. None if there are none."""
    by_paper: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        by_paper.setdefault(row["paper"], []).append(row)
    if not by_paper:
        return None
    total = sum(map(len, by_paper.values()))
    return {"total": total, "verdicts": VERDICTS, "scorecard": scorecard(by_paper), "rows": by_paper}
