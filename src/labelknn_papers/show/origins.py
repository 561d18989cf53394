"""How a number is made, in words: the split, the method, the data with their hashes, and a command for it alone."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from labelknn.metrics import METRICS
from labelknn_papers.judge.times import is_time
from labelknn_papers.plan.cells import BEST, Target
from labelknn_papers.plan.jobs import alone
from labelknn_papers.plan.paths import Paths
from labelknn_papers.plan.plan import Plan
from labelknn_papers.plan.protocol import Protocol
from labelknn_papers.show.reports import Origin

_TIME = (
    "A run time is compared as a multiple of the geometric mean of those that the table has for the same data: it "
    "matches within a factor of 2 and is close within a factor of 10."
)
_P_VALUE = "A p-value matches if it decides as the printed one does at the 5 % level."
_COUNT = "A count matches only if it is the same."
_SCORE = "It matches if the difference is within the tolerance."


@dataclass(frozen=True)
class Run:
    """The run that a page is of.

    options : what to add to a command so that it means this run: ` --configfile mine.yaml`.
    sources : which of its sources a data set was taken from.
    """

    options: str = ""
    sources: Mapping[str, int] = field(default_factory=dict)


def origin(plan: Plan, paper: str, target: Target, run: Run, known: bool) -> Origin:
    """known : whether the run has a number there, or would have one if its data were there."""
    cell = target.cell
    return Origin(
        _rule(target) if target.published.printed else "",
        protocol_in_words(cell.protocol) if cell else "",
        _method(plan, target),
        "\n".join(_data(plan, target.dataset, run)) if target.dataset else "",
        _command(plan, paper, target, run, known),
        _scores(plan, target) if cell and known else "",
    )


def _rule(target: Target) -> str:
    if is_time(target):
        return _TIME
    if target.metric == "p_value":
        return _P_VALUE
    counted = target.metric not in METRICS and target.published.digits == 0
    return _COUNT if counted else _SCORE


def protocol_in_words(protocol: Protocol) -> str:
    shares = ", ".join(f"{100 * share:g} %" for share in protocol.missing)
    words = {
        "public-split": "the training and test rows that the data set is published with",
        "cross-validation": f"{_times(protocol.repeats)}cross-validation with {protocol.folds} folds",
        "hold-out": f"{_splits(protocol.repeats)} of {100 * (protocol.train or 0):g} % of the rows to learn from",
    }[protocol.kind]
    parts = [words, f"{shares} of the training labels missing" if shares else "", protocol.shortened]
    return "; ".join(filter(None, parts))


def _times(repeats: int) -> str:
    return f"{repeats} repetitions of " if repeats > 1 else ""


def _splits(repeats: int) -> str:
    return f"{repeats} random splits" if repeats > 1 else "one random split"


def _method(plan: Plan, target: Target) -> str:
    if target.cell is None:
        return ""
    entry = plan.methods[target.cell.method]
    lines = [f"{entry['title']} (id {target.cell.method})", call(entry)]
    if "sweep" in entry:
        several = f"at several values of {', '.join(entry['sweep'])}, "
        lines.append(several + ("the best on the test rows" if target.setting == BEST else f"here {target.setting}"))
    if "preprocessing" in entry:
        lines.append(f"features: {entry['preprocessing']}")
    return "\n".join(lines)


def call(entry: Mapping[str, Any]) -> str:
    """A registry entry as Python has it: labelknn.multilabel.MLkNN(k=10, s=1.0)."""
    params = ", ".join(f"{name}={_value(value)}" for name, value in entry.get("params", {}).items())
    return f"{entry['class'].replace(':', '.')}({params})"


def _value(value: Any) -> str:
    return call(value) if isinstance(value, Mapping) and "class" in value else repr(value)


def _data(plan: Plan, dataset: str, run: Run) -> Iterator[str]:
    entry = plan.datasets[dataset]
    yield f"{entry['title']} (id {dataset})"
    if bases := plan.bases(dataset):
        yield f"made from {', '.join(bases)}"
    for name in [dataset, *plan.with_bases(bases)]:
        sources = plan.datasets[name].get("sources", [])
        source = sources[run.sources.get(name, 0)] if sources else {}
        for file, origin in source.get("files", {}).items():
            place = origin.get("path", file)
            yield f"{place}  SHA-256 {origin['sha256']}" if "sha256" in origin else place


def _command(plan: Plan, paper: str, target: Target, run: Run, known: bool) -> str:
    paths, snakemake = Paths(plan, ()), "snakemake --cores 1"
    if target.cell is not None:
        folder = shlex.quote(f"{paths.data}/cells/{target.cell.path}")
        return f"rm -rf {folder} && {snakemake} {shlex.quote(paths.results(alone(target.cell).path))}{run.options}"
    if not known:
        return ""
    if target.published.method == "" and target.dataset:
        (facts,) = paths.prepared([target.dataset], "json")
        return f"{snakemake} --force {shlex.quote(facts)}{run.options}"
    # It follows from other numbers of its table.
    return f"{snakemake} --force {shlex.quote(f'{paths.figures}/{paper}/comparison.csv')}{run.options}"


def _scores(plan: Plan, target: Target) -> str:
    assert target.cell is not None
    folder = f"{plan.config['data']}/cells/{target.cell.path}/*"
    if is_time(target):
        return f"{folder}/times.csv"
    chosen = [target.metric, *([target.setting] if target.setting not in ("", BEST) else [])]
    return f"{folder}/scores-*.csv\nits lines with {' and '.join(chosen)}"
