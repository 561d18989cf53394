"""What decides claims of cheng2009 beside the conditions that all papers share."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from labelknn_papers.judge.claims.conditions import Named
from labelknn_papers.judge.claims.findings import Finding, ranked
from labelknn_papers.judge.claims.values import Values, as_ref, short


def falls_less(
    values: Values,
    *,
    table: str,
    methods: Sequence[Named],
    over: Sequence[Named],
    metrics: Sequence[str],
    settings: Sequence[str],
    share: float,
    times: float,
) -> Finding:
    """From the first setting to the second, a method falls less than each of the others on a share of the data sets,
    and each of the others' median fall is at least so many `times` its own."""
    (method,), others = map(as_ref, methods), list(map(as_ref, over))
    refs = [one._replace(setting=setting) for one in (method, *others) for setting in settings]
    falls = [
        [before - after for before, after in zip(row.means[::2], row.means[1::2], strict=True)]
        for row in values.rows(table, refs, metrics)
    ]
    less = sum(own < min(rest) for own, *rest in falls)
    medians = [median(column) for column in zip(*falls, strict=True)]
    met = less >= share * len(falls) and min(medians[1:]) >= times * medians[0]
    shown = ", ".join(f"{one} {short(fall)}" for one, fall in zip((method, *others), medians, strict=True))
    return Finding(met, f"{method} falls least on {less} of {len(falls)} data sets; median falls {shown}")


def most_first_places(
    values: Values,
    *,
    table: str,
    methods: Sequence[Named],
    among: Sequence[Named],
    metrics: Sequence[str],
    settings: Sequence[str],
) -> Finding:
    """At each setting the method is first on more data sets than any other; equal values share a place."""
    (method,), others = map(as_ref, methods), list(map(as_ref, among))
    met, texts = True, []
    for setting in settings:
        rows = values.rows(table, others, metrics, settings=[setting])
        firsts = [sum(ranked(row)[i] == 1 for row in rows) for i in range(len(others))]
        own = firsts[others.index(method)]
        met &= all(own > count for i, count in enumerate(firsts) if others[i] != method)
        shown = ", ".join(f"{one} {count}" for one, count in zip(others, firsts, strict=True))
        texts.append(f"first places, {setting}: {shown}")
    return Finding(met, "; ".join(texts))


def share_of_queries(
    values: Values,
    *,
    table: str,
    of: Named,
    minus: Named,
    settings: Sequence[str],
    above: float | None = None,
    below: float | None = None,
) -> Finding:
    """Of all queries that iterate (`minus`), over the data sets and settings together, a share (`of`) is in a range."""
    counted, all_queries = as_ref(of), as_ref(minus)
    rows = values.rows(table, [counted, all_queries], [counted.metric or ""], settings=settings)
    share = sum(row.means[0] for row in rows) / sum(row.means[1] for row in rows)
    met = (above is None or share > above) and (below is None or share < below)
    return Finding(met, f"{counted.metric} / {all_queries.metric}: {share:.4%} over {len(rows)} cells")


def harder(
    values: Values,
    *,
    table: str,
    methods: Sequence[Named],
    metrics: Sequence[str],
    settings: Sequence[str],
    datasets: Sequence[str],
    than: Sequence[str],
) -> Finding:
    """Each method's mean is lower over `datasets` than over the data sets `than`, at each setting."""
    met, texts = True, []
    for method in map(as_ref, methods):
        for setting in settings:
            low, high = (
                fmean(row.means[0] for row in values.rows(table, [method], metrics, names, [setting]))
                for names in (datasets, than)
            )
            met &= low < high
            texts.append(f"{method}, {setting}: {short(low)} and {short(high)}")
    return Finding(met, "; ".join(texts))
