"""A sweep over two tiny scales."""

import pytest

from .test_workflow import EMBEDDED, rows, snakemake

pytestmark = pytest.mark.workflow

PAPER = EMBEDDED | {"papers": ["feremans2017"]}
SWEEP = {"title": "Wiki-LSHTC's shape", "scales": [0.0005, 0.001], "fit_from": 0.0005}


@pytest.mark.long
def test_a_sweep_is_measured_once_and_drawn(tmp_path):
    config = PAPER | {"override": {"scale": {"seed": 1, "shapes": {"wiki-lshtc": SWEEP}}}}
    run = snakemake(tmp_path, config, "--", "scale")
    assert run.returncode == 0, run.stderr
    found = rows(tmp_path / "out/feremans2017/scale.csv")
    assert [row["kind"] for row in found] == ["measured"] * 2 + ["extrapolated, total", "extrapolated, by part"]
    assert [row["train"] for row in found] == ["889", "1778", "1778352", "1778352"]
    for suffix in ("svg", "pdf", "png"):
        assert (tmp_path / f"out/feremans2017/scale.{suffix}").stat().st_size
    assert not (tmp_path / "out/index.html").exists(), "it is no part of the papers' run"

    again = snakemake(tmp_path, config, "--dry-run", "--", "scale", cores=1)
    assert "Nothing to be done" in again.stdout + again.stderr


def test_a_shape_that_is_not_known_is_refused(tmp_path):
    config = PAPER | {"override": {"scale": {"seed": 1, "shapes": {"wiki-1": SWEEP}}}}
    run = snakemake(tmp_path, config, "--", "scale")
    assert run.returncode != 0
    assert "unknown key 'wiki-1'. Did you mean 'wiki-10'?" in run.stderr
