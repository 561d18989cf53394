"""The numbers that claims are about, under the names that the paper uses: ours, or those that it prints.

A place is a table, data set, method, metric and setting. It has a number, or a reason why there is none. What nobody
can have (a data set that was never published, a cell that prints N/A) is left out of what a claim is decided by; any
other number that is missing leaves the claim open.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from labelknn.errors import ConfigError
from labelknn.metrics import METRICS
from labelknn_papers.judge.estimates import Estimate

NOT_PRINTED = "not printed"
NOT_RUN = "not run"


class Place(NamedTuple):
    table: str
    dataset: str
    method: str
    metric: str
    setting: str = ""


class Ref(NamedTuple):
    """A method as a claim names it, with whatever of its place differs from that of the condition."""

    method: str
    table: str | None = None
    dataset: str | None = None
    metric: str | None = None
    setting: str | None = None

    def __str__(self) -> str:
        parts = [self.method, self.setting, self.dataset, self.metric]
        return " ".join(part for part in parts if part)


def as_ref(given: str | Mapping[str, str]) -> Ref:
    return Ref(given) if isinstance(given, str) else Ref(**{"method": "", **given})


class Missing(Exception):  # noqa: N818 - a state of the run, not a mistake
    """What a claim would need, and why it is not there."""


class Row(NamedTuple):
    """The numbers of some methods in one place."""

    label: str
    metric: str
    numbers: Sequence[Estimate]

    @property
    def means(self) -> list[float]:
        return [number.mean for number in self.numbers]


@dataclass
class Values:
    """Numbers by place.

    gaps : why a place has none.
    expected : the data sets of a figure, and why one of them is not there.
    dispensable : data sets without which claims are decided too.
    printed : the paper's own numbers beside ours; None if these are they.
    without : what was left out, and why, since the last claim.
    """

    numbers: Mapping[Place, Estimate]
    gaps: Mapping[Place, str] = field(default_factory=dict)
    expected: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    dispensable: Collection[str] = ()
    printed: Values | None = None
    without: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._index: dict[tuple[str, str, str, str], dict[str, Estimate | str]] = {}
        found: Mapping[Place, Estimate | str] = {**self.gaps, **self.numbers}
        for place, number in found.items():
            self._index.setdefault(place[:4], {})[place.setting] = number

    def rows(self, table: str, *asked: Any, **places: Any) -> list[Row]:
        """As `rows_there`, of which there has to be one."""
        rows = self.rows_there(table, *asked, **places)
        if not rows:
            raise self.nothing(table)
        return rows

    def rows_there(
        self,
        table: str,
        refs: Sequence[Ref],
        metrics: Sequence[str],
        datasets: Sequence[str] | None = None,
        settings: Sequence[str] | None = None,
    ) -> list[Row]:
        """A row for each data set, metric and setting; without `datasets` for all of the table that have the metric.

        Without `settings` each method has to have one only. There can be no row at all if all are dispensed with.
        """
        rows: list[Row] = []
        missing: dict[Place, str] = {}
        for metric in metrics:
            for dataset in self._datasets(table, refs, metric) if datasets is None else datasets:
                for setting in settings or [""]:
                    found = [self._find(ref, table, dataset, metric, setting or None) for ref in refs]
                    gaps = {place: one for place, one in found if isinstance(one, str)}
                    missing |= {place: why for place, why in gaps.items() if not self._dispensed(place, why)}
                    if not gaps:
                        label = " ".join(filter(None, [dataset, metric if len(metrics) > 1 else "", setting]))
                        rows.append(Row(label, metric, [one for _, one in found if isinstance(one, Estimate)]))
        if missing:
            raise Missing(_summary(missing))
        return rows

    def settings(self, table: str, method: str, metric: str) -> list[str]:
        """Those that a method has in a table."""
        places = (place for place in self._index if (place[0], place[2], place[3]) == (table, method, metric))
        return list(dict.fromkeys(setting for place in places for setting in self._index[place]))

    def nothing(self, table: str) -> Missing:
        """Said where a condition finds no number at all."""
        left_out = ", ".join(f"{name}: {why}" for name, why in self.without.items())
        return Missing(f"{table}, {left_out}" if left_out else f"{table}: {self._absent}")

    def _datasets(self, table: str, refs: Sequence[Ref], metric: str) -> list[str]:
        if self.expected.get(table):
            return list(self.expected[table])
        asked = {(ref.table or table, ref.method, ref.metric or metric) for ref in refs}
        found = dict.fromkeys(dataset for (of, dataset, method, name, *_) in self._index if (of, method, name) in asked)
        if not found:
            raise self.nothing(table)
        return list(found)

    def _find(
        self, ref: Ref, table: str, dataset: str, metric: str, setting: str | None
    ) -> tuple[Place, Estimate | str]:
        place = Place(
            ref.table or table, ref.dataset or dataset, ref.method, ref.metric or metric, ref.setting or setting or ""
        )
        there = self._index.get(place[:4], {})
        named = ref.setting if ref.setting is not None else setting
        if named is None and len(there) > 1:
            raise ConfigError(f"{place.table}, {ref.method}: name one of its settings: {', '.join(there)}")
        if named is None and there:
            return place, next(iter(there.values()))
        absent = self.expected.get(place.table, {}).get(place.dataset) or self._absent
        return place, there.get(named or "", absent)

    @property
    def _absent(self) -> str:
        return NOT_PRINTED if self.printed is None else NOT_RUN

    def _dispensed(self, place: Place, why: str) -> bool:
        """Whether the claim is decided without this place; it is noted."""
        if place.dataset in self.dispensable:
            self.without[place.dataset] = why
            return True
        if why == "N/A":
            self.without[f"{place.method} on {place.dataset}, {place.metric}"] = why
        return why == "N/A"


def _summary(missing: Mapping[Place, str]) -> str:
    """By reason, the data sets that lack something."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for place, why in missing.items():
        reasons.setdefault((place.table, why), []).append(place.dataset)
    return "; ".join(f"{table}, {', '.join(dict.fromkeys(names))}: {why}" for (table, why), names in reasons.items())


def lower_is_better(metric: str) -> bool:
    if metric in METRICS:
        return METRICS[metric].lower_is_better
    if is_seconds(metric):
        return True
    raise ConfigError(f"{metric!r} is no score, so that nothing says which of two values is the better one")


def is_seconds(metric: str) -> bool:
    return metric == "seconds" or metric.endswith("_seconds")


def short(value: float) -> str:
    """Four significant digits.

    >>> short(0.123456), short(12345.6), short(-0.5)
    ('0.1235', '12346', '-0.5')
    """
    return f"{value:.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
