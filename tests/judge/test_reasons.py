"""Reasons that quote results, and numbers that a formula or a variant explains."""

import pytest

from labelknn.errors import ConfigError
from labelknn_papers.judge.claims.definitions import vocabularies
from labelknn_papers.judge.claims.values import Missing, Place, Values
from labelknn_papers.judge.comparison import NOT_IMPLEMENTED, TIMED, Comparison
from labelknn_papers.judge.estimates import Estimate
from labelknn_papers.judge.files import read_table
from labelknn_papers.judge.quotes import Quote, look_up, read_quote
from labelknn_papers.judge.reasons import Reasoner, read_reasons
from labelknn_papers.plan.cells import Published, Target
from labelknn_papers.plan.plan import Plan

from ..checkout import CONFIG, checkout
from ..conftest import ROOT


def number(method="lrt", metric="kendall_tau", dataset="iris", setting="missing=0.6", printed="0.8", table="table2"):
    return Published(table, dataset, method, metric, setting, printed, "a note")


def values(**given):
    """Of lrt and of its variant on two data sets, and what is printed of lrt there."""
    ours = {
        ("iris", "lrt"): Estimate(0.7, 0.01, 4),
        ("iris", "lrt-concordance"): Estimate(0.79),
        ("wine", "lrt"): Estimate(0.5),
        ("wine", "lrt-concordance"): Estimate(0.9),
    }
    printed = {("iris", "lrt"): Estimate(0.8), ("wine", "lrt"): Estimate(0.3)}
    inside, outside = (
        {Place("table2", *place, "kendall_tau", "missing=0.6"): one for place, one in some.items()}
        for some in (ours, printed)
    )
    return Values(inside, printed=Values(outside), **given)


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        (Quote(), 0.7),
        (Quote(what="error"), 0.01),
        (Quote(what="spread"), 0.02),
        (Quote(datasets=["wine"]), 0.5),
        (Quote(datasets="all", statistic="mean"), 0.6),
        (Quote(from_printed=True), -0.1),
        (Quote(datasets="all", from_printed=True, statistic="mean magnitude"), 0.15),
    ],
)
def test_what_is_quoted(quote, expected):
    assert look_up(quote, values(), number()) == pytest.approx(expected)


@pytest.fixture(scope="module")
def tables():
    return vocabularies(Plan(CONFIG, ROOT), "cheng2009")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("lrt-concordance", 0.79),
        ({"of": "lrt-concordance", "minus": "lrt"}, 0.09),
        ({"of": "lrt", "over": "lrt-concordance"}, 0.7 / 0.79),
        ({"of": "lrt-concordance", "from_printed": "lrt"}, -0.01),
        ({"of": "lrt-concordance", "from_printed": "lrt", "datasets": "all", "statistic": "largest"}, 0.6),
    ],
)
def test_a_method_alone_is_quoted_by_its_name(tables, given, expected):
    assert look_up(read_quote(given, "table2", tables, "here"), values(), number()) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("lrt-concordence", "here: unknown method 'lrt-concordence'. Did you mean 'lrt-concordance'"),
        ({"table": "table3"}, "unknown table 'table3'"),
        ({"metric": "kendal_tau"}, "unknown metric 'kendal_tau'. Did you mean 'kendall_tau'"),
        ({"datasets": ["iirs"]}, "unknown data set 'iirs'"),
        ({"settings": ["missing=0.5"]}, "unknown setting 'missing=0.5'"),
        ({"datasets": "all"}, "these are several numbers; `statistic` says"),
        ({"datasets": ["iris", "wine"]}, "these are several numbers"),
        ({"datasets": "all", "statistic": "average"}, "unknown statistic 'average'"),
    ],
)
def test_a_quote_of_what_is_not_there_is_refused(tables, given, message):
    with pytest.raises(ConfigError, match=message):
        read_quote(given, "table2", tables, "here")


def test_what_was_not_run_is_missing():
    with pytest.raises(Missing):
        look_up(Quote(datasets=["stock"]), values(), number())
    with pytest.raises(Missing):
        look_up(Quote(what="error", datasets=["wine"]), values(), number())


def planned(folder, **entries):
    """The repository's plan, with these reasons and explanations of cheng2009's tables in place of its own."""
    tables = {name: {"reasons": [], "explanations": []} | one for name, one in entries.items()}
    root = checkout(folder, {"config/papers/cheng2009.yaml": {"tables": tables}})
    return Plan(CONFIG | {"papers": ["cheng2009"]}, root)


def given(plan, *comparisons, variants=(), facts=None):
    return Reasoner(plan, "cheng2009", values(), variants, facts or {}).give(comparisons)


def differing(one=None, verdict="differs", reason="", **more):
    return Comparison(Target(one or number(**more), "kendall_tau", "iris"), Estimate(0.7), -0.1, 0.01, verdict, reason)


REASONS = [
    {"because": "It is hard."},
    {"method": "lrt", "because": "The program has {program:.2f}.", "quotes": {"program": "lrt-concordance"}},
]


def test_the_most_specific_reason_is_given_with_its_numbers(tmp_path):
    plan = planned(tmp_path, table2={"reasons": REASONS})
    others = (differing(method="cc"), differing(verdict="close"), differing(reason="5 of 50 splits"))
    found = given(plan, differing(), *others, differing(dataset="stock"))
    assert [one.reason for one in found] == [
        "The program has 0.79.",
        "It is hard.",
        "",
        "5 of 50 splits; The program has 0.79.",
        "The program has (not run).",
    ]
    (bare,) = given(planned(tmp_path / "bare", table2={}), differing())
    assert bare.reason == "a note", "the note on the printed number, where there is no reason"


