"""The cost of a run, from benchmark files and logs."""

import os

import pytest
import yaml

from labelknn.errors import DataError
from labelknn_papers.plan.config import merge
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.job import Usage, job, logged_usage
from labelknn_papers.run.store import Cost, write_costs
from labelknn_papers.show.cost import CostRow, cell_seconds, cost_rows, in_short, read_cells, read_jobs, write_cost

from ..conftest import ROOT
from ..workflow.test_workflow import EMBEDDED

HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


@pytest.fixture
def plan():
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    return Plan(merge(config, EMBEDDED), ROOT)


def put(folder, place, seconds, memory="100.00", cpu="1.00", logged=None):
    benchmark, log = folder / f"benchmarks/{place}.tsv", folder / f"logs/{place}.log"
    for path in (benchmark, log):
        path.parent.mkdir(parents=True, exist_ok=True)
    benchmark.write_text(f"{HEADER}{seconds}\t0:00:01\t{memory}\t0\t0\t0\t0\t0\t0\t{cpu}\n")
    log.write_text(f"something\n{logged}\n" if logged else "")
    return benchmark


def test_rows_add_up_the_jobs_of_the_plan(tmp_path, plan):
    cell = "cv-1x10/synthetic-multilabel/mlknn"
    old = put(tmp_path, "prepare/synthetic-multilabel", "2.00")
    os.utime(old, (1000, 1000))
    job = "cv-1x10/synthetic-multilabel/run"
    put(tmp_path, f"cells/out/{job}", "12.00", memory="NA", logged="used 11.00 CPU seconds and at most 90.0 MB")
    here, before = [("mlknn", "run", 10.0, 9.5, 300.0, True)], [("mlknn", "score", 0.3, 0.2, 80.0, False)]
    write_costs(tmp_path / "costs.csv", [Cost(*one) for one in [*here, *before]])
    put(tmp_path, "compare/out/zhang2005", "3.00", memory="150.00")
    put(tmp_path, "page/out", "4.00")
    for stranger in (f"cells/other/{job}", "prepare/yeast", "page/output", "compare/quick/zhang2005"):
        put(tmp_path, stranger, "1000.00")
    folders = (tmp_path / "benchmarks", tmp_path / "logs", plan)
    cells = read_cells(*folders, [(job, tmp_path / "costs.csv")])
    jobs = [*read_jobs(*folders), *cells]
    rows = {(row.stage, row.owner, row.algorithm): row[3:] for row in cost_rows(jobs, started=2000, ended=2012.5)}
    assert rows["run", "embedded", "mlknn"] == rows["run", "", ""] == (1, "10.0", "9.5", "300")
    assert rows["score", "", ""] == (1, "0.3", "0.2", "80")
    assert rows["load", "", ""] == (1, "2.0", "1.5", "90"), "what of the job went into no cell"
    assert rows["search", "", ""] == (0, "0.0", "0.0", "0")
    assert rows["present", "", ""] == (2, "7.0", "2.0", "150")
    assert rows["fetch", "", ""] == (0, "0.0", "0.0", "0")
    assert rows["total", "", ""] == (6, "21.3", "14.2", "300")
    assert rows["elapsed", "", ""] == (4, "12.5", "13.0", "300"), "what ran before the last start is not part of it"
    assert cell_seconds(cells) == {cell: pytest.approx(10.3)}


def test_the_end_of_a_run_says_where_the_time_went(tmp_path):
    names = [("run", "paper", f"method-{number}", 1, f"{number}.0", "1.0", "9") for number in range(7)]
    rows = [*names, ("run", "", "", 7, "21.0", "7.0", "9"), ("score", "", "", 0, "0.0", "0.0", "0")]
    write_cost(tmp_path / "cost.csv", [CostRow(*row) for row in rows])
    lines = [line.split() for line in in_short(tmp_path / "cost.csv", longest=2).splitlines()[1:]]
    assert lines == [["21.0", "7.0", "run"], *([f"{n}.0", "1.0", f"method-{n}", "(paper)"] for n in (6, 5))]


def test_a_job_says_what_it_used(tmp_path):
    with job(tmp_path / "fine.log"):
        sum(range(10**5))
    usage = logged_usage(tmp_path / "fine.log")
    assert usage.cpu_seconds > 0
    assert usage.peak_memory_mb > 1
    with pytest.raises(SystemExit), job(tmp_path / "failed.log"):
        raise DataError("nothing there")
    assert logged_usage(tmp_path / "failed.log") is None
    assert logged_usage(tmp_path / "no.log") is None
    (tmp_path / "line.log").write_text("used 0.10 CPU seconds and at most 5.0 MB\n")
    assert logged_usage(tmp_path / "line.log") == Usage(0.1, 5.0)
