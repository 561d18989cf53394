"""The label-ranking text files of the KEBI group, which cheng2009 introduced: features, then a ranking of letters.

A line is ``0.25,-0.1,...,b>a>c``, under a header ``A1,A2,...,ranking``; columns after `ranking` repeat it in another
form and are passed over. In most files the ranking lists the labels from best to worst. In the five gene-expression
files the letter at place i is instead the rank of time point i (a = 1), see the option `ranking` of `read_kebi`.
"""

from pathlib import Path
from string import ascii_lowercase

import numpy as np

from labelknn.datasets._container import Dataset
from labelknn.datasets._text import excerpt, line_error, numbered_lines, parse_number
from labelknn.errors import DataError, unknown

RANKINGS = ("order", "ranks")


def read_kebi(name: str, folder: Path, *, file: str, ranking: str = "order") -> Dataset:
    """A ranking data set from one KEBI file. ``ranking="order"``: b>a>c has b first; ``"ranks"``: b>a>c gives the first
    label rank 2, the second rank 1, the third rank 3."""
    if ranking not in RANKINGS:
        raise unknown("ranking", ranking, RANKINGS, f"data set {name!r}")
    path = folder / file
    lines = ((number, line) for number, line in numbered_lines(path) if line.strip())
    number, header = next(lines, (1, ""))
    features = _feature_names(path, number, header)
    X: list[list[float]] = []
    letters: list[list[int]] = []
    for number, line in lines:
        words = line.split(",")
        if len(words) <= len(features):
            reason = f"{len(words)} values, expected {len(features)} features and a ranking"
            raise line_error(path, number, reason)
        X.append([_feature(path, number, word) for word in words[: len(features)]])
        letters.append(_letters(path, number, words[len(features)], len(letters[0]) if letters else None))
    if not X:
        raise DataError(f"{path}: no rows after the header")
    places = np.array(letters)
    # Both readings are permutations and each other's inverse.
    ranks = places + 1 if ranking == "ranks" else np.argsort(places, axis=1) + 1
    return Dataset(name, "ranking", np.array(X), ranks, features, tuple(ascii_lowercase[: places.shape[1]]))


def _feature_names(path: Path, number: int, header: str) -> tuple[str, ...]:
    columns = [column.strip() for column in header.split(",")]
    if "ranking" not in columns:
        raise line_error(path, number, f"expected a header with a column 'ranking', found {excerpt(header)}")
    features = tuple(columns[: columns.index("ranking")])
    if not features or len(set(features)) < len(features):
        raise line_error(path, number, "expected distinct feature columns before 'ranking'")
    return features


def _feature(path: Path, number: int, word: str) -> float:
    value = parse_number(word.strip())
    if value is None:
        raise line_error(path, number, f"feature value {excerpt(word)}; expected a finite number")
    return value


def _letters(path: Path, number: int, word: str, expected: int | None) -> list[int]:
    """The ranking's letters as numbers from 0: all the first q letters of the alphabet, each once."""
    names = [letter.strip() for letter in word.strip().split(">")]
    count = expected or len(names)
    if sorted(names) != list(ascii_lowercase[:count]):
        labels = f"{ascii_lowercase[0]}..{ascii_lowercase[min(count, 26) - 1]}"
        raise line_error(path, number, f"ranking {excerpt(word.strip())}; expected each of the labels {labels} once")
    return [ascii_lowercase.index(letter) for letter in names]
