"""One environment, written down three times: the lock file, the conda file and pyproject.toml agree."""

import re
import tomllib

import yaml

from .conftest import ROOT

LOCK = (ROOT / "requirements.lock").read_text()
PINS = dict(re.findall(r"^([a-z0-9._-]+)==([^ ;\\]+)", LOCK, re.MULTILINE))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def names(requirements):
    return {re.match(r"[A-Za-z0-9._-]+", requirement).group().lower() for requirement in requirements}


def test_conda_has_the_versions_of_the_lock_file():
    python, *packages = yaml.safe_load((ROOT / "envs/labelknn.yaml").read_text())["dependencies"]
    assert python.startswith("python ")
    versions = dict(package.split(" ==") for package in packages)
    assert versions == {name: PINS[name] for name in versions}
    # Snakemake runs the workflow, it is not needed inside a rule's environment.
    workflow = {
        name for name in names(PROJECT["optional-dependencies"]["workflow"]) if not name.startswith("snakemake")
    }
    assert set(versions) == names(PROJECT["dependencies"]) | workflow


def test_every_dependency_is_pinned_with_hashes():
    extras = [name for extra in PROJECT["optional-dependencies"].values() for name in extra]
    assert names(PROJECT["dependencies"] + extras) <= set(PINS)
    for block in re.split(r"\n(?=[a-z])", LOCK[LOCK.index("\n", LOCK.rindex("# ")) :].strip()):
        assert "--hash=sha256:" in block, block.splitlines()[0]


def test_no_package_index_is_named():
    for path in ("requirements.lock", "envs/uv.lock", "pyproject.toml", "envs/labelknn.yaml"):
        assert not re.search(r"index-url|/simple", (ROOT / path).read_text()), path


def test_every_rule_that_computes_names_the_environment():
    for path in sorted((ROOT / "workflow/rules").glob("*.smk")):
        text = path.read_text()
        inherited = len(re.findall(r"^use rule .* as .* with:$", text, re.MULTILINE))  # they have a log of their own
        assert text.count("script:") == text.count("conda:") == text.count("log:") - inherited, path.name
