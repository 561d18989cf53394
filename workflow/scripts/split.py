"""Draw the training and test rows of one data set under one protocol."""

from labelknn.datasets._container import load
from labelknn_papers.plan.protocol import Protocol, make_splits, save_splits
from labelknn_papers.run.job import job

with job(snakemake.log[0]):
    data = load(snakemake.input.data)
    save_splits(
        snakemake.output.splits, make_splits(Protocol(**snakemake.params.protocol), data, snakemake.params.seed)
    )
