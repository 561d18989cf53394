"""Damaged input by the thousand: samples of every format that is read, and seeded ways of spoiling them."""

import bz2
import gzip
import io
import json
import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from labelknn.datasets._container import Dataset, load, save
from labelknn.datasets._fetch import Status
from labelknn.datasets._readers import read
from labelknn.neighbors._euclidean import Neighbors
from labelknn_papers.plan.protocol import Split, load_splits, save_splits
from labelknn_papers.run.predictions import load_predictions, save_predictions
from labelknn_papers.run.score import read_scores
from labelknn_papers.run.search import load_searched, save_searched

XML = b"""<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="a"><label name="b c"></label></label>
<label name="TAG_m\\'usica"></label>
</labels>
"""
HEADER = b"""% a comment
@relation 'toy: -C 3'
@attribute a {0,1}
@attribute 'b c' {0, 1}
@attribute TAG_m\\'usica {1,0}
@attribute x numeric
@attribute "y z" real [0, 1]
@attribute colour {red,'dark green',"b\\"lue"}
@attribute note string
@attribute flag {YES,NO}

@data
"""
DENSE = HEADER + b"1,0,1,1.5,-2e-3,red,hello,YES\n0,1,0,.5,?,'dark green','a, b',NO\n1,1,1,3,4,'b\"lue',?,NO % end\n"
SPARSE = HEADER + b"{0 1,3 1.5,5 'dark green'}\n{}\n{1 1, 4 2.5, 6 word, 7 NO}\n{2 0,3 -1e5}\n"
KEBI = b"A1,A2,A3,ranking,a,b,c\n0.5,-1,2e3,b>a>c,2,1,3\n\n1,2,3,c>a>b,2,3,1\n-1,-2,.5,a>b>c,1,2,3\n"
EXTREME = b"4 6 5\n0,3 0:0.25 5:1.5e-3\n 2:1\n\n4,1 0:3 1:123456789012345678 4:-.5\n"
LIBSVM = b"0,3 1:0.25 6:1.5e-3\n2 2:1\n\n4,1 1:3 2:7 5:-.5\n"
CSV = b'"a b",c,class\n1, 2 ,"x, y"\n3,?,z\n-4.5,,z\n'
LABELS = b'x,"the colour",a,b\n0.5,red,1,0\n?,"light, green",0,1\n-2e3,red,1,1\n'
KEEL = (
    b"@relation t\n@attribute u real [0.0, 1.5]\n@attribute v integer [1, 9]\n@attribute class {p, n}\n"
    b"@inputs u, v\n@outputs class\n@data\n0.5, 3, p\n1.5, 9, n\n"
)
SCORES = b"protocol,dataset,algorithm,setting,repeat,fold,metric,value\np,d,a,k=1,0,0,hamming_loss,0.25\n"

# What numbers and words are replaced by.
NUMBERS = "99999999999 -1 1e999 -1e400 nan inf 0x10 1_000 \u0663 1e-400 + 2147483648 4294967296 3000000 9999999"
WORDS = (
    "? % { } ' \" \\ \\' , @data < & &lt; ]]> {99999999999\t1} > a>b : 1: :1 -C <!DOCTYPE\tx[<!ENTITY\ta\t'b'>]> \xff"
)
OTHERS = ["", " ", "\t", "\r", "\0", "\u2028", "\ufeff", "9" * 30, "9" * 5000, "a" * 200_000, f"-C {'9' * 20}"]
ABSURD = [*NUMBERS.split(" "), *WORDS.split(" "), *OTHERS]
LONGEST = 1_000_000  # what is repeated again and again would measure the memory of this module
WORD = re.compile(rb"[0-9.eE+-]+|\w+|[^\w\s]")


class Format(NamedTuple):
    """`files` are read by `call`, which is given their folder; each input spoils one of them."""

    files: dict[str, bytes]
    call: Callable[[Path], object]
    weight: int = 4


