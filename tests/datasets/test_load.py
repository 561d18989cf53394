"""`labelknn.datasets.load` as a notebook user meets it."""

import hashlib
import logging
import os
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.model_selection import train_test_split

from labelknn.datasets import _container as container
from labelknn.datasets import _load as module
from labelknn.datasets import available, load, registry
from labelknn.errors import ConfigError, DataError, SourceUnreachable

from ..conftest import ROOT

# Two training rows and a test row, a nominal feature, and an attribute between the labels.
TRAIN_ROWS = "0.5,blue,1,2,0\n1.5,red,0,3,1\n"
TEST_ROWS = "2.5,red,1,4,1\n"
HEADER = "@relation toy\n@attribute u numeric\n@attribute colour {red,blue}\n@attribute a {0,1}\n@attribute v numeric\n"
HEADER += "@attribute b {0,1}\n@data\n"
FILES = {
    "toy-train.arff": HEADER + TRAIN_ROWS,
    "toy-test.arff": HEADER + TEST_ROWS,
    "toy.xml": '<labels><label name="a"/><label name="b"/></labels>',
}


@pytest.fixture(autouse=True)
def surroundings(tmp_path, monkeypatch):
    """A cache of one's own, no mirror, no network but this machine."""
    monkeypatch.setenv("LABELKNN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LABELKNN_MIRROR", raising=False)
    monkeypatch.delenv("LABELKNN_OFFLINE", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def site(tmp_path):
    """A web server with the toy's files."""
    folder = tmp_path / "site"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def toy(address="http://127.0.0.1:9", **more):
    files = {
        name: {
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "bytes": len(text),
            "mirror": f"toy/{name}",
            "urls": [f"{address}/{name}"],
        }
        for name, text in FILES.items()
    }
    options = {"files": {"train": "toy-train.arff", "test": "toy-test.arff"}, "xml": "toy.xml"}
    source = {"reader": "mulan", "files": files, "options": options}
    return {"toy": {"title": "A toy", "origin": "made here", "task": "multilabel", "sources": [source], **more}}


def array_files(cache):
    return sorted((cache / "toy").glob("arrays-*.npz"))


def equal(one, other):
    pairs = [(one.X, other.X), (one.Y, other.Y)]
    dense = [[m.toarray() if sparse.issparse(m) else m for m in pair] for pair in pairs]
    same = all(np.array_equal(*pair) and pair[0].dtype == pair[1].dtype for pair in dense)
    fields = ("name", "task", "feature_names", "label_names", "levels", "DESCR")
    return same and all(getattr(one, field) == getattr(other, field) for field in fields)


def test_a_data_set_from_the_network(site):
    data = load("toy", registry=toy(site))
    assert repr(data) == "Dataset('toy', multilabel: 3 rows, 3 features, 2 labels, public split 2/1)"
    np.testing.assert_array_equal(data.X, [[0.5, 1, 2], [1.5, 0, 3], [2.5, 0, 4]])
    np.testing.assert_array_equal(data.Y, [[1, 0], [0, 1], [1, 1]])
    assert data.Y.dtype == int
    assert (data.name, data.task) == ("toy", "multilabel")
    assert (data.feature_names, data.label_names) == (("u", "colour", "v"), ("a", "b"))
    assert data.levels == {1: ("red", "blue")}
    assert data.DESCR == (
        "A toy\n\nTask: multilabel\nSize: 3 rows, 3 features, 2 labels\nPublic split: 2 training rows, 1 test rows\n"
        "Nominal features: 1 (colour)\nOrigin: made here\n"
    )


def test_the_public_split_is_in_the_order_of_scikit_learn(site):
    data = load("toy", registry=toy(site))
    X_train, X_test, Y_train, Y_test = data.train_test()
    np.testing.assert_array_equal(X_train, data.X[:2])
    np.testing.assert_array_equal(X_test, data.X[2:])
    np.testing.assert_array_equal(Y_train, data.Y[:2])
    np.testing.assert_array_equal(Y_test, data.Y[2:])
    shapes = [part.shape for part in train_test_split(data.X, data.Y, test_size=1)]
    assert [part.shape for part in data.train_test()] == shapes


def test_without_a_public_split_scikit_learns_is_named():
    with pytest.raises(DataError, match=r"no public split .*sklearn\.model_selection\.train_test_split\(data\.X, data"):
        load("synthetic-multilabel").train_test()


def test_frames_have_names_and_the_same_numbers(site):
    data, framed = (load("toy", registry=toy(site), as_frame=as_frame) for as_frame in (False, True))
    assert list(framed.X.columns) == ["u", "colour", "v"]
    assert list(framed.Y.columns) == ["a", "b"]
    np.testing.assert_array_equal(framed.X.to_numpy(), data.X)
    np.testing.assert_array_equal(framed.Y.to_numpy(), data.Y)
    for frame, part in zip(framed.train_test(), data.train_test(), strict=True):
        assert isinstance(frame, pandas.DataFrame)
        np.testing.assert_array_equal(frame.to_numpy(), part)
    assert list(framed.train_test()[1].index) == [2]


def test_return_X_y(site):  # noqa: N802 - scikit-learn's name
    data = load("toy", registry=toy(site))
    X, Y = load("toy", registry=toy(site), return_X_y=True)
    np.testing.assert_array_equal(X, data.X)
    np.testing.assert_array_equal(Y, data.Y)
    X, Y = load("synthetic-ranking", return_X_y=True, as_frame=True)
    assert (X.shape, list(Y.columns)) == ((600, 10), ["label1", "label2", "label3", "label4", "label5"])
    assert (np.sort(Y.to_numpy(), axis=1) == [1, 2, 3, 4, 5]).all()


def test_frames_of_sparse_features_and_of_classes_with_named_rows():
    data = container.Dataset("s", "classification", sparse.eye_array(2, format="csr"), np.array([1, 0]), ("u", "v"))
    framed = container.replace(data, label_names=("no", "yes"), row_names=("r1", "r2")).to_frame()
    assert all(isinstance(kind, pandas.SparseDtype) for kind in framed.X.dtypes)
    assert framed.X.loc["r2"].tolist() == [0, 1]
    assert framed.Y.to_dict() == {"r1": 1, "r2": 0}
    assert repr(framed) == "Dataset('s', classification: 2 rows, 2 features, 2 classes)"


def test_without_pandas_the_error_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="data frames need pandas, which is not installed"):
        load("synthetic-ranking", as_frame=True)


