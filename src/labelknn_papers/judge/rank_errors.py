"""The standard error of an average rank: how far it moves when other splits are drawn.

An average rank is no mean over the splits, so its error comes from the bootstrap (Efron & Tibshirani 1993, chapter 6):
the splits of each data set are drawn with replacement, the same ones for all methods, which share them, and the ranks
of the means are averaged again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from labelknn.metrics import METRICS
from labelknn_papers.judge.estimates import ranked_by
from labelknn_papers.judge.paired import BySplit, values_of
from labelknn_papers.judge.significance import ranks_of
from labelknn_papers.plan.cells import Target

DRAWS = 1000

# By data set and method.
Peers = Mapping[str, Mapping[str, Target]]


def rank_errors(targets: Sequence[Target], splits: BySplit) -> dict[Target, float]:
    """That of each average rank, over the data sets on which all its methods have values."""
    groups: dict[tuple[str, str, str | None], list[Target]] = {}
    for target in targets:
        if target.metric == "average_rank":
            groups.setdefault((target.published.table, *ranked_by(target, targets)), []).append(target)
    found: dict[Target, float] = {}
    for (table, metric, setting), ranks in groups.items():
        errors = _errors(_peers(targets, table, metric, setting), splits)
        found |= {one: errors[one.published.method] for one in ranks if one.published.method in errors}
    return found


def _peers(targets: Iterable[Target], table: str, metric: str, setting: str | None) -> Peers:
    found: dict[str, dict[str, Target]] = {}
    for one in targets:
        number = one.published
        if (number.table, number.metric) == (table, metric) and setting in (None, number.setting) and one.cell:
            found.setdefault(number.dataset, {})[number.method] = one
    return found


def _errors(peers: Peers, splits: BySplit) -> dict[str, float]:
    methods = list(dict.fromkeys(method for row in peers.values() for method in row))
    draw, ranks = np.random.default_rng(0), []
    for row in peers.values():
        values = [
            values_of(splits, one.cell, one.setting, one.metric) if one and one.cell else {}
            for one in map(row.get, methods)
        ]
        shared = sorted(set.intersection(*map(set, values)))
        if not shared:
            continue
        table = np.array([[of_method[split] for split in shared] for of_method in values])
        drawn = draw.integers(len(shared), size=(DRAWS, len(shared)))
        metric = next(iter(row.values())).metric
        ranks.append(ranks_of(np.nanmean(table[:, drawn], axis=2).T, METRICS[metric].lower_is_better))
    if not ranks:
        return {}
    return dict(zip(methods, map(float, np.mean(ranks, axis=0).std(axis=0, ddof=1)), strict=True))
