"""The library and its walls: what may import what, and what an installed package has without the workflow."""

import ast
import os
import subprocess
import sys
import tomllib
import venv

import pytest

from labelknn.utils import all_estimators

from .conftest import ROOT

SRC = ROOT / "src"
LIBRARY = sorted((SRC / "labelknn").rglob("*.py"))
# The longest module that is still read at once.
LINES = 350

# What `pip install labelknn` does not bring along; some packages are imported under another name.
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
IMPORTED_AS = {"scikit-posthocs": "scikit_posthocs"}
WORKFLOW = {IMPORTED_AS.get(name, name) for name in (one.partition(">")[0] for one in EXTRAS["workflow"])}
# Only `labelknn.datasets` needs these, and only when a data set is asked for.
DATA_ONLY = {"pooch", "tqdm", "yaml"}

IMPORT_ALL = """
import importlib, pkgutil, labelknn
for module in pkgutil.walk_packages(labelknn.__path__, "labelknn."):
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
from labelknn import IBLR, LCIF, LRT, MLkNN
from labelknn.metrics import scorer
from labelknn.preprocessing import UnitRows
from labelknn.utils import all_estimators
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
X = np.array([[1.0, 0], [2, 0], [3, 0], [0, 1], [0, 2], [0, 3]])
sets = np.array([[1, 0]] * 3 + [[0, 1]] * 3)
ranks = np.array([[1, 2, 3]] * 3 + [[3, 2, 1]] * 3)
assert (MLkNN(k=2).fit(X, sets).predict(X) == sets).all()
assert (IBLR(k=3).fit(X, ranks).predict(X) == ranks).all()
assert (LCIF(k_instance=2, k_feature=1).fit(X, sets).predict(X) == sets).all()
assert "x1" in LRT().fit(X, ranks).export_text()
found = cross_val_score(make_pipeline(UnitRows(), MLkNN(k=2)), X, sets, scoring=scorer("hamming_loss"), cv=2)
assert np.isfinite(found).all()
assert len(all_estimators()) == {count}
"""


def imports(path, everywhere=True):
    """The modules that a file names: in all of it, or only where they are imported with the file itself.

    ``from package import name`` counts as the package and as the module that the name may be.
    """
    waiting, found = [ast.parse(path.read_text())], set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif everywhere or not (isinstance(node, ast.FunctionDef) or _for_type_checkers(node)):
            waiting += ast.iter_child_nodes(node)
    return found


def _for_type_checkers(node):
    return isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"


def names(modules, *packages):
    return {one for one in modules for package in packages if one == package or one.startswith(f"{package}.")}


def test_imports_are_seen_where_they_stand():
    plotting = SRC / "labelknn/plotting.py"
    assert {"matplotlib.axes.Axes", "numpy"} <= imports(plotting)
    assert names(imports(plotting, everywhere=False), "matplotlib", "numpy") == {"numpy"}


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: str(path.relative_to(SRC)))
class TestWalls:
    def test_the_library_knows_nothing_of_the_reproduction(self, path):
        assert not names(imports(path), "labelknn_papers", "snakemake", "jinja2", "jsonschema")

    def test_what_pip_does_not_bring_along_is_imported_where_it_is_used(self, path):
        of_data = set() if "datasets" in path.parts else DATA_ONLY
        assert not names(imports(path, everywhere=False), *WORKFLOW, *of_data)

    def test_no_method_imports_from_another(self, path):
        """Nor do solvers, searches and measures import from methods. Methods share bases; packages list them."""
        if path.name == "__init__.py" or path.parent.name == "stats":
            return
        found = names(imports(path, everywhere=False), "labelknn.multilabel", "labelknn.ranking")
        own = {
            one
            for one in found
            if not names({one}, "labelknn.ranking.stats") and not one.split(".")[2].startswith("_base_")
        }
        if path.name == "_one_threshold.py":  # the estimator around which it is put when none is given
            own -= {"labelknn.multilabel._mlknn", "labelknn.multilabel._mlknn.MLkNN"}
        assert not own


def test_implementation_modules_have_a_leading_underscore():
    public = {path.relative_to(SRC / "labelknn").as_posix() for path in LIBRARY if not path.name.startswith("_")}
    assert public == {"errors.py", "plotting.py", "preprocessing.py"}


def test_no_module_is_longer_than_is_read_at_once():
    assert not [path for path in sorted(SRC.rglob("*.py")) if len(path.read_text().splitlines()) > LINES]


def test_the_library_runs_without_the_packages_of_the_workflow():
    assert {"snakemake", "pandas", "matplotlib", "jinja2"} <= WORKFLOW
    environment = os.environ | {"PYTHONPATH": str(SRC)}
    fit = FIT.format(count=len(all_estimators()))
    for refused, code in ((WORKFLOW, IMPORT_ALL), (WORKFLOW | DATA_ONLY, fit)):
        subprocess.run([sys.executable, "-c", REFUSE.format(refused=refused) + code], env=environment, check=True)


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
    for code in (IMPORT_ALL, FIT.format(count=len(all_estimators())), DATA, TYPED):
        subprocess.run([python, "-c", code], cwd=tmp_path, env=outside, check=True)
    absent = subprocess.run([python, "-c", "import snakemake"], cwd=tmp_path, env=outside, capture_output=True)
    assert absent.returncode != 0
