"""The same method by two libraries on the same folds: scores, seconds, and how much of the difference is explained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from labelknn.utils._files import damaged
from labelknn_papers.judge.files import read_table
from labelknn_papers.judge.outcomes import Outcome
from labelknn_papers.judge.paired import BySplit, by_split, test_share, values_of
from labelknn_papers.judge.seconds import Seconds
from labelknn_papers.judge.significance import corrected_resampled_t
from labelknn_papers.plan.cells import Entry
from labelknn_papers.run.score import Score

PEER_COLUMNS = (
    "ours",
    "theirs",
    "metric",
    "condition",
    "dataset",
    "our_mean",
    "their_mean",
    "difference",
    "p",
    "our_seconds",
    "their_seconds",
    "time_ratio",
    "because",
)


class Cause(NamedTuple):
    """Of the labels that two libraries predict on a data set, how many differ (`run.peers.Differing`)."""

    ours: str
    theirs: str
    condition: str
    dataset: str
    labels: int
    differ: int
    made_alike: int
    same_neighbors: int

    @property
    def of(self) -> tuple[str, ...]:
        return self[:4]


def read_causes(path: str) -> list[Cause]:
    try:
        return [
            Cause(ours, theirs, condition, dataset, *map(int, counts))
            for ours, theirs, condition, dataset, *counts in (row.values() for row in read_table(path))
        ]
    except (TypeError, ValueError) as error:
        raise damaged(path, "what two libraries predict otherwise", error) from None


def peer_rows(
    comparison: Mapping[str, Any],
    entries: Sequence[Entry],
    rows: Sequence[Outcome],
    scores: Iterable[Score],
    seconds: Iterable[Seconds],
    causes: Iterable[Cause],
) -> list[tuple[Any, ...]]:
    """Rows of PEER_COLUMNS, whoever wins. p is that of the t-test corrected for training sets that overlap."""
    by_fold = by_split(scores)
    means = {(one.method, one.metric, one.condition, one.dataset): one.mean for one in rows}
    entry_of = {(one.method, one.condition, one.cell.dataset): one for one in entries}
    taken = {(one.method, one.condition, one.dataset): one.both for one in seconds}
    cause_of = {one.of: one for one in causes}
    found = []
    for pair in comparison.get("peers", []):
        both = (pair["ours"], pair["theirs"])
        for method, metric, condition, dataset in means:
            ours, theirs = (means[name, metric, condition, dataset] for name in both)
            if method != pair["ours"] or ours is None or theirs is None:
                continue
            first, second = (entry_of[name, condition, dataset] for name in both)
            time = [taken[name, condition, dataset] for name in both]
            cause = cause_of.get((*both, condition, dataset))
            found.append(
                (
                    *both,
                    metric,
                    condition,
                    dataset,
                    f"{ours:.6f}",
                    f"{theirs:.6f}",
                    f"{ours - theirs:.6f}",
                    _p(by_fold, first, second, metric),
                    *(f"{one:.3g}" for one in time),
                    f"{time[1] / time[0]:.3g}",
                    _because(pair["because"].strip(), cause) if ours != theirs else "",
                )
            )
    return found


def explanations(pairs: Iterable[Mapping[str, str]], causes: Sequence[Cause]) -> list[str]:
    """For each two libraries why they differ and, where that was tried, how much of it this explains."""
    found = []
    for pair in pairs:
        of_pair = [one for one in causes if (one.ours, one.theirs) == (pair["ours"], pair["theirs"])]
        text = f"{pair['theirs']} beside {pair['ours']}: {pair['because'].strip()}"
        labels, differ, *left = (sum(int(one[column]) for one in of_pair) for column in range(4, 8))
        if differ:
            sets = f"{len(of_pair)} data set{'s' * (len(of_pair) != 1)}"
            text += (
                f" On {sets} {differ:,} of {labels:,} predicted labels differ. {_left(*left)} "
                f"The reason explains {_share(differ - left[0], differ)} of the differences."
            )
        found.append(text)
    return found


def _because(reason: str, cause: Cause | None) -> str:
    if cause is None:
        return reason
    if cause.differ == 0:
        return f"{reason} All {cause.labels:,} labels are the same; their scores are not."
    return f"{reason} {cause.differ:,} of {cause.labels:,} labels differ. {_left(*cause[6:])}"


def _left(made_alike: int, same_neighbors: int) -> str:
    counts = [f"{number:,}" if number else "none" for number in (made_alike, same_neighbors)]
    same = f"Where ours does the same, {counts[0]} {'does' if made_alike == 1 else 'do'}"
    return f"{same}; with neighbours in the other's order too, {counts[1]}." if made_alike else f"{same}."


def _share(part: int, whole: int) -> str:
    """Rounded down, so that only all of it is all."""
    return "all" if part == whole else f"{int(100 * part / whole)} %"


def _p(by_fold: BySplit, first: Entry, second: Entry, metric: str) -> str:
    ours, theirs = (values_of(by_fold, one.cell, one.setting, metric) for one in (first, second))
    differences = [ours[split] - theirs[split] for split in sorted(ours.keys() & theirs.keys())]
    finite = [one for one in differences if one == one]
    if len(finite) < 2 or fmean(map(abs, finite)) == 0:
        return ""
    return f"{corrected_resampled_t(finite, test_share(first.cell.protocol)).p:.4f}"
