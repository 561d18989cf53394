"""The page: what it says as text."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from labelknn.errors import ConfigError, DataError
from labelknn_papers.judge.verdict import NOT_RUN, VERDICTS
from labelknn_papers.show.anchors import anchors_of
from labelknn_papers.show.looks import LOOKS
from labelknn_papers.show.page import render_page
from labelknn_papers.show.reports import FigureReport, Layout, Origin, PaperReport, Row, TableReport, Unreached

from .made_up import FILES, STUDIES, SVG, UNREACHED


class Outline(HTMLParser):
    """The start tags of a page with their attributes, and the text inside each table cell; tags must be balanced."""

    VOID = ("meta", "link", "br", "img", "input", "hr")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.cells: list[tuple[dict[str, str], str]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag in ("td", "th"):
            self.cells.append((self.tags[-1][1], ""))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            attributes, text = self.cells[-1]
            self.cells[-1] = attributes, text + data

    def values(self) -> list[tuple[dict[str, str], str]]:
        return [(attributes, text) for attributes, text in self.cells if "data-verdict" in attributes]


@pytest.fixture(scope="module")
def outline(page_text) -> Outline:
    return Outline(page_text)


def a_row(**changes) -> Row:
    row = Row(
        table="table1",
        dataset="yeast",
        method="mlknn",
        metric="hamming_loss",
        setting="",
        published=0.197,
        ours=0.195,
        se=0.001,
        difference=-0.002,
        tolerance=0.002,
        verdict="matches",
        reason="",
    )
    return Row(**{**row, **changes})


def one_table(rows, layout=None, digits=None, **changes) -> list[PaperReport]:
    layout = layout or Layout(["dataset"], ["method"])
    digits = digits or [3] * len(rows)
    table = TableReport("table1", "Table I", "Caption.", rows, layout, [Origin()] * len(rows), digits)
    return [PaperReport("zhang2005", "Title", "Authors", "Venue", 2005, tables=[table], **changes)]


def embedded(text: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))


def said(text: str, anchor: str) -> list[str]:
    """What the details of a number say."""
    data = embedded(text)
    return [data["texts"][place] for place in data["cells"][anchor]]


def test_every_row_is_one_cell_with_its_two_values(papers, outline):
    def shown(value, digits, missing):
        return missing if value is None else f"{value:.{digits}f}".replace("-", "−")

    names = ("dataset", "method", "metric", "setting", "verdict")
    expected = Counter(
        (
            *(paper.key, table.key, *(row[name] for name in names)),
            *(
                ("0.5", "0.25")
                if place in table.ratios and row["published"] is not None
                else (shown(row["published"], digits, "N/A"), shown(row["ours"], digits, "–"))
            ),
        )
        for paper in papers
        for table in (*paper.tables, *paper.variants)
        for place, (row, digits) in enumerate(zip(table.rows, table.digits, strict=True))
    )
    found = Counter(
        (*(attributes[f"data-{name}"] for name in ("paper", "table", *names)), *text.split())
        for attributes, text in outline.values()
    )
    assert found == expected
    assert sum(found.values()) > 1000
    assert set(found.values()) == {1}


def test_every_printed_number_has_a_square_and_every_link_and_id_is_sound(papers, outline):
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    links = [attributes["href"] for tag, attributes in outline.tags if tag == "a"]
    squares = [attributes for tag, attributes in outline.tags if tag == "a" and "mark" in attributes.get("class", "")]
    assert outline.open == []
    assert len(set(ids)) == len(ids)
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
    files = {link for link in links if not link.startswith("#")}
    timed = {"brinker2007/times.csv", "feremans2017/times.csv"}
    assert files == {*FILES, *timed, *(f"{paper.key}/comparison.csv" for paper in papers)}
    judged = [attributes for attributes, _ in outline.values() if attributes["data-verdict"]]
    printed = [attributes for attributes in judged if not attributes["data-table"].endswith("-variants")]
    verdict_of = {attributes["id"]: attributes["data-verdict"] for attributes in printed}
    assert {square["href"][1:]: square["title"].rpartition(": ")[2] for square in squares} == verdict_of
    assert len(squares) == len(verdict_of) == 1034


def test_a_table_of_squares_is_one_tab_stop_without_script_as_well(papers, outline):
    stops = [
        tag for tag, attributes in outline.tags if tag == "a" and "title" in attributes and "tabindex" not in attributes
    ]
    assert len(stops) == sum(len(paper.tables) for paper in papers)


def test_scorecard_counts_are_those_of_the_cells(papers, page_text):
    rows = [row for paper in papers for table in paper.tables for row in table.rows]
    total = Counter(row["verdict"] for row in rows if row["published"] is not None)
    foot = re.search(r"<tfoot>.*?</tfoot>", page_text, re.S).group()
    assert [int(number.replace(",", "")) for number in re.findall(r"<td>([\d,]+)</td>", foot)] == [
        total.total(),
        *(total[verdict] for verdict in VERDICTS),
    ]


def test_the_page_asks_for_nothing_and_is_small(page_text, outline):
    for tag, attributes in outline.tags:
        for name in ("src", "href", "xlink:href", "srcset", "action"):
            if tag != "a":
                assert attributes.get(name, "#").startswith(("#", "data:,")), (tag, attributes)
    outside = set(re.findall(r"https?://[^\"'\s<)]+", page_text))
    assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink", *UNREACHED[0].addresses}
    assert "2001-02-03" not in page_text
    assert len(page_text.encode()) < 5_000_000


def test_text_from_data_is_never_markup():
    evil = '</script><script>alert(1)</script> & "quotes"'
    row = a_row(dataset='"><b>x', verdict="differs", reason=evil)
    text = render_page(one_table([row], departures=[evil]), [Unreached(evil, evil, [evil])], [])
    assert "<script>alert" not in text
    assert "<b>x" not in text
    assert evil in embedded(text)["texts"]
    assert [attributes["data-dataset"] for attributes, _ in Outline(text).values()] == ['"><b>x']


def test_same_content_same_bytes_in_any_process(page_text):
    program = (
        "import hashlib, runpy, sys\n"
        "from labelknn_papers.show.page import render_page\n"
        "names = runpy.run_path(sys.argv[1])\n"
        "parts = [names[name] for name in ('UNREACHED', 'STUDIES', 'OVERVIEW', 'FILES')]\n"
        "page = render_page(names['papers_of_the_project'](), *parts)\n"
        "print(hashlib.sha256(page.encode()).hexdigest())"
    )
    for seed in ("1", "2"):  # the order of Python's sets follows this seed
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", program, Path(__file__).with_name("made_up.py")],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == hashlib.sha256(page_text.encode()).hexdigest()


def test_unreachable_data_come_first(papers, page_text):
    body = page_text.partition("<main")[2]
    first_lines = body[: body.index("<h1>")]
    assert first_lines.index("Wiki-10") < first_lines.index("data.example/wiki10.zip")
    assert "LABELKNN_MIRROR" in first_lines
    assert "could not be downloaded" not in render_page(papers, [], [])


def test_the_rule_is_written_down(page_text):
    rule = re.sub(r"<[^>]+>", "", page_text.partition('id="rule"')[2])
    assert "matches if |difference| ≤ max(2s, u); close if ≤ max(4s, 5 % of the published value, 3u); else" in rule
    assert "run times are compared as ratios only" in rule


def test_a_number_of_the_record_is_set_apart_and_not_counted(partial, page_text, partial_text):
    """Every count is that of the run alone; what the switch would make of it stands beside it."""
    recorded = {
        anchors_of(f"{paper.key}-{table.key}", table.rows)[place]: row
        for paper in partial
        for table in paper.tables
        for place, row in table.record.items()
    }
    assert len(recorded) > 50
    outline = Outline(partial_text)
    shown = {
        attributes["id"]: (attributes, text) for attributes, text in outline.values() if "data-record" in attributes
    }
    assert {name: attributes["data-record"] for name, (attributes, _) in shown.items()} == {
        name: row["verdict"] for name, row in recorded.items()
    }
    for name, (attributes, text) in shown.items():
        assert attributes["data-verdict"] == attributes["class"].replace("-", " ") == NOT_RUN
        assert "of the record: " in text
        digits = len(f"{recorded[name]['published']}".partition(".")[2])
        if recorded[name]["ours"] is not None and digits > 2:
            assert f"{recorded[name]['ours']:.{digits}f}" in text
    assert partial_text.count('<span class="n recorded') == len(recorded)
    squares = {a["href"][1:]: a for tag, a in outline.tags if tag == "a" and "mark" in a.get("class", "")}
    assert {squares[name]["class"] for name in recorded} == {"mark not-run"}

    def feet(text, pattern):
        return re.findall(pattern, re.search(r"<tfoot>.*?</tfoot>", text, re.S).group())

    rows = [row for paper in partial for table in paper.tables for row in table.rows if row["published"] is not None]
    alone = Counter(row["verdict"] for row in rows)
    together = Counter(row["verdict"] for row in recorded.values()) + alone
    together[NOT_RUN] -= len(recorded)
    assert re.findall(r">([\d,]+)<", "".join(feet(partial_text, r"<td>.*?</td>"))) == [
        f"{count:,}" for count in (len(rows), *(alone[verdict] for verdict in VERDICTS))
    ]
    assert feet(partial_text, r'data-together="([\d,]+)"') == [
        f"{together[verdict]:,}" for verdict in VERDICTS if together[verdict] != alone[verdict]
    ]
    details = said(partial_text, next(iter(recorded)))
    assert details[5] == "as the record says"
    assert details[-1] == "never published"


def test_a_page_says_what_is_of_this_machine_and_what_of_the_record(page_text, partial_text):
    said = " ".join(re.sub(r"<[^>]+>", "", partial_text.partition('class="balance">')[2].partition("</p>")[0]).split())
    assert said.startswith(
        "On this machine: 1,214 numbers, 54 of them by fewer splits than the paper’s (underlined). Of 211 the data and "
        "the splits are those of the record, and 209 are the same as there to the last digit. From the record: 812,"
    )
    assert partial_text.count(" shortened") > 10
    for words in ("Student", "this machine", "the record", "data-record=", "data-together=", 'class="balance"'):
        assert words not in page_text.partition("<main")[2].partition("<script")[0]


def test_a_page_without_anything_still_renders():
    assert "Scorecard" not in render_page([], [], [])


def test_column_groups_share_a_label_and_short_branches_reach_down():
    rows = [
        a_row(method="knn", setting="k=1"),
        a_row(method="knn", setting="k=2"),
        a_row(method="svm", setting=""),
    ]
    outline = Outline(render_page(one_table(rows, Layout(["dataset"], ["method", "setting"])), [], []))
    heads = [(text, attributes) for attributes, text in outline.cells if attributes.get("scope", "").startswith("col")]
    heads = {text: attributes for text, attributes in heads if text in ("knn", "k = 1", "k = 2", "svm")}
    assert (heads["knn"]["scope"], heads["knn"]["colspan"]) == ("colgroup", "2")
    assert heads["svm"]["rowspan"] == "2"
    assert [heads[name]["data-sort"] for name in ("k = 1", "k = 2", "svm")] == ["1", "2", "3"]


def test_blocks_follow_the_paper_and_fields_empty_everywhere_are_left_out():
    rows = [a_row(metric="one_error"), a_row(metric="coverage"), a_row(metric="one_error", dataset="scene")]
    text = render_page(one_table(rows, Layout(["dataset"], ["method", "setting"], ["metric"])), [], [])
    assert re.findall(r'<h4 id="[^"]*">([^<]*)</h4>', text) == ["one error", "coverage"]
    assert "colspan" not in text


def ranked(setting: str, layout: Layout) -> str:
    values = [a_row(dataset=name, method=method) for name in ("yeast", "scene") for method in ("knn", "svm")]
    ranks = [a_row(dataset="AVG", method=method, metric="average_rank", setting=setting) for method in ("knn", "svm")]
    return render_page(one_table([*values, *ranks], layout), [], [])


@pytest.mark.parametrize(
    ("setting", "layout"),
    [
        ("", Layout(["dataset"], ["metric", "method"])),
        ("of=hamming_loss", Layout(["dataset"], ["method"], ["metric", "setting"])),
    ],
    ids=["columns of their own", "a block of their own"],
)
def test_average_ranks_stand_below_what_is_ranked(setting, layout):
    outline = Outline(ranked(setting, layout))
    assert len([tag for tag, attributes in outline.tags if attributes.get("class") == "comparison"]) == 1
    heads = [
        text for attributes, text in outline.cells if attributes.get("scope") == "col" and "data-sort" in attributes
    ]
    assert heads == ["data set", "knn", "svm"]
    assert [text for attributes, text in outline.cells if attributes.get("scope") == "row" and "AVG" in text] == [
        "AVG average rank"
    ]
    assert [tag for tag, attributes in outline.tags if attributes.get("class") == "summary"] == ["tr"]
    assert [attributes["data-metric"] for attributes, _ in outline.values()][4:] == ["average_rank"] * 2
    assert not [attributes for attributes, _ in outline.cells if attributes.get("class") == "none"]


def test_average_ranks_stay_where_they_are_if_their_place_is_taken():
    rows = [a_row(), a_row(metric="average_rank")]
    outline = Outline(render_page(one_table(rows, Layout(["dataset"], ["metric"])), [], []))
    assert len(outline.values()) == 2
    assert not [tag for tag, attributes in outline.tags if attributes.get("class") == "summary"]


def test_decimal_points_stand_in_line():
    rows = [a_row(dataset="a", published=1500.0, ours=None, verdict="not run"), a_row(dataset="b")]
    text = render_page(one_table(rows, digits=[0, 3]), [], [])
    assert '<span class="n published" data-pad=".000">1500</span> <span class="n ours">–</span>' in text
    assert '<span class="n published">0.197</span> <span class="n ours">0.195</span>' in text


def test_details_have_one_more_decimal_and_a_sign():
    row = a_row(ours=0.19512, se=0.00149, difference=-0.00188, tolerance=0.00298)
    details = said(render_page(one_table([row]), [], []), "zhang2005-table1-yeast-mlknn")
    assert details[:5] == ["0.1951", "0.0015", "−0.0019", "0.0030", "0.197"]


@pytest.mark.parametrize(
    ("rows", "layout", "message"),
    [
        ([a_row(), a_row(metric="coverage")], Layout(["dataset"], ["method"]), "two rows into one cell"),
        ([a_row()], Layout(["datset"], ["method"]), "Did you mean 'dataset'"),
        ([a_row()], Layout(["dataset"], ["dataset"]), "names a field twice"),
        ([a_row(verdict="match")], Layout(["dataset"], ["method"]), "Did you mean 'matches'"),
        ([{**a_row(), "note": "x"}], Layout(["dataset"], ["method"]), "unexpected: note"),
    ],
)
def test_a_layout_or_row_that_cannot_be_shown_is_named(rows, layout, message):
    with pytest.raises(ConfigError, match=f"zhang2005/table1.*{message}"):
        render_page(one_table(rows, layout), [], [])


def test_numbers_must_be_finite():
    with pytest.raises(DataError, match="zhang2005/table1, row 1: ours is nan"):
        render_page(one_table([a_row(ours=float("nan"))]), [], [])


def test_each_row_needs_its_command_and_each_key_its_own_name():
    (paper,) = one_table([a_row()])
    (table,) = paper.tables
    with pytest.raises(ConfigError, match="0 entries in origins for 1 rows"):
        render_page([replace(paper, tables=[replace(table, origins=[])])], [], [])
    with pytest.raises(ConfigError, match="'table1' is used 2 times"):
        render_page([replace(paper, tables=[table, table])], [], [])
    with pytest.raises(ConfigError, match="'table1' is used 2 times"):
        render_page([replace(paper, variants=[table])], [], [])
    with pytest.raises(ConfigError, match="study synthetic, row 1: 1 values for 3 columns"):
        render_page([], [], [replace(STUDIES[0], rows=[["ib"]])])


def test_figures_keep_their_parts_to_themselves(page_text):
    for key in ("brinker2007", "zhang2005"):
        assert f'id="{key}-figure1-clip"' in page_text
        assert f"url(#{key}-figure1-clip)" in page_text
        assert f'xlink:href="#{key}-figure1-dot"' in page_text
    assert "<!DOCTYPE svg" not in page_text


@pytest.mark.parametrize(
    ("svg", "message"),
    [
        ("<svg", "not well-formed"),
        ("<p>text</p>", "expected an svg element"),
        (SVG.replace('"#dot"', '"https://example.org/dot"'), "it must contain all that it shows"),
        (SVG.replace("url(#clip)", "url(https://example.org/clip)"), "it must contain all that it shows"),
    ],
)
def test_a_figure_that_is_not_self_contained_svg_is_refused(svg, message):
    with pytest.raises(DataError, match=f"zhang2005/figure1: .*{message}"):
        render_page(one_table([a_row()], figures=[FigureReport("figure1", "Figure 1", "", svg)]), [], [])


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    colour = colour if len(colour) == 7 else "#" + "".join(2 * letter for letter in colour[1:])
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_marks_have_enough_contrast(page_text, scheme):
    definitions = re.findall(r":root \{([^}]*)\}", page_text)[scheme == "dark"]
    colour = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]+);", definitions))
    tones = {verdict: getattr(LOOKS[verdict], scheme) for verdict in VERDICTS}
    tints = [getattr(LOOKS[verdict], f"{scheme}_tint") for verdict in VERDICTS]
    for ground in (*(colour[name] for name in ("paper", "raised", "accent-tint", "warn-tint")), *tints):
        assert contrast(colour["ink"], ground) >= 4.5
        assert contrast(colour["soft"], ground) >= 4.5
    for tone in (*tones.values(), colour["idle"]):
        assert contrast(tone, colour["paper"]) >= 3
    assert contrast(colour["accent"], colour["paper"]) >= 4.5
    assert contrast(colour["accent"], colour["raised"]) >= 4.5
