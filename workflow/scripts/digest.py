"""Digests of the predictions and scores of all cells, as the jobs that ran them have found them."""

from labelknn_papers.plan.plan import plan_of
from labelknn_papers.run.digests import Digest, write_digests
from labelknn_papers.run.job import job
from labelknn_papers.run.store import read_results

with job(snakemake.log[0]):
    cells = {cell.path for cell in plan_of(snakemake).cells}
    found = [result for result in read_results(snakemake.input.results).values() if result.cell in cells]
    digests = (Digest(result.cell, result.predictions_sha256, result.scores_sha256) for result in found)
    write_digests(snakemake.output.digests, digests)
