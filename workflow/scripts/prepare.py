"""Read the raw files of one data set into the array format that all methods take."""

from pathlib import Path

from labelknn.datasets.fetch import Status
from labelknn.datasets.prepare import check, prepare, write
from labelknn.experiment.job import job

with job(snakemake.log[0]):
    status = Status.read(snakemake.input.status)
    entry = snakemake.params.entry
    data = prepare(snakemake.wildcards.dataset, entry, status, Path(snakemake.params.folder))
    write(data, check(data, entry.get("expect", {})), snakemake.output.data, snakemake.output.facts)
