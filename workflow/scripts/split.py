"""Draw the training and test rows of one data set under one protocol."""

from labelknn.datasets.container import load
from labelknn.experiment.job import job
from labelknn.experiment.protocol import Protocol, make_splits, save_splits

with job(snakemake.log[0]):
    data = load(snakemake.input.data)
    save_splits(
        snakemake.output.splits, make_splits(Protocol(**snakemake.params.protocol), data, snakemake.params.seed)
    )
