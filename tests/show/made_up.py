"""A page's content without a run: what the papers print, with results that nobody computed."""

import csv
from dataclasses import replace
from pathlib import Path

from labelknn_papers.judge.claims.decide import COLUMNS
from labelknn_papers.judge.record import Balance
from labelknn_papers.show.reports import (
    FigureReport,
    Layout,
    Names,
    Origin,
    PaperReport,
    Ratio,
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


METHOD = "ML-kNN (id mlknn)\nlabelknn.multilabel.MLkNN(k=7)"
DATA = "Yeast (id yeast)\nyeast.arff  SHA-256 55c07a3b"
COMMAND = "snakemake --cores 2 {}"


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
            origins = [Origin("Within the tolerance.", "one split", METHOD, DATA, COMMAND.format(path.stem), "a/b.csv")]
            ratios = {
                place: Ratio("0.5", "0.25", "0.0123")
                for place, row in enumerate(rows)
                if "seconds" in row["metric"] and row["published"]
            }
            times = f"{path.stem}/times.csv" if any("seconds" in row["metric"] for row in rows) else ""
            tables.append(
                TableReport(
                    key,
                    title,
                    f"What {path.stem} prints.",
                    rows,
                    layout,
                    origins * len(rows),
                    digits,
                    times,
                    ratios=ratios,
                    departures=[1] if key == "table1" else [],
                )
            )
        papers.append(
            PaperReport(
                key=path.stem,
                title=f"The paper {path.stem}",
                authors="Ann Author and Bo Writer",
                venue="Proceedings",
                year=int(path.stem[-4:]),
                names=Names(method={"mlknn": "ML-kNN"}, metric={"coverage": "Coverage"}, dataset={"yeast": "Yeast"}),
                departures=["Ties go to the earlier label, since the paper does not say.", "Rows have unit length."],
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
BALANCE = Balance(run=1214, shortened=54, alike=211, same=209, recorded=812)


def of_the_record(row: Row, index: int) -> Row:
    """What a full run might have where this one has nothing; a run time has a verdict alone."""
    timed = "seconds" in row["metric"]
    verdict = ("matches", "close", "differs")[index // 3 % 3]
    ours = None if timed else row["published"] + 0.001
    return Row(**{**row, "ours": ours, "verdict": verdict, "reason": "as the record says"})


def with_record(table: TableReport) -> TableReport:
    """The table with a record for two of three numbers that were not run, and others by fewer splits."""
    missing = [place for place, row in enumerate(table.rows) if row["verdict"] == "not run" and place % 3]
    few = {place: "5 of 50 splits" for place, row in enumerate(table.rows) if row["verdict"] == "close"}
    record = {place: of_the_record(table.rows[place], place) for place in missing}
    ratios = {place: ratio for place, ratio in table.ratios.items() if place not in record}
    return replace(table, record=record, shortened=few, ratios=ratios)


def claim(**changes):
    return dict.fromkeys(COLUMNS, "") | {"paper": "zhang2005", "id": "one", "verdict": "holds"} | changes


CLAIMS = [
    claim(claim="k = 7 is best", verdict_printed="does not hold", evidence="0.2 < 0.3", criterion="<k>"),
    claim(id="two", verdict="cannot be decided", evidence="Missing: yeast, mlknn.", verdict_printed="holds"),
    claim(paper="cheng2009", id="one", verdict_printed="holds"),
]
