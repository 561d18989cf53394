"""How sure the reconstruction of brinker2007's genes is."""

from labelknn.datasets._container import load
from labelknn.utils._files import write_table
from labelknn_papers.data.expression import reconstruct
from labelknn_papers.data.recipes import expression_and_rankings
from labelknn_papers.judge.comparison import decimal
from labelknn_papers.papers.generated import draw_matching
from labelknn_papers.run.job import job
from labelknn_papers.show.figures import save_figure

with job(snakemake.log[0]):
    rows, matching = [], None
    if snakemake.input.data:
        table, matching = reconstruct(*expression_and_rankings([load(path) for path in snakemake.input.data]))
        rows = [(table.n, decimal(matching.close), decimal(matching.margin))]
    write_table(snakemake.output.matching, ("genes", "share_within_distance_4", "median_margin_to_runner_up"), rows)
    save_figure(draw_matching(matching), snakemake.output.pictures)
