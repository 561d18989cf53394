"""What the page is to show of a run: what judge found, with titles, names, layouts and origins from the plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from labelknn_papers.judge import paired
from labelknn_papers.judge.comparison import Comparison, decimals
from labelknn_papers.judge.files import side_tables
from labelknn_papers.judge.findings import Findings
from labelknn_papers.judge.record import Record, in_place_of
from labelknn_papers.judge.significance import SignificanceRow
from labelknn_papers.judge.studies import StudyTable
from labelknn_papers.judge.times import is_time
from labelknn_papers.plan.cells import Published
from labelknn_papers.plan.plan import Plan
from labelknn_papers.show.contents import pictures_of
from labelknn_papers.show.measured import Place
from labelknn_papers.show.names import names_of
from labelknn_papers.show.origins import Run, origin
from labelknn_papers.show.reports import (
    FigureReport,
    Layout,
    PaperReport,
    Ratio,
    Row,
    StudyReport,
    TableReport,
    Unreached,
)

# Of a paper without a record, and of one without run times.
NOTHING: Mapping[Published, Comparison] = {}
NO_TIMES: Mapping[Place, Ratio] = {}
# Of the repository's own config.
PLAIN_RUN = Run()


def page_content(
    plan: Plan,
    findings: Mapping[str, Findings],
    pictures: Iterable[str],
    unreached: Mapping[str, str],
    studies: Mapping[str, StudyTable],
    record: Record,
    ratios: Mapping[str, Mapping[Place, Ratio]],
    run: Run = PLAIN_RUN,
) -> tuple[list[PaperReport], list[Unreached], list[StudyReport]]:
    """What `render_page` takes; `pictures` are the files <paper>/<figure>.svg.

    ratios : the run times by paper, those of the record included.
    """
    drawn = {(Path(path).parent.name, Path(path).stem): Path(path).read_text() for path in pictures}
    papers = [
        paper_report(plan, key, findings[key], drawn, record.get(key, {}), ratios.get(key, {}), run)
        for key in plan.papers
    ]
    missing = [
        Unreached(plan.datasets[name]["title"], reason, _addresses(plan, name)) for name, reason in unreached.items()
    ]
    return papers, missing, [_study(plan, key, table) for key, table in studies.items()]


def paper_report(
    plan: Plan,
    key: str,
    findings: Findings,
    drawn: Mapping[tuple[str, str], str],
    record: Mapping[Published, Comparison] = NOTHING,
    ratios: Mapping[Place, Ratio] = NO_TIMES,
    run: Run = PLAIN_RUN,
) -> PaperReport:
    """`drawn` has the SVG text of its pictures, by paper and figure."""
    paper = plan.papers[key]
    departures = [one if isinstance(one, Mapping) else {"text": one} for one in paper.get("departures", ())]
    return PaperReport(
        key,
        paper["title"],
        paper["authors"],
        paper["venue"],
        paper["year"],
        names_of(plan, key),
        [one["text"] for one in departures],
        [
            replace(
                _table(plan, key, table, findings.in_tables, run, record, ratios),
                departures=[place for place, one in enumerate(departures) if table in one.get("tables", ())],
            )
            for table in paper["tables"]
        ],
        [
            FigureReport(figure, definition["title"], definition["caption"], drawn[key, figure])
            for figure, definition in pictures_of(paper).items()
        ],
        _variants(plan, key, findings.variants, run),
        _tests(plan, key, findings),
        [f"{key}/{file}.csv" for file in ("comparison", *side_tables(plan, key))],
    )


def _variants(plan: Plan, paper: str, comparisons: Sequence[Comparison], run: Run) -> list[TableReport]:
    """For each table that we have variants for, these, laid out as the table is."""
    tables = dict.fromkeys(one.published.table for one in comparisons)
    return [
        replace(
            report,
            key=f"{report.key}-variants",
            title=f"{report.title}, variants of our own",
            caption="Beside each number of the paper: what our variant of the paper's method gives in its place.",
        )
        for report in (_table(plan, paper, table, comparisons, run) for table in tables)
    ]


def _tests(plan: Plan, paper: str, findings: Findings) -> list[StudyReport]:
    """The significance tests that the run has values for: over the data sets of a table, and of two methods on one."""
    found = []
    for name, rows in findings.tests.items():
        test = plan.papers[paper]["tests"][name]
        caption = f"Of our values over the data sets, at the {test['level']:.0%} level; the diagram shows the ranks."
        title = f"{test['title']}: tests"
        found.append(StudyReport(f"{name}-tests", title, caption, SignificanceRow._fields, rows, folded=True))
    if findings.pairs:
        caption = (
            "Of our values on the same splits: the plain paired t-test, and beside it the one corrected for training "
            "sets that overlap (Nadeau and Bengio 2003)."
        )
        lines = [[*row[:5], *map(_plain, row[5:])] for row in findings.pairs]
        title = "Pairs of methods: tests"
        found.append(StudyReport("paired-tests", title, caption, paired.COLUMNS, lines, folded=True))
    return found


def _plain(value: str) -> str | float:
    """A number that a file has as text."""
    try:
        return float(value)
    except ValueError:
        return value


def _table(
    plan: Plan,
    paper: str,
    table: str,
    comparisons: Sequence[Comparison],
    run: Run,
    record: Mapping[Published, Comparison] = NOTHING,
    ratios: Mapping[Place, Ratio] = NO_TIMES,
) -> TableReport:
    definition = plan.papers[paper]["tables"][table]
    inside = [one for one in comparisons if one.published.table == table]
    recorded = [in_place_of(one, record) for one in inside]
    measured = [ratios.get(_place(one.published)) for one in inside]
    return TableReport(
        table,
        definition["title"],
        definition["caption"],
        [_row(one) for one in inside],
        Layout(**definition["layout"]),
        [
            origin(plan, paper, one.target, run, known=one.ours is not None or one.target.cell is not None)
            for one in inside
        ],
        decimals(inside),
        f"{paper}/times.csv" if any(is_time(one.target) for one in inside) else "",
        {place: _row(one) for place, one in enumerate(recorded) if one},
        {place: one.target.shortened for place, one in enumerate(inside) if one.ours and one.target.shortened},
        {place: ratio for place, ratio in enumerate(measured) if ratio},
    )


def _place(number: Published) -> Place:
    return (number.table, number.dataset, number.method, number.metric, number.setting)


def _row(one: Comparison) -> Row:
    number, ours = one.published, one.ours
    return Row(
        table=number.table,
        dataset=number.dataset,
        method=number.method,
        metric=number.metric,
        setting=number.setting,
        published=number.value,
        ours=ours.mean if ours else None,
        se=ours.se if ours else None,
        difference=one.difference,
        tolerance=one.tolerance,
        verdict=one.verdict,
        reason=one.reason,
    )


def _addresses(plan: Plan, name: str) -> list[str]:
    files = [file for source in plan.datasets[name].get("sources", []) for file in source.get("files", {}).values()]
    return list(dict.fromkeys(url for file in files for url in file.get("urls", [])))


def _study(plan: Plan, key: str, table: StudyTable) -> StudyReport:
    study = plan.comparisons[key]
    titles = {name: entry["title"] for name, entry in plan.datasets.items()}
    place = list(table.columns).index("data set")
    rows = [[*row[:place], titles.get(str(row[place]), row[place]), *row[place + 1 :]] for row in table.rows]
    return StudyReport(key, study["title"], study["caption"], table.columns, rows, digits=4)
