"""Choices that were made with a look at printed values: what was chosen, and what an uninformed choice gives.

A paper's file has them under `post_hoc`. Where both have been run, it is told how much the choice changes, and how far
either is from the printed numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from statistics import fmean
from typing import Any, NamedTuple

from labelknn.utils._files import write_table
from labelknn_papers.judge.claims.definitions import Vocabulary, names_in, vocabularies
from labelknn_papers.judge.claims.values import Missing, Ref, Values, as_ref
from labelknn_papers.judge.comparison import decimal
from labelknn_papers.plan.config import known, read_yaml
from labelknn_papers.plan.plan import Plan

NOT_RUN = "not run"


@dataclass(frozen=True)
class Choice:
    """What was chosen, and what would have been instead, in words and as methods of a table or a figure.

    pairs : the printed method that has the choice, and the one that has the other. None if the other was not run;
        `not_run` says why.
    """

    choice: str
    chosen: str
    instead: str
    table: str = ""
    pairs: Sequence[tuple[Ref, Ref]] = ()
    metrics: Sequence[str] = ()
    datasets: Sequence[str] | None = None
    settings: Sequence[str] | None = None
    not_run: str = ""


class ChoiceRow(NamedTuple):
    """A choice by one metric: means over `numbers` printed numbers, and the mean distance from what is printed.

    change : the mean distance of the two from each other.
    """

    paper: str
    choice: str
    chosen: str
    instead: str
    metric: str = ""
    numbers: int | None = None
    mean_chosen: float | None = None
    mean_instead: float | None = None
    change: float | None = None
    distance_chosen: float | None = None
    distance_instead: float | None = None
    note: str = ""


def read_choices(plan: Plan, paper: str) -> list[Choice]:
    """Those of a paper; what is misspelt is refused."""
    entries = read_yaml(plan.root / f"config/papers/{paper}.yaml").get("post_hoc", [])
    tables = vocabularies(plan, paper) if entries else {}
    return [_read(entry, tables, f"config/papers/{paper}.yaml, post_hoc, {entry['choice']}") for entry in entries]


def _read(entry: Mapping[str, Any], tables: Mapping[str, Vocabulary], where: str) -> Choice:
    pairs = entry.get("pairs", [])
    asked = {key: entry[key] for key in ("table", "metrics", "datasets", "settings") if key in entry}
    for kind, name, names in names_in({**asked, "of": [one for pair in pairs for one in pair]}, tables, where):
        known(kind, name, names, where)
    return Choice(**{**entry, "pairs": [(as_ref(chosen), as_ref(instead)) for chosen, instead in pairs]})


def figures_of(choices: Iterable[Choice]) -> set[str]:
    """The tables and figures that they name."""
    named = [name for one in choices for name in (one.table, *(ref.table for pair in one.pairs for ref in pair))]
    return {name for name in named if name}


def choice_rows(paper: str, choices: Iterable[Choice], values: Values) -> list[ChoiceRow]:
    """One for each choice and metric; `values` have the printed ones beside them."""
    rows = []
    for one in choices:
        words = (paper, one.choice, one.chosen, one.instead)
        rows += [_row(words, one, metric, values) for metric in one.metrics]
        if not one.metrics:
            rows.append(ChoiceRow(*words, note=one.not_run))
    return rows


def _row(words: tuple[str, str, str, str], choice: Choice, metric: str, values: Values) -> ChoiceRow:
    assert values.printed is not None
    found = []
    try:
        for chosen, instead in choice.pairs:
            place = (choice.table, [chosen, instead], [metric], choice.datasets, choice.settings)
            rows = values.printed.rows(choice.table, [chosen], *place[2:])
            printed = {row.label: row.means[0] for row in rows}
            found += [(*row.means, printed[row.label]) for row in values.rows(*place) if row.label in printed]
        if not found:
            raise values.nothing(choice.table)
    except Missing as missing:
        return ChoiceRow(*words, metric, note=f"{NOT_RUN}: {missing}")
    gaps = [(abs(a - b), abs(a - there), abs(b - there)) for a, b, there in found]
    means = [fmean(column) for column in (*list(zip(*found, strict=True))[:2], *zip(*gaps, strict=True))]
    return ChoiceRow(*words, metric, len(found), means[0], means[1], means[2], means[3], means[4])


def write_choices(path: str | PathLike, rows: Iterable[ChoiceRow]) -> None:
    write_table(path, ChoiceRow._fields, ([_text(value) for value in row] for row in rows))


def _text(value: str | float | None) -> str:
    return decimal(value) if isinstance(value, float) else "" if value is None else str(value)
