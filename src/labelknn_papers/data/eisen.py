"""Eisen's yeast expression data: 79 log ratios of 2467 genes, an R data frame whose row names are the genes.

brinker2007 ranks the time points of eight of its experiments. The name of a column is that of its experiment, an
underscore, and the time point: alpha_0, Elu_30, cdc15_10, ...
"""

import bz2
import gzip
import lzma
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from labelknn.datasets._container import Dataset
from labelknn.errors import DataError

# The real file has 1.6 MB; compressed zeros could fill the memory.
MAX_BYTES = 2**26
_PACKED: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}


def read_eisen(name: str, folder: Path, *, file: str) -> Dataset:
    """The expression matrix as a regression data set, its rows named after the genes; a missing measurement is NaN."""
    genes, columns, matrix = read_expression(folder / file)
    return Dataset(name, "regression", matrix, None, columns, row_names=genes)


def read_expression(path: Path) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray]:
    """Gene names, column names and the (genes, columns) matrix of the only data frame in an .rda file."""
    import pandas
    import rdata

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about R attributes that have no counterpart in Python
            # R's short forms of long sequences stay as they are: a few bytes could become gigabytes.
            parsed = rdata.parser.parse_data(_unpacked(path), expand_altrep=False, extension=".rda")
            objects = rdata.conversion.convert(parsed)
    except DataError:
        raise
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
    except Exception as error:  # the parser answers damaged bytes with whatever its inner libraries raise
        raise DataError(f"{path}: not an R data file ({type(error).__name__}: {error})") from error
    frames = [value for value in objects.values() if isinstance(value, pandas.DataFrame)]
    if len(frames) != 1:
        raise DataError(f"{path}: {len(frames)} data frames, expected one")
    frame = frames[0]
    text = [str(column) for column, kind in frame.dtypes.items() if not pandas.api.types.is_numeric_dtype(kind)]
    if text:
        raise DataError(f"{path}: column {text[0]!r} is not numeric")
    return tuple(map(str, frame.index)), tuple(map(str, frame.columns)), np.ascontiguousarray(frame, dtype=float)


def _unpacked(path: Path) -> bytes:
    """The content of a file that R has compressed in one of its three ways, or not at all."""
    with open(path, "rb") as file:
        start = file.read(8)
    unpack = next((opener for magic, opener in _PACKED.items() if start.startswith(magic)), open)
    with unpack(path, "rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise DataError(f"{path}: more than {MAX_BYTES} bytes when unpacked")
    return content
