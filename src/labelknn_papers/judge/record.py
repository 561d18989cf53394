"""The record: what the repository's own full run has found for each printed number, beside a run of fewer of them.

A run that is not complete shows it for the numbers that it did not run. It is only read, and of what a run writes its
page alone has numbers of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from labelknn.utils._files import damaged
from labelknn_papers.judge.comparison import Comparison, read_row
from labelknn_papers.judge.files import read_table
from labelknn_papers.judge.verdict import NOT_RUN
from labelknn_papers.plan.cells import Published, Target

# By paper, what the record has for each of its numbers; of a paper that it does not have, nothing.
Record = Mapping[str, Mapping[Published, Comparison]]

_PLACE = ("table", "dataset", "method", "metric", "setting", "published")


def read_record(path: str | PathLike, targets: Sequence[Target]) -> dict[Published, Comparison]:
    """What the comparison of a full run says of those of its numbers that these targets stand against."""
    wanted = {_place_of(target.published): target for target in targets}
    try:
        rows = {tuple(row[column] for column in _PLACE): row for row in read_table(path)}
        return {target.published: read_row(target, rows[place]) for place, target in wanted.items() if place in rows}
    except (KeyError, ValueError) as error:
        raise damaged(path, "the comparison of a full run", error) from None


def _place_of(number: Published) -> tuple[str, ...]:
    return (number.table, number.dataset, number.method, number.metric, number.setting, number.printed)


def in_place_of(one: Comparison, record: Mapping[Published, Comparison]) -> Comparison | None:
    """What the record has for a number that was not run."""
    recorded = record.get(one.published)
    return recorded if one.verdict == NOT_RUN and recorded and recorded.verdict not in ("", NOT_RUN) else None


@dataclass(frozen=True)
class Balance:
    """What a run and the record have, in printed numbers.

    run : those of the run, of which so many are `shortened`, that is of fewer splits than the paper's.
    alike : those of the run that come from the data and splits of the record, of which so many are the `same`.
    recorded : those of the record alone.
    """

    run: int = 0
    shortened: int = 0
    alike: int = 0
    same: int = 0
    recorded: int = 0

    def __add__(self, other: Balance) -> Balance:
        return Balance(*(left + right for left, right in zip(self._counts(), other._counts(), strict=True)))

    def _counts(self) -> tuple[int, ...]:
        return (self.run, self.shortened, self.alike, self.same, self.recorded)


def balance(
    comparisons: Sequence[Comparison], record: Mapping[Published, Comparison], definition: Mapping[str, Any]
) -> Balance:
    """The balance of one paper, whose file is `definition`. Run times have no value of ours to be the same."""
    run = [one for one in comparisons if one.verdict not in ("", NOT_RUN)]
    names = definition.get("datasets", {})
    alike = [
        (one.ours, record[one.published].ours)
        for one in run
        if one.ours
        and one.published in record
        and one.target.dataset == names.get(one.published.dataset, one.published.dataset)
        and not one.target.shortened
    ]
    return Balance(
        run=len(run),
        shortened=sum(bool(one.target.shortened) for one in run),
        alike=len(alike),
        # Both are read from files, with six decimals.
        same=sum(theirs is not None and ours.mean == theirs.mean for ours, theirs in alike),
        recorded=sum(in_place_of(one, record) is not None for one in comparisons),
    )
