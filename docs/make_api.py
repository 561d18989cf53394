"""Writes docs/api.md, the page of the estimators, from their signatures and docstrings.

    python docs/make_api.py

They are those of `labelknn.utils.all_estimators`. A docstring has a first line, further text, sections as in numpydoc
(Parameters, Attributes, References), and an example; the references and the example are required.
"""

import inspect
import re
from pathlib import Path

from labelknn.utils import all_estimators

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/api.md"

TASKS = {
    "multilabel": (
        "Label sets",
        "`Y` is an (n, q) indicator matrix, dense or sparse, or a DataFrame with the labels' names; `predict` gives 0 "
        "and 1 in the container that `fit` got. `score` is the share of exact label sets. A label that no training row "
        "has is never learnt: `fit` warns, and says which.",
    ),
    "ranking": (
        "Rankings",
        "`Y` is an (n, q) matrix of ranks: 1 is best, and 0 or NaN a label that is missing; the methods of brinker2007 "
        "read its last column as the split point. `predict` ranks every label. `score` is the mean of Kendall's tau.",
    ),
}

TOP = """\
# The estimators

<!-- Written by docs/make_api.py from signatures and docstrings; `make api` writes it again. -->

Each is a scikit-learn estimator (`fit`, `predict`, `score`, `get_params`, `clone`) and needs none of the workflow's
packages. `X` is an (n, d) matrix of numbers, dense or sparse, or a DataFrame, whose columns must then come in the same
order in every call (`feature_names_in_`); the names of labels are kept in `label_names_`. What a paper leaves open and
how it is settled is said at the top of each module, and at length in
[docs/methods](methods). Papers are named by their keys in the [README](../README.md).
"""


def render() -> str:
    parts = [TOP]
    for task, (title, text) in TASKS.items():
        rows = [
            [f"[`{name}`](#{name.lower()})", _docs(cls)["summary"], _docs(cls)["References"]]
            for name, cls in all_estimators(task)
        ]
        parts += [f"## {title}\n\n{text}\n", _table(["estimator", "in short", "paper and section"], rows)]
    parts += [_estimator(cls) for task in TASKS for _, cls in all_estimators(task)]
    return "\n".join(parts)


def _estimator(cls: type) -> str:
    docs, module = _docs(cls), cls.__module__
    parameters = inspect.signature(cls).parameters.values()
    call = ", ".join(f"{one.name}={_default(one)}" for one in parameters)
    parts = [
        f"## {cls.__name__}\n\n{docs['summary']}\n",
        f"```python\nfrom labelknn import {cls.__name__}\n\n{cls.__name__}({call})\n```\n",
        f"{docs['text']}\n" if docs["text"] else "",
    ]
    types = {one.name: (one.annotation, _default(one)) for one in parameters}
    if docs["Parameters"]:
        rows = [
            [f"`{name}`", f"`{types[name][0]}`", f"`{types[name][1]}`", meaning]
            for names_, meaning in docs["Parameters"]
            for name in names_.split(", ")
        ]
        parts.append(_table(["parameter", "type", "default", "meaning"], rows))
    if docs["Attributes"]:
        parts.append(_table(["attribute", "meaning"], [[f"`{name}`", meaning] for name, meaning in docs["Attributes"]]))
    methods = [[f"`{name}{_arguments(method)}`", _first_line(method)] for name, method in _methods(cls)]
    parts += [
        _table(["method", "what it does"], methods),
        f"```pycon\n{docs['example']}\n```\n",
        f"Paper: {docs['References']} Module: [{module}](../src/{module.replace('.', '/')}.py).\n",
    ]
    return "\n".join(filter(None, parts))


def _docs(cls: type) -> dict:
    """The parts of a docstring: summary, text, sections as lists of (names, meaning), references and example."""
    text, prompt, example = inspect.getdoc(cls).partition("\n>>> ")
    head, *sections = re.split(r"\n+(\w+)\n-{3,}\n", text)
    found = dict(zip(sections[::2], sections[1::2], strict=True))
    if "References" not in found or not prompt:
        raise ValueError(f"{cls.__name__}: its docstring lacks the references or an example")
    summary, _, rest = head.partition("\n\n")
    return {
        "summary": _joined(summary),
        "text": rest.strip(),
        "Parameters": _entries(found.get("Parameters", "")),
        "Attributes": _entries(found.get("Attributes", "")),
        "References": _joined(found["References"]),
        "example": f">>> {example}".strip(),
    }


def _entries(section: str) -> list[tuple[str, str]]:
    """ "name, name : meaning", with the further lines of a meaning indented."""
    entries = re.split(r"\n(?=\S)", section.strip()) if section.strip() else []
    return [(name.strip(), _joined(meaning)) for name, _, meaning in (entry.partition(" : ") for entry in entries)]


def _methods(cls: type) -> list[tuple[str, object]]:
    """The public methods that this package defines, `fit` first."""
    found = inspect.getmembers(cls, lambda member: inspect.isfunction(member) and "labelknn" in member.__module__)
    public = [(name, method) for name, method in found if not name.startswith("_")]
    return sorted(public, key=lambda item: (item[0] != "fit", item[0]))


def _arguments(method: object) -> str:
    names = list(inspect.signature(method).parameters.values())[1:]
    given = [one.name if one.default is one.empty else f"{one.name}={one.default!r}" for one in names]
    return f"({', '.join(given)})"


def _first_line(method: object) -> str:
    return _joined(
        (inspect.getdoc(method) or "Learns from the training rows; gives the estimator.").partition("\n\n")[0]
    )


def _default(parameter: inspect.Parameter) -> str:
    return repr(parameter.default)


def _joined(text: str) -> str:
    return " ".join(text.split())


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(render())
