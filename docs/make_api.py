"""The reference of the Python package as one page, from its docstrings: python docs/make_api.py [docs/api.html]"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from jinja2 import Environment

# What a notebook needs; experiment and reporting serve the workflow.
PARTS = ("algorithms", "neighbors", "rankings", "metrics", "datasets")

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>labelknn: the Python package</title>
<style>
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
body { color: #222; background: #fff }
h2 { border-bottom: 1px solid #bbb; margin-top: 3rem }
h3, h4 { font-family: ui-monospace, monospace; font-weight: 600; overflow-wrap: anywhere }
h4 { margin-bottom: 0 }
pre { white-space: pre-wrap; margin: .3rem 0 1rem 1.5rem }
nav ul { columns: 3 14rem; padding-left: 1rem }
a { color: #0b57a4 }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd } a { color: #8cc4ff } }
</style>
</head>
<body>
<h1>labelknn: the Python package</h1>
<p>Methods follow scikit-learn's conventions and work without the workflow. The examples are run by the tests.</p>
<nav aria-label="Modules"><ul>
{% for module in modules %}<li><a href="#{{ module.name }}">{{ module.name }}</a></li>
{% endfor %}</ul></nav>
{% for module in modules %}
<section id="{{ module.name }}">
<h2>{{ module.name }}</h2>
<pre>{{ module.doc }}</pre>
{% for thing in module.things %}
<h3 id="{{ module.name }}.{{ thing.name }}">{{ thing.kind }} {{ thing.name }}{{ thing.signature }}</h3>
<pre>{{ thing.doc }}</pre>
{% for method in thing.methods %}
<h4>.{{ method.name }}{{ method.signature }}</h4>
<pre>{{ method.doc }}</pre>
{% endfor %}
{% endfor %}
</section>
{% endfor %}
</body>
</html>
"""


def page() -> str:
    environment = Environment(autoescape=True, trim_blocks=True)
    return environment.from_string(PAGE).render(modules=[_module_view(module) for module in _modules()])


def _modules() -> list[ModuleType]:
    found = []
    for part in PARTS:
        package = importlib.import_module(f"labelknn.{part}")
        inside = pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
        names = [package.__name__, *(module.name for module in inside)]
        found += [importlib.import_module(name) for name in names]
    return [module for module in found if module.__doc__]


def _module_view(module: ModuleType) -> dict[str, Any]:
    things = [
        {
            "name": name,
            "kind": "class" if inspect.isclass(thing) else "",
            "signature": _signature(thing),
            "doc": inspect.getdoc(thing) or "",
            "methods": _methods(thing) if inspect.isclass(thing) else [],
        }
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__ and callable(thing)
    ]
    return {"name": module.__name__, "doc": inspect.getdoc(module), "things": things}


def _methods(cls: type) -> list[dict[str, str]]:
    """The methods of the package's own, inherited ones included; those that scikit-learn gives are described there."""
    names = [name for name in dir(cls) if not name.startswith("_") and inspect.isfunction(getattr(cls, name))]
    return [
        {"name": name, "signature": _signature(getattr(cls, name)), "doc": inspect.getdoc(getattr(cls, name)) or ""}
        for name in names
        if getattr(cls, name).__module__.startswith("labelknn.")
    ]


def _signature(thing: Any) -> str:
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("api.html")
    target.write_text(page(), encoding="utf-8")
    print(f"The page: {target.resolve()}")
