"""What the page of a comparison shows: its tables by measure, with titles, features and protocols from the plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from labelknn.metrics import METRICS
from labelknn_papers.judge.advice import Sentence
from labelknn_papers.judge.compared import Compared
from labelknn_papers.judge.outcomes import Outcome
from labelknn_papers.judge.peers import Cause, explanations
from labelknn_papers.judge.seconds import Seconds
from labelknn_papers.judge.significance import average_ranks
from labelknn_papers.plan.comparisons import View
from labelknn_papers.plan.plan import Plan
from labelknn_papers.plan.protocol import Protocol
from labelknn_papers.show.reports import (
    ComparedCell,
    ComparedSentence,
    ComparedTable,
    ComparisonReport,
    FigureReport,
    StudyReport,
    Unreached,
)

# What a method sees of the features, as a reader wants it.
FEATURES = {
    None: "as they are",
    "nominal-to-binary": "as they are",
    "min-max": "min-max",
    "zero-to-one": "min-max, clipped",
    "unit-rows": "unit rows",
    "binary-unit-rows": "unit rows",
}
_PICTURES = {
    "ranks": ("Average ranks", "Methods joined by a bar do not differ in Nemenyi's test at the {level:.0%} level."),
    "heat": (
        "Values and ranks",
        "Means over the splits; the colour is the rank on the data set, the darkest the best. A method stands where "
        "the mean of its colours puts it.",
    ),
    "time": ("Ranks against time", "No other method is better and faster than those joined by steps."),
    "properties": (
        "Ranks against properties of the data",
        "Spearman's correlation over the data sets: orange where ranks get worse with more of the property.",
    ),
}


def comparison_report(
    plan: Plan,
    key: str,
    found: Compared,
    seconds: Sequence[Seconds],
    sentences: Iterable[Sentence],
    peers: Sequence[Mapping[str, str]],
    causes: Sequence[Cause],
    unreached: Mapping[str, str],
    pictures: Iterable[str],
    files: Sequence[str],
) -> ComparisonReport:
    """pictures : the files <key>_<kind>_<view>.svg."""
    comparison = plan.comparisons[key]
    protocols = {entry.cell.dataset: entry.cell.protocol for entry in found.entries}
    titles = {name: plan.datasets[name]["title"] for name in comparison["datasets"]}
    drawn = {Path(path).stem: Path(path).read_text() for path in pictures}
    figures = [
        (view.name, _figure(kind, view, found, drawn[f"{key}_{kind}_{view.name}"]))
        for view in found.views
        for kind in _PICTURES
        if f"{key}_{kind}_{view.name}" in drawn
    ]
    datasets = [(name, title, protocol_text(protocols[name])) for name, title in titles.items()]
    return ComparisonReport(
        key,
        comparison["title"],
        _lead(comparison, plan.is_tried(key)),
        datasets,
        [*(_table(plan, found, view) for view in found.views), *_time_tables(plan, found, seconds)],
        [ComparedSentence(_shown_with(one), one.text, one.test) for one in sorted(sentences, key=_place)],
        figures,
        [
            _datasets(found, datasets, plan.is_tried(key)),
            *_peers(comparison.get("peers", []), peers, causes, titles),
            *_missing(found.rows, titles),
        ],
        [Unreached(titles.get(name, name), reason) for name, reason in unreached.items()],
        files,
    )


def _shown_with(one: Sentence) -> str:
    """The view whose table it is about; "" if it is about all."""
    return "" if one.about == "coverage" else View(one.metric, one.condition).name


def _place(one: Sentence) -> int:
    """What decides a choice comes first, then what it depends on, then what papers said."""
    first = ("coverage", "best", "practical", "time")
    return first.index(one.about) if one.about in first else len(first) + (one.about == "ordering")


def short_note(note: str) -> str:
    """In few letters why there is no value."""
    if note.startswith("more than "):
        return f"> {' '.join(note.removeprefix('more than ').split()[:2])}"
    return "–" if note.startswith(("the method gives no", "source unreachable")) else "error"


def protocol_text(protocol: Protocol) -> str:
    if protocol.kind == "public-split":
        return "its public split"
    times = f", {protocol.repeats} times" if protocol.repeats > 1 else ""
    if protocol.folds:
        return f"{protocol.folds} folds{times}"
    return f"{1 - (protocol.train or 0):.0%} of the rows held out{times}"


def _lead(comparison: Mapping, tried: bool) -> str:
    parts = [comparison["caption"].strip(), "All methods on the same splits."]
    if tried:
        seconds, gigabytes = comparison["time_limit"], comparison["memory_limit"]
        limits = [f"{seconds:g} s"] * (seconds is not None) + [f"{gigabytes:g} GB"] * (gigabytes is not None)
        parts.append(f"On a data set a method may take {' and '.join(limits)}." if limits else "")
    return " ".join(filter(None, parts))


def _datasets(found: Compared, datasets: Iterable[tuple[str, str, str]], tried: bool) -> StudyReport:
    counts = {one.dataset: one for one in found.coverage}
    columns = ["data set", "split", "pairs", "with a value", "took too long", "needed too much memory", "other reasons"]
    lines: list[list[Any]] = [[title, split, *counts[name][1:]] for name, title, split in datasets]
    caption = "Pairs of the data set with each method" + (
        ", at each share of missing labels." if found.views[0].condition else "."
    )
    if tried:
        caption += " Nominal features are binary columns for all methods. Seconds include every search for neighbours."
    return StudyReport("datasets", "Data sets and splits", caption, columns, lines, folded=True)


def _table(plan: Plan, found: Compared, view: View) -> ComparedTable:
    ranked = found.ranked[view].table
    several = len(ranked.methods) > 1 and len(ranked.datasets) > 1
    ranks = average_ranks(ranked.values, ranked.lower_is_better) if several else np.array([])
    rank_of = {name: f"{rank:.1f}" for name, rank in zip(ranked.methods, ranks, strict=False)}
    rows = {(one.method, one.dataset): one for one in found.rows if one.view == view}
    choose = min if METRICS[view.metric].lower_is_better else max
    best = {
        dataset: choose(
            (one.mean for one in rows.values() if one.dataset == dataset and one.mean is not None), default=None
        )
        for dataset in found.comparison["datasets"]
    }
    cells = {
        place: ComparedCell(
            short_note(one.note) if one.mean is None else f"{one.mean:.3f}",
            one.note or _interval(one, 1 - found.comparison["level"]),
            one.mean is not None and one.mean == best[one.dataset],
        )
        for place, one in rows.items()
    }
    better = "lower" if METRICS[view.metric].lower_is_better else "higher"
    caption = f"Means over the splits; {better} is better."
    if several:
        caption += (
            f" Average ranks are those of the {len(ranked.methods)} methods that have a value on each of "
            f"{len(ranked.datasets)} data sets."
        )
    return ComparedTable(view.name, view.title, caption, _lines(plan, found, view.condition, cells, rank_of))


def _interval(one: Outcome, confidence: float) -> str:
    if one.low is None or one.high is None:
        return ""
    return f"{confidence:.0%} interval {one.low:.3f} to {one.high:.3f}, {one.splits} splits"


def _time_tables(plan: Plan, found: Compared, seconds: Sequence[Seconds]) -> list[ComparedTable]:
    notes = {(one.method, one.condition, one.dataset): one.note for one in found.rows if one.note}
    tables = []
    for condition in dict.fromkeys(entry.condition for entry in found.entries):
        for what, title in (("fit", "Seconds to fit"), ("predict", "Seconds to predict")):
            cells = {
                (one.method, one.dataset): ComparedCell(f"{getattr(one, what):.3g}")
                for one in seconds
                if one.condition == condition
            }
            for (method, where, dataset), note in notes.items():
                if where == condition:
                    cells.setdefault((method, dataset), ComparedCell(short_note(note), note))
            view = View(f"{what}_seconds", condition)
            rate = condition.partition("=")[2]
            title += f", {float(rate):.0%} of the labels missing" if rate and float(rate) else ""
            caption = "Mean over the splits, on one core; what is compiled once is not counted."
            tables.append(ComparedTable(view.name, title, caption, _lines(plan, found, condition, cells, {})))
    return tables


def _lines(
    plan: Plan,
    found: Compared,
    condition: str,
    cells: Mapping[tuple[str, str], ComparedCell],
    ranks: Mapping[str, str],
) -> list[tuple[str, str, list[ComparedCell], str]]:
    """Best average rank first, where there are ranks."""
    seen = {one.method: plan.methods[one.cell.method].get("preprocessing") for one in found.entries}
    names = sorted(seen, key=lambda name: float(ranks.get(name, "inf")))
    nothing = ComparedCell("–")
    datasets = found.comparison["datasets"]
    return [
        (name, FEATURES[seen[name]], [cells.get((name, dataset), nothing) for dataset in datasets], ranks.get(name, ""))
        for name in names
    ]


def _figure(kind: str, view: View, found: Compared, svg: str) -> FigureReport:
    title, caption = _PICTURES[kind]
    text = caption.format(level=found.comparison["level"])
    return FigureReport(f"{kind}-{view.name}", f"{title}, {view.title}", text, svg)


def _peers(
    pairs: Sequence[Mapping[str, str]],
    rows: Sequence[Mapping[str, str]],
    causes: Sequence[Cause],
    titles: Mapping[str, str],
) -> list[StudyReport]:
    """Of labels that differ, percentages; they are the same whatever the measure is."""
    if not rows:
        return []
    columns = ["method", "of", "measure", "data set", "ours", "theirs", "difference", "p", "time ratio"]
    columns += ["% of labels differ", "where ours does the same", "and has its neighbours"]
    cause_of = {one.of: one for one in causes}
    lines = []
    for row in rows:
        cause = cause_of.get((row["ours"], row["theirs"], row["condition"], row["dataset"]))
        lines.append(
            [
                row["ours"],
                row["theirs"],
                METRICS[row["metric"]].label,
                titles[row["dataset"]],
                *(float(row[name]) for name in ("our_mean", "their_mean", "difference")),
                float(row["p"]) if row["p"] else None,
                float(row["time_ratio"]),
                *((100 * number / cause.labels for number in cause[5:]) if cause else [None] * 3),
            ]
        )
    caption = (
        "The same method by two libraries on the same folds and features. p is that of the t-test corrected for "
        "training sets that overlap; the time ratio is their seconds over ours, fit and predict together."
    )
    caption = " ".join([caption, *explanations(pairs, causes)])
    return [StudyReport("peers", "Beside other libraries", caption, columns, lines, folded=True)]


def _missing(rows: Iterable[Outcome], titles: Mapping[str, str]) -> list[StudyReport]:
    missing = dict.fromkeys((one.method, titles[one.dataset], one.note) for one in rows if one.note)
    if not missing:
        return []
    columns = ["method", "data set", "reason"]
    return [
        StudyReport("missing", "Without a value", "What has no value, and why.", columns, list(missing), folded=True)
    ]
