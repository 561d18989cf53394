"""The page of a comparison on data sets of one's own; seconds, which change from run to run, go to a file apart."""

from pathlib import Path

from labelknn.utils._files import atomic, write_table
from labelknn_papers.judge.grand import outcomes, read_reasons
from labelknn_papers.judge.own import TIME_COLUMNS, compared_figures, compared_tables, time_rows
from labelknn_papers.plan.plan import Plan
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.show.page import render_page
from labelknn_papers.show.reports import Unreached

with job(snakemake.log[0]):
    plan = Plan(snakemake.config, Path(snakemake.scriptdir).resolve().parents[1])
    scores = read_scores(snakemake.input.scores)
    stopped, unreached = read_reasons(snakemake.input.reasons), read_unreached(snakemake.input.sources)
    tables, figures, times = [], [], []
    for task, comparison in plan.grand.items():
        entries = plan.grand_entries(task)
        rows = outcomes(entries, comparison, scores, stopped, unreached)
        tables += compared_tables(task, comparison, entries, rows, scores)
        figures += compared_figures(task, comparison, snakemake.input.pictures)
        times += time_rows(entries, snakemake.input.times)
    write_table(snakemake.output.times, TIME_COLUMNS, times)
    page = render_page(
        [],
        [Unreached(name, reason) for name, reason in unreached.items()],
        tables,
        figures,
        snakemake.params.files,
        title="A comparison of methods",
        lead=f"All on the same splits: {', '.join(name for one in plan.grand.values() for name in one['datasets'])}.",
    )
    with atomic(snakemake.output.page) as temporary:
        temporary.write_text(page)
