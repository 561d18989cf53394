"""The weights of the neighbours' votes that pattern search has learned, by rank."""

from pathlib import Path

from labelknn_papers.papers.oracle_gap import draw_learned_weights, weight_shares
from labelknn_papers.run.job import job
from labelknn_papers.run.predictions import load_predictions
from labelknn_papers.show.figures import save_figure

with job(snakemake.log[0]):
    shares = {}
    for order, paths in (("re-ranked", snakemake.input.ranked), ("by distance", snakemake.input.plain)):
        for path in paths:
            shares[Path(path).parent.name, order] = weight_shares(load_predictions(path))
    save_figure(draw_learned_weights(shares), snakemake.output.pictures)
