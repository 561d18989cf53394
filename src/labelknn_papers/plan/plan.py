"""From config to cells: which method runs on which data set under which protocol, and which published number it meets.

A cell is (protocol, data set, algorithm). Two tables, or two papers, that need the same cell share it. The plan is made
when the workflow is parsed, without looking at any data.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from labelknn.errors import ConfigError, unknown
from labelknn.metrics import METRICS
from labelknn_papers.plan.config import merge, read_yaml, validate
from labelknn_papers.plan.own import chosen_comparisons, joined_targets
from labelknn_papers.plan.protocol import Protocol, protocol_from

# A setting that is not fixed beforehand: the best of all on each metric, judged by the test rows.
BEST = "best"


@dataclass(frozen=True)
class Cell:
    protocol: Protocol
    dataset: str
    algorithm: str

    @property
    def path(self) -> str:
        """Where the cell's files are, below data/predictions and data/scores."""
        return f"{self.protocol.id}/{self.dataset}/{self.algorithm}"


@dataclass(frozen=True)
class Published:
    """One number of a paper's table, as printed; `value` is None where the paper prints N/A."""

    table: str
    dataset: str
    method: str
    metric: str
    setting: str
    printed: str
    note: str

    @property
    def value(self) -> float | None:
        return float(self.printed) if self.printed else None

    @property
    def digits(self) -> int:
        """Decimals printed."""
        return len(self.printed.partition(".")[2])


@dataclass(frozen=True)
class Target:
    """What stands against a published number: a score of a cell, a fact about a data set, or nothing yet.

    metric : the name of the score, or of the fact where there is no cell.
    setting : which of the cell's settings, "" where it has only one; BEST takes the best of all, as an oracle would.
    dataset : the registry id, None where the number is not tied to a data set we know.
    left_out : the config leaves this number out of the run.
    """

    published: Published
    metric: str
    dataset: str | None
    cell: Cell | None = None
    setting: str = ""
    left_out: bool = False


@dataclass(frozen=True)
class Entry:
    """One setting of a cell as a method in a grand comparison; `cannot` says why it is not tried, "" if it is."""

    method: str
    cell: Cell
    setting: str
    cannot: str


