"""Jobs that are divided, and cells that are deleted: results are the same bytes, and nothing is run that is there."""

import shutil

import pytest

from .test_verify import planned
from .test_workflow import MEASURED, RESULTS, embedded, outputs, snakemake

pytestmark = [pytest.mark.workflow, pytest.mark.long]

CELLS = "cv-1x10/synthetic-multilabel"
CONFIG = embedded(methods=["mlknn", "brknn", "feature-knn-10w"])


def test_a_job_that_is_divided_gives_the_same_bytes(tmp_path):
    found = []
    for name in ("whole", "divided"):
        folder = tmp_path / name
        (folder / "out").mkdir(parents=True)
        if name == "divided":
            seconds = (f"{CELLS}/{method},{1000 + place}" for place, method in enumerate(("mlknn", "brknn")))
            (folder / "out/seconds.csv").write_text("\n".join(["cell,seconds", *seconds, ""]))
        run = snakemake(folder, CONFIG)
        assert run.returncode == 0, run.stderr
        assert "Where the time went" in run.stderr
        for method in ("mlknn", "brknn", "feature-knn-10w"):
            assert f"{CELLS}/{method}: " in run.stderr, "a cell is told of when it is done"
        found.append(outputs(folder, *RESULTS, "out/**/*"))
        for measured in MEASURED:
            assert found[-1].pop(measured)
    assert found[0] == found[1]
    jobs = sorted(path.name for path in (tmp_path / "divided/data/results/out" / CELLS).iterdir())
    assert jobs == ["run.1.csv", "run.2.csv"]

    # What the cells took now would divide them otherwise, and other cores as well.
    folder = tmp_path / "divided"
    again = snakemake(folder, CONFIG, "--dry-run", cores=1)
    assert "Nothing to be done" in again.stdout + again.stderr

    shutil.rmtree(folder / f"data/cells/{CELLS}/brknn")
    jobs = planned(snakemake(folder, CONFIG, "--dry-run"))
    assert jobs["cells"] == {"protocol=cv-1x10, dataset=synthetic-multilabel, job=run.1"}
    assert (run := snakemake(folder, CONFIG)).returncode == 0, run.stderr
    repeated = outputs(folder, *RESULTS, "out/**/*")
    assert {name: repeated[name] for name in found[1]} == found[1]


@pytest.mark.parametrize(("shape", "scale", "also"), [("wiki-lshtc", 0.0025, 2), ("wiki-10", 1, None)])
def test_scattered_queries_give_the_same_bytes(tmp_path, shape, scale, also):
    """LCIF on data of Wiki-LSHTC's shape, a 400th of it, in one job, in four and in two; on all of Wiki-10's shape in
    one and in four."""
    entry = {"title": "Generated", "origin": "generated", "task": "multilabel", "sparse": True}
    options = {"shape": shape, "scale": scale, "seed": 2017}
    reader = "labelknn_papers.data.extreme_synthetic:read_synthetic_extreme"
    config = embedded(
        datasets=["extreme"], methods=["lcif-k15"], metrics=["micro_f1"], protocol={"kind": "public-split"}
    )
    config["datasets"] = {"extreme": entry | {"sources": [{"reader": reader, "options": options}]}}
    found = []
    ways = [("whole", [], None), ("four", ["extreme"], None), ("other", ["extreme"], also)]
    for name, scattered, asked in ways if also else ways[:2]:
        folder = tmp_path / name
        folder.mkdir()
        options = ("--set-scatter", f"queries={asked}") if asked else ()
        run = snakemake(folder, config | {"scattered": scattered}, *options, seconds=1800)
        assert run.returncode == 0, run.stderr
        blocks = sorted(path.name for path in (folder / "data/blocks").rglob("*.csv"))
        assert blocks == [f"{block}-of-{asked or 4}.csv" for block in range(1, (asked or 4) + 1)] * bool(scattered)
        found.append(outputs(folder, *RESULTS, "out/**/*.csv"))
        for measured in MEASURED:
            assert found[-1].pop(measured)
    assert all(one == found[0] for one in found[1:])
