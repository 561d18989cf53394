"""Fixtures that the whole suite shares, and which tests go to the same worker."""

import os
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]

# Modules of a line share kernels.
_FAMILIES = [
    {
        "cosine",
        "cosine_products",
        "cosine_sets",
        "exact",
        "feature_neighbors",
        "instance_cosine",
        "lcif",
        "second_order",
    },
    {"br_ranking", "crpc", "kernel_svm"},
    {"linear", "rakel", "ranked_neighbors", "pattern_search"},
    {"br_logistic", "iblr_ml", "weka_logistic"},
    {"lrt", "tree"},
    {"iblr", "completion", "mallows", "borda", "kendall"},
]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """All tests of a module go to one worker: two that compile its kernels at the same time take twice as long."""
    registry = yaml.safe_load((ROOT / "config/algorithms.yaml").read_text())
    classes = {name: entry["class"].partition(":")[0] for name, entry in registry.items()}
    for item in items:
        # A test of every method or module has its name as a parameter.
        name = item.callspec.params.get("name", "") if hasattr(item, "callspec") else ""
        package, _, module = str(classes.get(name, name)).rpartition(".")
        if not package.startswith("labelknn"):
            module = item.path.stem.removeprefix("test_")
        family = next((min(family) for family in _FAMILIES if module in family), module)
        item.add_marker(pytest.mark.xdist_group(family))


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder with the real data; tests that need it are skipped where there is none."""
    folder = Path(os.environ.get("LABELKNN_MIRROR") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} does not exist (set LABELKNN_MIRROR)")
    return folder
