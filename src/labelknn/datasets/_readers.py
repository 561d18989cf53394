"""The readers by name, and the one way to call them."""

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path

from labelknn.datasets._container import Dataset
from labelknn.datasets._extreme import read_extreme, read_meka
from labelknn.datasets._kebi import read_kebi
from labelknn.datasets._mulan import read_mulan
from labelknn.datasets._synthetic import read_synthetic_multilabel, read_synthetic_ranking
from labelknn.datasets._uci import read_scikit_learn, read_table
from labelknn.errors import ConfigError, unknown
from labelknn_papers.data.eisen import read_eisen
from labelknn_papers.data.extreme_synthetic import read_synthetic_extreme

READERS: dict[str, Callable[..., Dataset]] = {
    "eisen": read_eisen,
    "extreme": read_extreme,
    "kebi": read_kebi,
    "meka": read_meka,
    "mulan": read_mulan,
    "scikit-learn": read_scikit_learn,
    "synthetic-extreme": read_synthetic_extreme,
    "synthetic-multilabel": read_synthetic_multilabel,
    "synthetic-ranking": read_synthetic_ranking,
    "table": read_table,
}


def read(name: str, task: str, reader: str, folder: Path, options: Mapping[str, object]) -> Dataset:
    """The data set `name` from its raw files in `folder`; `options` are those of the reader."""
    where = f"data set {name!r}"
    if reader not in READERS:
        raise unknown("reader", reader, READERS, where)
    parameters = inspect.signature(READERS[reader]).parameters.values()
    known = {parameter.name: parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}
    for option in options:
        if option not in known:
            raise unknown(f"option of reader {reader!r}", option, known, where)
    for option, parameter in known.items():
        if parameter.default is parameter.empty and option not in options:
            raise ConfigError(f"{where}: reader {reader!r} needs the option {option!r}")
    data = READERS[reader](name, folder, **options)
    if data.task != task:
        raise ConfigError(f"{where}: declared as {task!r}, but reader {reader!r} gave {data.task!r}")
    return data
