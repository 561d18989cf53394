"""Score the predictions of one cell by all metrics of its task."""

from labelknn.datasets._container import load
from labelknn_papers.plan.protocol import load_splits
from labelknn_papers.run.job import job
from labelknn_papers.run.predictions import load_predictions
from labelknn_papers.run.score import score_cell, write_scores

with job(snakemake.log[0]):
    scores = score_cell(
        snakemake.wildcards.protocol,
        snakemake.wildcards.method,
        load(snakemake.input.data),
        load_splits(snakemake.input.splits),
        load_predictions(snakemake.input.predictions),
    )
    write_scores(snakemake.output.scores, scores)