def test_label_sets_are_sparse_where_features_are():
    Y = sparse.csr_matrix(np.array([[True, False], [False, False]]))
    for X, kept in ((np.zeros((2, 1)), False), (sparse.csr_matrix((2, 1)), True)):
        data = container.with_integer_labels(container.Dataset("d", "multilabel", X, Y, ("x",), ("a", "b")))
        assert sparse.issparse(data.Y) == kept
        assert data.Y.dtype == int
        assert data.Y[0, 0] == 1
        assert data.Y.sum() == 1


def test_a_second_load_needs_no_raw_file_and_no_network(site, cache, monkeypatch):
    first = load("toy", registry=toy(site))
    assert len(array_files(cache)) == 1
    for name in FILES:
        (cache / "toy" / name).unlink()
    monkeypatch.setenv("LABELKNN_OFFLINE", "1")
    monkeypatch.setattr(module, "read", lambda *_: pytest.fail("the text was read again"))
    assert equal(load("toy", registry=toy(site)), first)


@pytest.mark.parametrize("harm", ["cut", "flip", "empty"])
def test_damaged_arrays_are_made_again(site, cache, caplog, harm):
    first = load("toy", registry=toy(site))
    (path,) = array_files(cache)
    whole = path.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :]
    path.write_bytes({"cut": whole[:middle], "flip": flipped, "empty": b""}[harm])
    assert equal(load("toy", registry=toy(site)), first)
    assert caplog.text.count("is damaged; it is made again") == 1
    assert path.read_bytes() == whole


