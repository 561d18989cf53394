"""Fixtures that the whole suite shares."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder with the real data; tests that need it are skipped where there is none."""
    folder = Path(os.environ.get("LABELKNN_MIRROR") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} does not exist (set LABELKNN_MIRROR)")
    return folder


def pytest_collection_modifyitems(items) -> None:
    """Whole workflows first, so that no worker waits for one in the end. Last what uses the kernels of all methods,
    which other tests have compiled by then."""
    last = {"test_contract.py", "test_doctests.py"}
    items.sort(key=lambda item: (item.path.name in last) - (item.path.parent.name == "workflow"))
