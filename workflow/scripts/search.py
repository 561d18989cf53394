"""Search the neighbours in every split of a data set."""

from labelknn.datasets.container import load
from labelknn.experiment.job import job
from labelknn.experiment.protocol import load_splits
from labelknn.experiment.search import save_searched, search_splits

with job(snakemake.log[0], threads=snakemake.threads):
    scaling = None if snakemake.wildcards.features == "given" else snakemake.wildcards.features
    splits = load_splits(snakemake.input.splits)
    searched = search_splits(load(snakemake.input.data), splits, scaling, int(snakemake.wildcards.k))
    save_searched(snakemake.output.neighbors, searched)
