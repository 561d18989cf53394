"""Wall time, CPU time and peak memory of the run by stage."""

import time
from pathlib import Path

from labelknn_papers.plan.plan import plan_of
from labelknn_papers.run.job import job
from labelknn_papers.show.cost import cost_rows, read_jobs, write_cost

with job(snakemake.log[0]):
    plan = plan_of(snakemake)
    jobs = read_jobs(Path(snakemake.params.benchmarks), Path("logs"), plan)
    start = Path(snakemake.params.start)
    started = start.stat().st_mtime if start.exists() else None
    write_cost(snakemake.output.cost, cost_rows(jobs, started, time.time()))
