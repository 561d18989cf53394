"""Files that are there whole or not at all, and that are what was written."""

import csv
import glob
import hashlib
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from labelknn.errors import DataError

_CHECKSUM = "sha256"
_PARTIAL = ".partial"


def save_arrays(path: str | os.PathLike, arrays: Mapping[str, np.ndarray]) -> None:
    """An .npz file with a checksum over its content. The bytes depend on the arrays alone."""
    content: dict[str, Any] = {**arrays, _CHECKSUM: np.array(_checksum(arrays))}
    with atomic(path) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, **content)


def load_arrays(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """All arrays of a file that `save_arrays` wrote; a damaged file and pickled objects are refused."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        if str(arrays.pop(_CHECKSUM)) != _checksum(arrays):
            raise ValueError("its checksum does not fit")
    except FileNotFoundError:
        raise DataError(f"{path} does not exist") from None
    except MemoryError as error:  # the file may well be whole
        raise MemoryError(f"{path}: {error}") from None
    except Exception as error:  # a damaged archive raises whatever its parser stumbles over
        raise damaged(path, "an array file", error) from error
    return arrays


def damaged(path: str | os.PathLike, what: str, error: Exception) -> DataError:
    """The error for a file of the run itself that is not what it was when it was written."""
    return DataError(f"{path}: cannot be read as {what} ({str(error)[:200]}); delete it and run again")


def content_checksum(path: str | os.PathLike) -> str:
    """The SHA-256 over the arrays of a file that `save_arrays` wrote, however its bytes were compressed."""
    return _checksum(load_arrays(path))


def pack(key: str, matrix: np.ndarray | sparse.csr_matrix) -> dict[str, np.ndarray]:
    """A dense or sparse matrix as arrays for `save_arrays`; their names start with `key`."""
    if not sparse.issparse(matrix):
        return {key: matrix}
    matrix = sparse.csr_matrix(matrix)
    matrix.sort_indices()
    packed = {f"{key}/indices": matrix.indices, f"{key}/indptr": matrix.indptr, f"{key}/shape": np.array(matrix.shape)}
    if matrix.dtype != bool:  # label sets hold nothing but True
        packed[f"{key}/data"] = matrix.data
    return packed


def unpack(key: str, arrays: Mapping[str, np.ndarray]) -> np.ndarray | sparse.csr_matrix:
    """What `pack` put away under `key`."""
    if key in arrays:
        return arrays[key]
    indices = arrays[f"{key}/indices"]
    data = arrays.get(f"{key}/data", np.ones(len(indices), bool))
    return sparse.csr_matrix((data, indices, arrays[f"{key}/indptr"]), shape=tuple(arrays[f"{key}/shape"]))


def write_table(path: str | os.PathLike, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A CSV file."""
    with atomic(path) as temporary, open(temporary, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)


def _checksum(arrays: Mapping[str, np.ndarray]) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


class atomic:  # noqa: N801 - used like a function
    """``with atomic(path) as temporary:`` write there; on success it becomes `path`, on failure it disappears.

    Whoever is killed leaves the temporary file behind; the next one that writes the same file removes it. That also
    stops a job which has outlived its run: it finds nothing to rename.
    """

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)

    def __enter__(self) -> Path:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for left in self.path.parent.glob(f".{glob.escape(self.path.name)}.*{_PARTIAL}"):
            left.unlink(missing_ok=True)
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.", suffix=_PARTIAL)
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
