"""The page of a comparison: what it says, and how it behaves in a real browser."""

import re

import pytest

from labelknn_papers.judge.advice import Sentence
from labelknn_papers.judge.compared import compared
from labelknn_papers.judge.peers import Cause
from labelknn_papers.judge.seconds import Seconds
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.score import Score
from labelknn_papers.show.comparison_page import render_comparisons
from labelknn_papers.show.comparison_report import comparison_report, protocol_text, short_note

from ..checkout import CONFIG
from ..conftest import ROOT
from .made_up import SVG

METHODS = {"Near": "mlknn", "Scaled": "brknn", "Late": "rakel"}
OURS = {
    "title": "Ours",
    "caption": "Three & more.",
    "datasets": ["emotions", "flags", "delicious"],
    "protocol": [{"up_to": 3000, "use": {"kind": "cross-validation", "folds": 2}}, {"use": {"kind": "public-split"}}],
    "methods": METHODS,
    "metrics": ["hamming_loss", "micro_f1"],
    "time_limit": 7,
    "peers": [{"ours": "Near", "theirs": "Scaled", "because": "It is another one."}],
}
VALUES = {"Near": (0.25, 0.3, 0.02), "Scaled": (0.2, 0.35, 0.03), "Late": (0.22, 0.1, None)}


@pytest.fixture(scope="module")
def report():
    plan = Plan(CONFIG | {"compare": {"ours": OURS}}, ROOT)
    entries = plan.entries("ours")
    scores, stopped, seconds = [], {}, []
    for entry in entries:
        value = VALUES[entry.method][OURS["datasets"].index(entry.cell.dataset)]
        if value is None:
            stopped[entry.cell.path] = "more than 7 s"
            continue
        folds = range(entry.cell.protocol.folds or 1)
        for metric, best in (("hamming_loss", value), ("micro_f1", 1 - value)):
            place = (entry.cell.protocol.id, entry.cell.dataset, entry.cell.method, "")
            scores += [Score(*place, 0, fold, metric, best + fold / 100) for fold in folds]
        seconds.append(Seconds(entry.cell.dataset, entry.method, "", len(folds), 1.5, 0.25))
    found = compared(plan.comparisons["ours"], entries, scores, stopped, {}, {})
    told = [
        Sentence("hamming_loss", "", "coverage", "8 of 9 <b>.", "count"),
        Sentence("micro_f1", "", "best", "Near.", ""),
    ]
    peer = {"ours": "Near", "theirs": "Scaled", "metric": "micro_f1", "condition": "", "dataset": "flags"}
    peer |= {"our_mean": "0.7", "their_mean": "0.65", "difference": "0.05", "p": "", "time_ratio": "3"}
    causes = [Cause("Near", "Scaled", "", "flags", 400, 8, 2, 0)]
    return comparison_report(
        plan, "ours", found, seconds, told, [peer | {"because": "It is."}], causes, {}, [], ["ours.csv"]
    )


@pytest.fixture(scope="module")
def text(report):
    return render_comparisons([report], "Which?", "On the same terms.")


def test_it_says_what_was_compared_and_how(text):
    assert "Three &amp; more. All methods on the same splits. On a data set a method may take 7 s and 4 GB." in text
    assert "8 of 9 &lt;b&gt;." in text
    heads = re.findall(r'<th scope="col" data-dataset="(\w+)" title="([^"]*)">', text)
    assert heads[0] == ("emotions", "Emotions in music: 2 folds"), "titles, not ids"
    assert not re.search(r"""(src|href)=.http""", text)
    assert "../index.html" not in text


def test_beside_the_reproduction_it_leads_there(report):
    assert '<a href="../index.html">' in render_comparisons([report], "Which?", "On the same terms.", "../index.html")


