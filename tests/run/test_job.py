"""What a script says, and where, when it cannot go on; and that it ends with its run."""

import errno
import logging
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from labelknn.errors import DataError
from labelknn.utils._files import save_arrays
from labelknn_papers.run.job import job, logged_usage, of_machine


@pytest.fixture(autouse=True)
def own_logging(monkeypatch):
    """The scripts set up logging for a process of their own."""
    monkeypatch.setattr(logging, "raiseExceptions", logging.raiseExceptions)
    yield
    logging.basicConfig(force=True)
    logging.captureWarnings(False)


THEN = "and start the same command again: what is finished stays"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (DataError("a.arff, line 3: no"), "a.arff, line 3: no"),
        (MemoryError(), f"out of memory; use fewer --cores or more memory, {THEN}"),
        (MemoryError("8 GB"), f"out of memory (8 GB); use fewer --cores or more memory, {THEN}"),
        (
            OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "x.npz"),
            f"[Errno 28] No space left on device: 'x.npz'; free some space, {THEN}",
        ),
        (
            OSError(errno.EROFS, os.strerror(errno.EROFS), "x.npz"),
            f"[Errno 30] Read-only file system: 'x.npz'; make the folder writable, or use another --directory, {THEN}",
        ),
    ],
    ids=["data", "memory", "how much memory", "full disk", "read-only"],
)
def test_what_is_wrong_and_what_to_do_is_one_sentence(tmp_path, error, message):
    with pytest.raises(SystemExit, match="labelknn: ") as stopped, job(tmp_path / "log"):
        raise error
    assert str(stopped.value) == f"labelknn: {message}"
    assert (tmp_path / "log").read_text() == f"{message}\n"


def test_what_is_wrong_with_the_machine_is_no_methods_fault():
    for error in (MemoryError(), OSError(errno.ENOSPC, "full"), OSError(errno.EIO, "broken")):
        assert of_machine(error)
    for error in (FileNotFoundError(errno.ENOENT, "no such file"), OSError("the method says so"), ValueError()):
        assert not of_machine(error)


@pytest.mark.parametrize("error", [OSError(errno.EIO, "broken"), RuntimeError("a bug")])
def test_a_bug_has_its_traceback(tmp_path, error):
    with pytest.raises(type(error)), job(tmp_path / "log"):
        raise error
    assert "Traceback" in (tmp_path / "log").read_text()


def test_a_job_says_what_it_used(tmp_path):
    with job(tmp_path / "log"):
        pass
    assert logged_usage(tmp_path / "log").peak_memory_mb > 1


def script(folder, body, **environment):
    """A script of the workflow as Snakemake starts it."""
    lines = ["import sys, time, resource", "import numpy as np", "from labelknn_papers.run.job import job"]
    lines += ["from labelknn.utils._files import atomic, save_arrays", f"with job({str(folder / 'log')!r}):"]
    (folder / "script.py").write_text("\n".join(lines) + "\n" + textwrap.indent(body, "    "))
    return [sys.executable, str(folder / "script.py")], os.environ | environment


def test_a_file_that_does_not_fit_is_not_left_half_written(tmp_path):
    save_arrays(tmp_path / "x.npz", {"x": np.arange(3)})
    before = (tmp_path / "x.npz").read_bytes()
    body = f"""
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        save_arrays({str(tmp_path / "x.npz")!r}, {{"x": np.random.default_rng(1).random(10_000)}})
    """
    command, environment = script(tmp_path, textwrap.dedent(body))
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr == f"labelknn: [Errno 27] File too large; allow larger files, {THEN}\n"
    assert (tmp_path / "x.npz").read_bytes() == before
    assert not list(tmp_path.glob(".*"))


def test_a_job_that_needs_too_much_memory_says_so(tmp_path):
    body = "resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))\nnp.ones(2**30)\n"
    command, environment = script(tmp_path, body)
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.startswith("labelknn: out of memory (Unable to allocate 8.00 GiB for an array")
    assert run.stderr.endswith(f"; use fewer --cores or more memory, {THEN}\n")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_a_job_ends_with_the_run_that_started_it(tmp_path):
    command, environment = script(tmp_path, "print('started', flush=True)\ntime.sleep(60)\n")
    parent = f"""
        import os, subprocess
        subprocess.run({command!r}, env=os.environ | {{"LABELKNN_RUN": str(os.getpid())}})
    """
    start = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(parent)], env=environment, stdout=subprocess.PIPE
    ) as run:
        assert run.stdout.readline() == b"started\n"
        os.kill(run.pid, signal.SIGKILL)
        assert run.stdout.read() == b"", "the pipe has an end once both are gone"
    assert time.monotonic() - start < 50

    late = subprocess.run(command, env=environment | {"LABELKNN_RUN": str(run.pid)}, capture_output=True, text=True)
    assert (late.returncode, late.stderr) == (1, "labelknn: the run that started this job is gone\n")
