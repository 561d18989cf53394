"""The estimators without the workflow: what they import, and that an installed package has all of them."""

import os
import subprocess
import sys
import tomllib
import venv

import pytest

from .conftest import ROOT

# What `pip install labelknn` does not bring along; some packages are imported under another name.
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
IMPORTED_AS = {"scikit-posthocs": "scikit_posthocs"}
REFUSED = {IMPORTED_AS.get(name, name) for name in (one.partition(">")[0] for one in EXTRAS["workflow"])}
# Only `labelknn.datasets` needs these, and only when a data set is asked for.
REFUSED |= {"pooch", "tqdm", "yaml"}

IMPORT_ALL = """
import importlib, pkgutil
for package in ("multilabel", "ranking", "solvers", "neighbors", "metrics"):
    path = importlib.import_module(f"labelknn.{package}").__path__
    for module in pkgutil.walk_packages(path, f"labelknn.{package}."):
        importlib.import_module(module.name)
"""

REFUSE = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {refused}:
            raise ImportError(f"{{name}} belongs to the workflow")
sys.meta_path.insert(0, Refuse())
"""

DATA = "from labelknn.datasets import available, load; assert 'yeast' in available(); load('synthetic-ranking')"

TYPED = "import importlib.resources as r; assert (r.files('labelknn') / 'py.typed').is_file()"

FIT = """
import numpy as np
from labelknn.ranking._iblr import IBLR
from labelknn.multilabel._lcif import LCIF
from labelknn.multilabel._mlknn import MLkNN
X = np.array([[1.0, 0], [2, 0], [3, 0], [0, 1], [0, 2], [0, 3]])
sets = np.array([[1, 0]] * 3 + [[0, 1]] * 3)
ranks = np.array([[1, 2, 3]] * 3 + [[3, 2, 1]] * 3)
assert (MLkNN(k=2).fit(X, sets).predict(X) == sets).all()
assert (IBLR(k=3).fit(X, ranks).predict(X) == ranks).all()
assert (LCIF(k_instance=2, k_feature=1).fit(X, sets).predict(X).toarray() == sets).all()
"""


def test_the_estimators_import_nothing_of_the_workflow():
    assert {"snakemake", "pandas", "matplotlib", "jinja2"} <= REFUSED
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    subprocess.run([sys.executable, "-c", REFUSE.format(refused=REFUSED) + IMPORT_ALL], env=environment, check=True)


@pytest.mark.index
@pytest.mark.long
def test_an_installed_package_works_by_itself(tmp_path):
    """In a fresh environment, as a user would make one."""
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env/bin/python"
    # A copy, since setuptools leaves its own files beside what it builds.
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(lambda name: (ROOT / name).is_file(), files.split("\0")):
        if name.startswith("src/") or "/" not in name:
            (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "source" / name).write_bytes((ROOT / name).read_bytes())
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(tmp_path / "source")], check=True)
    outside = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    for code in (IMPORT_ALL, FIT, DATA, TYPED):
        subprocess.run([python, "-c", code], cwd=tmp_path, env=outside, check=True)
    absent = subprocess.run([python, "-c", "import snakemake"], cwd=tmp_path, env=outside, capture_output=True)
    assert absent.returncode != 0
