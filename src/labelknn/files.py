"""Files that are there whole or not at all."""

import os
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from labelknn.errors import DataError


def save_arrays(path: str | os.PathLike, arrays: Mapping[str, np.ndarray]) -> None:
    """np.savez_compressed by way of a temporary file, so that a killed run leaves no half file."""
    with atomic(path) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, **arrays)


def load_arrays(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """All arrays of an .npz file; pickled objects and damaged files are refused (zip keeps a checksum per array)."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {key: file[key] for key in file.files}
    except (zipfile.BadZipFile, ValueError, EOFError, OSError) as error:
        raise DataError(f"{path}: cannot be read as an array file ({error}); delete it and run again") from error


class atomic:  # noqa: N801 - used like a function
    """``with atomic(path) as temporary:`` write there; on success it becomes `path`, on failure it disappears."""

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)

    def __enter__(self) -> Path:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        os.close(handle)
        os.chmod(name, 0o666 & ~_umask())
        self.temporary = Path(name)
        return self.temporary

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            os.replace(self.temporary, self.path)
        else:
            self.temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
