"""Read the raw files of one data set into the array format that all methods take."""

from pathlib import Path

from labelknn.datasets._fetch import Status
from labelknn_papers.data.prepare import check, prepare, write
from labelknn_papers.run.job import job

with job(snakemake.log[0]):
    status = Status.read(snakemake.input.status)
    entry = snakemake.params.entry
    data = prepare(snakemake.wildcards.dataset, entry, status, Path(snakemake.params.folder))
    write(data, check(data, entry.get("expect", {})), snakemake.output.data, snakemake.output.facts)