def test_each_measure_has_a_table_with_the_features_and_the_best(report):
    assert [table.view for table in report.tables] == ["hamming_loss", "micro_f1", "fit_seconds", "predict_seconds"]
    lines = {name: (features, cells, rank) for name, features, cells, rank in report.tables[0].lines}
    assert {name: features for name, (features, _, _) in lines.items()} == {
        "Near": "as they are",
        "Scaled": "min-max",
        "Late": "as they are",
    }
    assert [cell.text for cell in lines["Near"][1]] == ["0.255", "0.305", "0.020"]
    assert [cell.best for cell in lines["Near"][1]] == [False, False, True]
    assert lines["Near"][1][0].more == "95% interval 0.145 to 0.365, 2 splits"
    assert (lines["Late"][1][2].text, lines["Late"][1][2].more) == ("> 7 s", "more than 7 s")
    # Late lacks a data set: of the methods and the data sets, it is the method that is left out.
    assert {name: rank for name, (_, _, rank) in lines.items()} == {"Near": "1.3", "Scaled": "1.7", "Late": ""}
    assert [name for name, *_ in report.tables[0].lines] == ["Near", "Scaled", "Late"], "the best first"
    assert [cell.text for cell in report.tables[2].lines[0][2]] == ["1.5"] * 3
    assert report.tables[3].lines[2][2][2].text == "> 7 s"


def test_each_data_set_has_its_split_and_how_many_values(report):
    (study,) = (one for one in report.studies if one.key == "datasets")
    assert study.rows == [
        ["Emotions in music", "2 folds", 3, 3, 0, 0, 0],
        ["Flags of nations", "2 folds", 3, 3, 0, 0, 0],
        ["Tags of del.icio.us bookmarks", "its public split", 3, 2, 1, 0, 0],
    ]


def test_what_decides_comes_first(report):
    plan = Plan(CONFIG | {"compare": {"ours": OURS}}, ROOT)
    found = compared(plan.comparisons["ours"], plan.entries("ours"), [], {}, {}, {})
    said = ["ordering", "rows", "time", "practical", "best", "coverage"]
    told = [Sentence("micro_f1", "", about, about, "") for about in said]
    made = comparison_report(plan, "ours", found, [], told, [], [], {}, [], [])
    assert [one.text for one in made.sentences] == ["coverage", "best", "practical", "time", "rows", "ordering"]


def test_two_libraries_and_how_much_of_what_differs_is_explained(report):
    (study,) = (one for one in report.studies if one.key == "peers")
    row = dict(zip(study.columns, study.rows[0], strict=True))
    assert (row["ours"], row["theirs"], row["time ratio"]) == (0.7, 0.65, 3.0)
    assert [row[name] for name in study.columns[-3:]] == [2.0, 0.5, 0.0], "8, 2 and none of 400 labels"
    assert "It is another one. On 1 data set 8 of 400 predicted labels differ. " in study.caption
    assert study.caption.endswith("The reason explains 75 % of the differences.")


def test_in_few_letters():
    assert short_note("more than 120 s") == "> 120 s"
    assert short_note("more than 60 s (as the first of 10 splits shows)") == "> 60 s"
    assert short_note("more than 4 GB of memory (unable to allocate 9 GiB)") == "> 4 GB"
    assert short_note("the method gives no scores") == "–"
    assert short_note("k = 0, expected a whole number from 1") == "error"


def test_protocols_in_words():
    plan = Plan(CONFIG, ROOT)
    texts = {protocol_text(entry.cell.protocol) for entry in plan.entries("multilabel")}
    assert texts == {"10 folds", "its public split", "33% of the rows held out"}


@pytest.mark.browser
def test_one_measure_and_one_data_set_at_a_time(text, tmp_path, browser):
    path = tmp_path / "index.html"
    path.write_text(text.replace("</ul>", "</ul>" + SVG[SVG.index("<svg") :]), encoding="utf-8")
    context = browser.new_context(viewport={"width": 1200, "height": 800}, offline=True)
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    shown = page.locator(".view:visible h3")
    assert shown.all_inner_texts() == ["Hamming loss"]
    assert page.locator(".findings li:visible").count() == 1
    page.get_by_label("Measure").select_option("micro_f1")
    assert shown.all_inner_texts() == ["Micro F1"]
    assert page.locator(".findings li:visible").count() == 2, "what is about all of it stays"
    assert page.locator(".view:visible thead th:visible").count() == 6
    page.get_by_label("Data set").select_option("flags")
    assert page.locator(".view:visible thead th:visible").all_inner_texts()[3] == "Flags of nations"
    assert "95% interval" in page.locator(".view:visible tbody tr").first.inner_text()
    page.locator(".view:visible thead").get_by_role("button", name="Flags of nations").click()
    assert page.locator(".view:visible tbody th").all_inner_texts() == ["Scaled", "Near", "Late"], "sorted upwards"
    context.close()
    assert complaints == []
