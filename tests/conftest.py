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
