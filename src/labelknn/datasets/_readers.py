"""The readers by name, and the one way to call them.

A reader is a function ``read(name, folder, *, ...)``: it makes the data set `name` from the raw files in `folder`, and
its keyword-only arguments are the options that an entry of the registry may have.
"""

import importlib
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path

from labelknn.datasets._container import Dataset
from labelknn.errors import ConfigError, unknown

# Modules are imported when one of their readers is called: a data set needs one of them at most.
READERS = {
    "csv": "labelknn.datasets._csv:read_csv",
    "extreme": "labelknn.datasets._extreme:read_extreme",
    "kebi": "labelknn.datasets._kebi:read_kebi",
    "meka": "labelknn.datasets._extreme:read_meka",
    "mulan": "labelknn.datasets._mulan:read_mulan",
    "scikit-learn": "labelknn.datasets._uci:read_scikit_learn",
    "synthetic-multilabel": "labelknn.datasets._synthetic:read_synthetic_multilabel",
    "synthetic-ranking": "labelknn.datasets._synthetic:read_synthetic_ranking",
    "table": "labelknn.datasets._uci:read_table",
}


def read(name: str, task: str, reader: str, folder: Path, options: Mapping[str, object]) -> Dataset:
    """The data set `name` from its raw files in `folder`; `options` are those of the reader."""
    where = f"data set {name!r}"
    function = find_reader(reader, where)
    parameters = inspect.signature(function).parameters.values()
    known = {parameter.name: parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}
    for option in options:
        if option not in known:
            raise unknown(f"option of reader {reader!r}", option, known, where)
    for option, parameter in known.items():
        if parameter.default is parameter.empty and option not in options:
            raise ConfigError(f"{where}: reader {reader!r} needs the option {option!r}")
    data = function(name, folder, **options)
    if data.task != task:
        raise ConfigError(f"{where}: declared as {task!r}, but reader {reader!r} gave {data.task!r}")
    return data


def find_reader(reader: str, where: str) -> Callable[..., Dataset]:
    """The reader of a name in READERS, or of one's own as ``package.module:function``."""
    module, _, function = reference(reader, where).partition(":")
    try:
        return getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"{where}: reader {reader!r} cannot be imported ({error})") from error


def reference(reader: str, where: str) -> str:
    """Where a reader is, as ``package.module:function``."""
    module, colon, function = reader.partition(":")
    if module and function:
        return reader
    if colon:
        raise ConfigError(f"{where}: reader {reader!r}; write one of your own as package.module:function")
    if reader not in READERS:
        raise unknown("reader", reader, READERS, where)
    return READERS[reader]
