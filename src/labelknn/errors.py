"""The errors a user can cause, as opposed to the ones we cause: each carries one sentence that says what to do."""

from collections.abc import Iterable
from difflib import get_close_matches

_LONGEST = 2000


class LabelknnError(Exception):
    """Base of all errors that are about the user's input and need no traceback."""


class DataError(LabelknnError, ValueError):
    """A data file, or an array, that is not what it claims to be."""


class SourceUnreachable(LabelknnError):  # noqa: N818 - a state of the world, not a mistake
    """None of a data set's sources could be had; the run goes on without it."""


class ConfigError(LabelknnError, ValueError):
    """A configuration that names something unknown or leaves out something needed."""


def unknown(kind: str, name: object, known: Iterable[str], where: str) -> ConfigError:
    """The error for a misspelt id or key: it names the known ones, nearest first."""
    names = sorted(known)
    nearest = get_close_matches(str(name), names, n=1)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    listed = ", ".join(names) or "(none)"
    if len(listed) > _LONGEST:  # the names in a damaged file can be anything
        listed = listed[:_LONGEST] + " ..."
    return ConfigError(f"{where}: unknown {kind} {name!r}.{hint} Known: {listed}.")
