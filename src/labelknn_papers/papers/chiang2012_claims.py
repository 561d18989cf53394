"""What decides claims of chiang2012 beside the conditions that all papers share."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from labelknn_papers.judge.claims.conditions import Named
from labelknn_papers.judge.claims.findings import Finding, gain
from labelknn_papers.judge.claims.values import Missing, Values, as_ref, short


def significant(
    values: Values,
    *,
    table: str,
    methods: Sequence[Named],
    over: Sequence[Named],
    metrics: Sequence[str],
    level: float,
    count: int,
    wins: bool = False,
) -> Finding:
    """The printed t-test of a method against another is significant in so many cells of data sets and metrics.

    wins : count only those where the method is the better one.
    """
    found = _significant(values, table, methods, over, metrics, level, wins)
    chosen = [name for name, is_significant in found.items() if is_significant]
    return Finding(len(chosen) == count, f"{len(chosen)} of {len(found)}: {', '.join(chosen)}")


def significant_as_printed(
    values: Values,
    *,
    table: str,
    methods: Sequence[Named],
    over: Sequence[Named],
    metrics: Sequence[str],
    level: float,
    within: int | None = None,
    wins: bool = False,
) -> Finding:
    """The same cells as in print are significant; or, with `within`, their number is as far from that in print."""
    if values.printed is None:
        raise Missing("our tests, to compare with the printed ones")
    ours = _significant(values, table, methods, over, metrics, level, wins)
    theirs = _significant(values.printed, table, methods, over, metrics, level, wins)
    other = [name for name in ours if ours[name] != theirs[name]]
    count, printed = sum(ours.values()), sum(theirs[name] for name in ours)
    met = not other if within is None else abs(count - printed) <= within
    unlike = f"; unlike in {', '.join(other)}" if other else ""
    return Finding(met, f"{count} of {len(ours)} cells, {printed} of the same in print{unlike}")


def _significant(
    values: Values,
    table: str,
    methods: Sequence[Named],
    over: Sequence[Named],
    metrics: Sequence[str],
    level: float,
    wins: bool,
) -> dict[str, bool]:
    (method,), (other,) = map(as_ref, methods), map(as_ref, over)
    found = {}
    for metric in metrics:
        p_value = method._replace(metric="p_value", setting=f"of={metric};vs={other.method}")
        for row in values.rows(table, [method, other, p_value], [metric]):
            significant = row.means[2] <= level and (not wins or gain(row) > 0)
            found[f"{row.label} {metric}"] = significant
    return found


def near_printed(
    values: Values,
    *,
    table: str,
    of: Named,
    minus: Named,
    metrics: Sequence[str],
    within: float,
) -> Finding:
    """Our value of a method (`of`) is near the printed one of a method (`minus`) on every data set."""
    if values.printed is None:
        raise Missing("our values, to compare with the printed ones")
    ours = {row.label: row.means[0] for row in values.rows(table, [as_ref(of)], metrics)}
    theirs = {row.label: row.means[0] for row in values.printed.rows(table, [as_ref(minus)], metrics)}
    shared = [label for label in ours if label in theirs]
    shown = ", ".join(f"{label} {short(ours[label])} (printed {short(theirs[label])})" for label in shared)
    return Finding(all(abs(ours[label] - theirs[label]) <= within for label in shared), shown)


def gains_more(
    values: Values, *, table: str, methods: Sequence[Named], among: Sequence[Named], metrics: Sequence[str]
) -> Finding:
    """The median over data sets of the first method's loss divided by the second's is lower for the pair `methods`
    than for the pair `among`."""
    ratios = []
    for pair in (methods, among):
        first, second = map(as_ref, pair)
        rows = values.rows(first.table or table, [first, second], metrics)
        ratios.append({row.label: row.means[0] / row.means[1] for row in rows})
    medians = [median(of.values()) for of in ratios]
    shown = "; ".join(
        f"{' / '.join(map(str, map(as_ref, pair)))}: median {short(middle)} ("
        + ", ".join(f"{label} {short(one)}" for label, one in of.items())
        + ")"
        for pair, middle, of in zip((methods, among), medians, ratios, strict=True)
    )
    return Finding(medians[0] < medians[1], shown)
