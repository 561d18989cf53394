"""What a condition finds: whether it is met, and the numbers in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import NamedTuple

import numpy as np
import scipy  # its parts are imported when they are used

from labelknn_papers.judge.claims.values import Row, lower_is_better, short

# Decimals beyond which a difference of printed numbers is the rounding of floats.
DECIMALS = 9
# So many cells are listed in full; of more, those against the claim.
_LISTED = 16

BOUNDS: Mapping[str, Callable[[float, float], bool]] = {
    "at_least": lambda value, bound: value >= bound,
    "at_most": lambda value, bound: value <= bound,
    "above": lambda value, bound: value > bound,
    "below": lambda value, bound: value < bound,
}
STATISTICS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": fmean,
    "median": median,
    "least": min,
    "largest": max,
    "range": lambda values: max(values) - min(values),
    "largest magnitude": lambda values: max(map(abs, values)),
    "mean magnitude": lambda values: fmean(map(abs, values)),
}


class Finding(NamedTuple):
    """Whether a condition is met, and by which numbers."""

    met: bool
    text: str


def gain(row: Row) -> float:
    """How much better the first value is."""
    gap = row.means[1] - row.means[0] if lower_is_better(row.metric) else row.means[0] - row.means[1]
    return round(gap, DECIMALS)


def ranked(row: Row) -> np.ndarray:
    """The place of each value in its row; equal ones have the best of their places."""
    signed = np.array(row.means) * (1 if lower_is_better(row.metric) else -1)
    return scipy.stats.rankdata(np.round(signed, DECIMALS), method="min")


def head(text: str, metrics: Sequence[str]) -> str:
    """With the metric, where there is one only; else each cell says its own."""
    return f"{text} ({metrics[0]})" if len(metrics) == 1 else text


def bounded(
    name: str,
    found: Mapping[str, float],
    statistic: str | None,
    share: float | None,
    more_than: float | None,
    bounds: Mapping[str, float],
) -> Finding:
    if statistic is None:
        met = {label: _inside(value, bounds) for label, value in found.items()}
        listed = {label: f"{label} {short(value)}".strip() for label, value in found.items()}
        found_cells = counted(met, listed, share, more_than, _words(bounds))
        return Finding(found_cells.met, f"{name}: {found_cells.text}")
    value = STATISTICS[statistic](list(found.values()))
    each = ", ".join(f"{label} {short(one)}" for label, one in found.items())
    shown = f" ({each})" if 1 < len(found) <= _LISTED else ""
    return Finding(_inside(value, bounds), f"{name}: {statistic} {short(value)} over {len(found)}{shown}")


def _inside(value: float, bounds: Mapping[str, float]) -> bool:
    return all(BOUNDS[kind](round(value, DECIMALS), bound) for kind, bound in bounds.items())


def _words(bounds: Mapping[str, float]) -> str:
    return " and ".join(f"{kind.replace('_', ' ')} {bound:g}" for kind, bound in bounds.items())


def counted(
    met: Mapping[str, bool],
    listed: Mapping[str, str],
    share: float | None,
    more_than: float | None,
    what: str,
) -> Finding:
    """Whether enough cells are as they should be; those that are not are listed."""
    good = sum(met.values())
    least = (1 if share is None else share) * len(met)
    enough = good >= least if more_than is None else good > more_than * len(met)
    text = f"{good} of {len(met)} {what}"
    shown = list(met) if len(met) <= _LISTED else [name for name, fine in met.items() if not fine]
    if shown:
        rest = len(shown) - _LISTED
        intro = ": " if len(met) <= _LISTED else "; not "
        more = f" and {rest} more" if rest > 0 else ""
        text += intro + "; ".join(listed[name] for name in shown[:_LISTED]) + more
    return Finding(enough, text)
