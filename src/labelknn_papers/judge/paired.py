"""Two methods on the same splits of one data set: t-tests of the differences, plain and corrected.

Papers test with the plain paired t-test. Training sets of repeated cross-validation overlap, so it finds too many
differences; the corrected resampled t-test (Nadeau & Bengio 2003) stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from labelknn.metrics import METRICS
from labelknn_papers.judge.significance import corrected_resampled_t, paired_t
from labelknn_papers.plan.cells import Cell, Target
from labelknn_papers.plan.protocol import Protocol
from labelknn_papers.run.score import Score

COLUMNS = (
    "comparison",
    "dataset",
    "metric",
    "first",
    "second",
    "first_mean",
    "second_mean",
    "better",
    "t",
    "p",
    "corrected_t",
    "corrected_p",
)

# The values of one cell at one setting and metric, by repeat and fold.
Values = Mapping[tuple[int, int], float]
BySplit = Mapping[tuple[str, str, str, str, str], Values]


def by_split(scores: Iterable[Score]) -> BySplit:
    found: dict[tuple[str, str, str, str, str], dict[tuple[int, int], float]] = {}
    for one in scores:
        key = (one.protocol, one.dataset, one.algorithm, one.setting, one.metric)
        found.setdefault(key, {})[one.repeat, one.fold] = one.value
    return found


def values_of(scores: BySplit, cell: Cell, setting: str, metric: str) -> Values:
    return scores.get((cell.protocol.id, cell.dataset, cell.method, setting, metric), {})


def p_values(targets: Sequence[Target], scores: BySplit) -> dict[Target, float]:
    """The numbers printed as p-values of a t-test: "of=hamming_loss;vs=iblr-ml" on the method's data set and table.

    chiang2012 prints 24 of them and none above .46, as one-sided tests give them (in the direction that was found).
    """
    found = {}
    for target in targets:
        if target.metric == "p_value":
            asked = dict(part.split("=", 1) for part in target.published.setting.split(";"))
            ours, theirs = (_peer(targets, target, one, asked["of"]) for one in (target.published.method, asked["vs"]))
            differences = _differences(ours, theirs, scores)
            if len(differences) > 1:
                found[target] = paired_t(differences).p / 2
    return found


def paired_tests(pairs: Mapping[str, Mapping[str, Any]], targets: Sequence[Target], scores: BySplit) -> list[tuple]:
    """Rows of COLUMNS for each pair of methods that the paper's config names, on every data set and metric."""
    rows = []
    for key, pair in pairs.items():
        asked = [target for target in targets if target.published.table == pair["table"]]
        first_name, second_name = pair["methods"]
        for first in asked:
            number = first.published
            if number.method == first_name and number.metric in pair["metrics"] and first.cell:
                second = _peer(targets, first, second_name, number.metric)
                differences = _differences(first, second, scores)
                if len(differences) > 1:
                    assert second is not None
                    means = [_mean(scores, one) for one in (first, second)]
                    rows.append(
                        (
                            key,
                            first.dataset,
                            first.metric,
                            first_name,
                            second_name,
                            *means,
                            *_tests(differences, first.metric, (first_name, second_name), first.cell.protocol),
                        )
                    )
    return rows


def _tests(differences: Sequence[float], metric: str, names: tuple[str, str], protocol: Protocol) -> tuple[Any, ...]:
    plain, corrected = paired_t(differences), corrected_resampled_t(differences, test_share(protocol))
    first_is_better = (plain.mean < 0) == METRICS[metric].lower_is_better
    better = "" if plain.mean == 0 else names[0] if first_is_better else names[1]
    return (better, *(f"{number:.6g}" for number in (plain.t, plain.p, corrected.t, corrected.p)))


def test_share(protocol: Protocol) -> float:
    return 1 / protocol.folds if protocol.folds else 1 - (protocol.train or 0)


def _peer(targets: Iterable[Target], target: Target, method: str, metric: str) -> Target | None:
    """The number of another method or metric (by its printed name) in the same table on the same data set."""
    place = (target.published.table, target.published.dataset)
    for peer in targets:
        if (peer.published.table, peer.published.dataset, peer.published.method, peer.published.metric) == (
            *place,
            method,
            metric,
        ):
            return peer
    return None


def _differences(first: Target | None, second: Target | None, scores: BySplit) -> list[float]:
    """Of the splits that both have a value for, in the order of the splits."""
    if first is None or second is None or first.cell is None or second.cell is None:
        return []
    left, right = (values_of(scores, one.cell, one.setting, one.metric) for one in (first, second) if one.cell)
    return [left[split] - right[split] for split in sorted(left.keys() & right.keys())]


def _mean(scores: BySplit, target: Target) -> str:
    assert target.cell is not None
    values = values_of(scores, target.cell, target.setting, target.metric)
    return f"{sum(values.values()) / len(values):.6g}"
