"""config/claims/<paper>.yaml: read and checked, when the workflow is parsed, against what the paper's tables have.

A claim that names an unknown table, method, data set, metric, setting or function is refused with the known ones, and
so is a condition without its numbers.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any

from labelknn.errors import ConfigError
from labelknn.metrics import METRICS
from labelknn_papers.judge.claims.conditions import CONDITIONS
from labelknn_papers.judge.claims.findings import BOUNDS, STATISTICS, Finding
from labelknn_papers.judge.claims.values import Ref, as_ref, is_seconds
from labelknn_papers.judge.times import STAGES, time_cells
from labelknn_papers.plan.cells import Cell
from labelknn_papers.plan.config import known, read_yaml, validate
from labelknn_papers.plan.plan import Plan

# How several conditions can be one.
SEVERAL = ("any", "all")
# The arguments that are names of methods, or that may hold several of them.
METHODS = ("methods", "over", "among", "of", "minus", "better", "worse")
# Those that are lists of data sets.
DATASETS = ("datasets", "than")


# What a row of paired_tests.csv has numbers of.
TESTS = ("t", "p", "corrected_t", "corrected_p")


@dataclass(frozen=True)
class Condition:
    """A function of `conditions`, or of the paper's own module, with its arguments; or several, any of which does."""

    function: str
    arguments: Mapping[str, Any]
    parts: Sequence[Condition] = ()

    @property
    def metrics(self) -> list[str]:
        return [*_metrics(self.arguments), *(name for part in self.parts for name in part.metrics)]


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, in our words.

    holds : the conditions under which it holds.
    partly : those under which it holds in part, if there are any.
    printed : what stands for `holds` and `partly` where the printed numbers are asked, if that is something else.
    indispensable : it cannot be decided without the data sets that nobody can have.
    """

    paper: str
    id: str
    section: str
    claim: str
    evidence: str
    criterion: str
    holds: Sequence[Condition]
    partly: Sequence[Condition] = ()
    printed: Mapping[str, Sequence[Condition]] = field(default_factory=dict)
    indispensable: bool = False

    @property
    def timed(self) -> bool:
        """Whether it is about seconds, which differ from run to run."""
        conditions = [*self.holds, *self.partly]
        return any(is_seconds(name) for one in conditions for name in one.metrics)


@dataclass(frozen=True)
class PaperClaims:
    """dispensable : data sets without which claims are decided too, and why."""

    claims: Sequence[Claim]
    dispensable: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Vocabulary:
    """What a table has; None where nothing is known of it before it is there."""

    methods: set[str]
    datasets: set[str]
    metrics: set[str]
    settings: set[str] | None


def read_claims(plan: Plan) -> dict[str, PaperClaims]:
    """Of the papers of the run that have a file of claims."""
    found = {}
    for paper in plan.papers:
        where = f"config/claims/{paper}.yaml"
        if (plan.root / where).exists():
            found[paper] = claims_of(plan, paper, read_yaml(plan.root / where), where)
    return found


def functions_of(paper: str) -> dict[str, Callable[..., Finding]]:
    """The conditions of all papers, and the paper's own."""
    own = _own_module(paper)
    if own is None:
        return dict(CONDITIONS)
    functions = inspect.getmembers(own, inspect.isfunction)
    return {**CONDITIONS, **{name: one for name, one in functions if one.__module__ == own.__name__ and name[0] != "_"}}


def claim_modules(paper: str) -> list[str]:
    """The file of the paper's own conditions, from the working directory."""
    own = _own_module(paper)
    return [os.path.relpath(own.__file__)] if own and own.__file__ else []


def claim_cells(plan: Plan, paper: str) -> list[Cell]:
    """The cells that claims look at themselves: those of figures, and those of run times for their seconds.

    Of a figure on request the table is enough.
    """
    figures = [name for name, one in plan.papers[paper].get("figures", {}).items() if not one.get("on_request")]
    of_figures = [cell for figure in figures for cell in plan.figure_cells(paper, figure).values()]
    return list(dict.fromkeys(of_figures + time_cells(plan.targets[paper])))


@cache
def _own_module(paper: str) -> ModuleType | None:
    name = f"labelknn_papers.papers.{paper}_claims"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def claims_of(plan: Plan, paper: str, document: Mapping[str, Any], where: str) -> PaperClaims:
    """Those of a file, whose content this is."""
    validate(document, "claims", plan.root / "workflow/schemas", where)
    tables = vocabularies(plan, paper)
    known_datasets = {name for table in tables.values() for name in table.datasets}
    for name in document.get("dispensable", {}):
        known("data set", name, known_datasets, f"{where}, dispensable")
    claims, seen = [], set()
    for entry in document["claims"]:
        if entry["id"] in seen:
            raise ConfigError(f"{where}: two claims are called {entry['id']!r}")
        seen.add(entry["id"])
        place = f"{where}, {entry['id']}"
        parts = _parts(entry, paper, tables, place)
        in_print = _parts(entry.get("printed", {}), paper, tables, f"{place}, printed")
        claims.append(Claim(paper, **{**entry, **parts, "printed": in_print}))
    return PaperClaims(claims, document.get("dispensable", {}))


