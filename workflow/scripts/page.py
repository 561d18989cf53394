"""The scorecard over all papers, and the page."""

from pathlib import Path

from labelknn.experiment.job import job
from labelknn.experiment.plan import Plan
from labelknn.files import atomic
from labelknn.reporting.comparison import write_scorecard
from labelknn.reporting.page import render_page
from labelknn.reporting.results import Results, page_content

with job(snakemake.log[0]):
    plan = Plan(snakemake.config, Path(snakemake.scriptdir).resolve().parents[1])
    results = Results.read(
        snakemake.input.scores, snakemake.input.facts, snakemake.input.sources, snakemake.params.times
    )
    comparisons = {paper: results.compare(plan, paper) for paper in plan.papers}
    write_scorecard(snakemake.output.scorecard, comparisons)
    with atomic(snakemake.output.page) as temporary:
        temporary.write_text(render_page(*page_content(plan, results, comparisons, snakemake.input.figures)))
