"""A full disk, a folder that cannot be written, damaged files, two runs at once: each says what to do, and doing it is
enough."""

import os
import shutil
import subprocess
import sys
import time

import pytest

from ..conftest import ROOT
from ..workflow.test_workflow import EMBEDDED, MEASURED, RESULTS, embedded, outputs, snakemake

pytestmark = [pytest.mark.workflow, pytest.mark.robust]

CELL = "cv-1x10/synthetic-multilabel"


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """A run that nothing has happened to."""
    folder = tmp_path_factory.mktemp("calm") / "run"
    folder.mkdir()
    run = snakemake(folder, EMBEDDED)
    assert run.returncode == 0, run.stderr
    return folder


@pytest.fixture
def finished(calm, tmp_path):
    """A copy of it, as old as the original and as deep in the tree: the paths of the modules are the same."""
    return shutil.copytree(calm, tmp_path / "copy", copy_function=shutil.copy2)


def results(folder):
    found = outputs(folder, *RESULTS, "out/**/*")
    for measured in MEASURED:
        assert found.pop(measured), "what the run cost differs from run to run"
    return found


def flip(content):
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 0x10]) + content[middle + 1 :]


def cut(content):
    return content[:-100]


# In a table of scores a digit that has become another one is not noticed; `make verify` finds it.
@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("data/prepared/synthetic-multilabel.npz", flip),
        (f"data/splits/{CELL}.npz", flip),
        (f"data/cells/{CELL}/mlknn/*/predictions.npz", flip),
        (f"data/cells/{CELL}/mlknn/*/predictions.npz", cut),
        (f"data/cells/{CELL}/mlknn/*/scores-*.csv", cut),
    ],
)
def test_a_damaged_file_is_named_and_easily_replaced(calm, finished, name, damage):
    (path,) = finished.glob(name)
    name = path.relative_to(finished).as_posix()
    path.write_bytes(damage(path.read_bytes()))
    # Nobody looks at a file as long as what is made from it stands.
    for made in ("out", "data/results", *([] if "cells" in name else ["data/cells"])):
        shutil.rmtree(finished / made)
    run = snakemake(finished, EMBEDDED)
    assert run.returncode != 0
    assert f"labelknn: {name}: cannot be read as " in run.stderr
    assert "; delete it and run again" in run.stderr
    assert "Traceback" not in run.stderr
    path.unlink()
    again = snakemake(finished, EMBEDDED)
    assert again.returncode == 0, again.stderr
    assert results(finished) == results(calm)


@pytest.fixture
def disk(tmp_path):
    """A file system of its own, and a way to change its options."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root on Linux can mount a small disk")

    def remount(options):
        subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)

    yield folder, remount
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_ends_the_run_and_more_room_resumes_it(calm, disk):
    folder, remount = disk
    for kilobytes in (300, 400, 500, 700):
        run = snakemake(folder, EMBEDDED, "--rerun-incomplete")
        assert run.returncode != 0
        assert "No space left on device" in run.stdout + run.stderr
        assert "NOT RUN" not in run.stderr, "a full disk is no missing source"
        (folder / "own.yaml").unlink()
        remount(f"size={kilobytes}k")
    remount("size=100m")
    snakemake(folder, EMBEDDED, "--unlock")
    run = snakemake(folder, EMBEDDED, "--rerun-incomplete")
    assert run.returncode == 0, run.stderr
    assert results(folder) == results(calm)


def test_a_folder_that_cannot_be_written_says_so(finished, disk, calm):
    folder, remount = disk
    remount("size=100m")
    # Results on a disk of their own, as on a cluster.
    shutil.copytree(finished / "data", folder / "data", copy_function=shutil.copy2)
    shutil.rmtree(finished / "data")
    (finished / "data").symlink_to(folder / "data")
    shutil.rmtree(finished / f"data/cells/{CELL}/mlknn")
    # Where there is an old result in the way, Snakemake itself says that it is write-protected.
    (finished / "data/provenance/out.json").unlink()
    shutil.rmtree(finished / "out")
    remount("ro")
    run = snakemake(finished, EMBEDDED)
    assert run.returncode != 0
    assert "Read-only file system" in run.stdout + run.stderr
    remount("rw")
    snakemake(finished, EMBEDDED, "--unlock")
    run = snakemake(finished, EMBEDDED, "--rerun-incomplete")
    assert run.returncode == 0, run.stderr
    assert results(finished) == results(calm)


def test_a_second_run_in_the_same_folder_is_refused(calm, tmp_path):
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--directory", str(tmp_path)]
    command += ["--cores", "1", "--configfile", str(calm / "own.yaml")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
        while first.poll() is None and not list(tmp_path.glob(".snakemake/locks/*")):
            time.sleep(0.1)
        second = snakemake(tmp_path, EMBEDDED)
        assert first.wait(300) == 0
    assert second.returncode != 0
    assert "Directory cannot be locked" in second.stdout + second.stderr
    assert "--unlock" in second.stdout + second.stderr
    assert results(tmp_path) == results(calm)


def test_a_method_that_runs_out_of_memory_leaves_no_result(finished):
    (finished / "greedy.py").write_text(
        "from labelknn.multilabel._mlknn import MLkNN\n"
        "class Greedy(MLkNN):\n"
        "    def fit(self, *arguments, **more):\n"
        "        raise MemoryError('Unable to allocate 9 PiB')\n"
    )
    greedy = {"title": "Greedy", "class": "greedy:Greedy", "params": {"k": 10}}
    config = embedded(methods=["mlknn", "greedy"]) | {"methods": {"greedy": greedy}}
    path = os.pathsep.join([str(finished), os.environ.get("PYTHONPATH", "")])
    page = (finished / "out/index.html").read_bytes()
    run = snakemake(finished, config, PYTHONPATH=path)
    assert run.returncode != 0
    assert "labelknn: out of memory (Unable to allocate 9 PiB); use fewer --cores or more memory" in run.stderr
    assert not list((finished / "data/cells").glob("*/*/greedy*"))
    assert (finished / "out/index.html").read_bytes() == page
