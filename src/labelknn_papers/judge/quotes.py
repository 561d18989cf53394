"""A result of the workflow inside a sentence: which number is quoted, and what it comes to.

A reason's text says "{program:.2f}", and `quotes` beside it say where `program` stands: a place as claims name it
(`claims.values`), in which whatever is left out is that of the number whose reason it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any

from labelknn.errors import ConfigError
from labelknn_papers.judge.claims.definitions import Vocabulary, names_in
from labelknn_papers.judge.claims.findings import STATISTICS
from labelknn_papers.judge.claims.values import Missing, Ref, Row, Values, as_ref
from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.plan.cells import Published
from labelknn_papers.plan.config import known

# In place of a list of data sets or settings: all that the table has.
ALL = "all"
_LISTS = ("datasets", "settings")

# What of an estimate is quoted.
_PARTS: Mapping[str, Callable[[Estimate], float | None]] = {
    "mean": lambda number: number.mean,
    "error": lambda number: number.se,
    "spread": lambda number: number.spread,
}


@dataclass(frozen=True)
class Quote:
    """A number, or a statistic of several; None is what the number has whose reason it is.

    minus, over : what is subtracted, or divided by.
    from_printed : the difference from what the paper prints there: true, or the printed method where `of` is a variant.
    what : the mean, its standard error, or the standard deviation of a single split's value (`spread`).
    """

    table: str | None = None
    of: Ref | None = None
    minus: Ref | None = None
    over: Ref | None = None
    from_printed: bool | str = False
    metric: str | None = None
    datasets: Sequence[str] | str | None = None
    settings: Sequence[str] | str | None = None
    statistic: str | None = None
    what: str = "mean"


class _NotRun:
    """In the place of a number that this run does not have."""

    def __format__(self, form: str) -> str:
        return "(not run)"


def read_quote(given: str | Mapping[str, Any], table: str, tables: Mapping[str, Vocabulary], where: str) -> Quote:
    """`given` is the entry, or the method alone; `table` that of the numbers whose reason it is."""
    entry: Mapping[str, Any] = {"of": given} if isinstance(given, str) else given
    refs: dict[str, Any] = {key: as_ref(entry[key]) for key in ("of", "minus", "over") if key in entry}
    asked: dict[str, Any] = {"table": table}
    asked |= {key: entry[key] for key in (*refs, "table") if key in entry}
    asked |= {key: entry[key] for key in _LISTS if entry.get(key, ALL) != ALL}
    if "metric" in entry:
        asked["metrics"] = [entry["metric"]]
    for kind, name, names in names_in(asked, tables, where):
        known(kind, name, names, where)
    if "statistic" in entry:
        known("statistic", entry["statistic"], STATISTICS, where)
    elif any(entry.get(key) == ALL or len(entry.get(key, ())) > 1 for key in _LISTS):
        raise ConfigError(f"{where}: these are several numbers; `statistic` says what is quoted of them")
    return Quote(**{**entry, **refs})


def look_up(quote: Quote, values: Values, number: Published) -> float:
    """What is quoted in the reason of a number; `Missing` if this run does not have it."""
    table, of = quote.table or number.table, quote.of or Ref(number.method)
    metric = quote.metric or number.metric
    settings = [number.setting] if quote.settings is None and table == number.table else quote.settings
    if settings == ALL:
        settings = values.settings(table, of.method, metric)
    datasets = None if quote.datasets == ALL else quote.datasets or [number.dataset]
    place = ([metric], datasets, settings)
    refs = [of, *(ref for ref in (quote.minus, quote.over) if ref)]
    found = {row.label: _value(quote, row) for row in values.rows(table, refs, *place)}
    if quote.from_printed:
        assert values.printed is not None
        printed = of if quote.from_printed is True else of._replace(method=quote.from_printed)
        there = {row.label: row.means[0] for row in values.printed.rows(table, [printed], *place)}
        found = {label: value - there[label] for label, value in found.items() if label in there}
    if not found:
        raise values.nothing(table)
    several = list(found.values())
    return STATISTICS[quote.statistic](several) if quote.statistic else several[0]


def _value(quote: Quote, row: Row) -> float:
    first, *others = row.numbers
    value = _PARTS[quote.what](first)
    if value is None:
        raise Missing(f"{row.label}: it has no {quote.what}")
    if others:
        return value - others[0].mean if quote.minus else value / others[0].mean
    return value


def tables_of(quote: Quote) -> set[str]:
    """Those that a quote names."""
    refs = [ref for ref in (quote.of, quote.minus, quote.over) if ref]
    return {name for name in (quote.table, *(ref.table for ref in refs)) if name}


def fill_in(text: str, quotes: Mapping[str, Quote], values: Values, number: Published, **given: float) -> str:
    """The text with its numbers; `given` are those that are no quotes."""
    named = set(fields(text)) & quotes.keys()
    return text.format(**given, **{name: _found(quotes[name], values, number) for name in named})


def _found(quote: Quote, values: Values, number: Published) -> float | _NotRun:
    try:
        return look_up(quote, values, number)
    except Missing:
        return _NotRun()


def fields(text: str) -> list[str]:
    """The names in braces.

    >>> fields("from {low:.2f} to {high}")
    ['low', 'high']
    """
    return [name for _, name, _, _ in Formatter().parse(text) if name is not None]


def check_text(text: str, names: Iterable[str], where: str) -> list[str]:
    """The names that a text quotes; refused if one is not known, or if its number cannot be written so."""
    names = list(names)
    try:
        quoted = fields(text)
        text.format(**dict.fromkeys({*names, *quoted}, 0.5))
    except (ValueError, LookupError, AttributeError) as error:
        raise ConfigError(f"{where}: {text!r}: {error}") from None
    for name in quoted:
        known("quote", name, names, where)
    return quoted
