"""LCIF on generated data of one shape and scale, in a process of its own: its seconds and its memory."""

from labelknn_papers.run.job import job
from labelknn_papers.run.scale import measure_apart, write_measurement

with job(snakemake.log[0]):
    shape, scale = snakemake.wildcards.shape, float(snakemake.wildcards.scale)
    measured = measure_apart(shape, scale, snakemake.params.seed, snakemake.threads)
    write_measurement(snakemake.output.measurement, measured)
