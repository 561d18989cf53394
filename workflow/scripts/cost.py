"""Wall time, CPU time and peak memory of the run by stage, and the seconds of each cell."""

import time
from pathlib import Path

from labelknn_papers.plan.plan import plan_of
from labelknn_papers.run.job import job
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
    write_cost(snakemake.output.cost, rows)
