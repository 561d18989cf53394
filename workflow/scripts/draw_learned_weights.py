"""The weights of the neighbours' votes that pattern search has learned, by rank."""

from pathlib import Path

from labelknn.experiment.job import job
from labelknn.experiment.predictions import load_predictions
from labelknn.reporting.figures import save_figure
from labelknn.reporting.oracle_gap import draw_learned_weights, weight_shares

with job(snakemake.log[0]):
    shares = {}
    for order, paths in (("re-ranked", snakemake.input.ranked), ("by distance", snakemake.input.plain)):
        for path in paths:
            shares[Path(path).parent.name, order] = weight_shares(load_predictions(path))
    save_figure(draw_learned_weights(shares), snakemake.output.pictures)
