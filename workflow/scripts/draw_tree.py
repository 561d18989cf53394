"""The label ranking tree of a small data set."""

from labelknn.datasets._container import load
from labelknn_papers.papers.rankings import draw_tree
from labelknn_papers.run.job import job
from labelknn_papers.show.figures import save_figure

with job(snakemake.log[0]):
    data = [load(path) for path in snakemake.input.data]
    save_figure(draw_tree(data[0] if data else None), snakemake.output.pictures)
