"""Damaged data files by the thousand: a reader gives a data set or the documented error, and stays within its memory.

Run on its own for as many inputs as one likes: python -m tests.robustness.fuzz --inputs 100000 --seed 1
The same seed and number give the same inputs, so that a finding can be made again with --only <number>.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from labelknn.datasets.container import Dataset
from labelknn.datasets.extreme import read_extreme, read_meka
from labelknn.datasets.kebi import read_kebi
from labelknn.datasets.local import read_libsvm, read_ranking_csv
from labelknn.datasets.mulan import read_mulan
from labelknn.errors import LabelknnError

MEMORY_MB = 500

DENSE = """% songs
@relation 'songs: -C 2'
@attribute loud {0,1}
@attribute 'very slow' {0,1}
@attribute tempo numeric
@attribute key {major, 'minor key', "it's"}
@attribute who string
@data
1,0,120.5,major,anna
0,1,?,'minor key',"bert, jr."
1,1,-3e2,"it's",anna % a comment
"""
SPARSE = """@relation songs
@attribute tempo real
@attribute loud {0,1}
@attribute 'very slow' {0,1}
@data
{0 1.5,1 1}
{ 2 1 }
{}
{0 -2e-3, 1 1, 2 1}
"""
XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="loud"></label>
<label name="very slow"><!-- nested --></label>
</labels>
"""
KEBI = "A1,A2,ranking\n0.5,-1,b>a>c\n.25,1e3,a>b>c\n-0.75,0,c>b>a\n"
RANKED = "tempo,mood,order\n120,sad,jazz>rock>pop\n90.5,glad,rock>pop\n?,sad,pop>jazz>rock\n"
EXTREME = "3 4 3\n0,2 0:0.5 3:1.25\n 1:2\n1 0:1e-3 2:-4\n"
LIBSVM = "0,2 1:0.5 4:1.25\n1 2:2\n2 1:1e-3 3:-4\n"

# What readers have stumbled over elsewhere: entity bombs, absurd numbers, other scripts, half a character, a NUL.
PIECES = [
    b"",
    b"\x00",
    b"\xff\xfe",
    b"\xc3",
    "٣".encode(),
    b"'",
    b'"',
    b"\\",
    b"{",
    b"}",
    b"%",
    b"?",
    b",",
    b">",
    b":",
    b"\n",
    b"\r\n",
    b" ",
    b"\t",
    b"nan",
    b"inf",
    b"-1",
    b"1e999",
    b"1_000",
    b"0x10",
    b"99999999999999999999",
    b"2147483648",
    b"4294967296",
    b"-2147483649",
    b"9" * 400,
    b"{2000000000 1}",
    b"@data\n",
    b"@attribute x date\n",
    b"@attribute loud {0,1}\n",
    b"-C 99",
    b"<!DOCTYPE l [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>",
    b"<!ENTITY x SYSTEM 'file:///etc/passwd'>",
    b"&b;&b;&b;",
    b"<label name='",
    b"<label name='loud'/>" * 3,
    b"<labels>" * 50,
    b"__import__('os')",
    b"A" * 5000,
    b"2000000000 2000000000 2000000000\n",
]

Reader = Callable[[Path], Dataset]
TRAIN_TEST = {"train": "a", "test": "b"}


def _mulan(folder: Path) -> Dataset:
    return read_mulan("fuzzed", folder, files={"all": "a"}, xml="b")


# By name: the files that are damaged, by their names "a" and "b", and who reads them.
TARGETS: dict[str, tuple[tuple[str, ...], Reader]] = {
    "arff": ((DENSE, XML), _mulan),
    "sparse arff": ((SPARSE, XML), _mulan),
    "meka": ((DENSE,), lambda folder: read_meka("fuzzed", folder, file="a")),
    "kebi": ((KEBI,), lambda folder: read_kebi("fuzzed", folder, file="a")),
    "ranking csv": ((RANKED,), lambda folder: read_ranking_csv("fuzzed", folder, file="a", ranking="order")),
    "extreme": ((EXTREME, EXTREME), lambda folder: read_extreme("fuzzed", folder, files=TRAIN_TEST)),
    "libsvm": ((LIBSVM,), lambda folder: read_libsvm("fuzzed", folder, files={"all": "a"})),
}


