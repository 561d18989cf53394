"""What a comparison says to somebody who has to choose: sentences, each made from the result of a test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from labelknn.metrics import METRICS
from labelknn_papers.judge.estimates import ValueTable
from labelknn_papers.judge.outcomes import Coverage, Outcome, Ranked
from labelknn_papers.judge.practical import Practical, best_method, signed_ranks
from labelknn_papers.judge.properties import Correlation, Facts, properties_of
from labelknn_papers.judge.seconds import Point
from labelknn_papers.judge.significance import MethodTests, average_ranks, friedman, holm, wilcoxon_holm
from labelknn_papers.plan.comparisons import View

# A method is this many times faster than the best to be named for it.
_FASTER = 10
# A probability that is taken for an answer.
_SURE = 0.95
# How many methods a sentence names.
_NAMED = 5
# Data sets that half of them has at least, to be looked at apart.
_HALF = 3
# What the halves of the data sets are called that have less, or more, of a property, and what it is to have more of it.
_HALVES = {
    "rows": ("few rows", "many rows", "more rows"),
    "features": ("few features", "many features", "more features"),
    "labels": ("few labels", "many labels", "more labels"),
    "cardinality": ("small label sets", "large label sets", "larger label sets"),
    "sparsity": ("dense features", "sparse features", "sparser features"),
}


class Sentence(NamedTuple):
    """What a test found; `about` names the kind of finding, `test` what it rests on."""

    metric: str
    condition: str
    about: str
    text: str
    test: str


def coverage(counts: Coverage, metric: str, conditions: int) -> Sentence:
    """How many of the methods' runs ended with a value, and why the others did not."""
    parts = [
        (counts.time, "took longer than allowed"),
        (counts.memory, "needed more memory than allowed"),
        (counts.message, "gave none or failed"),
    ]
    why = ", ".join(f"{number} {what}" for number, what in parts if number)
    each = f", each at {conditions} shares of missing labels," if conditions > 1 else ""
    text = f"{counts.valued} of {counts.pairs} pairs of method and data set{each} have a value ({counts.share:.1%})"
    return Sentence(metric, "", "coverage", text + (f"; {why}." if why else "."), "count")


def best(ranked: Ranked, tests: MethodTests | None, practical: Sequence[Practical], level: float) -> list[Sentence]:
    """Who has the best ranks, and whom the tests tell it apart from."""
    if tests is None:
        text = f"By {_by(ranked.view)} nothing can be tested: fewer than two methods have values on two data sets."
        return [Sentence(*ranked.view, "best", text, "")]
    table = ranked.table
    name = best_method(table)
    first = table.methods.index(name)
    rank = tests.nemenyi.ranks[first]
    sizes = f"{_count(len(table.methods), 'method')} on {_count(len(table.datasets), 'data set')}"
    text = f"By {_by(ranked.view)}, of {sizes} that have all values, {name} has the best average rank, {rank:.1f}"
    if tests.friedman.f_p > level:
        text += "; but the ranks are no different from chance."
        return [Sentence(*ranked.view, "best", text, f"Friedman (F form), p = {tests.friedman.f_p:.3g}")]
    alike = [other for i, other in enumerate(table.methods) if i != first and not tests.nemenyi.differ[first, i]]
    alike.sort(key=tests.rank_of)
    beaten = [
        table.methods[pair.second if pair.first == first else pair.first]
        for pair in tests.wilcoxon
        if first in (pair.first, pair.second) and pair.adjusted_p <= level
    ]
    text += (
        f". Nemenyi's test does not tell it apart from {_listed(alike)}" if alike else ". It differs from all others"
    )
    others = [other for other in sorted(table.methods, key=tests.rank_of) if other != name]
    text += f"; pair by pair, it differs from {_of(beaten, others)}."
    found = [Sentence(*ranked.view, "best", text, f"Nemenyi and Wilcoxon-Holm at {level:.0%}")]
    surely = [one.second for one in practical if one.better >= _SURE]
    equal = [one.second for one in practical if one.equal >= _SURE]
    text = (
        f"For practical purposes {name} is better than {_of(surely, others)}"
        if surely
        else f"For practical purposes {name} is better than none of the others for sure"
    )
    text += f", and as good as {_of(equal, others)}." if equal else "."
    return [*found, Sentence(*ranked.view, "practical", text, f"Bayesian signed ranks, probability {_SURE:.0%}")]


def by_property(
    ranked: Ranked, facts: Mapping[str, Facts], found: Sequence[Correlation], level: float
) -> list[Sentence]:
    """Who is best where the data have less of a property than in the middle, and who where they have more."""
    table = ranked.table
    if len(table.methods) < 2:
        return []
    sentences = []
    for name, values in properties_of(facts, table.datasets).items():
        large = values > np.median(values)
        if not _HALF <= large.sum() <= len(values) - _HALF:
            continue
        halves = [_best_of(table, half) for half in (~large, large)]
        low, high, more = _HALVES[name]
        (first, first_p), (second, second_p) = halves
        if first == second:
            text = f"By {_by(ranked.view)}, {first} ranks best both on data with {low} and on data with {high}"
        else:
            text = f"By {_by(ranked.view)}, {first} ranks best on data with {low}, and {second} on data with {high}"
        unsure = [words for p, words in ((first_p, low), (second_p, high)) if p > level]
        text += f" (where the ranks on data with {' and '.join(unsure)} could be chance)" if unsure else ""
        going = [one for one in found if one.property == name and one.adjusted_p <= level]
        for sign, how in ((1, "worse"), (-1, "better")):
            names = [one.method for one in going if one.rho * sign > 0]
            text += f". With {more} {_listed(names)} rank{'s' * (len(names) == 1)} {how}" if names else ""
        p_values = ", ".join(f"{p:.3g}" for _, p in halves)
        test = f"Friedman (F form) in each half, p = {p_values}; Spearman with Holm's correction"
        sentences.append(Sentence(*ranked.view, name, f"{text}.", test))
    return sentences


