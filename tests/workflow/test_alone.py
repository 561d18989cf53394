"""The command that the page has for a number makes the number's cell, and no other."""

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from labelknn_papers.plan.jobs import read_seconds
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.digests import digest_cell, read_digests
from labelknn_papers.run.store import read_results
from labelknn_papers.show.origins import Run, origin

from ..checkout import CONFIG, RUN, checkout
from ..conftest import ROOT
from .test_own import CONFIG as OWN
from .test_own import PAPER, folder  # noqa: F401 - a fixture
from .test_workflow import snakemake

pytestmark = [pytest.mark.workflow, pytest.mark.long]


def type_in(work, command):
    """Run a command as it stands on the page."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        command, shell=True, cwd=work, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=1800
    )
    assert run.returncode == 0, f"{command}\n{run.stderr}"


def made(work):
    """The cells of a store."""
    return {path.parent.relative_to(work / "data/cells").as_posix() for path in work.glob("data/cells/*/*/*/*")}


@pytest.mark.mirror
def test_nine_cells_of_the_record_drawn_by_seed(tmp_path, mirror):
    """Of those that take less than a second; the bits are those of the record."""
    plan = Plan(CONFIG, ROOT)
    seconds, digests = read_seconds([ROOT / "figures/seconds.csv"]), read_digests(ROOT / "figures/digests.csv")
    short = {
        target.cell.path: (paper, target)
        for paper, targets in plan.targets.items()
        for target in targets
        if target.cell and seconds.get(target.cell.path, 60) < 1
    }
    options = f" --snakefile {ROOT / 'Snakefile'}"
    found = set()
    for cell in random.Random(24).sample(sorted(short), 9):
        paper, target = short[cell]
        command = origin(plan, paper, target, Run(options), known=True).command
        type_in(tmp_path, command)
        assert made(tmp_path) == found | {cell}
        found.add(cell)
        (listed,) = tmp_path.glob(f"data/results/figures/{target.cell.protocol.id}/{target.cell.dataset}/only-*.csv")
        (result,) = read_results([listed]).values()
        assert digest_cell(cell, tmp_path / result.predictions, tmp_path / result.scores) == digests[cell]
        listed.unlink()


def test_a_cell_of_a_config_of_ones_own(folder):  # noqa: F811
    """From the page of a run with a method that joins a paper, and data that stand in for the paper's."""
    root = checkout(folder.parent / "checkout", {"config/papers/zhang2005.yaml": PAPER}, RUN)
    without_figures = OWN | {"only": {"zhang2005": {"figures": []}}}
    run = snakemake(folder, without_figures, "--", "out/index.html", root=root, seconds=1800)
    assert run.returncode == 0, run.stderr
    page = (folder / "out/index.html").read_text()
    assert ">Mine<" in page, "its title, not its id"
    assert not re.search(r"<th[^>]*>mine", page)
    assert "source unreachable" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1))
    said = [data["texts"][place] for place in data["cells"]["zhang2005-table2-yeast-mine"]]
    (command,) = (text for text in said if "snakemake" in text)
    assert "--configfile own.yaml" in command
    assert "Mine (id mine)\nfrequent.Frequent(factor=1.0)" in said
    for path in folder.glob("data/cells/*/*/*"):
        path.rename(folder / f"moved-{path.name}")
    assert made(folder) == set()
    type_in(folder, command)
    assert made(folder) == {"public-split/toy/mine"}