class Plan:
    """The validated config, the registries and what follows from them."""

    def __init__(self, config: Mapping[str, Any], root: Path) -> None:
        self.root = root
        self.config = dict(config)
        schemas = root / "workflow" / "schemas"
        validate(self.config, "config", schemas, "config")
        self.datasets = merge(read_yaml(root / "config/datasets.yaml"), config.get("datasets", {}))
        self.algorithms = merge(read_yaml(root / "config/algorithms.yaml"), config.get("algorithms", {}))
        validate(self.datasets, "datasets", schemas, "datasets")
        validate(self.algorithms, "algorithms", schemas, "algorithms")
        for name, entry in self.datasets.items():
            for base in entry.get("generate", {}).get("from", []):
                self._known("data set", base, self.datasets, f"datasets, {name}, generate, from")
        self.papers = {key: self._read("papers", "paper", key, schemas) for key in config["papers"]}
        self.studies = {key: self._read("studies", "study", key, schemas) for key in config["studies"]}
        self.published = {key: read_published(root / f"config/published/{key}.csv") for key in self.papers}
        self.targets = {key: list(self._targets(key)) for key in self.papers}
        self.variants = {key: list(self._variants(key)) for key in self.papers}
        self.own = joined_targets(config.get("join", {}), self.papers, self.targets, self.algorithms)
        for key, study in self.studies.items():
            for name in study["datasets"]:
                self._known("data set", name, self.datasets, f"config/studies/{key}.yaml, datasets")
            for name in study["algorithms"]:
                self._known("algorithm", name, self.algorithms, f"config/studies/{key}.yaml, algorithms")
            for name in study["metrics"]:
                self._known("metric", name, METRICS, f"config/studies/{key}.yaml, metrics")
        self.grand = self._read_grand(schemas)
        self.scale = self._read_whole("scale", schemas)

    def _read(self, folder: str, schema: str, key: str, schemas: Path) -> dict[str, Any]:
        changes = self.config.get("override", {}).get(folder, {}).get(key, {})
        path = self.root / "config" / folder / f"{key}.yaml"
        if not path.exists():
            raise unknown(schema, key, [file.stem for file in path.parent.glob("*.yaml")], f"config, {folder}")
        document = merge(read_yaml(path), changes)
        validate(document, schema, schemas, f"config/{folder}/{key}.yaml")
        return document

    def _read_whole(self, key: str, schemas: Path) -> dict[str, Any]:
        """A file of config/ that the config's own version replaces as a whole."""
        where = f"config/{key}.yaml"
        document = self.config.get("override", {}).get(key) or read_yaml(self.root / where)
        validate(document, key, schemas, where)
        return document

    def _read_grand(self, schemas: Path) -> dict[str, Any]:
        """The grand comparisons by task."""
        where = "config/grand.yaml"
        document = self._read_whole("grand", schemas)
        for task, comparison in document.items():
            for name in comparison["datasets"]:
                self._known("data set", name, self.datasets, f"{where}, {task}, datasets")
            for runs in comparison["methods"].values():
                self._known("algorithm", _run_of(runs)["algorithm"], self.algorithms, f"{where}, {task}, methods")
            for name in comparison["metrics"]:
                self._known("metric", name, METRICS, f"{where}, {task}, metrics")
            for name in comparison["ranked"]:
                self._known("data set", name, comparison["datasets"], f"{where}, {task}, ranked")
            for left_out in comparison.get("cannot", []):
                for kind, key in (("method", "methods"), ("data set", "datasets")):
                    for name in left_out[key]:
                        self._known(kind, name, comparison[key], f"{where}, {task}, cannot")
        if "compare" not in self.config:
            return document
        chosen = chosen_comparisons(self.config, document, self.datasets, self.algorithms)
        validate(chosen, "grand", schemas, "config, compare")
        return chosen

    def _targets(self, key: str) -> Iterator[Target]:
        paper, where = self.papers[key], f"config/papers/{key}.yaml"
        names = paper.get("datasets", {})
        for name in names.values():
            self._known("data set", name, self.datasets, f"{where}, datasets")
        for figure, definition in paper.get("figures", {}).items():
            for name in definition["datasets"]:
                self._known("data set", name, self.datasets, f"{where}, figures, {figure}, datasets")
            for name in definition.get("cells", {}).get("algorithms", []):
                self._known("algorithm", name, self.algorithms, f"{where}, figures, {figure}, cells, algorithms")
        printed_tables = {number.table for number in self.published[key]}
        for table, layout in paper["tables"].items():
            self._known("table", table, printed_tables, f"{where}, tables")
            printed = [number for number in self.published[key] if number.table == table]
            methods = {number.method for number in printed}
            datasets = {number.dataset for number in printed}
            named = {"methods": layout.get("methods", {}), "variants": layout.get("variants", {})}
            for dataset, substitutes in layout.get("substitutes", {}).items():
                self._known("data set", dataset, datasets, f"{where}, {table}, substitutes")
                named[f"substitutes, {dataset}"] = substitutes
            for part, algorithms in named.items():
                for method, runs in algorithms.items():
                    self._known("method", method, methods, f"{where}, {table}, {part}")
                    self._known("algorithm", _run_of(runs)["algorithm"], self.algorithms, f"{where}, {table}, {part}")
            for method in layout.get("protocols", {}):
                self._known("method", method, methods, f"{where}, {table}, protocols")
            for algorithm in layout.get("also", []):
                self._known("algorithm", algorithm, self.algorithms, f"{where}, {table}, also")
            for name in layout.get("only", []):
                self._known("data set", name, datasets, f"{where}, {table}, only")
        for number in self.published[key]:
            if number.table not in paper["tables"]:
                raise ConfigError(f"{where}: the paper prints {number.table}, which has no layout under `tables`")
            yield self._target(number, paper, self._chosen(names.get(number.dataset, number.dataset)))

    def _variants(self, key: str) -> Iterator[Target]:
        """Our own variants of a paper's methods against the numbers of the methods they vary."""
        for target in self.targets[key]:
            table = self.papers[key]["tables"][target.published.table]
            runs = table.get("variants", {}).get(target.published.method)
            if runs and target.cell:
                run = _run_of(runs)
                yield replace(
                    target,
                    published=replace(target.published, method=run["algorithm"]),
                    cell=replace(target.cell, algorithm=run["algorithm"]),
                    setting=run.get("setting", target.setting).format(metric=target.metric),
                )

    def _chosen(self, dataset: str) -> str:
        """The id itself, or that of its rankings made from raw data where the config asks for these."""
        made = f"{dataset}-generated"
        return made if self.config["rankings"] == "generated" and made in self.datasets else dataset

    def _target(self, number: Published, paper: Mapping[str, Any], dataset: str) -> Target:
        table = paper["tables"][number.table]
        metric = table.get("metrics", {}).get(number.metric, number.metric)
        if dataset not in self.datasets:
            return Target(number, metric, None)
        if number.dataset not in table.get("only", [number.dataset]):
            return Target(number, metric, None, left_out=True)
        substitutes = table.get("substitutes", {}).get(number.dataset, {})
        runs = substitutes.get(number.method, table.get("methods", {}).get(number.method))
        protocol = table.get("protocols", {}).get(number.method, table.get("protocol", paper.get("protocol")))
        if runs is None or protocol is None:
            return Target(number, metric, dataset)
        run = _run_of(runs)
        cell = Cell(protocol_from(protocol), dataset, run["algorithm"])
        several = cell.protocol.missing or "sweep" in self.algorithms[cell.algorithm]
        setting = run.get("setting", number.setting if several else "").format(metric=metric)
        return Target(number, metric, dataset, cell, setting)

    @staticmethod
    def _known(kind: str, name: str, names: Any, where: str) -> None:
        if name not in names:
            raise unknown(kind, name, names, where)

    def study_cells(self, key: str) -> list[Cell]:
        study = self.studies[key]
        protocol = protocol_from(study["protocol"])
        return [Cell(protocol, *pair) for pair in product(study["datasets"], study["algorithms"])]

    def grand_entries(self, task: str) -> list[Entry]:
        """Every method on every data set of a grand comparison, those included that are known not to run."""
        comparison = self.grand[task]
        protocol = protocol_from(comparison["protocol"])
        reasons = {
            (method, dataset): left_out["because"]
            for left_out in comparison.get("cannot", [])
            for method, dataset in product(left_out["methods"], left_out["datasets"])
        }
        entries = []
        for (method, runs), dataset in product(comparison["methods"].items(), comparison["datasets"]):
            run = _run_of(runs)
            cell = Cell(protocol, dataset, run["algorithm"])
            entries.append(Entry(method, cell, run.get("setting", ""), reasons.get((method, dataset), "")))
        return entries

    def figure_cells(self, key: str, figure: str) -> dict[tuple[str, str], Cell]:
        """The cells of a paper's figure by data set and the algorithm that the figure names."""
        definition = self.papers[key]["figures"][figure]
        if "cells" not in definition:
            return {}
        asked, cells = definition["cells"], {}
        for dataset, name in product(definition["datasets"], asked["algorithms"]):
            algorithm = asked.get("substitutes", {}).get(dataset, {}).get(name, name)
            protocol = protocol_from(asked.get("protocol", self.papers[key].get("protocol")))
            cells[dataset, name] = Cell(protocol, self._chosen(dataset), algorithm)
        return cells

    def paper_cells(self, key: str) -> list[Cell]:
        """The cells of a paper's tables: its numbers, variants, joined methods, and what derived numbers need."""
        cells: dict[Cell, None] = {}
        for target in [*self.targets[key], *self.variants[key], *self.own[key]]:
            if target.cell:
                also = self.papers[key]["tables"][target.published.table].get("also", [])
                complete = replace(target.cell, protocol=target.cell.protocol.complete)
                cells |= dict.fromkeys([target.cell, *(replace(complete, algorithm=name) for name in also)])
        return list(cells)

    @cached_property
    def table_cells(self) -> list[Cell]:
        """Every cell that a table of a paper or of a study needs, once."""
        of_papers = [cell for key in self.papers for cell in self.paper_cells(key)]
        of_studies = [cell for key in self.studies for cell in self.study_cells(key)]
        return list(dict.fromkeys(of_papers + of_studies))

    @cached_property
    def cells_by_owner(self) -> dict[str, list[Cell]]:
        """The cells of each paper, those of its figures included, and of each study. Some have several owners."""
        owned = {}
        for key, paper in self.papers.items():
            of_figures = [cell for name in paper.get("figures", {}) for cell in self.figure_cells(key, name).values()]
            owned[key] = list(dict.fromkeys(self.paper_cells(key) + of_figures))
        return owned | {key: self.study_cells(key) for key in self.studies}

    @cached_property
    def cells(self) -> list[Cell]:
        """Every cell of the run, those of figures included."""
        return list(dict.fromkeys(cell for owned in self.cells_by_owner.values() for cell in owned))

    @cached_property
    def protocols(self) -> dict[str, Protocol]:
        """All protocols by id, and the ones that their splits are drawn for."""
        used = [cell.protocol for cell in self.cells]
        used += [protocol_from(comparison["protocol"]) for comparison in self.grand.values()]
        return {protocol.id: protocol for protocol in used + [protocol.complete for protocol in used]}

    def paper_datasets(self, key: str) -> list[str]:
        """The data sets that a paper's tables and figures speak of."""
        of_tables = [target.dataset for target in self.targets[key] if target.dataset]
        of_figures = [name for figure in self.papers[key].get("figures", {}).values() for name in figure["datasets"]]
        return list(dict.fromkeys(of_tables + of_figures))

    @cached_property
    def used_datasets(self) -> list[str]:
        """The data sets of all tables and studies, each after those that it is made from."""
        of_papers = [name for key in self.papers for name in self.paper_datasets(key)]
        return self.with_bases(of_papers + [cell.dataset for cell in self.cells])

    def bases(self, dataset: str) -> list[str]:
        """What a data set is made from; nothing if it is fetched."""
        return self.datasets[dataset].get("generate", {}).get("from", [])

    def with_bases(self, datasets: Iterable[str]) -> list[str]:
        found: dict[str, None] = {}
        for name in datasets:
            found |= dict.fromkeys([*self.with_bases(self.bases(name)), name])
        return list(found)

    def recipe(self, dataset: str) -> dict[str, Any]:
        """How a data set is made, with what the config decides for all of its kind."""
        recipe = self.datasets[dataset]["generate"]
        decided = {
            "naive-bayes": {"estimator": self.config["naive_bayes"]},
            "expression": {"split": self.config["split"]},
        }
        return merge({"options": decided.get(recipe["recipe"], {})}, recipe)


def _run_of(runs: str | Mapping[str, str]) -> Mapping[str, str]:
    """What runs for a method: an algorithm, or one of its settings; "{metric}" in it is the number's metric."""
    return {"algorithm": runs} if isinstance(runs, str) else runs


def read_published(path: Path) -> list[Published]:
    columns = ("table", "dataset", "method", "metric", "setting", "value", "note")
    with path.open(newline="") as file:
        return [Published(*(row[column] for column in columns)) for row in csv.DictReader(file)]
