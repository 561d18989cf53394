"""Wall time, CPU time and peak memory of the run by stage, the seconds of each cell, and its fit and predict apart."""

import time
from pathlib import Path

from labelknn.utils._files import write_table
from labelknn_papers.judge.times import STAGE_COLUMNS, stage_rows
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.run.job import job
from labelknn_papers.run.store import read_results, times_of
from labelknn_papers.show.cost import cell_seconds, cost_rows, read_cells, read_jobs, write_cost, write_seconds

with job(snakemake.log[0]):
    plan, params = plan_of(snakemake), snakemake.params
    benchmarks, logs, folder = Path(params.benchmarks), Path("logs"), Path(params.costs)
    costs = [(path.relative_to(folder).with_suffix("").as_posix(), path) for path in map(Path, snakemake.input.costs)]
    cells = read_cells(benchmarks, logs, plan, costs)
    start = Path(params.start)
    started = start.stat().st_mtime if start.exists() else None
    rows = cost_rows([*read_jobs(benchmarks, logs, plan), *cells], started, time.time())
    write_seconds(snakemake.output.seconds, cell_seconds(cells))
    times = times_of(read_results(snakemake.input.results), plan.cells)
    write_table(snakemake.output.stages, STAGE_COLUMNS, stage_rows(times))
    write_cost(snakemake.output.cost, rows)
