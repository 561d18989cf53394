"""Run one method on all splits of one data set."""

from labelknn.datasets._container import load
from labelknn_papers.plan.protocol import load_splits
from labelknn_papers.run.cell import run_cell, write_provenance
from labelknn_papers.run.job import job
from labelknn_papers.run.predictions import save_predictions
from labelknn_papers.run.search import load_searched

with job(snakemake.log[0], threads=snakemake.threads):
    data = load(snakemake.input.data)
    method, seed = snakemake.params.method, snakemake.params.seed
    splits = load_splits(snakemake.input.splits)
    searched = load_searched(snakemake.input.neighbors) if snakemake.input.neighbors else None
    predictions, clock = run_cell(data, splits, method, seed, snakemake.params.missing, searched)
    write_provenance(snakemake.output.provenance, data, method, seed)
    clock.write(snakemake.output.times)
    save_predictions(snakemake.output.predictions, predictions)
