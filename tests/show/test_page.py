"""The page: what it says as text, and how it behaves in a real browser."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from labelknn.errors import ConfigError, DataError
from labelknn_papers.judge.record import Balance
from labelknn_papers.judge.verdict import NOT_RUN, VERDICTS
from labelknn_papers.show.page import render_page
from labelknn_papers.show.reports import (
    FigureReport,
    Layout,
    PaperReport,
    Row,
    StudyReport,
    TableReport,
    Unreached,
)

PUBLISHED = Path(__file__).parents[2] / "config" / "published"
LAYOUTS = {
    ("brinker2007", "table1"): Layout(rows=["dataset"], columns=["method", "metric", "setting"]),
    ("cheng2009", "table1"): Layout(rows=["dataset", "setting"], columns=["metric"]),
    ("cheng2009", "table2"): Layout(rows=["dataset"], columns=["metric", "method"], blocks=["setting"]),
    ("chiang2012", "table1"): Layout(rows=["dataset"], columns=["method", "setting"]),
    ("chiang2012", "table3"): Layout(rows=["dataset"], columns=["method"], blocks=["metric", "setting"]),
    ("feremans2017", "table2"): Layout(rows=["dataset"], columns=["method"], blocks=["metric"]),
    ("feremans2017", "table3"): Layout(rows=["method"], columns=["metric"]),
    ("feremans2017", "table6"): Layout(rows=["method"], columns=["metric"], blocks=["dataset"]),
    ("feremans2017", "table7"): Layout(rows=["dataset"], columns=["method", "setting"]),
    ("zhang2005", "table1"): Layout(rows=["metric"], columns=["setting"]),
    ("zhang2005", "table2"): Layout(rows=["metric"], columns=["method", "setting"]),
}
SVG = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 400 180" width="400pt">
<metadata><date>2001-02-03</date></metadata>
<defs><clipPath id="clip"><rect width="400" height="180"/></clipPath><circle id="dot" r="4"/></defs>
<g clip-path="url(#clip)"><path d="M20 160L120 90L240 60L380 40" fill="none" stroke="#0b5c8a" stroke-width="2"/>
<use xlink:href="#dot" x="120" y="90"/></g></svg>"""


TESTS = StudyReport(
    "tests",
    "Tests",
    "Over the data sets.",
    ["test", "statistic", "p", "detail"],
    [["Friedman", 7.625, 0.022, "16 data sets"], ["Nemenyi", 0.8125, None, "a better than b"]],
    folded=True,
)


def made_up_row(line: dict[str, str], index: int) -> tuple[Row, int]:
    """A published line with a result that nobody computed, off by so many units of the last printed digit."""
    published = float(line["value"]) if line["value"] else None
    digits = len(line["value"].partition(".")[2])
    off = (0, 1, 0, -1, 2, 0, -3, 1, 5, 0, -1)[index % 11]
    missing = line["dataset"] in ("audio", "IMDB-F") or index % 8 == 5
    ours = None if missing or published is None else published + off * 10.0**-digits
    verdict = "matches" if abs(off) < 2 else "close" if abs(off) < 4 else "differs"
    if ours is None:
        verdict = "" if published is None else "not run"
    reasons = {"not run": "never published", "differs": "the paper does not say which kernel it used"}
    row = Row(
        table=line["table"],
        dataset=line["dataset"],
        method=line["method"],
        metric=line["metric"],
        setting=line["setting"],
        published=published,
        ours=ours,
        se=None if ours is None else 0.4 * 10.0**-digits,
        difference=None if ours is None or published is None else ours - published,
        tolerance=None if published is None else 10.0**-digits,
        verdict=verdict,
        reason=reasons.get(verdict, ""),
    )
    return row, digits


