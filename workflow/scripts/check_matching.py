"""How sure the reconstruction of brinker2007's genes is."""

from labelknn.datasets.container import load
from labelknn.datasets.expression import reconstruct
from labelknn.datasets.recipes import expression_and_rankings
from labelknn.experiment.job import job
from labelknn.files import write_table
from labelknn.reporting.comparison import decimal
from labelknn.reporting.figures import save_figure
from labelknn.reporting.generated import draw_matching

with job(snakemake.log[0]):
    rows, matching = [], None
    if snakemake.input.data:
        table, matching = reconstruct(*expression_and_rankings([load(path) for path in snakemake.input.data]))
        rows = [(table.n, decimal(matching.close), decimal(matching.margin))]
    write_table(snakemake.output.matching, ("genes", "share_within_distance_4", "median_margin_to_runner_up"), rows)
    save_figure(draw_matching(matching), snakemake.output.pictures)
