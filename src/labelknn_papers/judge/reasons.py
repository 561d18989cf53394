"""Why a number differs: what the paper's file says, with the results of the workflow that it quotes.

A number that differs can be explained: a formula gives the printed one from what is known of the data, or one of our
variants comes out at it. The paper's file declares under `explanations` which formula or variant may explain which
numbers; the verdict is then `explained`. What differs without that has its `reasons`.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from labelknn.errors import ConfigError
from labelknn_papers.judge.claims.definitions import Vocabulary, vocabularies
from labelknn_papers.judge.claims.sources import values_of
from labelknn_papers.judge.claims.values import Values, is_seconds
from labelknn_papers.judge.comparison import NOT_IMPLEMENTED, Comparison
from labelknn_papers.judge.findings import Judged
from labelknn_papers.judge.quotes import Quote, check_text, fill_in, read_quote, tables_of
from labelknn_papers.judge.times import COLUMNS as TIMES
from labelknn_papers.judge.verdict import CLOSE, DIFFERS, EXPLAINED, MATCHES, NOT_RUN, judge
from labelknn_papers.plan.cells import Published, Target
from labelknn_papers.plan.config import known, read_yaml
from labelknn_papers.plan.plan import Plan
from labelknn_papers.plan.protocol import Protocol, protocol_from
from labelknn_papers.run.store import Result

# By these a number finds its reason.
FIELDS = ("dataset", "method", "metric", "setting")
# What the text of an explanation calls the number that explains.
VALUE = "value"

# From the facts about a data set and the paper's protocol to a number that it prints.
Formula = Callable[[Mapping[str, float], Protocol], float]


@dataclass(frozen=True)
class Reason:
    """Why numbers differ that have these `fields`.

    measured : what is said of run times beside that. It can quote seconds, which differ from run to run, and goes into
        times.csv.
    """

    fields: Mapping[str, str]
    because: str
    quotes: Mapping[str, Quote]
    measured: str = ""

    def fits(self, number: Published) -> bool:
        return all(getattr(number, name) == value for name, value in self.fields.items())


@dataclass(frozen=True)
class Explanation(Reason):
    """What may explain these numbers: a formula, or one of the table's variants, by its name."""

    formula: str = ""
    variant: str = ""


@dataclass(frozen=True)
class TableReasons:
    reasons: Sequence[Reason]
    explanations: Sequence[Explanation]


_Kind = TypeVar("_Kind", bound=Reason)


def read_reasons(plan: Plan, paper: str) -> dict[str, TableReasons]:
    """Those of each table of a paper; what is misspelt is refused."""
    definition, tables = read_yaml(plan.root / f"config/papers/{paper}.yaml"), vocabularies(plan, paper)
    found = {}
    for table, one in definition["tables"].items():
        reader = _Reader(
            f"config/papers/{paper}.yaml, {table}",
            table,
            [number for number in plan.published[paper] if number.table == table],
            tables,
        )
        reasons = [reader.read(Reason, "reasons", entry) for entry in one.get("reasons", ())]
        explanations = [reader.read(Explanation, "explanations", entry) for entry in one.get("explanations", ())]
        variants = [run["method"] for run in one.get("runs", ()) if run.get("role") == "variant"]
        for explanation in explanations:
            if explanation.formula:
                known("formula", explanation.formula, formulas_of(paper), f"{reader.where}, explanations")
            else:
                known("variant", explanation.variant, variants, f"{reader.where}, explanations")
        found[table] = TableReasons(reasons, explanations)
    return found


@dataclass(frozen=True)
class _Reader:
    """Reads what a table's entry has, and checks the names in it; `printed` are the table's numbers."""

    where: str
    table: str
    printed: Sequence[Published]
    tables: Mapping[str, Vocabulary]

    def read(self, kind: type[_Kind], part: str, entry: Mapping[str, Any]) -> _Kind:
        asked = {name: entry[name] for name in FIELDS if name in entry}
        where = ", ".join([f"{self.where}, {part}", *asked.values()])
        for name, value in asked.items():
            known(name, value, {getattr(number, name) for number in self.printed}, where)
        quotes = {
            name: read_quote(quote, self.table, self.tables, f"{where}, quotes, {name}")
            for name, quote in entry.get("quotes", {}).items()
        }
        names = [*quotes, *([VALUE] if kind is Explanation else [])]
        steady = check_text(entry["because"], names, where)
        for name in [*steady, *check_text(entry.get("measured", ""), names, where)]:
            names = [one for one in names if one != name]
        if names:
            raise ConfigError(f"{where}: no text has {{{names[0]}}}")
        others = {name: value for name, value in entry.items() if name not in (*FIELDS, "quotes")}
        reason = kind(fields=asked, quotes=quotes, **others)
        for name in (name for name in steady if name in quotes and self._is_timed(reason, quotes[name])):
            raise ConfigError(f"{where}: {name} are seconds, which differ from run to run; quote them under `measured`")
        return reason

    def _is_timed(self, reason: Reason, quote: Quote) -> bool:
        metrics = [quote.metric] if quote.metric else [one.metric for one in self.printed if reason.fits(one)]
        return any(is_seconds(name) for name in metrics)


