"""Run methods on all splits of one data set, and score what they say; what is in the store is taken from there."""

import logging

from labelknn.errors import DataError
from labelknn_papers.run.group import Group, run_group
from labelknn_papers.run.job import job
from labelknn_papers.run.progress import Progress
from labelknn_papers.run.store import write_costs, write_results

with job(snakemake.log[0], threads=snakemake.threads):
    logging.getLogger().addHandler(Progress())
    results, costs = [], []
    # Where queries are scattered, the jobs before this one have left a block each in the store.
    group = Group(**snakemake.params.group, blocks=max(1, len(snakemake.input.blocks)))
    for result, cost in run_group(group):
        results.append(result)
        costs += cost
    failed = [result for result in results if result.reason]
    if failed and not group.may_fail:
        # The others are in the store by now.
        raise DataError("; ".join(f"{result.cell}: {result.reason}" for result in failed))
    write_costs(snakemake.output.costs, costs)
    write_results(snakemake.output.results, sorted(results))