def formats(folder: Path) -> dict[str, Format]:
    """The samples; `folder` is for making those that the project writes itself."""

    def reader(task, name, **options):
        return lambda place: check(read("fuzz", task, name, place, options))

    def table(content, **options):
        return Format({"t": content}, reader("classification", "table", file="t", target="class", **options))

    def labels_in(file, **options):
        return reader("multilabel", "csv", file=file, labels=["b", "a"], **options)

    both = {"train": "train", "test": "test"}
    known = {
        "mulan dense": Format({"a.arff": DENSE, "l.xml": XML}, _mulan(reader, all="a.arff")),
        "mulan sparse": Format({"a.arff": SPARSE, "l.xml": XML}, _mulan(reader, all="a.arff")),
        "mulan split": Format({"train": DENSE, "test": SPARSE, "l.xml": XML}, _mulan(reader, **both)),
        "meka": Format({"m": SPARSE}, reader("multilabel", "meka", file="m")),
        "kebi order": Format({"k": KEBI}, reader("ranking", "kebi", file="k")),
        "kebi ranks": Format({"k": KEBI}, reader("ranking", "kebi", file="k", ranking="ranks")),
        "extreme": Format({"train": EXTREME, "test": EXTREME}, reader("multilabel", "extreme", files=both)),
        "libsvm": Format({"train": LIBSVM, "test": LIBSVM}, reader("multilabel", "extreme", files=both, header=False)),
        "csv": table(CSV, format="csv"),
        "csv without header": table(CSV.split(b"\n", 1)[1], format="csv", columns=["u", "v", "class"], missing="drop"),
        "labels in csv": Format({"l.csv": LABELS}, labels_in("l.csv", train=[1, 2])),
        "labels in two": Format({"l.csv": LABELS, "t.csv": LABELS}, labels_in("l.csv", test="t.csv")),
        "labels in gzip": Format({"l.csv.gz": gzip.compress(LABELS, mtime=0)}, labels_in("l.csv.gz"), 1),
        "labels in bzip2": Format({"l.csv.bz2": bz2.compress(LABELS)}, labels_in("l.csv.bz2"), 1),
        "keel": table(KEEL, format="keel", drop=["v"]),
        "arff": table(KEEL, format="arff"),
        "sparse table": Format({"t": SPARSE}, reader("regression", "table", file="t", format="arff")),
        "rda": Format(
            {"e": _expression(folder / "e")}, reader("regression", "labelknn_papers.data.eisen:read_eisen", file="e"), 1
        ),
        "scores": Format({"s": SCORES}, lambda place: read_scores([place / "s"]), 1),
        "status": Format(
            {"s": json.dumps({"dataset": "x", "reached": True, "files": {"a": "b"}}).encode()},
            lambda place: Status.read(place / "s"),
            1,
        ),
    }
    return known | _own(folder)


def _mulan(reader, **files):
    return reader("multilabel", "mulan", files=files, xml="l.xml")


def _own(folder: Path) -> dict[str, Format]:
    """The array files of every stage."""
    path = folder / "own"
    data = Dataset(
        "d", "ranking", np.arange(6.0).reshape(3, 2), np.array([[1, 2], [2, 1], [0, 1]]), ("u", "v"), ("a", "b")
    )
    near = Neighbors(np.array([[1], [0]]), np.array([[0.5], [0.5]]))
    rows = np.arange(2)
    found = {}
    for name, write, load_back in (
        ("prepared", lambda: save(data, path), load),
        ("splits", lambda: save_splits(path, [Split(0, 0, rows, rows)]), load_splits),
        (
            "predictions",
            lambda: save_predictions(path, {(0, 0, "k=1"): {"labels": np.eye(3, dtype=bool)}}),
            load_predictions,
        ),
        ("neighbors", lambda: save_searched(path, {(0, 0): (near, near)}), load_searched),
    ):
        write()
        found[name] = Format({"own": path.read_bytes()}, lambda place, load_back=load_back: load_back(place / "own"), 1)
    return found