def _parts(
    entry: Mapping[str, Any], paper: str, tables: Mapping[str, Vocabulary], where: str
) -> dict[str, list[Condition]]:
    return {
        part: [_condition(one, paper, tables, f"{where}, {part}") for one in entry[part]]
        for part in ("holds", "partly")
        if part in entry
    }


def vocabularies(plan: Plan, paper: str) -> dict[str, Vocabulary]:
    """By table, those of the paper and those of its figures, whatever the filter `only` leaves of them."""
    definition, found = read_yaml(plan.root / f"config/papers/{paper}.yaml"), {}
    for table, runs in definition["tables"].items():
        printed = [number for number in plan.published[paper] if number.table == table]
        variants = {run["method"] for run in runs.get("runs", []) if run.get("role") == "variant"}
        metrics = {number.metric for number in printed}
        timed = set(STAGES) if metrics & set(STAGES) else set()
        found[table] = Vocabulary(
            {number.method for number in printed} | variants,
            {number.dataset for number in printed},
            metrics | timed,
            {number.setting for number in printed},
        )
    for pair, one in definition.get("pairs", {}).items():
        tested = found[one["table"]]
        found[pair] = Vocabulary({""}, tested.datasets, set(TESTS), None)
    for figure, one in definition.get("figures", {}).items():
        cells = one.get("cells", {})
        methods = {*cells.get("algorithms", []), *one.get("rows", [])}
        numbers = {*METRICS, *STAGES, *cells.get("numbers", [])} if methods else set()
        found[figure] = Vocabulary(
            methods | {""}, {*one["datasets"], *one.get("rows", [])}, numbers | set(one.get("columns", [])), None
        )
    return found


def _condition(entry: Mapping[str, Any], paper: str, tables: Mapping[str, Vocabulary], where: str) -> Condition:
    for several in SEVERAL:
        if several in entry:
            return Condition(several, {}, [_condition(one, paper, tables, where) for one in entry[several]])
    functions = functions_of(paper)
    known("function", entry["function"], functions, where)
    where = f"{where}, {entry['function']}"
    arguments = {name: value for name, value in entry.items() if name != "function"}
    _check_arguments(functions[entry["function"]], arguments, where)
    for kind, name, names in names_in(arguments, tables, where):
        known(kind, name, names, where)
    return Condition(entry["function"], arguments)


def _check_arguments(function: Callable[..., Finding], arguments: Mapping[str, Any], where: str) -> None:
    """Refuse a condition that lacks one of its arguments or numbers, or has one that is not known."""
    parameters = dict(inspect.signature(function).parameters)
    parameters.pop("values")
    bounded = parameters.pop("bounds", None) is not None
    for name, value in arguments.items():
        known("argument", name, [*parameters, *(BOUNDS if bounded else ())], where)
        wants_number = name in BOUNDS or "float" in str(parameters[name].annotation)
        if wants_number and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise ConfigError(f"{where}: {name} is {value!r}, expected a number")
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in arguments:
            raise ConfigError(f"{where}: {name} is missing")
    if bounded and not BOUNDS.keys() & arguments.keys():
        raise ConfigError(f"{where}: it has no number; expected at least one of {', '.join(BOUNDS)}")
    if "statistic" in arguments:
        known("statistic", arguments["statistic"], STATISTICS, where)


def names_in(
    arguments: Mapping[str, Any], tables: Mapping[str, Vocabulary], where: str
) -> Iterator[tuple[str, str, set[str]]]:
    """The kind of each name in a condition, the name, and the known ones. A table comes before what is in it."""
    default = arguments.get("table", "")
    if default:
        yield "table", default, set(tables)
    for ref in _refs(arguments):
        if ref.table is not None:
            yield "table", ref.table, set(tables)
        table = tables[ref.table or default]
        yield "method", ref.method, table.methods
        if ref.dataset is not None:
            yield "data set", ref.dataset, table.datasets
        if ref.metric is not None:
            yield "metric", ref.metric, table.metrics
        if ref.setting is not None and table.settings is not None:
            yield "setting", ref.setting, table.settings
    if not default:
        return
    table = tables[default]
    for name in arguments.get("metrics", ()):
        yield "metric", name, table.metrics
    for name in (name for key in DATASETS for name in arguments.get(key, ())):
        yield "data set", name, table.datasets
    if table.settings is not None:
        for name in arguments.get("settings", ()):
            yield "setting", name, table.settings


def _refs(arguments: Mapping[str, Any]) -> list[Ref]:
    """The methods that a condition names, one by one or in lists."""
    given = [arguments[key] for key in METHODS if key in arguments]
    return [as_ref(one) for some in given for one in ([some] if isinstance(some, str | Mapping) else some)]


def _metrics(arguments: Mapping[str, Any]) -> Iterator[str]:
    yield from arguments.get("metrics", ())
    yield from (ref.metric for ref in _refs(arguments) if ref.metric is not None)