def test_arrays_are_as_new_as_raw_files_options_and_code(site, cache, monkeypatch):
    load("toy", registry=toy(site))
    (first,) = array_files(cache)
    turned = toy(site)
    turned["toy"]["sources"][0]["options"]["files"] = {"train": "toy-test.arff", "test": "toy-train.arff"}
    assert load("toy", registry=turned).train_test()[0].shape == (1, 3)
    (second,) = array_files(cache)  # the older one is gone
    monkeypatch.setattr(module, "_code", lambda: "edited")
    load("toy", registry=turned)
    (third,) = array_files(cache)
    assert len({first, second, third}) == 3


def test_a_damaged_raw_file_is_fetched_again(site, cache, caplog):
    first = load("toy", registry=toy(site))
    (path,) = array_files(cache)
    path.unlink()
    (cache / "toy" / "toy.xml").write_text("damaged")
    assert equal(load("toy", registry=toy(site)), first)
    assert "toy.xml is removed" in caplog.text


def test_the_mirror_is_used_by_argument_and_by_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("LABELKNN_OFFLINE", "1")
    mirror = tmp_path / "mirror"
    (mirror / "toy").mkdir(parents=True)
    for name, text in FILES.items():
        (mirror / "toy" / name).write_text(text)
    first = load("toy", registry=toy(), mirror=mirror, cache=tmp_path / "first")
    monkeypatch.setenv("LABELKNN_MIRROR", str(mirror))
    assert equal(load("toy", registry=toy(), cache=tmp_path / "second"), first)
    with pytest.raises(ConfigError, match=r"mirror names the folder .*nowhere, which does not exist"):
        load("toy", registry=toy(), mirror=tmp_path / "nowhere", cache=tmp_path / "third")


def test_offline_the_error_says_where_was_looked_and_what_to_set(tmp_path, cache, monkeypatch):
    monkeypatch.setenv("LABELKNN_OFFLINE", "1")
    with pytest.raises(SourceUnreachable) as error:
        load("toy", registry=toy(), mirror=tmp_path)
    for part in (
        "toy: no source can be had whole",
        "mirror file toy/toy-train.arff: No such file",
        "http://127.0.0.1:9/toy-train.arff: offline",
        f"in the cache {cache / 'toy'}",
        f"in the mirror {tmp_path}",
        "set LABELKNN_MIRROR (or mirror=)",
        "LABELKNN_CACHE (or cache=)",
    ):
        assert part in str(error.value)
    with pytest.raises(SourceUnreachable, match="in no mirror"):
        load("toy", registry=toy())


def test_other_bytes_are_refused(site):
    entries = toy(site)
    entries["toy"]["sources"][0]["files"]["toy.xml"]["sha256"] = "0" * 64
    with pytest.raises(DataError, match=r"toy\.xml: .*SHA-256"):
        load("toy", registry=entries)


def test_what_nobody_has_is_unreachable_with_its_reason():
    lost = {"lost": {"title": "Lost", "task": "multilabel", "unavailable": "never published"}}
    with pytest.raises(SourceUnreachable, match="lost: never published"):
        load("lost", registry=lost)


def test_what_is_made_by_a_recipe_is_refused():
    made = {"made": {"title": "Made", "task": "ranking", "generate": {"from": ["iris"], "recipe": "naive-bayes"}}}
    with pytest.raises(ConfigError, match="'made' is made from others by a recipe of the workflow"):
        load("made", registry=made)


def test_an_unknown_name():
    with pytest.raises(
        ConfigError, match=r"unknown data set 'yeats'\. Did you mean 'yeast'\? Known: authorship, bibtex"
    ):
        load("yeats")


def test_a_cache_that_cannot_be_written(tmp_path, site):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"cache .* cannot be written .*; choose another folder by LABELKNN_CACHE"):
        load("toy", registry=toy(site), cache=tmp_path / "file")


