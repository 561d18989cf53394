"""The label ranking tree of a small data set."""

from labelknn.datasets.container import load
from labelknn.experiment.job import job
from labelknn.reporting.figures import save_figure
from labelknn.reporting.rankings import draw_tree

with job(snakemake.log[0]):
    data = [load(path) for path in snakemake.input.data]
    save_figure(draw_tree(data[0] if data else None), snakemake.output.pictures)
