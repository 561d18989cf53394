"""The alternating decision tree of the yeast data."""

from labelknn.datasets.container import load
from labelknn.experiment.job import job
from labelknn.reporting.figures import save_figure
from labelknn.reporting.rounds import draw_adtree

with job(snakemake.log[0]):
    data = [load(path) for path in snakemake.input.data]
    save_figure(draw_adtree(data[0] if data else None), snakemake.output.pictures)
