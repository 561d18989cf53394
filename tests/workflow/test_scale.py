"""A sweep over two tiny scales."""

import pytest
import yaml

from labelknn_papers.plan.config import read_yaml

from ..checkout import RUN, checkout
from .test_workflow import EMBEDDED, rows, snakemake

pytestmark = pytest.mark.workflow

CONFIG = EMBEDDED | {"papers": ["feremans2017"]}


def with_shapes(folder, **shapes):
    """A copy of the repository in which the paper's file has these shapes only."""
    root = checkout(folder, parts=RUN)
    path = root / "config/papers/feremans2017.yaml"
    path.write_text(yaml.safe_dump(read_yaml(path) | {"scale": {"seed": 1, "shapes": shapes}}))
    return root


SWEEP = {"title": "Wiki-LSHTC's shape", "scales": [0.0005, 0.001], "fit_from": 0.0005}


@pytest.mark.long
def test_a_sweep_is_measured_once_and_drawn(tmp_path):
    root = with_shapes(tmp_path / "checkout", **{"wiki-lshtc": SWEEP})
    run = snakemake(tmp_path, CONFIG, "--", "scale", root=root)
    assert run.returncode == 0, run.stderr
    found = rows(tmp_path / "out/feremans2017/scale.csv")
    assert [row["kind"] for row in found] == ["measured"] * 2 + ["extrapolated, total", "extrapolated, by part"]
    assert [row["train"] for row in found] == ["889", "1778", "1778352", "1778352"]
    for suffix in ("svg", "pdf", "png"):
        assert (tmp_path / f"out/feremans2017/scale.{suffix}").stat().st_size
    assert not (tmp_path / "out/index.html").exists(), "it is no part of the papers' run"

    again = snakemake(tmp_path, CONFIG, "--dry-run", "--", "scale", cores=1, root=root)
    assert "Nothing to be done" in again.stdout + again.stderr


def test_a_shape_that_is_not_known_is_refused(tmp_path):
    root = with_shapes(tmp_path / "checkout", **{"wiki-1": SWEEP})
    run = snakemake(tmp_path, CONFIG, "--", "scale", root=root)
    assert run.returncode != 0
    assert "unknown key 'wiki-1'. Did you mean 'wiki-10'?" in run.stderr
