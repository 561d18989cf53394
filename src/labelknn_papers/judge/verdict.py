"""How close is close: the written rule that turns a published number and ours into a verdict.

With a standard error s of our mean over the splits, and u the last digit that the paper prints:

matches    |difference| ≤ max(2 s, u)
close      |difference| ≤ max(4 s, 5 % of the published value, 3 u)
explained  neither, but a tested formula or a declared variant gives the published number within the rule
           (`judge.explanations`)
differs    anything else

Where the paper has one random split and we have several, s is the standard deviation of a single split's value: by that
much two single splits differ. The paper's file says so with `one_split`. An average rank is no mean over splits: its s
comes from the bootstrap (`judge.rank_errors`).

A count (instances, features, labels ...) has no error and no tolerance: it matches if it is the same number. A p-value
matches if it decides as the printed one does at the 5 % level, else it differs.

Where fewer splits were run than the paper's protocol has, s is wider (`judge.estimates.Estimate.error`), and p-values
and average ranks are not judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from labelknn.metrics import METRICS
from labelknn_papers.plan.cells import Published

MATCHES, CLOSE, EXPLAINED, DIFFERS, NOT_RUN = VERDICTS = ("matches", "close", "explained", "differs", "not run")

# In the place of a verdict: a method of the user's own, of which the paper has no number.
OWN = "own"

# Where a printed p-value is called significant; chiang2012 counts those "smaller than or equal to 0.05".
LEVEL = 0.05


@dataclass(frozen=True)
class Judgement:
    difference: float
    tolerance: float
    verdict: str


def judge(
    published: Published, metric: str, ours: float, error: float | None, compared_with: float | None = None
) -> Judgement:
    """Our value against a number that the paper prints; `tolerance` is how far a match may be off.

    error : s.
    compared_with : what stands for the printed number where ours is of fewer data sets.
    """
    value = published.value if compared_with is None else compared_with
    assert value is not None
    if metric == "p_value":
        alike = (ours <= LEVEL) == (value <= LEVEL)
        return Judgement(ours - value, 0.0, MATCHES if alike else DIFFERS)
    counted = metric not in METRICS and published.digits == 0
    unit = 0.0 if counted else 10.0**-published.digits
    s = 0.0 if error is None else error
    tolerance = max(2 * s, unit)
    wider = max(4 * s, 0.05 * abs(value), 3 * unit)
    difference = ours - value
    # Both numbers are decimals of a few digits: .198 − .197 must not exceed .001 by the rounding of floats.
    distance = abs(difference) * (1 - 1e-9)
    verdict = MATCHES if distance <= tolerance else CLOSE if distance <= wider else DIFFERS
    return Judgement(difference, tolerance, verdict)


def tally(verdicts: Iterable[str]) -> dict[str, int]:
    """How often each verdict was given, those included that never were."""
    found = Counter(verdicts)
    return {verdict: found[verdict] for verdict in VERDICTS}
