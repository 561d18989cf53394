"""What decides claims of brinker2007 beside the conditions that all papers share."""

from __future__ import annotations

from collections.abc import Sequence

from labelknn_papers.judge.claims.findings import Finding
from labelknn_papers.judge.claims.values import Values, as_ref, short


def falls_along(
    values: Values,
    *,
    table: str,
    methods: Sequence[str],
    datasets: Sequence[str],
    metrics: Sequence[str],
    settings: Sequence[str],
    by: float,
    step: float,
) -> Finding:
    """A value falls from the first to the last setting by a share of it, and no step raises it by more than `step`."""
    met, texts = True, []
    for method in map(as_ref, methods):
        for row in values.rows(table, [method._replace(setting=setting) for setting in settings], metrics, datasets):
            first, last = row.means[0], row.means[-1]
            rise = max(after - before for before, after in zip(row.means, row.means[1:], strict=False))
            met &= last <= (1 - by) * first and rise <= step
            texts.append(f"{method} {row.label}: {short(first)} to {short(last)}, largest rise {short(max(rise, 0))}")
    return Finding(met, "; ".join(texts))
