"""Runs that are killed, run out of space, find their files damaged or meet each other: no wrong result is ever left."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import pytest
import yaml

from ..conftest import ROOT
from ..workflow.test_workflow import EMBEDDED, outputs, snakemake

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("interruption")]

KILLS = 10
PREPARED = "data/prepared/synthetic-multilabel.npz"


def results(folder):
    """The bytes of all results. What the run cost differs from run to run; unfinished files have hidden names."""
    found = outputs(
        folder, "data/prepared/**/*", "data/splits/**/*", "data/scores/**/*", "data/predictions/**/*", "out/**/*"
    )
    return {name: content for name, content in found.items() if "/." not in name and name != "out/cost.csv"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What a run gives that nothing disturbs."""
    folder = tmp_path_factory.mktemp("undisturbed")
    run = snakemake(folder, EMBEDDED)
    assert run.returncode == 0, run.stderr
    found = results(folder)
    assert {PREPARED, "out/index.html", "out/digests.csv"} <= set(found)
    return found


def start(folder):
    (folder / "own.yaml").write_text(yaml.safe_dump(EMBEDDED))
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--directory", str(folder)]
    command += ["--cores", "2", "--configfile", str(folder / "own.yaml")]
    # A session of its own, so that a kill of the group takes its jobs too but not the tests.
    return subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def kill_at_random(folder, rng):
    """Start a run and kill it at some moment: before, between or within its next jobs. Whether it had ended before."""
    process = start(folder)
    jobs_to_see = rng.randrange(3)
    for line in process.stdout:
        jobs_to_see -= "Finished jobid" in line or "Select jobs" in line
        if jobs_to_see < 0:
            break
    time.sleep(rng.random())
    ended = process.poll() is not None
    with contextlib.suppress(ProcessLookupError):
        if rng.random() < 0.5:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()  # its jobs are orphans now, and go on writing
    process.stdout.close()
    process.wait()
    return ended


def test_killed_ten_times_and_not_a_byte_is_other(tmp_path, whole):
    rng = random.Random(9)
    kills = 0
    for _ in range(10 * KILLS):
        ended = kill_at_random(tmp_path, rng)
        kills += not ended
        if kills == KILLS:
            break
        if ended:  # too quick for us: take a result away, so that there is something left to do
            (tmp_path / "data/scores/cv-1x10/synthetic-multilabel/mlknn.csv").unlink()
        snakemake(tmp_path, EMBEDDED, "--unlock")
    assert kills == KILLS
    snakemake(tmp_path, EMBEDDED, "--unlock")
    run = snakemake(tmp_path, EMBEDDED)
    assert run.returncode == 0, run.stderr
    found = results(tmp_path)
    assert found.keys() == whole.keys()
    for name, content in whole.items():
        assert found[name] == content, name


@contextlib.contextmanager
def mounted(folder, options):
    """A file system in memory at `folder`; tests that need one are skipped where that is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, text=True
    )
    if mount.returncode:
        pytest.skip(f"no file system can be mounted: {mount.stderr.strip()}")
    try:
        yield lambda changed: subprocess.run(["mount", "-o", f"remount,{changed}", str(folder)], check=True)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_leaves_no_half_result(tmp_path, whole):
    with mounted(tmp_path / "data", "size=24k") as remount:
        full = snakemake(tmp_path, EMBEDDED)
        assert full.returncode != 0
        assert "No space left on device" in full.stdout + full.stderr
        for name, content in results(tmp_path).items():
            assert content == whole[name], name
        remount("size=50m")
        again = snakemake(tmp_path, EMBEDDED)
        assert again.returncode == 0, again.stderr
        assert results(tmp_path) == whole


def test_a_folder_that_cannot_be_written_into(tmp_path, whole):
    with mounted(tmp_path / "out", "size=10m,ro"):
        run = snakemake(tmp_path, EMBEDDED)
        assert run.returncode != 0
        assert "Read-only file system" in run.stdout + run.stderr
    again = snakemake(tmp_path, EMBEDDED)
    assert again.returncode == 0, again.stderr
    assert results(tmp_path) == whole


def test_a_damaged_file_is_noticed_and_named(tmp_path, whole):
    assert snakemake(tmp_path, EMBEDDED).returncode == 0
    path, scores = tmp_path / PREPARED, tmp_path / "data/scores/cv-1x10/synthetic-multilabel/mlknn.csv"
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=times)  # Snakemake has no reason to look again
    scores.unlink()
    run = snakemake(tmp_path, EMBEDDED)
    assert run.returncode != 0
    said = run.stdout + run.stderr
    assert f"{PREPARED}: cannot be read as an array file" in said
    assert "delete it and run again" in said
    assert not scores.exists()
    path.unlink()
    again = snakemake(tmp_path, EMBEDDED)
    assert again.returncode == 0, again.stderr
    assert results(tmp_path) == whole


def test_two_runs_in_one_folder_do_not_meet(tmp_path, whole):
    first = start(tmp_path)
    for line in first.stdout:
        if "Select jobs" in line:
            break
    second = snakemake(tmp_path, EMBEDDED)
    assert second.returncode != 0
    assert "Directory cannot be locked" in second.stdout + second.stderr
    assert "Traceback" not in second.stdout + second.stderr
    said = first.stdout.read()
    first.stdout.close()
    assert first.wait() == 0, said
    assert results(tmp_path) == whole
