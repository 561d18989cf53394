"""The alternating decision tree of the yeast data."""

from labelknn.datasets._container import load
from labelknn_papers.papers.rounds import draw_adtree
from labelknn_papers.run.job import job
from labelknn_papers.show.figures import save_figure

with job(snakemake.log[0]):
    data = [load(path) for path in snakemake.input.data]
    save_figure(draw_adtree(data[0] if data else None), snakemake.output.pictures)
