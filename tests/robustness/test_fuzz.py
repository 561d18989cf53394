"""No damaged file raises anything but the documented error, fills the memory, or runs code."""

import pickle
import resource
import time

import numpy as np
import pytest

from labelknn.datasets._arff import read_arff
from labelknn.datasets._extreme import read_extreme
from labelknn.datasets._kebi import read_kebi
from labelknn.datasets._mulan import read_labels
from labelknn.datasets._uci import read_table
from labelknn.errors import DataError, LabelknnError
from labelknn.utils._files import load_arrays
from labelknn_papers.data.eisen import read_expression

from ..conftest import ROOT
from .fuzz import run

PEAK_MB = 500


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def fuzz(folder, count, seed):
    start = time.process_time()
    tally, wrong = run(folder, count, seed, LabelknnError)
    for name, (accepted, refused) in tally.items():
        print(f"{name:20} {accepted:6} read, {refused:6} refused")
    print(f"{count} inputs, {len(wrong)} errors, {time.process_time() - start:.0f} s, at most {peak_mb():.0f} MB")
    assert not wrong, "\n".join(wrong[:20])
    return tally


def test_three_thousand_inputs(tmp_path):
    tally = fuzz(tmp_path, 3000, seed=1)
    assert all(refused for _, refused in tally.values())


@pytest.mark.robust
def test_a_hundred_thousand_inputs(tmp_path):
    before = peak_mb()
    tally = fuzz(tmp_path, 100_000, seed=2)
    assert all(accepted and refused for accepted, refused in tally.values())
    assert peak_mb() < max(PEAK_MB, before)


HEADER = "@relation r\n@attribute x numeric\n@attribute y numeric\n@data\n"
BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 30))


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def zeros(path, start, size=2**30):
    """A file that has a gigabyte and takes no room."""
    with open(path, "wb") as file:
        file.write(start)
        file.truncate(size)
    return path


def extreme(folder, train, header=True):
    write(folder / "train", train)
    write(folder / "test", "1 5 4\n0 0:1\n" if header else "0 1:1\n")
    return read_extreme("toy", folder, files={"train": "train", "test": "test"}, header=header)


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        (
            lambda p: read_labels(write(p / "f", f'<!DOCTYPE x [<!ENTITY e0 "a">{BOMB}]><labels>&e29;</labels>')),
            "f, line 1: a DOCTYPE is not allowed",
        ),
        (lambda p: read_labels(zeros(p / "f", b"<labels><label name='")), "f: a list of labels with more than"),
        (lambda p: read_arff(write(p / "f", HEADER + "{99999999999 1}")), "f, line 5: sparse index 99999999999 is out"),
        (lambda p: read_arff(write(p / "f", HEADER + f"{{{'9' * 5000} 1}}")), "f, line 5: sparse index .* is out of"),
        (lambda p: read_arff(zeros(p / "f", HEADER.encode())), "f, line 5: the line has more than 16777216 bytes"),
        (lambda p: read_kebi("toy", zeros(p / "f", b"A1,ranking\n").parent, file="f"), "f, line 2: the line has more"),
        (lambda p: extreme(p, "1 9999999999 4\n0 0:1\n"), "train, line 1: 9999999999 features or labels; expected at"),
        (lambda p: extreme(p, "1 5 9999999\n0 0:1\n"), "train, line 1: 9999999 features or labels; expected at most"),
        (lambda p: extreme(p, f"{'9' * 30} 5 4\n0 0:1\n"), "train: 1 instances; the header announces 9999"),
        (
            lambda p: extreme(p, "9999999 1:1\n", header=False),
            "train and .*test: 10000000 features or labels; expected",
        ),
        (lambda p: extreme(p, "0 99999999999:1\n", header=False), "feature '99999999999:1' is out of range"),
        (
            lambda p: read_table("toy", write(p / "f", many_empty_rows()).parent, file="f", format="arff"),
            "f: 100000 sparse rows of 2000 values are too many for a dense table",
        ),
    ],
)
def test_what_would_fill_the_memory_is_refused(tmp_path, refused, message):
    before, start = peak_mb(), time.process_time()
    with pytest.raises(DataError, match=message):
        refused(tmp_path)
    assert peak_mb() < max(PEAK_MB, before + 100)
    assert time.process_time() - start < 30, "a minute or more, where compiling kernels takes seconds"


def many_empty_rows():
    names = "".join(f"@attribute a{number} numeric\n" for number in range(2000))
    return "@relation r\n" + names + "@data\n" + "{}\n" * 100_000


@pytest.mark.parametrize(
    "row",
    ["1" * 10**6 + "x,1", "'" + "a" * 10**6, "1" + " " * 10**6 + "x,1"],
    ids=["number", "quote", "blanks"],
)
def test_long_rows_with_a_mistake_are_refused_at_once(tmp_path, row):
    start = time.process_time()
    with pytest.raises(DataError, match="f, line 5: "):
        read_arff(write(tmp_path / "f", HEADER + row))
    with pytest.raises(DataError, match="f, line 2: "):
        read_arff(write(tmp_path / "f", "@relation r\n@attribute x {" + row.replace(",", ";")))
    assert time.process_time() - start < 2


@pytest.mark.parametrize("module", ["gzip", "bz2", "lzma"])
def test_a_compressed_bomb_is_refused(tmp_path, module):
    packed = __import__(module).compress(b"RDX2\nX\n" + bytes(2**26))
    with pytest.raises(DataError, match=r"f: more than 67108864 bytes when unpacked"):
        read_expression(write(tmp_path / "f", packed))


class Evil:
    def __reduce__(self):
        return (exec, ("raise SystemExit('code from data was run')",))


def test_no_code_comes_out_of_a_file(tmp_path):
    array = np.array([Evil()], dtype=object)
    np.savez(tmp_path / "evil.npz", x=array)
    np.save(tmp_path / "evil.npy", array)
    write(tmp_path / "evil.pkl", pickle.dumps(Evil()))
    for path in sorted(tmp_path.iterdir()):
        with pytest.raises(DataError, match=rf"{path.name}: cannot be read as an array file"):
            load_arrays(path)


def test_nothing_could_unpickle():
    """The one np.load forbids it, and no module that could has a place in the package or the workflow."""
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "workflow").rglob("*.py"), *(ROOT / "workflow").rglob("*.smk")]
    source = {path: path.read_text() for path in files}
    assert sum(text.count("np.load(") for text in source.values()) == 1
    assert sum(text.count("allow_pickle=False") for text in source.values()) == 1
    for path, text in source.items():
        for word in ("pickle.", "import pickle", "joblib", "marshal", "shelve", "unsafe", "FullLoader", "eval("):
            assert word not in text, (path, word)
