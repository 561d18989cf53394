"""Whether a claim holds: by our numbers, and by those that its paper prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike

from labelknn.utils._files import write_table
from labelknn_papers.judge.claims.definitions import Claim, Condition, PaperClaims, functions_of
from labelknn_papers.judge.claims.findings import Finding
from labelknn_papers.judge.claims.values import Missing, Values

HOLDS, IN_PART, FAILS, OPEN = VERDICTS = ("holds", "holds in part", "does not hold", "cannot be decided")

COLUMNS = (
    "paper",
    "id",
    "section",
    "claim",
    "criterion",
    "verdict",
    "verdict_printed",
    "evidence",
    "evidence_printed",
)
MEASURED = ("paper", "id", "verdict", "evidence")
TIMED = "Measured seconds, which differ from run to run: they are in claims_seconds.csv."


@dataclass(frozen=True)
class Judgement:
    verdict: str
    evidence: str


@dataclass(frozen=True)
class Decided:
    """A claim with what our numbers and the printed ones say of it."""

    claim: Claim
    ours: Judgement
    printed: Judgement

    def row(self) -> tuple[str, ...]:
        """In COLUMNS; the same in every run, so that measured seconds are left out."""
        claim, measured = self.claim, self.claim.timed and self.ours.verdict != OPEN
        return (
            claim.paper,
            claim.id,
            claim.section,
            claim.claim,
            claim.criterion,
            self.ours.verdict,
            self.printed.verdict,
            TIMED if measured else self.ours.evidence,
            self.printed.evidence,
        )


def decide_all(claims: PaperClaims, ours: Values) -> list[Decided]:
    """Of one paper; `ours` has the printed values beside it."""
    found = []
    assert ours.printed is not None
    for claim in claims.claims:
        dispensable = () if claim.indispensable else tuple(claims.dispensable)
        asked = claim.printed
        in_print = replace(claim, holds=asked["holds"], partly=asked.get("partly", ())) if asked else claim
        found.append(
            Decided(
                claim,
                _decide(claim, replace(ours, dispensable=dispensable, without={})),
                _decide(in_print, replace(ours.printed, without={})),
            )
        )
    return found


def _decide(claim: Claim, values: Values) -> Judgement:
    try:
        verdict, texts = _verdict(claim, values)
    except Missing as missing:
        return Judgement(OPEN, f"Missing: {missing}.")
    if values.without:
        texts.append("Without " + ", ".join(f"{name} ({why})" for name, why in values.without.items()))
    return Judgement(verdict, ". ".join(texts) + ".")


def _verdict(claim: Claim, values: Values) -> tuple[str, list[str]]:
    """The verdict and what it rests on."""
    findings = [_find(claim.paper, one, values) for one in claim.holds]
    texts = list(dict.fromkeys(finding.text for finding in findings))
    if all(finding.met for finding in findings):
        return HOLDS, texts
    if not claim.partly:
        return FAILS, texts
    weaker = [_find(claim.paper, one, values) for one in claim.partly]
    texts = list(dict.fromkeys([*texts, *(finding.text for finding in weaker)]))
    return (IN_PART if all(finding.met for finding in weaker) else FAILS), texts


def _find(paper: str, condition: Condition, values: Values) -> Finding:
    if condition.parts:
        found = [_find(paper, one, values) for one in condition.parts]
        met = [one.met for one in found]
        enough = any(met) if condition.function == "any" else all(met)
        return Finding(enough, "; ".join(dict.fromkeys(one.text for one in found)))
    return functions_of(paper)[condition.function](values, **condition.arguments)


def write_claims(path: str | PathLike, decided: Iterable[Decided]) -> None:
    write_table(path, COLUMNS, (one.row() for one in decided))


def write_measured(path: str | PathLike, decided: Iterable[Decided]) -> None:
    """What claims about seconds rest on."""
    rows = [(one.claim.paper, one.claim.id, one.ours.verdict, one.ours.evidence) for one in decided if one.claim.timed]
    write_table(path, MEASURED, rows)


def scorecard(decided: Mapping[str, Sequence[Mapping[str, str]]]) -> dict[str, dict[str, tuple[int, int]]]:
    """By paper and verdict: how many claims, by our numbers and by the printed ones; rows are those of claims.csv."""
    return {
        paper: {
            verdict: (
                sum(row["verdict"] == verdict for row in rows),
                sum(row["verdict_printed"] == verdict for row in rows),
            )
            for verdict in VERDICTS
        }
        for paper, rows in decided.items()
    }
