"""config/claims: that all claims are there, and that what is misspelt is refused with what is known."""

import csv

import pytest

from labelknn.errors import ConfigError
from labelknn_papers.judge.claims.definitions import claims_of, read_claims
from labelknn_papers.plan.plan import Plan

from ...checkout import CONFIG
from ...conftest import ROOT

CLAIM = {"id": "one", "section": "IV", "claim": "ML-kNN is good.", "evidence": "Table I", "criterion": "It is good."}
GOOD = {
    "function": "beats",
    "table": "table2",
    "methods": [{"table": "table1", "method": "mlknn", "setting": "k=7"}],
    "over": ["rank-svm"],
    "metrics": ["one_error"],
}
NEAR = {
    "function": "difference",
    "table": "table2",
    "of": "rank-svm",
    "minus": "boostexter",
    "metrics": ["one_error"],
    "at_most": 0.1,
}


@pytest.fixture(scope="module")
def plan():
    return Plan(CONFIG, ROOT)


@pytest.fixture(scope="module")
def claims(plan):
    return read_claims(plan)


def test_every_claim_is_there(claims):
    """What the list that they come from has, if it is at hand."""
    counts = {paper: len(one.claims) for paper, one in claims.items()}
    assert counts == {"brinker2007": 16, "cheng2009": 23, "chiang2012": 24, "feremans2017": 28, "zhang2005": 12}
    listed = ROOT.parent / "shared/papers/claims.csv"
    if not listed.exists():
        pytest.skip("the list of claims is not at hand")
    with listed.open(newline="") as file:
        expected = {(row["paper"], row["id"]) for row in csv.DictReader(file)}
    assert {(paper, claim.id) for paper, one in claims.items() for claim in one.claims} == expected


def test_claims_about_seconds_are_known_as_such(claims):
    timed = {claim.id for one in claims.values() for claim in one.claims if claim.timed}
    assert {"faster-in-testing", "runtime-like-classifiers", "lcif-fastest", "extreme-reasonable-time"} <= timed
    assert not timed & {"knn-competitive", "k-matters", "tree-size-not-dramatic", "em-converges-quickly"}


def edited(plan, *conditions, **claim):
    """A claim of zhang2005 that consists of these conditions."""
    document = {"claims": [{**CLAIM, "holds": list(conditions or [GOOD]), **claim}]}
    return claims_of(plan, "zhang2005", document, "zhang2005.yaml").claims


def test_a_claim_as_it_should_be(plan):
    (claim,) = edited(plan, GOOD, {"any": [GOOD, {"all": [NEAR]}]})
    assert [one.function for one in claim.holds] == ["beats", "any"]
    first, second = claim.holds[1].parts
    assert (first.function, [one.function for one in second.parts]) == ("beats", ["difference"])


def without(condition, key):
    return {name: value for name, value in condition.items() if name != key}


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (GOOD | {"function": "beat"}, r"zhang2005\.yaml, one, holds: unknown function 'beat'\. Did you mean 'beats'"),
        (GOOD | {"table": "table3"}, "unknown table 'table3'. Did you mean 'table2'"),
        (GOOD | {"over": ["rank-swm"]}, "unknown method 'rank-swm'. Did you mean 'rank-svm'"),
        (GOOD | {"methods": ["mlknn"]}, "unknown method 'mlknn'.*Known: .*adtboost-mh, boostexter, rank-svm"),
        (
            GOOD | {"methods": [{"table": "table1", "method": "mlknn", "setting": "k=5"}]},
            "unknown setting 'k=5'.*k=6, k=7, k=8, k=9",
        ),
        (GOOD | {"metrics": ["one_eror"]}, "unknown metric 'one_eror'. Did you mean 'one_error'"),
        (GOOD | {"datasets": ["yaest"]}, "unknown data set 'yaest'. Did you mean 'yeast'"),
        (GOOD | {"sahre": 0.5}, "unknown argument 'sahre'. Did you mean 'share'"),
        (GOOD | {"share": "half"}, "share is 'half', expected a number"),
        (GOOD | {"errors": True}, "errors is True, expected a number"),
        (without(GOOD, "over"), "beats: over is missing"),
        (without(NEAR, "at_most"), "it has no number; expected at least one of at_least, at_most, above, below"),
        (NEAR | {"at_most": "a little"}, "at_most is 'a little', expected a number"),
        (NEAR | {"statistic": "average"}, "unknown statistic 'average'"),
        (NEAR | {"table": "rounds"}, "unknown method .rank-svm.*Known: .*boostexter"),
        ({"any": [GOOD | {"function": "beat"}]}, "unknown function 'beat'"),
        ({"table": "table1"}, r"zhang2005\.yaml, claims, 0, holds, 0"),
    ],
)
def test_what_is_misspelt_is_refused(plan, condition, message):
    with pytest.raises(ConfigError, match=message):
        edited(plan, condition)


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"holds": []}, "holds"),
        ({"holdz": [GOOD]}, "unknown key 'holdz'. Did you mean 'holds'"),
        ({"partly": [GOOD | {"function": "beat"}]}, "one, partly: unknown function"),
        ({"printed": {"holds": [GOOD | {"function": "beat"}]}}, "one, printed, holds: unknown function"),
        ({"id": "Not a key"}, "Not a key"),
    ],
)
def test_a_claim_of_another_form_is_refused(plan, claim, message):
    with pytest.raises(ConfigError, match=message):
        edited(plan, **claim)


def test_two_claims_of_one_name_and_unknown_data_are_refused(plan):
    one = {**CLAIM, "holds": [GOOD]}
    for document, message in (
        ({"claims": [one, one]}, "two claims are called 'one'"),
        ({"claims": [one], "dispensable": {"yaest": "x"}}, "dispensable: unknown data set 'yaest'"),
    ):
        with pytest.raises(ConfigError, match=message):
            claims_of(plan, "zhang2005", document, "zhang2005.yaml")


def test_a_filter_leaves_the_names_of_claims(claims):
    """Tables and figures that are not run are known all the same."""
    only = {"zhang2005": {"tables": ["table1"], "figures": []}}
    plan = Plan(CONFIG | {"papers": ["zhang2005"], "only": only}, ROOT)
    assert read_claims(plan)["zhang2005"] == claims["zhang2005"]
