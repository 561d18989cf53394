"""From config to cells: which method runs on which data set under which protocol, and which published number it meets.

The plan is made when the workflow is parsed, and again by the scripts that need it, without looking at any data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from labelknn.datasets import registry
from labelknn.errors import ConfigError
from labelknn_papers.plan import comparisons
from labelknn_papers.plan.cells import Cell, Entry, Target, cells_of, read_published
from labelknn_papers.plan.config import known, merge, read_yaml, validate, with_colons
from labelknn_papers.plan.only import EVERYWHERE, check_counts, filter_comparison, filter_paper, shorten, spread
from labelknn_papers.plan.protocol import Protocol, protocol_from
from labelknn_papers.plan.targets import PaperRuns, chosen_settings

# The keys of a data set, or of a method, that say what it is.
ORIGINS = {"sources", "generate", "unavailable", "class"}


class Plan:
    """The validated config, the registries and what follows from them.

    papers : the papers of the run by key, as their files have them, but with the figures that are drawn.
    targets, variants, own : what stands against each printed number of a paper, what our variants of its methods have
        there, and what the methods that join it have.
    comparisons : all that are known, by key; those in the config's `comparisons` are part of the run.
    """

    def __init__(self, config: Mapping[str, Any], root: Path) -> None:
        self.root = root
        self.config = dict(config)
        self._schemas = root / "workflow/schemas"
        validate(self.config, "config", self._schemas, "config")
        self.datasets = self._registry("datasets", registry())
        self.methods = self._registry("methods", {})
        for name, entry in self.datasets.items():
            for base in entry.get("generate", {}).get("from", []):
                known("data set", base, self.datasets, f"datasets, {name}, generate, from")
        for name in self.config.get("scattered", []):
            known("data set", name, self.datasets, "config, scattered")
        files = {path.stem: read_yaml(path) for path in sorted((root / "config/papers").glob("*.yaml"))}
        for key in config["papers"]:
            known("paper", key, files, "config, papers")
        only = self._read_only(files)
        for key in self.config["papers"]:
            validate(files[key], "paper", self._schemas, f"config/papers/{key}.yaml")
        self._choices = chosen_settings(files, config.get("settings", {}))
        papers = {key: files[key] for key in self.config["papers"]}
        self.published = {key: read_published(root / f"config/published/{key}.csv") for key in papers}
        self.comparisons = self._read_comparisons()
        for key in self.comparisons:
            if self.is_tried(key):
                runs = self.comparisons[key]["methods"].values()
                self.methods |= dict(comparisons.tried_as(self.comparisons[key], run, self.methods) for run in runs)
        filters = spread(only, papers, self.published, {key: self._chosen(key) for key in papers})
        found = {key: self._filtered(key, papers[key], filters[key]) for key in papers}
        self.papers = {key: paper for key, (paper, _) in found.items()}
        self._only = {key: filtered for key, (_, filtered) in found.items()}
        self._runs = {key: self._runs_of(key) for key in self.papers}
        self.targets = {key: list(runs.targets()) for key, runs in self._runs.items()}
        self.variants = {key: list(runs.variants(self.targets[key])) for key, runs in self._runs.items()}
        self.own = self._joined()

    def _read_only(self, files: Iterable[str]) -> Mapping[str, Any]:
        """The filter. One that says something of all papers names all that is run: comparisons, too, by their keys."""
        only = self.config.get("only", {})
        parts = [*files, *self._comparison_files(), *self.config.get("compare", {})]
        for key in only:
            known("paper, comparison or key", key, [*EVERYWHERE, *parts], "config, only")
        everywhere = {key: only[key] for key in EVERYWHERE if key in only}
        validate(everywhere, "only", self._schemas, "config, only", "everywhere")
        for key in only.get("papers", ()):
            known("paper", key, self.config["papers"], "config, only, papers")
        if "papers" in only:
            self.config["papers"] = only["papers"]
        if everywhere:
            self.config["comparisons"] = [key for key in self.config["comparisons"] if key in only]
        return only

    def _comparison_files(self) -> dict[str, dict[str, Any]]:
        folder = self.root / "config/comparisons"
        return {path.stem: read_yaml(path) for path in sorted(folder.glob("*.yaml"))}

    def _registry(self, name: str, of_library: Mapping[str, Any]) -> dict[str, Any]:
        """What the library and config/ have, and what the config adds.

        An entry of the config that says where its data or its class come from is another one of that name: nothing is
        left of the one that it replaces.
        """
        entries = merge(of_library, read_yaml(self.root / f"config/{name}.yaml"))
        for key, entry in self.config.get(name, {}).items():
            another = not isinstance(entry, Mapping) or not entry.keys().isdisjoint(ORIGINS)
            entries[key] = entry if another else merge(entries.get(key, {}), entry)
        validate(entries, name, self._schemas, name)
        return {key: with_colons(entry) for key, entry in entries.items()}

    def _read_comparisons(self) -> dict[str, dict[str, Any]]:
        """Those of config/comparisons and those of the config, of which the filter leaves a part."""
        files, own = self._comparison_files(), self.config.get("compare", {})
        for key in self.config["comparisons"]:
            known("comparison", key, [*files, *own], "config, comparisons")
        for key in own:
            if key in (*comparisons.TARGETS, *EVERYWHERE):
                raise ConfigError(f"config, compare: {key!r} is the name of something else to make; choose another one")
        found = {}
        for key, definition in {**files, **own}.items():
            where = f"config, compare, {key}" if key in own else f"config/comparisons/{key}.yaml"
            comparison = comparisons.complete(definition, files, self.methods, where)
            validate(comparison, "comparison", self._schemas, where)
            comparisons.check(comparison, self.methods, self.datasets, where)
            only = self.config.get("only", {}).get(key)
            if only is not None:
                where = f"config, only, {key}"
                validate(only, "only", self._schemas, where, "comparison")
                choices = comparisons.choices_of(comparison["protocol"])
                check_counts(only, [choice["use"] for choice in choices], where)
                comparison = filter_comparison(comparison, only, where)
            found[key] = comparison
        return found

    def _filtered(
        self, key: str, paper: Mapping[str, Any], only: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The paper with what is left of its figures, on the data sets that its settings choose, and the filter."""
        where = f"config, only, {key}"
        validate(only, "only", self._schemas, where, "paper")
        figures = paper.get("figures", {}).values()
        asked = [figure["cells"]["protocol"] for figure in figures if "protocol" in figure.get("cells", {})]
        check_counts(only, [paper["protocol"], *asked] if "protocol" in paper else asked, where)
        filtered, resolved = filter_paper(paper, self.published[key], self._chosen(key), only, where)
        drawn = {}
        for figure, definition in filtered.get("figures", {}).items():
            # Cells are looked up by the names in the file; a figure that shows both data sets keeps both.
            if "cells" not in definition:
                everything = paper["figures"][figure]["datasets"]
                names = {name: self._chosen(key).get(name, name) for name in definition["datasets"]}
                chosen = [name if other in everything else other for name, other in names.items()]
                definition = {**definition, "datasets": chosen}
            drawn[figure] = definition
        return ({**filtered, "figures": drawn} if drawn else filtered), resolved

    def _chosen(self, key: str) -> dict[str, str]:
        """What the data sets of a paper are replaced by."""
        return {name: other for choice in self._choices[key] for name, other in choice.get("datasets", {}).items()}

    def _runs_of(self, key: str) -> PaperRuns:
        runs = PaperRuns(
            self.papers[key],
            self.published[key],
            self.methods,
            self.datasets,
            self._chosen(key),
            self._only[key],
            f"config/papers/{key}.yaml",
        )
        runs.check()
        return runs

    def _joined(self) -> dict[str, list[Target]]:
        asked = self.config.get("runs", {})
        for key in asked:
            known("paper", key, self.papers, "config, runs (the config's `papers` must have it)")
        return {
            key: runs.joined(self.targets[key], asked.get(key, []), f"config, runs, {key}")
            for key, runs in self._runs.items()
        }

    def is_tried(self, key: str) -> bool:
        """Whether a comparison is no part of the run: its methods may fail, and have limits."""
        return key not in self.config["comparisons"]

    def entries(self, key: str) -> list[Entry]:
        return comparisons.entries(self.comparisons[key], self.datasets, self.methods, self.is_tried(key))

    def figure_cells(self, key: str, figure: str) -> dict[tuple[str, str], Cell]:
        """The cells of a paper's figure by data set and the method that the figure names; none if it is not drawn."""
        definition = self.papers[key]["figures"].get(figure, {})
        if "cells" not in definition:
            return {}
        asked, chosen, cells = definition["cells"], self._chosen(key), {}
        for dataset, name in product(definition["datasets"], asked["algorithms"]):
            method = asked.get("substitutes", {}).get(dataset, {}).get(name, name)
            protocol = protocol_from(asked.get("protocol", self.papers[key].get("protocol")))
            shorter = shorten(protocol, self._only[key], dataset)
            cells[dataset, name] = Cell(shorter, chosen.get(dataset, dataset), method)
        return cells

    def figure_data(self, key: str, figure: str) -> dict[str, str]:
        """The id of each data set of a figure, by its name there: that of its cells where it has some."""
        of_cells = {dataset: cell.dataset for (dataset, _), cell in self.figure_cells(key, figure).items()}
        return {name: of_cells.get(name, name) for name in self.papers[key]["figures"][figure]["datasets"]}

    def paper_cells(self, key: str) -> list[Cell]:
        """The cells of a paper's tables: its numbers, variants, joined methods, and what derived numbers need."""
        return self._runs[key].cells([*self.targets[key], *self.variants[key], *self.own[key]])

    @cached_property
    def table_cells(self) -> list[Cell]:
        """Every cell that a table of a paper or a comparison of the run needs, once."""
        of_papers = [cell for key in self.papers for cell in self.paper_cells(key)]
        return list(dict.fromkeys(of_papers + [cell for key in self.run_comparisons for cell in self.run_cells(key)]))

    @property
    def run_comparisons(self) -> list[str]:
        """The keys of the comparisons that are part of the run."""
        return self.config["comparisons"]

    def run_cells(self, key: str) -> list[Cell]:
        """The cells of a comparison that is part of the run."""
        return cells_of(self.entries(key))

    @cached_property
    def cells_by_owner(self) -> dict[str, list[Cell]]:
        """The cells of each paper, those of its figures included, and of each comparison. Some have several owners.

        Without those of figures on request.
        """
        owned = {}
        for key, paper in self.papers.items():
            drawn = [name for name, figure in paper.get("figures", {}).items() if not figure.get("on_request")]
            of_figures = [cell for name in drawn for cell in self.figure_cells(key, name).values()]
            owned[key] = list(dict.fromkeys(self.paper_cells(key) + of_figures))
        return owned | {key: self.run_cells(key) for key in self.run_comparisons}

    @cached_property
    def cells_on_request(self) -> list[Cell]:
        """The cells that only figures on request need; they are no part of the run."""
        asked = [
            cell
            for key, paper in self.papers.items()
            for name, figure in paper.get("figures", {}).items()
            if figure.get("on_request")
            for cell in self.figure_cells(key, name).values()
        ]
        of_run = set(self.cells)
        return [cell for cell in dict.fromkeys(asked) if cell not in of_run]

    @cached_property
    def cells(self) -> list[Cell]:
        """Every cell of the run, those of figures included."""
        return list(dict.fromkeys(cell for owned in self.cells_by_owner.values() for cell in owned))

    @cached_property
    def protocols(self) -> dict[str, Protocol]:
        """All protocols by id, and the ones that their splits are drawn for."""
        used = [cell.protocol for cell in (*self.cells, *self.cells_on_request)]
        used += [cell.protocol for key in self.comparisons for cell in cells_of(self.entries(key))]
        return {protocol.id: protocol for protocol in used + [protocol.complete for protocol in used]}

    def paper_datasets(self, key: str) -> list[str]:
        """The data sets that a paper's tables and figures speak of."""
        of_tables = [target.dataset for target in self.targets[key] if target.dataset]
        figures = self.papers[key].get("figures", {})
        of_figures = [name for figure in figures for name in self.figure_data(key, figure).values()]
        return list(dict.fromkeys(of_tables + of_figures))

    @cached_property
    def used_datasets(self) -> list[str]:
        """The data sets of the run, each after those that it is made from."""
        of_papers = [name for key in self.papers for name in self.paper_datasets(key)]
        return self.with_bases(of_papers + [cell.dataset for cell in self.cells])

    def owned_datasets(self, owner: str) -> list[str]:
        """The data sets of a paper or a comparison, each after those that it is made from."""
        if owner in self.comparisons:
            return self.with_bases(self.comparisons[owner]["datasets"])
        return self.with_bases(self.paper_datasets(owner) + [cell.dataset for cell in self.cells_by_owner[owner]])

    def unavailable(self, datasets: Iterable[str]) -> dict[str, str]:
        """Why nobody can have a data set, by its id."""
        found: dict[str, str] = {}
        for name in self.with_bases(datasets):
            reasons = [found[base] for base in self.bases(name) if base in found]
            if reason := self.datasets[name].get("unavailable") or next(iter(reasons), None):
                found[name] = reason
        return found

    def bases(self, dataset: str) -> list[str]:
        """What a data set is made from; nothing if it is fetched."""
        return self.datasets[dataset].get("generate", {}).get("from", [])

    def with_bases(self, datasets: Iterable[str]) -> list[str]:
        found: dict[str, None] = {}
        for name in datasets:
            found |= dict.fromkeys([*self.with_bases(self.bases(name)), name])
        return list(found)

    def recipe(self, dataset: str) -> dict[str, Any]:
        """How a data set is made, with what the settings of the papers decide for all of its kind."""
        recipe = self.datasets[dataset]["generate"]
        options: dict[str, Any] = {}
        for choice in (choice for choices in self._choices.values() for choice in choices):
            options |= choice.get("recipes", {}).get(recipe["recipe"], {})
        return merge({"options": options}, recipe)


def plan_of(snakemake: Any) -> Plan:
    """The plan of the run that a script is part of."""
    return Plan(snakemake.config, Path(snakemake.scriptdir).resolve().parents[1])
