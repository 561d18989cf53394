"""All that is found about a comparison from its scores alone: values, ranks, tests and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from labelknn_papers.judge.advice import Sentence, best, by_property, coverage, published_orderings
from labelknn_papers.judge.outcomes import (
    Coverage,
    Outcome,
    Ranked,
    compare_ranked,
    coverage_of,
    outcomes,
    rank,
    significance_rows,
)
from labelknn_papers.judge.practical import Practical, against, best_method, practical_rows
from labelknn_papers.judge.properties import Correlation, Facts, correlations
from labelknn_papers.judge.significance import MethodTests
from labelknn_papers.plan.cells import Entry
from labelknn_papers.plan.comparisons import View, views_of
from labelknn_papers.run.score import Score

PROPERTY_COLUMNS = ("metric", "condition", "method", "property", "rho", "p", "adjusted_p")


@dataclass(frozen=True)
class Compared:
    """A comparison of the plan, and the values of its methods.

    facts : what `prepare` found about its data sets.
    """

    comparison: Mapping[str, Any]
    entries: Sequence[Entry]
    rows: Sequence[Outcome]
    facts: Mapping[str, Facts]

    @cached_property
    def views(self) -> list[View]:
        return views_of(self.comparison["metrics"], self.entries)

    @cached_property
    def coverage(self) -> list[Coverage]:
        return coverage_of(self.rows)

    @cached_property
    def ranked(self) -> dict[View, Ranked]:
        return {view: rank(self.rows, view) for view in self.views}

    @cached_property
    def tests(self) -> dict[View, MethodTests | None]:
        return {view: compare_ranked(ranked, self.comparison["level"]) for view, ranked in self.ranked.items()}

    @cached_property
    def practical(self) -> dict[View, list[Practical]]:
        """The best method against each of the others."""
        rope = self.comparison["rope"]
        return {
            view: list(against(ranked.table, best_method(ranked.table), rope)) if self.tests[view] else []
            for view, ranked in self.ranked.items()
        }

    @cached_property
    def correlations(self) -> dict[View, list[Correlation]]:
        return {view: correlations(ranked.table, self.facts) for view, ranked in self.ranked.items()}

    def test_rows(self) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for view, ranked in self.ranked.items():
            found += significance_rows(ranked, self.tests[view])
            found += practical_rows(view, self.practical[view], self.comparison["rope"])
        return found

    def sentences(self) -> list[Sentence]:
        level = self.comparison["level"]
        conditions = len({one.condition for one in self.rows})
        found = [coverage(self.coverage[-1], self.comparison["metrics"][0], conditions)]
        for view, ranked in self.ranked.items():
            found += best(ranked, self.tests[view], self.practical[view], level)
            found += by_property(ranked, self.facts, self.correlations[view], level)
        return found + published_orderings(self.comparison, self.rows, level, self.comparison["rope"])


def compared(
    comparison: Mapping[str, Any],
    entries: Sequence[Entry],
    scores: Iterable[Score],
    stopped: Mapping[str, str],
    unreached: Mapping[str, str],
    facts: Mapping[str, Facts],
) -> Compared:
    return Compared(comparison, entries, outcomes(entries, comparison, scores, stopped, unreached), facts)
