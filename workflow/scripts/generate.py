"""Make one data set from others."""

from labelknn.datasets._container import load
from labelknn_papers.data.prepare import check, write
from labelknn_papers.data.recipes import make
from labelknn_papers.run.job import job

with job(snakemake.log[0]):
    recipe, sources = snakemake.params.recipe, [load(path) for path in snakemake.input.sources]
    data = make(snakemake.wildcards.dataset, recipe["recipe"], sources, recipe["options"])
    write(data, check(data, snakemake.params.expect), snakemake.output.data, snakemake.output.facts)
