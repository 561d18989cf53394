"""The scorecard over all papers, as a table and as a picture, published against reproduced values, and the page."""

from pathlib import Path

from labelknn.experiment.job import job
from labelknn.experiment.plan import Plan
from labelknn.files import atomic
from labelknn.reporting.comparison import write_scorecard
from labelknn.reporting.contents import AGREEMENT
from labelknn.reporting.figures import save_figure
from labelknn.reporting.overview import draw_agreement, draw_scorecard
from labelknn.reporting.page import FigureReport, render_page
from labelknn.reporting.results import Results, page_content

with job(snakemake.log[0]):
    plan = Plan(snakemake.config, Path(snakemake.scriptdir).resolve().parents[1])
    results = Results.read(
        snakemake.input.scores, snakemake.input.facts, snakemake.input.sources, snakemake.params.times
    )
    comparisons = {paper: results.compare(plan, paper) for paper in plan.papers}
    titles = {
        (key, table): definition["title"]
        for key, paper in plan.papers.items()
        for table, definition in paper["tables"].items()
    }
    write_scorecard(snakemake.output.scorecard, comparisons)
    save_figure(draw_scorecard(comparisons, titles), snakemake.output.scorecard_pictures)
    save_figure(draw_agreement(comparisons), snakemake.output.overview_pictures)
    svg = next(path for path in snakemake.output.overview_pictures if path.endswith(".svg"))
    overview = [FigureReport("overview", *AGREEMENT, Path(svg).read_text())] if plan.papers else []
    content = page_content(plan, results, comparisons, snakemake.input.figures)
    with atomic(snakemake.output.page) as temporary:
        temporary.write_text(render_page(*content, overview, snakemake.params.files))
