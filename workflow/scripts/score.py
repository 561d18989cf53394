"""Score the predictions of one cell by all metrics of its task."""

from labelknn.datasets.container import load
from labelknn.experiment.job import job
from labelknn.experiment.predictions import load_predictions
from labelknn.experiment.protocol import load_splits
from labelknn.experiment.score import score_cell, write_scores

with job(snakemake.log[0]):
    scores = score_cell(
        snakemake.wildcards.protocol,
        snakemake.wildcards.algorithm,
        load(snakemake.input.data),
        load_splits(snakemake.input.splits),
        load_predictions(snakemake.input.predictions),
    )
    write_scores(snakemake.output.scores, scores)