def test_arrays_that_cannot_be_kept_are_no_error(site, cache, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(container, "save", full)
    assert load("toy", registry=toy(site)).n == 3
    assert "not kept in the cache" in caplog.text
    assert array_files(cache) == []


def test_a_reader_of_ones_own_is_asked_each_time(site, cache, tmp_path, monkeypatch):
    own = tmp_path / "own_reader.py"
    own.write_text(
        "import numpy as np\n"
        "from labelknn.datasets import Dataset\n"
        "def read_it(name, folder, *, file):\n"
        "    X = np.full((2, 1), len((folder / file).read_text()))\n"
        "    return Dataset(name, 'ranking', X, np.array([[1, 2], [2, 1]]), ('x',), ('a', 'b'))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    files = {"mine.txt": {"path": str(tmp_path / "mine.txt")}}
    source = {"reader": "own_reader:read_it", "files": files, "options": {"file": "mine.txt"}}
    entries = registry() | {"mine": {"title": "Mine", "task": "ranking", "sources": [source]}}
    for text in ("one", "three"):
        (tmp_path / "mine.txt").write_text(text)
        assert load("mine", registry=entries).X[0, 0] == len(text)
    assert list((cache / "mine").glob("arrays-*")) == []


def test_a_known_reader_of_a_file_of_ones_own_is_asked_after_an_edit(cache, tmp_path):
    source = {"reader": "kebi", "files": {"r.txt": {"path": str(tmp_path / "r.txt")}}, "options": {"file": "r.txt"}}
    entries = {"mine": {"title": "Mine", "task": "ranking", "sources": [source]}}
    for row, rank in (("a>b", 1), ("b>a", 2)):
        (tmp_path / "r.txt").write_text(f"x,ranking\n0.5,{row}\n")
        assert load("mine", registry=entries).Y[0, 0] == rank
        assert load("mine", registry=entries).Y[0, 0] == rank
    assert len(list((cache / "mine").glob("arrays-*"))) == 1


def test_synthetic_sets_leave_no_file(cache):
    assert load("synthetic-ranking").n == 600
    assert not cache.exists()


def test_the_registry_is_a_copy():
    registry()["yeast"]["sources"].clear()
    assert registry()["yeast"]["sources"]


def test_available_says_what_load_gives():
    table = available()
    assert list(table) == sorted(registry())
    for name in ("synthetic-multilabel", "synthetic-ranking"):
        data, said = load(name), table[name]
        assert (said.task, said.rows, said.features, said.labels) == (data.task, data.n, data.d, data.q)
        assert (said.sparse, said.split) == (sparse.issparse(data.X), data.part is not None)
    assert table["delicious"].sparse
    assert table["yeast"].split
    assert table["wiki10-31k"].rows is None
    lines = repr(table).splitlines()
    assert lines[0].split() == ["name", "task", "rows", "features", "labels", "sparse", "split", "title"]
    yeast = next(line for line in lines if line.startswith("yeast "))
    assert yeast.split()[:6] == ["yeast", "multilabel", "2417", "103", "14", "yes"]
    assert len(lines) == len(table) + 1


def run(code, **environment):
    variables = os.environ | {"PYTHONPATH": str(ROOT / "src")} | environment
    return subprocess.run(
        [sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True
    ).stdout


def test_importing_the_package_imports_no_library():
    imported = "import sys; before = set(sys.modules); import labelknn.datasets as it; {}; "
    imported += "print(*{{name.partition('.')[0] for name in set(sys.modules) - before}} - sys.stdlib_module_names)"
    assert run(imported.format("pass")).split() == ["labelknn"]
    assert {"numpy", "yaml"} <= set(run(imported.format("it.load('synthetic-ranking')")).split())
    assert not {"numba", "pandas", "pooch", "requests"} & set(
        run(imported.format("it.load('synthetic-ranking')")).split()
    )


def test_the_second_process_reads_arrays_only(site, cache):
    entries = toy(site)
    code = "from labelknn.datasets import load; import sys; "
    code += f"print(load('toy', registry={entries!r}), 'pooch' in sys.modules)"
    outputs = [run(code) for _ in range(2)]
    assert [output.split()[-1] for output in outputs] == ["True", "False"]
    assert outputs[0].rpartition(" ")[0] == outputs[1].rpartition(" ")[0]


def test_two_processes_can_load_the_same_at_once(site, cache):
    code = f"from labelknn.datasets import load; print(load('toy', registry={toy(site)!r}).Y.sum())"
    command = [sys.executable, "-c", code]
    variables = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    running = [subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate(timeout=60)[0] for process in running] == ["4\n"] * 3
    assert len(array_files(cache)) == 1


@pytest.mark.mirror
def test_emotions_in_one_line(mirror, monkeypatch):
    monkeypatch.setenv("LABELKNN_MIRROR", str(mirror))
    X_train, X_test, Y_train, Y_test = load("emotions").train_test()
    assert [part.shape for part in (X_train, X_test, Y_train, Y_test)] == [(391, 72), (202, 72), (391, 6), (202, 6)]


@pytest.mark.mirror
def test_yeast_has_the_split_of_the_paper(mirror, caplog):
    with caplog.at_level(logging.WARNING):
        data = load("yeast", mirror=mirror)
    assert [part.shape for part in data.train_test()] == [(1500, 103), (917, 103), (1500, 14), (917, 14)]
    assert set(np.unique(data.Y)) == {0, 1}
    assert not caplog.records


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("name", "rows", "features", "labels", "nominal"),
    [
        ("birds", 645, 260, 19, ["location"]),
        ("cal500", 502, 68, 174, []),
        ("enron", 1702, 1001, 53, []),
        ("flags", 194, 19, 7, ["landmass", "zone", "language", "religion"]),
        ("foodtruck", 407, 21, 12, ["time", "motivation", "gender", "marital.status"]),
        pytest.param("imdb-f", 120919, 1001, 28, [], marks=pytest.mark.long),
        ("llog", 1460, 1004, 75, []),
        ("ohsumed-f", 13929, 1002, 23, []),
        ("reuters-k500", 6000, 500, 103, []),
        ("slashdot-f", 3782, 1079, 22, []),
        ("tmc2007-500", 28596, 500, 22, []),
    ],
)
def test_sets_that_only_one_or_none_of_the_papers_has(name, rows, features, labels, nominal, mirror):
    data = load(name, mirror=mirror)
    assert data.X.shape == (rows, features)
    assert data.Y.shape == (rows, labels)
    assert [data.feature_names[column] for column in data.levels] == nominal
    # A column that only says which row it is would be a whole number, another one in each row.
    columns = sparse.csc_matrix(data.X)
    for start, stop in zip(columns.indptr[:-1], columns.indptr[1:], strict=True):
        values = columns.data[start:stop]
        assert len(np.unique(values)) < rows - 1 or (values != np.floor(values)).any()


@pytest.mark.long
@pytest.mark.mirror
def test_the_first_60_percent_of_imdb_f_are_for_training(mirror):
    data = load("imdb-f", mirror=mirror)
    X_train, X_test, Y_train, _ = data.train_test()
    assert (X_train.shape[0], X_test.shape[0]) == (72551, 48368) == (int(0.6 * 120919), 120919 - 72551)
    assert Y_train.sum() / Y_train.shape[0] == pytest.approx(1.977, abs=0.0005)
    assert (X_train != data.X[:72551]).nnz == 0


@pytest.mark.long
@pytest.mark.mirror
@pytest.mark.parametrize(
    "name", [name for name, entry in registry().items() if "mirror" in str(entry) or "synthetic" in name]
)
def test_everything_in_the_mirror_is_as_available_says(name, mirror):
    data, said = load(name, mirror=mirror), available()[name]
    assert (said.task, said.rows, said.features, said.labels) == (data.task, data.n, data.d, data.q)
    assert (said.sparse, said.split) == (sparse.issparse(data.X), data.part is not None)
    assert sparse.issparse(data.Y) == said.sparse
    assert data.Y.dtype.kind == "i"
    if data.task == "ranking":
        assert (np.sort(data.Y, axis=1) == np.arange(1, data.q + 1)).all()