def _expression(path: Path) -> bytes:
    import pandas
    import rdata

    genes = pandas.Index(["g1", "g2", "g3"], dtype=object)
    frame = pandas.DataFrame({"alpha_0": [0.5, -1.0, np.nan], "Elu_30": [1.0, 2.0, 3.0]}, index=genes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rdata.write_rda(path, {"frame": frame}, compression=None)
    return path.read_bytes()


def check(data: Dataset) -> None:
    """What came out can be used: it is written down and read again."""
    assert data.n >= 0
    assert data.d == len(data.feature_names)
    values = data.X.data if hasattr(data.X, "indptr") else data.X
    assert not np.isinf(values).any()
    if data.task == "ranking":
        assert (np.sort(data.Y, axis=1) == np.arange(1, data.q + 1)).all()


def spoil(content: bytes, rng: random.Random) -> bytes:
    """One to four mutations on top of each other."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        content = rng.choice(MUTATIONS)(content, rng)[:LONGEST]
    return content


def _flip(content, rng):
    spoilt = bytearray(content)
    for _ in range(rng.choice((1, 1, 3, 20))):
        if spoilt:
            spoilt[rng.randrange(len(spoilt))] ^= 1 << rng.randrange(8)
    return bytes(spoilt)


def _any_byte(content, rng):
    place = rng.randint(0, len(content))
    return content[:place] + bytes([rng.randrange(256)]) + content[place + rng.randint(0, 1) :]


def _cut(content, rng):
    return content[: rng.randint(0, len(content))]


def _without_middle(content, rng):
    start, end = sorted(rng.randint(0, len(content)) for _ in range(2))
    return content[:start] + content[end:]


def _repeat(content, rng):
    start, end = sorted(rng.randint(0, len(content)) for _ in range(2))
    return content[:end] + content[start:end] * rng.choice((1, 2, 50)) + content[end:]


def _lines(content, rng):
    lines = content.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(4)
    if what == 0:
        del lines[one]
    elif what == 1:
        lines.insert(one, lines[other])
    elif what == 2:
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines[one] = lines[one][: rng.randint(0, len(lines[one]))]
    return b"\n".join(lines)


def _swap_words(content, rng):
    words = list(WORD.finditer(content))
    if len(words) < 2:
        return content
    one, other = sorted(rng.sample(words, 2), key=lambda word: word.start())
    parts = content[: one.start()], other[0], content[one.end() : other.start()], one[0], content[other.end() :]
    return b"".join(parts)


def _absurd_word(content, rng):
    words = list(WORD.finditer(content))
    new = rng.choice(ABSURD).encode("utf-8", "surrogatepass")
    if not words:
        return content + new
    word = rng.choice(words)
    return content[: word.start()] + new + content[word.end() - rng.randint(0, 1) * len(word[0]) :]


def _encoding(content, rng):
    text = content.decode("latin-1")
    name = rng.choice(("utf-16", "utf-16-le", "utf-32", "utf-7", "cp500", "utf-8-sig"))
    if name == "utf-8-sig" or rng.random() < 0.5:
        return text.encode(name)
    return content.replace(b"utf-8", name.encode()).replace(b"\n", rng.choice((b"\r", b"\r\n", b"\0", b"\x85")))


MUTATIONS = [
    _flip,
    _any_byte,
    _cut,
    _without_middle,
    _repeat,
    _lines,
    _swap_words,
    _absurd_word,
    _absurd_word,
    _encoding,
]


def run(folder: Path, count: int, seed: int, expected: type[Exception]) -> tuple[dict[str, list[int]], list[str]]:
    """Spoil and read `count` inputs: for each format how many were accepted and refused, and all that went wrong."""
    rng = random.Random(seed)
    known = formats(folder)
    tally = {name: [0, 0] for name in known}
    wrong = []
    weights = [one.weight for one in known.values()]
    for number in range(count):
        (name,) = rng.choices(list(known), weights)
        files = dict(known[name].files)
        victim = rng.choice(list(files))
        files[victim] = spoil(files[victim], rng)
        for file, content in files.items():
            (folder / file).write_bytes(content)
        try:
            known[name].call(folder)
            tally[name][0] += 1
        except expected as error:
            tally[name][1] += 1
            if len(str(error)) > 3000:
                wrong.append(f"input {number}, {name}: a message of {len(str(error))} characters")
        except Exception as error:
            what = io.StringIO()
            what.write(f"input {number}, {name}, {victim}: {type(error).__name__}: {str(error)[:200]}")
            trace = error.__traceback__
            while trace.tb_next:
                trace = trace.tb_next
                what.write(f" < {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}")
            wrong.append(what.getvalue())
    return tally, wrong
