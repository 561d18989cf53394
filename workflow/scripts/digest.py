"""Digests of the predictions and scores of all cells."""

from labelknn_papers.run.digests import digest_cell, write_digests
from labelknn_papers.run.job import job

with job(snakemake.log[0]):
    files = zip(snakemake.input.predictions, snakemake.input.scores, strict=True)
    write_digests(snakemake.output.digests, [digest_cell(*pair) for pair in files])
