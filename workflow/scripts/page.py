"""The scorecard over all papers, as a table and as a picture, published against reproduced values, and the page."""

from pathlib import Path

from labelknn.utils._files import atomic
from labelknn_papers.judge.comparison import write_scorecard
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.job import job
from labelknn_papers.show.contents import AGREEMENT
from labelknn_papers.show.figures import save_figure
from labelknn_papers.show.overview import draw_agreement, draw_scorecard
from labelknn_papers.show.page import FigureReport, render_page
from labelknn_papers.show.results import Results, page_content

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