def damage(text: bytes, rng: np.random.Generator) -> bytes:
    """One to four random changes: bytes flipped, cut out, doubled, moved, or one of the PIECES put in."""
    for _ in range(rng.integers(1, 5)):
        start, end = sorted(rng.integers(0, len(text) + 1, 2))
        if rng.random() < 0.7:  # much is found only where most of the file is whole
            end = min(end, start + int(rng.integers(1, 6)))
        kind = rng.integers(7)
        if kind == 0 and len(text):
            place = int(rng.integers(len(text)))
            text = text[:place] + bytes([text[place] ^ (1 << int(rng.integers(8)))]) + text[place + 1 :]
        elif kind == 1:
            text = text[:start] + text[end:]
        elif kind == 2 and len(text) < 10_000:
            text = text[:end] + text[start:end] + text[end:]
        elif kind == 3:
            text = text[:start] if rng.random() < 0.2 else text[:start] + text[start + 1 :]
        elif kind == 4:
            text = text[:start] + bytes(rng.integers(0, 256, rng.integers(1, 9), dtype=np.uint8)) + text[start:]
        else:
            piece = PIECES[rng.integers(len(PIECES))]
            text = text[:start] + piece + text[start if kind == 5 else min(end, start + 12) :]
    return text


def inputs(count: int, seed: int) -> Iterator[tuple[int, str, list[bytes]]]:
    """Numbered inputs: for which target, and the bytes of its files."""
    names = list(TARGETS)
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        name = names[number % len(names)]
        files = [text.encode() for text in TARGETS[name][0]]
        hit = int(rng.integers(len(files)))
        files[hit] = damage(files[hit], rng)
        yield number, name, files


def read_one(folder: Path, name: str, files: list[bytes]) -> str:
    """ "read" or "refused"; anything but the documented error comes through."""
    for file, content in zip("ab", files, strict=False):
        (folder / file).write_bytes(content)
    try:
        TARGETS[name][1](folder)
    except LabelknnError:
        return "refused"
    return "read"


def fuzz(count: int, seed: int, only: int | None = None) -> tuple[Counter, list[str]]:
    """What became of the inputs by target, and the inputs that raised something else."""
    outcomes: Counter = Counter()
    findings = []
    with tempfile.TemporaryDirectory() as folder:
        for number, name, files in inputs(count, seed):
            if only not in (None, number):
                continue
            try:
                outcomes[name, read_one(Path(folder), name, files)] += 1
            except Exception:  # what this is for
                outcomes[name, "not documented"] += 1
                findings.append(f"input {number} ({name}), {files!r}\n{traceback.format_exc()}")
    return outcomes, findings


def peak_memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="just the input of this number")
    asked = parser.parse_args()
    started = time.perf_counter()
    outcomes, findings = fuzz(asked.inputs, asked.seed, asked.only)
    for (name, outcome), count in sorted(outcomes.items()):
        print(f"{name:12} {outcome:14} {count:7}")
    peak = peak_memory_mb()
    print(f"{sum(outcomes.values())} inputs, {time.perf_counter() - started:.0f} s, at most {peak:.0f} MB")
    print(*findings[:10], sep="\n\n", file=sys.stderr)
    if findings:
        print(f"{len(findings)} inputs raised what is not documented", file=sys.stderr)
    if peak > MEMORY_MB:
        print(f"more than {MEMORY_MB} MB", file=sys.stderr)
    return int(bool(findings) or peak > MEMORY_MB)


if __name__ == "__main__":
    sys.exit(main())
