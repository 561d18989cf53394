"""Search the neighbours in every split of a data set."""

from labelknn.datasets._container import load
from labelknn_papers.plan.protocol import load_splits
from labelknn_papers.run.job import job
from labelknn_papers.run.search import save_searched, search_splits

with job(snakemake.log[0], threads=snakemake.threads):
    preprocessing = None if snakemake.wildcards.preprocessing == "given" else snakemake.wildcards.preprocessing
    splits = load_splits(snakemake.input.splits)
    k, training = int(snakemake.wildcards.k), snakemake.wildcards.rows == "all-rows"
    searched = search_splits(load(snakemake.input.data), splits, preprocessing, k, training)
    save_searched(snakemake.output.neighbors, searched)