def papers_of_the_project() -> list[PaperReport]:
    """All published lines, laid out as the papers do, with made-up results."""
    papers = []
    for path in sorted(PUBLISHED.glob("*.csv")):
        lines = list(csv.DictReader(path.open(newline="")))
        tables = []
        for key in dict.fromkeys(line["table"] for line in lines):
            inside = [line for line in lines if line["table"] == key]
            rows, digits = zip(*(made_up_row(line, index) for index, line in enumerate(inside)), strict=True)
            layout = LAYOUTS.get((path.stem, key), Layout(["dataset"], ["method", "metric", "setting"]))
            title = key.replace("table", "Table ") if key != "text" else "In the text"
            command = [f"snakemake --cores 2 {path.stem}"] * len(rows)
            times = f"{path.stem}/times.csv" if any("seconds" in row["metric"] for row in rows) else ""
            tables.append(TableReport(key, title, f"What {path.stem} prints.", rows, layout, command, digits, times))
        papers.append(
            PaperReport(
                key=path.stem,
                title=f"The paper {path.stem}",
                authors="A. Author & B. Author",
                venue="Proceedings",
                year=int(path.stem[-4:]),
                departures=["Ties go to the earlier label, since the paper does not say."],
                tables=tables,
                figures=[FigureReport("figure1", "Figure 1", "A curve & its points.", SVG)],
                variants=[replace(tables[-1], key=f"{tables[-1].key}-variants", title="Variants")],
                tests=[TESTS],
                files=[f"{path.stem}/comparison.csv"],
            )
        )
    return papers


OVERVIEW = [FigureReport("overview", "Overview", "All numbers.", SVG)]
FILES = ["scorecard.csv"]
UNREACHED = [Unreached("Wiki-10", "the server does not answer", ["https://data.example/wiki10.zip"])]
STUDIES = [
    StudyReport(
        "synthetic", "Synthetic sets", "No paper.", ["method", "tau", "runs"], [["ib", 0.25, 3], ["lr", None, 12]]
    )
]


@pytest.fixture(scope="module")
def papers() -> list[PaperReport]:
    return papers_of_the_project()


@pytest.fixture(scope="module")
def page_text(papers) -> str:
    return render_page(papers, UNREACHED, STUDIES, OVERVIEW, FILES)


def of_the_record(row: Row, index: int) -> Row:
    """What a full run might have where this one has nothing; a run time has a verdict alone."""
    timed = "seconds" in row["metric"]
    verdict = ("matches", "close", "differs")[index // 3 % 3]
    ours = None if timed else row["published"] + 0.001
    return Row(**{**row, "ours": ours, "verdict": verdict, "reason": "as the record says"})


@pytest.fixture(scope="module")
def partial(papers) -> list[PaperReport]:
    """The papers with a record for two of three numbers that were not run, and others by fewer splits."""

    def completed(table: TableReport) -> TableReport:
        missing = [place for place, row in enumerate(table.rows) if row["verdict"] == "not run" and place % 3]
        few = {place: "5 of 50 splits" for place, row in enumerate(table.rows) if row["verdict"] == "close"}
        record = {place: of_the_record(table.rows[place], place) for place in missing}
        return replace(table, record=record, shortened=few)

    return [replace(paper, tables=[completed(table) for table in paper.tables]) for paper in papers]


BALANCE = Balance(run=1214, shortened=54, alike=211, same=209, recorded=812)


@pytest.fixture(scope="module")
def partial_text(partial) -> str:
    return render_page(partial, UNREACHED, STUDIES, OVERVIEW, FILES, balance=BALANCE)


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
    table = TableReport("table1", "Table I", "Caption.", rows, layout, ["snakemake zhang2005"] * len(rows), digits)
    return [PaperReport("zhang2005", "Title", "Authors", "Venue", 2005, tables=[table], **changes)]


def embedded(text: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))


def test_every_row_is_one_cell_with_its_two_values(papers, outline):
    def shown(value, digits, missing):
        return missing if value is None else f"{value:.{digits}f}".replace("-", "−")

    names = ("dataset", "method", "metric", "setting", "verdict")
    expected = Counter(
        (
            *(paper.key, table.key, *(row[name] for name in names)),
            *(shown(row["published"], digits, "N/A"), shown(row["ours"], digits, "–")),
        )
        for paper in papers
        for table in (*paper.tables, *paper.variants)
        for row, digits in zip(table.rows, table.digits, strict=True)
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
            [sys.executable, "-c", program, __file__], env=environment, capture_output=True, text=True, check=True
        )
        assert run.stdout.strip() == hashlib.sha256(page_text.encode()).hexdigest()


def test_unreachable_data_come_first(papers, page_text):
    body = page_text.partition("<main>")[2]
    first_lines = body[: body.index("<h1>")]
    assert first_lines.index("Wiki-10") < first_lines.index("data.example/wiki10.zip")
    assert "LABELKNN_MIRROR" in first_lines
    assert "could not be reached" not in render_page(papers, [], [])


