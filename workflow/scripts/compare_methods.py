"""Methods side by side, from their scores alone: tables, tests, pictures, and sentences on what the tests say."""

from labelknn.utils._files import atomic, write_table
from labelknn_papers.judge.advice import Sentence
from labelknn_papers.judge.compared import PROPERTY_COLUMNS, compared
from labelknn_papers.judge.files import read_facts
from labelknn_papers.judge.outcomes import Coverage, Outcome, as_markdown, coverage_rows, diagram_title, table_rows
from labelknn_papers.judge.properties import correlation_rows
from labelknn_papers.judge.significance import SignificanceRow
from labelknn_papers.plan.cells import cells_of
from labelknn_papers.plan.paths import PICTURES_OF_SCORES
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.run.store import read_results, reasons_of, scores_of
from labelknn_papers.show.comparison_report import short_note
from labelknn_papers.show.diagrams import critical_difference_panels
from labelknn_papers.show.figures import save_figure
from labelknn_papers.show.heat_maps import draw_heat_map, draw_properties

with job(snakemake.log[0]):
    plan, key, given = plan_of(snakemake), snakemake.params.comparison, snakemake.input
    comparison, entries, results = plan.comparisons[key], plan.entries(key), read_results(given.results)
    scores = read_scores(scores_of(results, cells_of(entries)))
    facts, unreached = read_facts(given.facts), read_unreached(given.sources)
    found = compared(comparison, entries, scores, reasons_of(results), unreached, facts)
    write_table(snakemake.output.table, Outcome._fields, table_rows(found.rows))
    with atomic(snakemake.output.readable) as temporary:
        temporary.write_text(as_markdown(comparison["title"], found.rows, comparison["level"]))
    write_table(snakemake.output.coverage, (*Coverage._fields, "share"), coverage_rows(found.coverage))
    write_table(snakemake.output.tests, ("metric", "condition", *SignificanceRow._fields), found.test_rows())
    rows = [row for view, of_view in found.correlations.items() for row in correlation_rows(view, of_view)]
    write_table(snakemake.output.properties, PROPERTY_COLUMNS, rows)
    write_table(snakemake.output.findings, Sentence._fields, found.sentences())
    titles = {name: plan.datasets[name]["title"] for name in comparison["datasets"]}
    short = {one.note: short_note(one.note) for one in found.rows}
    for view, ranked in found.ranked.items() if snakemake.output.pictures else ():
        tests, title = found.tests[view], diagram_title(ranked)
        drawn = {
            "ranks": critical_difference_panels({title: tests}, comparison["level"]),
            "heat": draw_heat_map(view.title, [one for one in found.rows if one.view == view], titles, short),
            "properties": draw_properties(title, found.correlations[view], comparison["level"]),
        }
        for kind in PICTURES_OF_SCORES:
            stem = f"/{key}_{kind}_{view.name}."
            save_figure(drawn[kind], [path for path in snakemake.output.pictures if stem in path])
