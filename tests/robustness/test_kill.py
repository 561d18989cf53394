"""Killed at any moment, and started again: the end is the same, byte for byte."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from ..conftest import ROOT
from ..workflow.test_workflow import EMBEDDED, MEASURED, RESULTS, outputs, snakemake

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.robust,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]

# What needs no data from outside: a comparison, and of cheng2009 what iris and wine are enough for.
SETS = ["iris", "wine"]
CONFIG = EMBEDDED | {
    "papers": ["cheng2009"],
    "settings": {"cheng2009": {"rankings": "generated"}},
    "only": {
        "cheng2009": {
            "datasets": SETS,
            "splits": 10,
            "figures": {"learning_curves": SETS[:1], "reliability": SETS, "iris_tree": "all"},
        }
    },
}
KILLS = 12
LONGEST = 1200
FILES = (*RESULTS, "data/splits/**/*", "data/prepared/**/*", "out/**/*")


def start(folder):
    """The workflow in the background, in a process group of its own."""
    (folder / "own.yaml").write_text(yaml.safe_dump(CONFIG))
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--directory", str(folder)]
    command += ["--cores", "2", "--configfile", str(folder / "own.yaml"), "--rerun-incomplete"]
    with open(folder / "said.txt", "ab") as said:
        return subprocess.Popen(command, stdout=said, stderr=said, start_new_session=True)


def processes_in(folder):
    """Those that have the folder as their working directory, as all jobs of a run have."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "cwd") == str(folder):
                found.append(int(process.name))
        except OSError:  # it has just ended
            continue
    return found


def wait_for_jobs(folder, run):
    """Until the run has a job, or has ended."""
    while len(processes_in(folder)) < 2 and run.poll() is None:
        time.sleep(0.1)


def wait_until_gone(folder):
    """A job ends with its run: Linux needs a moment to end it, a job that had not yet started somewhat longer."""
    deadline = time.monotonic() + 20
    while processes_in(folder):
        assert time.monotonic() < deadline, "a job outlives its run"
        time.sleep(0.1)


def killed_and_resumed(folder, rng):
    """Run to the end through all kills, at random moments; how many of them hit a run with jobs."""
    folder.mkdir()
    busy = 0
    for kill in range(KILLS + 1):
        run = start(folder)
        try:
            if kill % 4:  # else perhaps while the workflow is still read
                wait_for_jobs(folder, run)
            run.wait(rng.uniform(0, 5) if kill < KILLS else LONGEST)
        except subprocess.TimeoutExpired:
            assert kill < KILLS, "the last run does not end"
        if run.returncode is None:
            busy += len(processes_in(folder)) > 1
            # The main process alone, or the whole run at once.
            (os.kill if kill % 2 else os.killpg)(run.pid, signal.SIGKILL)
            run.wait()
            wait_until_gone(folder)
            unlocked = snakemake(folder, CONFIG, "--unlock")
            assert unlocked.returncode == 0, unlocked.stderr
    assert run.returncode == 0, (folder / "said.txt").read_text()[-2000:]
    return busy


def test_a_dozen_kills_do_not_change_a_byte(tmp_path, monkeypatch):
    (tmp_path / "mirror").mkdir()
    monkeypatch.setenv("LABELKNN_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("LABELKNN_OFFLINE", "1")
    (tmp_path / "calm").mkdir()
    assert start(tmp_path / "calm").wait(LONGEST) == 0, (tmp_path / "calm/said.txt").read_text()[-2000:]
    busy = killed_and_resumed(tmp_path / "killed", random.Random(1))
    expected, found = (outputs(tmp_path / name, *FILES) for name in ("calm", "killed"))
    for name in MEASURED:
        assert expected.pop(name)
        assert found.pop(name)
    assert found.keys() == expected.keys(), "what was half-written is gone"
    assert [name for name in expected if found[name] != expected[name]] == []
    size = sum(map(len, expected.values()))
    print(f"{KILLS} kills, {busy} of them with jobs running; {len(expected)} files, {size} bytes, are the same")
    assert busy >= KILLS / 2