def test_the_rule_is_written_down(page_text):
    rule = re.sub(r"<[^>]+>", "", page_text.partition('id="rule"')[2])
    assert "matches if |difference| ≤ max(2s, u); close if ≤ max(4s, 0.02 for scores bounded by 1, 5 %" in rule
    assert "run times are compared as ratios only" in rule


def test_a_number_of_the_record_is_set_apart_and_not_counted(partial, page_text, partial_text):
    """Every count is that of the run alone; what the switch would make of it stands beside it."""
    recorded = {
        f"{paper.key}-{table.key}-{place + 1}": row
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
    assert partial_text.count('<span class="n recorded"') == len(recorded)
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
    assert feet(partial_text, r'data-together="([\d,]+)"') == [f"{together[verdict]:,}" for verdict in VERDICTS]
    details = embedded(partial_text)
    name = next(iter(recorded))
    *_, reason, _, not_run = details["cells"][name]
    assert details["texts"][reason] == "as the record says"
    assert details["texts"][not_run] == "never published"


def test_a_page_says_what_is_of_this_machine_and_what_of_the_record(page_text, partial_text):
    said = " ".join(re.sub(r"<[^>]+>", "", partial_text.partition('class="balance">')[2].partition("</p>")[0]).split())
    assert said.startswith(
        "On this machine: 1,214 numbers, 54 of them by fewer splits than the paper’s (underlined). Of 211 the data and "
        "the splits are those of the record, and 209 are the same as there to the last digit. From the record: 812,"
    )
    assert partial_text.count(" shortened") > 10
    for words in ("Student", "this machine", "the record", "data-record=", "data-together=", 'class="balance"'):
        assert words not in page_text.partition("<main>")[2].partition("<script")[0]


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
    heads = {text: attributes for text, attributes in heads if text in ("knn", "k=1", "k=2", "svm")}
    assert (heads["knn"]["scope"], heads["knn"]["colspan"]) == ("colgroup", "2")
    assert heads["svm"]["rowspan"] == "2"
    assert [heads[name]["data-sort"] for name in ("k=1", "k=2", "svm")] == ["1", "2", "3"]


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
    assert heads == ["dataset", "knn", "svm"]
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
    data = embedded(render_page(one_table([row]), [], []))
    assert data["cells"]["zhang2005-table1-1"][:4] == ["0.1951", "0.0015", "−0.0019", "0.0030"]


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
    with pytest.raises(ConfigError, match="0 entries in command for 1 rows"):
        render_page([replace(paper, tables=[replace(table, command=[])])], [], [])
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
    grounds = [colour[name] for name in ("paper", "raised", "good-tint", "half-tint", "bad-tint", "warn-tint")]
    for ground in grounds:
        assert contrast(colour["ink"], ground) >= 4.5
        assert contrast(colour["soft"], ground) >= 4.5
    for name in ("good", "bad", "idle", "focus"):
        assert contrast(colour[name], colour["paper"]) >= 3
    assert contrast(colour["link"], colour["paper"]) >= 4.5


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = "--disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"


@pytest.fixture(scope="module")
def browser():
    if BROWSER is None:
        pytest.skip("no chromium, chromium-browser or google-chrome in PATH")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=BROWSER, chromium_sandbox=False, args=[*QUIET.split(), "--disable-gpu"]
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def address(page_text, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(page_text, encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def partial_address(partial_text, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("partial") / "index.html"
    path.write_text(partial_text, encoding="utf-8")
    return path.as_uri()


@pytest.fixture(params=[1280, 390])
def page(request, browser, address):
    """The page open at a desk and on a phone; afterwards: nothing was asked for, nothing complained."""
    yield from opened(browser, address, request.param)


@pytest.fixture(params=[1280, 390])
def partial_page(request, browser, partial_address):
    yield from opened(browser, partial_address, request.param)


def opened(browser, address, width):
    context = browser.new_context(viewport={"width": width, "height": 844}, offline=True)
    page = context.new_page()
    requests, complaints = [], []
    page.on("request", lambda asked: requests.append(asked.url))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    yield page
    context.close()
    assert requests == [address]
    assert complaints == []


CELL = 'td[data-paper="zhang2005"][data-table="table1"][data-metric="coverage"][data-setting="k=6"]'


@pytest.mark.browser
def test_the_page_never_scrolls_sideways(page):
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="differs").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.browser
def test_hovering_shows_details_and_escape_hides_them(page):
    cell = page.locator(CELL)
    assert cell.inner_text().split() == ["6.374", "6.379"]
    details = page.locator("#details")
    assert details.is_hidden()
    cell.hover()
    assert "yeast · mlknn · coverage · k=6" in details.inner_text()
    terms, texts = (details.locator(tag).all_inner_texts() for tag in ("dt", "dd"))
    facts = {term: text.strip() for term, text in zip(terms, texts, strict=True)}
    assert facts == {
        "published": "6.374",
        "ours": "6.3790",
        "standard error": "0.0004",
        "difference": "+0.0050",
        "tolerance": "0.0010",
        "verdict": "differs",
    }
    assert "does not say which kernel" in details.locator("p").inner_text()
    assert details.locator("code").inner_text() == "snakemake --cores 2 zhang2005"
    box = details.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= page.viewport_size["width"]
    page.keyboard.press("Escape")
    assert details.is_hidden()


@pytest.mark.browser
def test_the_pointer_can_move_into_the_details(page):
    page.locator(CELL).hover()
    page.locator("#details code").hover()
    page.wait_for_timeout(400)
    assert page.locator("#details").is_visible()
    page.mouse.move(1, 1)
    page.locator("#details").wait_for(state="hidden")


@pytest.mark.browser
def test_a_square_leads_to_its_cell_even_through_a_filter(page):
    page.get_by_role("button", name="differs").click()
    square = page.locator('.squares a[href="#chiang2012-table3-100"]')
    cell = page.locator("#chiang2012-table3-100")
    assert cell.get_attribute("data-verdict") != "differs"
    square.click()
    page.locator("#details").wait_for()
    assert page.evaluate("document.activeElement.id") == "chiang2012-table3-100"
    assert page.evaluate("location.hash") == "#chiang2012-table3-100"
    box = cell.bounding_box()
    assert 0 <= box["x"] < page.viewport_size["width"]
    assert 0 <= box["y"] < page.viewport_size["height"]
    assert page.get_by_role("button", name="all", exact=True).get_attribute("aria-pressed") == "true"


@pytest.mark.browser
def test_arrow_keys_walk_through_squares_and_cells(page):
    page.locator('.squares a[href="#zhang2005-table1-1"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator("#details").wait_for()
    page.wait_for_function("document.activeElement.id === 'zhang2005-table1-2'")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.id") == "zhang2005-table1-6"
    assert "one error · k=7" in page.locator("#details h4").inner_text()


@pytest.mark.browser
def test_the_filter_leaves_only_rows_with_such_cells(page, papers):
    wanted = sum(row["verdict"] == "differs" for paper in papers for table in paper.tables for row in table.rows)
    page.get_by_role("button", name="differs").click()
    assert page.locator("td[data-verdict]:not(.dim):visible").count() == wanted
    assert page.locator(".squares a:not(.dim)").count() == wanted
    for row in page.locator(".comparison tbody tr:visible").all()[:20]:
        assert row.locator('td[data-verdict="differs"]').count() > 0
    page.get_by_role("button", name="all", exact=True).click()
    assert page.locator("td[data-verdict].dim").count() == 0
    assert page.locator(".comparison tbody tr:visible").count() == page.locator("section > .blocks tbody tr").count()


@pytest.mark.browser
def test_columns_sort_up_down_and_back(page):
    table = page.locator("#zhang2005-table1 table")
    button = table.get_by_role("button", name="k=6")

    def metrics():
        return table.locator("tbody th").all_inner_texts()

    original = metrics()
    button.click()
    shown = [float(text) for text in table.locator("td[data-setting='k=6'] .ours").all_inner_texts()]
    assert shown == sorted(shown)
    up = metrics()
    button.click()
    assert metrics() == up[::-1]
    button.click()
    assert metrics() == original


@pytest.mark.browser
def test_average_ranks_stay_below_when_columns_are_sorted(page):
    table = page.locator("#cheng2009-table2 table").first
    button = table.get_by_role("button", name="iblr").first
    last = table.locator("tbody tr").last
    for _ in range(3):
        button.click()
        assert last.locator("th").inner_text().split() == ["AVG", "average", "rank"]


@pytest.mark.browser
def test_folded_parts_open_and_their_words_and_numbers_sort(page):
    part = page.locator("#zhang2005-tests")
    assert part.locator("table").is_hidden()
    part.locator("summary").click()

    def order():
        return part.locator("tbody th").all_inner_texts()

    assert order() == ["Friedman", "Nemenyi"]
    for head, expected in {"statistic": "Nemenyi", "detail": "Friedman", "p": "Friedman"}.items():
        part.get_by_role("button", name=head, exact=True).click()
        assert order()[0] == expected


@pytest.mark.browser
def test_the_address_of_a_folded_cell_opens_it(browser, address):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(address + "#zhang2005-text-variants-1")
    page.locator("#details").wait_for()
    assert page.locator("#zhang2005-text-variants-1").is_visible()
    assert page.evaluate("document.activeElement.id") == "zhang2005-text-variants-1"
    context.close()


@pytest.mark.browser
def test_a_tap_opens_the_details(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, offline=True)
    page = context.new_page()
    page.goto(address)
    page.locator(CELL).tap()
    assert "standard error\n0.0004" in page.locator("#details").inner_text()
    page.locator("h1").tap()
    assert page.locator("#details").is_hidden()
    context.close()


@pytest.mark.browser
def test_without_script_and_on_paper_the_values_are_there(browser, address):
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(address)
    assert page.locator(CELL).inner_text().split() == ["6.374", "6.379"]
    assert page.locator("#filter").is_hidden()
    square = page.locator('.squares a[href="#zhang2005-table1-2"]')
    assert square.get_attribute("title") == "yeast, mlknn, hamming loss, k=7: matches"
    square.click()
    assert page.locator("#zhang2005-table1-2").is_visible()
    assert page.url.endswith("#zhang2005-table1-2")
    page.emulate_media(media="print")
    assert page.locator(CELL).is_visible()
    context.close()


@pytest.mark.browser
def test_printing_unfolds_everything(page):
    assert page.locator("#zhang2005-tests table").is_hidden()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#zhang2005-tests table").is_visible()
    assert page.locator("#zhang2005-text-variants table").is_visible()


@pytest.mark.browser
def test_the_switch_counts_the_record_and_takes_it_out_again(partial_page, partial):
    tables = [table for paper in partial for table in paper.tables]
    judged = [(row, table.record.get(place)) for table in tables for place, row in enumerate(table.rows)]
    judged = [(row, recorded) for row, recorded in judged if row["published"] is not None]
    alone = Counter(row["verdict"] for row, _ in judged)
    together = Counter((recorded or row)["verdict"] for row, recorded in judged)

    def totals():
        texts = partial_page.locator(".totals .count").all_inner_texts()
        return dict(zip(VERDICTS, (int(text.replace(",", "")) for text in texts), strict=True))

    def seen():
        partial_page.locator("#filter").get_by_role("button", name="differs").click()
        return partial_page.locator(".squares a:not(.dim)").count()

    assert totals() == alone
    assert seen() == alone["differs"]
    switch = partial_page.get_by_label("Count the record too")
    assert not switch.is_checked()
    switch.check()
    assert totals() == together
    assert partial_page.locator(".squares a:not(.dim)").count() == together["differs"]
    assert partial_page.locator(".squares a.recorded").count() == sum(recorded is not None for _, recorded in judged)
    assert partial_page.locator(".counts tfoot td").all_inner_texts()[1:] == [f"{together[one]:,}" for one in VERDICTS]
    assert partial_page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    switch.uncheck()
    assert totals() == alone
    assert seen() == alone["differs"]
    assert partial_page.locator(".squares a.recorded").count() == 0


@pytest.mark.browser
def test_the_details_of_a_recorded_number_say_so(partial_page):
    cell = partial_page.locator("td[data-record]:visible").first
    cell.click()
    said = partial_page.locator("#details").inner_text()
    assert "of the record" in said
    assert "ours" not in said
    assert "Not run here: never published." in said
    assert "as the record says" in said


@pytest.mark.browser
def test_without_script_the_record_is_there_and_the_switch_is_not(browser, partial_address):
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(partial_address)
    assert page.locator("#together").is_hidden()
    assert "slanted" in page.locator(".balance").inner_text()
    number = page.locator("td[data-record] .recorded.n").first
    assert number.is_visible()
    assert number.evaluate("part => getComputedStyle(part).fontStyle") == "italic"
    context.close()
