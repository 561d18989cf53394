"""Damaged and hostile data files: refused in words, within bounds, and without running anything."""

import itertools
import os
import pickle
import resource
import subprocess
import sys

import numpy as np
import pytest

from labelknn.datasets.extreme import read_extreme
from labelknn.datasets.local import read_libsvm
from labelknn.datasets.mulan import read_labels, read_mulan
from labelknn.errors import DataError
from labelknn.files import load_arrays

from ..conftest import ROOT
from .fuzz import LIBSVM, SPARSE, TARGETS, XML, fuzz, read_one


@pytest.mark.parametrize("name", TARGETS)
def test_whole_files_are_read(tmp_path, name):
    assert read_one(tmp_path, name, [text.encode() for text in TARGETS[name][0]]) == "read"


def test_damaged_files_are_read_or_refused():
    outcomes, findings = fuzz(2100, seed=20)
    assert not findings, findings[0]
    for name in TARGETS:
        assert outcomes[name, "refused"] > 30, "damage is noticed"
        assert outcomes[name, "read"] > 3, "and does not always matter"


def test_memory_stays_bounded():
    command = [sys.executable, "-m", "tests.robustness.fuzz", "--inputs", "700", "--seed", "21"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr


def test_entity_bombs_are_refused(tmp_path):
    names = "abcdefgh"
    entities = "".join(f'<!ENTITY {new} "{f"&{old};" * 20}">' for old, new in itertools.pairwise(names))
    bomb = f'<!DOCTYPE labels [<!ENTITY a "{"x" * 1000}">{entities}]><labels><label name="&h;"/></labels>'
    (tmp_path / "bomb.xml").write_text(bomb)
    with pytest.raises(DataError, match=r"bomb\.xml, line 1: a DOCTYPE is not allowed"):
        read_labels(tmp_path / "bomb.xml")


@pytest.mark.parametrize("encoding", ["ut-8", "utf-7", "shift_jis", "rot13", "idna"])
def test_encodings_that_are_none_are_refused(tmp_path, encoding):
    (tmp_path / "l.xml").write_text(f'<?xml version="1.0" encoding="{encoding}"?><labels><label name="a"/></labels>')
    with pytest.raises(DataError, match=r"l\.xml, line 1: not well-formed XML"):
        read_labels(tmp_path / "l.xml")


def test_a_line_of_gigabytes_is_refused_unread(tmp_path):
    with open(tmp_path / "long.arff", "wb") as file:
        file.write(b"@relation r\n@attribute x numeric\n@data\n")
        os.truncate(file.fileno(), 3 * 2**30)  # a hole, which takes no space
    (tmp_path / "labels.xml").write_text(XML)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DataError, match=r"long\.arff, line 4: the line has more than"):
        read_mulan("long", tmp_path, files={"all": "long.arff"}, xml="labels.xml")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


@pytest.mark.parametrize("index", [2**31, 2**32, 2**63, 10**30, -1])
def test_absurd_indices_are_refused(tmp_path, index):
    (tmp_path / "labels.xml").write_text(XML)
    (tmp_path / "a.arff").write_text(SPARSE + f"{{{index} 1}}\n")
    with pytest.raises(DataError, match=r"a\.arff, line 10"):
        read_mulan("a", tmp_path, files={"all": "a.arff"}, xml="labels.xml")
    (tmp_path / "a.txt").write_text(LIBSVM + f"0 {index}:1\n")
    with pytest.raises(DataError, match=r"a\.txt, line 4"):
        read_libsvm("a", tmp_path, files={"all": "a.txt"})
    (tmp_path / "b.txt").write_text(f"1 {index} 2\n0 0:1\n")
    with pytest.raises(DataError, match=r"b\.txt"):
        read_extreme("b", tmp_path, files={"train": "b.txt", "test": "b.txt"})


class Trap:
    """What an attacker would put into an array file: a call at the moment of reading."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_nothing_in_a_data_file_is_executed(tmp_path):
    sprung = tmp_path / "sprung"
    np.savez(tmp_path / "trap.npz", X=np.array([Trap(sprung)], dtype=object))
    with pytest.raises(DataError, match=r"trap\.npz: cannot be read as an array file"):
        load_arrays(tmp_path / "trap.npz")
    (tmp_path / "pickle.npz").write_bytes(pickle.dumps(Trap(sprung)))
    sprung.unlink(missing_ok=True)
    with pytest.raises(DataError, match=r"pickle\.npz: cannot be read"):
        load_arrays(tmp_path / "pickle.npz")
    assert not sprung.exists()
