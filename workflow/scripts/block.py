"""Run methods on a block of the queries of one data set; `cells` puts the blocks together."""

import logging

from labelknn.errors import DataError
from labelknn_papers.run.group import Group, run_block
from labelknn_papers.run.job import job
from labelknn_papers.run.progress import Progress
from labelknn_papers.run.store import write_costs

with job(snakemake.log[0], threads=snakemake.threads):
    logging.getLogger().addHandler(Progress())
    group = Group(**snakemake.params.group)
    found = list(run_block(group, snakemake.wildcards.scatteritem))
    reasons = [reason for reason, _ in found if reason]
    if reasons and not group.may_fail:
        raise DataError("; ".join(reasons))
    write_costs(snakemake.output[0], [cost for _, costs in found for cost in costs])
