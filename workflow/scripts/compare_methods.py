"""Methods side by side: a table over all data sets, with intervals, tests and diagrams."""

from pathlib import Path

from labelknn.utils._files import atomic, write_table
from labelknn_papers.judge.outcomes import (
    Outcome,
    as_markdown,
    compare_ranked,
    diagram_title,
    outcomes,
    rank,
    significance_rows,
    table_rows,
)
from labelknn_papers.judge.significance import SignificanceRow
from labelknn_papers.plan.cells import tried
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.run.store import read_results, reasons_of, scores_of
from labelknn_papers.show.diagrams import critical_difference_panels
from labelknn_papers.show.figures import save_figure

with job(snakemake.log[0]):
    plan, key = plan_of(snakemake), snakemake.params.comparison
    comparison = plan.comparisons[key]
    entries, found = plan.entries(key), read_results(snakemake.input.results)
    scores = read_scores(scores_of(found, tried(entries)))
    rows = outcomes(entries, comparison, scores, reasons_of(found), read_unreached(snakemake.input.sources))
    write_table(snakemake.output.table, Outcome._fields, table_rows(rows))
    with atomic(snakemake.output.readable) as temporary:
        temporary.write_text(as_markdown(comparison["title"], rows, comparison["level"]))
    tests = []
    for metric in comparison["metrics"]:
        ranked = rank(rows, metric, comparison["ranked"])
        found = compare_ranked(ranked, comparison["level"])
        tests += significance_rows(ranked, found)
        diagram = critical_difference_panels({diagram_title(ranked): found}, comparison["level"])
        save_figure(diagram, [path for path in snakemake.output.pictures if Path(path).stem == f"{key}_{metric}"])
    write_table(snakemake.output.tests, ("metric", *SignificanceRow._fields), tests)