def test_a_variant_explains_what_it_may_and_only_if_it_is_near(tmp_path):
    may = {
        "method": "lrt",
        "metric": "kendall_tau",
        "variant": "lrt-concordance",
        "because": "The program has {value:.2f}.",
    }
    plan = planned(tmp_path, table2={"reasons": REASONS, "explanations": [may]})
    near, far = (
        [Comparison(Target(number("lrt-concordance"), "kendall_tau", "iris"), Estimate(0.79), verdict=verdict)]
        for verdict in ("close", "differs")
    )
    (one,) = given(plan, differing(), variants=near)
    assert (one.verdict, one.reason, one.ours.mean) == ("explained", "The program has 0.79.", 0.7)
    for cell, variants in ((differing(), far), (differing(), []), (differing(method="cc"), near)):
        assert given(plan, cell, variants=variants)[0].verdict == "differs"
    assert given(plan, differing(verdict="close"), variants=near)[0].verdict == "close"


def test_a_formula_explains_a_number_that_it_gives_exactly(tmp_path):
    may = {"metric": "instances", "formula": "with_a_test_fold_for_each_other", "because": "That is {value:.0f}."}
    plan = planned(tmp_path, table1={"explanations": [may]})
    sizes = number("", "instances", printed="270", setting="type=A", table="table1")
    facts = {"iris": {"instances": 150}}
    assert [one.verdict for one in given(plan, differing(sizes), facts=facts)] == ["explained"]
    absent = Comparison(Target(sizes, "instances", "iris"), verdict="not run", reason=NOT_IMPLEMENTED)
    assert given(plan, absent, facts=facts)[0].reason == "That is 270."
    assert given(plan, absent)[0].verdict == "not run", "the data could not be had"
    assert given(plan, differing(sizes), facts={"iris": {"instances": 160}})[0].verdict == "differs"


@pytest.mark.parametrize(
    ("part", "entry", "message"),
    [
        ("reasons", {"because": "{a}"}, "table2, reasons: unknown quote 'a'"),
        ("reasons", {"because": "a", "quotes": {"a": "lrt"}}, r"table2, reasons: no text has \{a\}"),
        ("reasons", {"because": "{a:.2q}", "quotes": {"a": "lrt"}}, "Unknown format code 'q'"),
        ("reasons", {"because": "{a", "quotes": {"a": "lrt"}}, "expected '}'"),
        ("reasons", {"because": "{a}", "quotes": {"a": "ltr"}}, "reasons, quotes, a: unknown method 'ltr'"),
        ("reasons", {"because": "a", "method": "ltr"}, "reasons, ltr: unknown method 'ltr'. Did you mean 'lrt'"),
        ("reasons", {"because": "a", "dataset": "iirs"}, "unknown dataset 'iirs'"),
        ("explanations", {"because": "{value}", "formula": "n"}, "explanations: unknown formula 'n'"),
        ("explanations", {"because": "{value}", "variant": "iblr"}, "unknown variant 'iblr'"),
        ("explanations", {"because": "so", "variant": "lrt-concordance"}, r"no text has \{value\}"),
    ],
)
def test_a_reason_that_names_what_is_not_there_is_refused(tmp_path, part, entry, message):
    with pytest.raises(ConfigError, match=message):
        read_reasons(planned(tmp_path, table2={part: [entry]}), "cheng2009")


@pytest.mark.parametrize(
    "entry", [{"because": "a", "quote": {}}, {"because": "a", "quotes": {"of": {"of": "lrt", "statistics": "mean"}}}]
)
def test_a_reason_of_another_form_is_refused(tmp_path, entry):
    with pytest.raises(ConfigError, match="reasons, 0"):
        planned(tmp_path, table2={"reasons": [entry]})


def test_seconds_are_quoted_beside_run_times_only(tmp_path):
    """What comparison.csv says is the same in every run."""
    slow = {"because": "It takes {a:.2g} s.", "quotes": {"a": {"of": "lcif"}}}
    edits = {"config/papers/feremans2017.yaml": {"tables": {"table4": {"reasons": [slow]}}}}
    plan = Plan(CONFIG | {"papers": ["feremans2017"]}, checkout(tmp_path, edits))
    with pytest.raises(ConfigError, match="table4, reasons: a are seconds, which differ from run to run"):
        read_reasons(plan, "feremans2017")


def test_every_reason_of_the_papers_can_be_read():
    plan = Plan(CONFIG, ROOT)
    assert all(read_reasons(plan, paper) for paper in plan.papers)


def test_every_reason_quotes_a_result():
    plan = Plan(CONFIG, ROOT)
    tables = [one for paper in plan.papers for one in read_reasons(plan, paper).values()]
    reasons = [reason for one in tables for reason in one.reasons]
    assert len(reasons) > 20
    assert [reason.because for reason in reasons if not reason.quotes] == []


def test_every_number_of_the_record_that_differs_has_a_reason():
    """With all results that it quotes, since the record is of a full run."""
    for path in sorted((ROOT / "figures").glob("*/comparison.csv")):
        for row in read_table(path):
            if row["verdict"] in ("differs", "explained"):
                place = [path.parent.name, *list(row.values())[:5]]
                assert row["reason"].removeprefix(TIMED), place
                assert "(not run)" not in row["reason"], place
