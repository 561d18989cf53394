"""Methods that join a paper's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike

from labelknn.utils._files import damaged, write_table
from labelknn_papers.judge.comparison import Comparison, check_place, decimal
from labelknn_papers.judge.estimates import Estimate, summarise
from labelknn_papers.judge.files import read_table
from labelknn_papers.judge.outcomes import no_value
from labelknn_papers.judge.verdict import OWN
from labelknn_papers.plan.cells import Target
from labelknn_papers.run.score import Score

COLUMNS = ("table", "dataset", "method", "metric", "setting", "ours", "se", "note")


def own_values(targets: Iterable[Target], scores: Iterable[Score], unreached: Mapping[str, str]) -> list[Comparison]:
    """What the methods that joined a paper have in its tables, or why they have nothing there."""
    estimates = summarise(scores)
    found = []
    for target in targets:
        assert target.cell is not None
        cell = target.cell
        ours = estimates.get((cell.protocol.id, cell.dataset, cell.method, target.setting, target.metric))
        reason = "" if ours else unreached.get(cell.dataset) or no_value(target.metric)
        found.append(Comparison(target, ours, verdict=OWN, reason=reason))
    return found


def write_own(path: str | PathLike, values: Iterable[Comparison]) -> None:
    rows = []
    for one in values:
        number, ours = one.published, one.ours
        place = (number.table, number.dataset, number.method, number.metric, number.setting)
        rows.append((*place, decimal(ours.mean if ours else None), decimal(ours.se if ours else None), one.reason))
    write_table(path, COLUMNS, rows)


def read_own(path: str | PathLike, targets: Sequence[Target]) -> list[Comparison]:
    """What `write_own` wrote of these targets."""
    try:
        return [_read_own(target, row) for target, row in zip(targets, read_table(path), strict=True)]
    except (KeyError, ValueError) as error:
        raise damaged(path, "the values of one's own methods", error) from None


def _read_own(target: Target, row: Mapping[str, str]) -> Comparison:
    check_place(target, row)
    ours = Estimate(float(row["ours"]), float(row["se"]) if row["se"] else None) if row["ours"] else None
    return Comparison(target, ours, verdict=OWN, reason=row["note"])
