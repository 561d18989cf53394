"""What all papers say together: counts by verdict, and each printed number beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from labelknn.metrics import METRICS
from labelknn_papers.judge.comparison import Comparison
from labelknn_papers.judge.verdict import VERDICTS, tally

# By paper, in the order of its tables.
Comparisons = Mapping[str, Sequence[Comparison]]


def judged_tables(papers: Comparisons) -> dict[tuple[str, str], list[Comparison]]:
    """The printed numbers by paper and table; where N/A is printed, there is nothing to judge."""
    found: dict[tuple[str, str], list[Comparison]] = {}
    for paper, comparisons in papers.items():
        for one in comparisons:
            if one.published.value is not None:
                found.setdefault((paper, one.published.table), []).append(one)
    return found


def scorecard(papers: Comparisons) -> tuple[tuple[str, ...], list[tuple[str | int, ...]]]:
    """Counts by verdict for each table of each paper: a header, and the rows."""
    header = ("paper", "table", "cells", *(verdict.replace(" ", "_") for verdict in VERDICTS))
    counts = {place: tally(one.verdict for one in judged) for place, judged in judged_tables(papers).items()}
    return header, [(*place, sum(row.values()), *row.values()) for place, row in counts.items()]


class Pair(NamedTuple):
    """A number as a paper prints it, and ours; those of one kind share a scale."""

    kind: str
    paper: str
    table: str
    dataset: str
    method: str
    metric: str
    setting: str
    published: float
    ours: float


SCORES, PROBABILITIES, SIZES, COUNTS = KINDS = (
    "scores between −1 and 1",
    "p-values",
    "ranks, tree sizes, coverage",
    "properties of the data",
)


def kind_of(metric: str, method: str) -> str:
    """Which panel a number belongs to: values of one panel share a scale."""
    if metric == "p_value":
        return PROBABILITIES
    if metric in METRICS and METRICS[metric].low >= -1 and METRICS[metric].high <= 1:
        return SCORES
    return SIZES if method else COUNTS


def pairs(papers: Comparisons) -> list[Pair]:
    """Every printed number that we have a value of our own for; run times, compared as ratios, have none."""
    found = []
    for paper, comparisons in papers.items():
        for one in comparisons:
            number = one.published
            if number.value is not None and one.ours is not None:
                kind = kind_of(one.target.metric, number.method)
                place = (number.table, number.dataset, number.method, number.metric, number.setting)
                value = number.value if one.compared_with is None else one.compared_with
                found.append(Pair(kind, paper, *place, value, one.ours.mean))
    return found
