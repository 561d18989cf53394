"""What decides claims of feremans2017 beside the conditions that all papers share."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import geometric_mean

from labelknn_papers.judge.claims.conditions import Named, ranks
from labelknn_papers.judge.claims.findings import Finding
from labelknn_papers.judge.claims.values import Missing, Ref, Values, as_ref, short


def unavailable(values: Values, *, because: str) -> Finding:
    """Never met: what the claim is about cannot be had, so that it holds in part at best."""
    return Finding(False, because)


def lacking(values: Values, *, what: str) -> Finding:
    """Cannot be decided: nobody here has what it would need."""
    raise Missing(what)


def first_on_most(
    values: Values,
    *,
    table: str,
    methods: Sequence[Named],
    among: Sequence[Named],
    metrics: Sequence[str],
    metrics_needed: float,
) -> Finding:
    """By so many of the metrics, the method is best on more than half of the data sets; equal values are both best."""
    found = {
        metric: ranks(values, table=table, methods=methods, among=among, metrics=[metric], more_than=0.5, at_most=1)
        for metric in metrics
    }
    shown = "; ".join(f"{metric}: {one.text}" for metric, one in found.items())
    return Finding(sum(one.met for one in found.values()) >= metrics_needed, shown)


def not_printed(values: Values, *, table: str, methods: Sequence[Named], datasets: Sequence[str]) -> Finding:
    """The paper prints N/A for these methods on these data sets."""
    names = {as_ref(method).method for method in methods}
    printed = [place for place in values.numbers if place.table == table and place.method in names]
    there = sorted({place.dataset for place in printed} & set(datasets))
    return Finding(not there, f"printed for {', '.join(there)}" if there else f"N/A for {', '.join(datasets)}")


def grows_with_candidates(
    values: Values,
    *,
    table: str,
    of: Named,
    metrics: Sequence[str],
    factor: float | None = None,
) -> Finding:
    """Seconds divided by test rows · candidates · feature cardinality lie within a factor of their geometric mean;
    without `factor`, they vary less than seconds divided by test rows · training rows · features do."""
    sizes = ("test_rows", "candidates", "feature_cardinality", "train_rows", "features")
    refs = [as_ref(of), *(Ref("", metric=size) for size in sizes)]
    observed, worst = {}, {}
    for row in values.rows(table, refs, metrics):
        seconds, queries, looked_at, cardinality, rows, features = row.means
        observed[row.label] = seconds / (queries * looked_at * cardinality)
        worst[row.label] = seconds / (queries * rows * features)
    spread, of_worst = (max(of.values()) / min(of.values()) for of in (observed, worst))
    middle = geometric_mean(observed.values())
    shown = ", ".join(f"{label} {short(1e9 * one)}" for label, one in observed.items())
    text = f"nanoseconds a step: {shown}, largest / least {short(spread)}; by the worst case {short(of_worst)}"
    if factor is None:
        return Finding(spread < of_worst, text)
    return Finding(all(middle / factor <= one <= middle * factor for one in observed.values()), text)
