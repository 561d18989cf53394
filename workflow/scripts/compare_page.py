"""The page of a comparison; seconds, which change from run to run, go to a file apart."""

from labelknn.utils._files import atomic, write_table
from labelknn_papers.judge.outcomes import outcomes
from labelknn_papers.judge.own import TIME_COLUMNS, compared_figures, compared_tables, time_rows
from labelknn_papers.plan.cells import tried
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.run.store import read_results, reasons_of, scores_of, times_of
from labelknn_papers.show.page import render_page
from labelknn_papers.show.reports import Unreached

with job(snakemake.log[0]):
    plan, key = plan_of(snakemake), snakemake.params.comparison
    comparison, entries = plan.comparisons[key], plan.entries(key)
    found, unreached = read_results(snakemake.input.results), read_unreached(snakemake.input.sources)
    scores = read_scores(scores_of(found, tried(entries)))
    rows = outcomes(entries, comparison, scores, reasons_of(found), unreached)
    write_table(snakemake.output.times, TIME_COLUMNS, time_rows(entries, times_of(found, tried(entries))))
    page = render_page(
        [],
        [Unreached(name, reason) for name, reason in unreached.items()],
        compared_tables(key, comparison, entries, rows, scores),
        compared_figures(key, comparison, snakemake.input.pictures),
        snakemake.params.files,
        title=comparison["title"],
        lead=f"{comparison['caption']} All on the same splits: {', '.join(comparison['datasets'])}.".strip(),
    )
    with atomic(snakemake.output.page) as temporary:
        temporary.write_text(page)