def with_reasons(
    plan: Plan,
    paper: str,
    judged: Judged,
    facts: Mapping[str, Mapping[str, float]],
    folder: Path,
    results: Mapping[str, Result],
    unreached: Mapping[str, str],
) -> Judged:
    """What was judged, with the reasons of all that differs.

    folder : where the tables of the paper's figures are.
    results : the cells of its tables of run times, and of the figures that are quoted.
    """
    seconds = [dict(zip(TIMES, one.row(), strict=False)) for one in judged.times]
    values = values_of(plan, paper, judged, seconds, folder, results, unreached)
    missing = [one.published.dataset for one in plan.targets[paper] if one.dataset in unreached]
    reasoner = Reasoner(plan, paper, replace(values, dispensable=missing), judged.variants, facts)
    given = reasoner.give(judged.comparisons)
    return replace(judged, comparisons=given, measured=reasoner.measured(judged.comparisons))


def quoted_figures(plan: Plan, paper: str) -> list[str]:
    """The figures of the run whose numbers the paper's reasons quote."""
    tables = read_reasons(plan, paper).values()
    quotes = [
        quote for one in tables for reason in (*one.reasons, *one.explanations) for quote in reason.quotes.values()
    ]
    names = {name for quote in quotes for name in tables_of(quote)}
    return [figure for figure in plan.papers[paper].get("figures", {}) if figure in names]


def formulas_of(paper: str) -> dict[str, Formula]:
    """The functions of src/labelknn_papers/papers/<paper>_formulas.py."""
    module = _formulas_module(paper)
    functions = inspect.getmembers(module, inspect.isfunction) if module else []
    return {name: one for name, one in functions if module and one.__module__ == module.__name__}


def formula_modules(paper: str) -> list[str]:
    """Their file, from the working directory."""
    module = _formulas_module(paper)
    return [os.path.relpath(module.__file__)] if module and module.__file__ else []


@cache
def _formulas_module(paper: str) -> ModuleType | None:
    name = f"labelknn_papers.papers.{paper}_formulas"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


@dataclass
class Reasoner:
    """Gives the numbers of a paper that differ their reasons.

    values : what quotes are looked up in.
    variants : our variants of the paper's methods.
    """

    plan: Plan
    paper: str
    values: Values
    variants: Sequence[Comparison]
    facts: Mapping[str, Mapping[str, float]]
    _reasons: Mapping[str, TableReasons] = field(init=False)

    def __post_init__(self) -> None:
        self._reasons = read_reasons(self.plan, self.paper)
        self._runs = {
            (table, run["method"]): run["name"]
            for table, one in self.plan.papers[self.paper]["tables"].items()
            for run in one.get("runs", ())
            if run.get("role") == "variant"
        }

    def give(self, comparisons: Sequence[Comparison]) -> list[Comparison]:
        return [self._explained(one) or self._with_reason(one) for one in comparisons]

    def measured(self, comparisons: Sequence[Comparison]) -> dict[Target, str]:
        """What is said of run times that differ, with the seconds."""
        found = {}
        for one in comparisons:
            if one.verdict == DIFFERS and (reason := self._reason(one.published)) and reason.measured:
                found[one.target] = self._text(reason.measured, reason, one.published)
        return found

    def _explained(self, one: Comparison) -> Comparison | None:
        """With the verdict `explained`, if a formula or a variant that may explain the number gives it."""
        number = one.published
        if one.verdict != DIFFERS and (one.verdict, one.reason) != (NOT_RUN, NOT_IMPLEMENTED):
            return None
        for explanation in self._reasons[number.table].explanations:
            find = self._by_formula if explanation.formula else self._by_variant
            if explanation.fits(number) and (value := find(explanation, one)) is not None:
                text = self._text(explanation.because, explanation, number, value=value)
                note = one.reason if one.verdict == DIFFERS else ""
                return replace(one, verdict=EXPLAINED, reason=_joined(note, text))
        return None

    def _by_formula(self, explanation: Explanation, one: Comparison) -> float | None:
        """Its value, if that is the printed one; None where the data set could not be had."""
        facts = self.facts.get(one.target.dataset or "")
        if facts is None:
            return None
        protocol = protocol_from(self.plan.papers[self.paper]["protocol"])
        value = formulas_of(self.paper)[explanation.formula](facts, protocol)
        return value if judge(one.published, one.target.metric, value, None).verdict == MATCHES else None

    def _by_variant(self, explanation: Explanation, one: Comparison) -> float | None:
        """What the variant has in the place of the number, if it matches or is close."""
        number = one.published
        if self._runs.get((number.table, explanation.variant)) != number.method:
            return None
        place = replace(number, method=explanation.variant)
        found = next((variant for variant in self.variants if variant.published == place), None)
        return found.ours.mean if found and found.ours and found.verdict in (MATCHES, CLOSE) else None

    def _with_reason(self, one: Comparison) -> Comparison:
        if one.verdict != DIFFERS:
            return one
        reason = self._reason(one.published)
        text = self._text(reason.because, reason, one.published) if reason else one.published.note
        return replace(one, reason=_joined(one.reason, text))

    def _reason(self, number: Published) -> Reason | None:
        """The most specific one that fits."""
        fitting = [reason for reason in self._reasons[number.table].reasons if reason.fits(number)]
        return max(fitting, key=lambda reason: len(reason.fields), default=None)

    def _text(self, text: str, reason: Reason, number: Published, **given: float) -> str:
        return fill_in(text, reason.quotes, self.values, number, **given)


def _joined(note: str, text: str) -> str:
    return (" " if note.endswith(".") else "; ").join(filter(None, [note, text]))