def _best_of(table: ValueTable, rows: np.ndarray) -> tuple[str, float]:
    ranks = average_ranks(table.values[rows], table.lower_is_better)
    return table.methods[int(np.argmin(ranks))], friedman(table.values[rows]).f_p


def by_time(points: Sequence[Point]) -> list[Sentence]:
    """Who is best in a tenth of the best method's time."""
    if len(points) < 2:
        return []
    leader = min(points, key=lambda point: (point.average_rank, point.seconds))
    view = View(leader.metric, leader.condition)
    fast = [point for point in points if point.seconds * _FASTER <= leader.seconds]
    text = (
        f"By {_by(view)}, {leader.method} has the best average rank, {leader.average_rank:.1f}, and takes "
        f"{leader.seconds:.2g} s for a split"
    )
    if fast:
        second = min(fast, key=lambda point: (point.average_rank, point.seconds))
        text += (
            f"; of the methods that take at most a tenth of that {second.method} has the best, "
            f"{second.average_rank:.1f}, in {second.seconds:.2g} s."
        )
    else:
        text += "; no method takes a tenth of that."
    return [Sentence(*view, "time", text, "geometric mean of the seconds, average ranks")]


def published_orderings(
    comparison: Mapping[str, Any], rows: Sequence[Outcome], level: float, rope: float
) -> list[Sentence]:
    """Whether methods that a paper found better are so here, on data sets that the paper did not have."""
    asked, p_values = [], []
    for ordering in comparison.get("orderings", []):
        for condition in dict.fromkeys(one.condition for one in rows):
            for other in ordering["than"]:
                pair = _pair(rows, View(ordering["metric"], condition), (ordering["better"], other), ordering)
                if len(pair) >= 2:
                    test = wilcoxon_holm(pair)[0]
                    asked.append((ordering, condition, other, pair, test))
                    p_values.append(test.p)
    sentences = []
    for (ordering, condition, other, pair, test), p in zip(asked, holm(p_values) if asked else [], strict=True):
        view, name = View(ordering["metric"], condition), ordering["better"]
        wins, losses = int((pair[:, 0] > pair[:, 1]).sum()), int((pair[:, 0] < pair[:, 1]).sum())
        favoured = test.in_favour_of_first > test.in_favour_of_second
        verdict = "cannot be told" if p > level else "holds" if favoured else "is the other way round"
        better, equal, worse = signed_ranks(pair[:, 0], pair[:, 1], rope)
        elsewhere = "other data sets" if ordering.get("except") else "data sets"
        text = (
            f"{ordering['paper']}: {name} better than {other} by {_by(view)}. "
            f"On {len(pair)} {elsewhere} this {verdict}: better on {wins}, worse on {losses}."
        )
        detail = f"Wilcoxon-Holm over these pairs, p = {p:.3g}; Bayesian: better {better:.2f}, equal {equal:.2f}, "
        sentences.append(Sentence(*view, "ordering", text, f"{detail}worse {worse:.2f}"))
    return sentences


def _pair(rows: Iterable[Outcome], view: View, names: tuple[str, str], ordering: Mapping[str, Any]) -> np.ndarray:
    """Values of two methods where both have one, a row for each data set; higher is better."""
    means: dict[str, dict[str, float]] = {}
    for one in rows:
        asked = one.view == view and one.method in names and one.dataset not in ordering.get("except", [])
        if asked and one.mean is not None:
            means.setdefault(one.dataset, {})[one.method] = one.mean
    sign = -1 if METRICS[view.metric].lower_is_better else 1
    both = [[sign * of[name] for name in names] for of in means.values() if len(of) == 2]
    return np.array(both, dtype=float).reshape(len(both), 2)


def _by(view: View) -> str:
    named = view.title.startswith(("Hamming", "Kendall", "Spearman"))
    return view.title if named else view.title[:1].lower() + view.title[1:]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _of(some: Sequence[str], names: Sequence[str]) -> str:
    """Some of these names, in their order; if they are most of them, those that they are not."""
    rest = [name for name in names if name not in some]
    if not some:
        return "none"
    if not rest:
        return f"all {len(names)} others" if len(names) > 1 else names[0]
    few = len(rest) < len(some) and len(rest) <= _NAMED + 1
    return f"all but {_listed(rest)}" if few else _listed([name for name in names if name in some])


def _listed(names: Sequence[str]) -> str:
    """The first ones of many."""
    if len(names) > _NAMED + 1:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
