"""What stands against the printed numbers of a paper: the runs of its tables, our variants, and methods that join."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from labelknn.errors import ConfigError
from labelknn.metrics import METRICS
from labelknn_papers.plan.cells import Cell, Published, Target
from labelknn_papers.plan.config import known
from labelknn_papers.plan.only import keeps, shorten
from labelknn_papers.plan.protocol import Protocol, protocol_from

Run = Mapping[str, Any]


@dataclass(frozen=True)
class PaperRuns:
    """A paper's file and its printed numbers, with what is known of methods and data sets.

    definition : config/papers/<key>.yaml, after the filter `only`.
    chosen : what a data set is replaced by, by its id; the choices under `settings` say so.
    """

    definition: Mapping[str, Any]
    published: Sequence[Published]
    methods: Mapping[str, Any]
    datasets: Mapping[str, Any]
    chosen: Mapping[str, str]
    only: Mapping[str, Any]
    where: str

    def check(self) -> None:
        """Refuse names that nothing is known of."""
        names = self.definition.get("datasets", {})
        for name in names.values():
            known("data set", name, self.datasets, f"{self.where}, datasets")
        for figure, one in self.definition.get("figures", {}).items():
            for name in one["datasets"]:
                known("data set", name, self.datasets, f"{self.where}, figures, {figure}, datasets")
            for name in one.get("cells", {}).get("algorithms", []):
                known("method", name, self.methods, f"{self.where}, figures, {figure}, cells, algorithms")
        for table, one in self.definition["tables"].items():
            printed = [number for number in self.published if number.table == table]
            known("table", table, {number.table for number in self.published}, f"{self.where}, tables")
            for run in one.get("runs", []):
                where = f"{self.where}, {table}, runs"
                known("method", run["method"], self.methods, where)
                if "name" in run:
                    known("name of a method", run["name"], {number.method for number in printed}, where)
                for name in run.get("datasets", []):
                    known("data set", name, {number.dataset for number in printed}, where)
        for one in self.definition.get("departures", []):
            for name in one["tables"] if isinstance(one, Mapping) else []:
                known("table", name, self.definition["tables"], f"{self.where}, departures")
        for kind, named in self.definition.get("names", {}).items():
            # Figures have methods and data sets that no table has.
            ids = {getattr(number, kind.removesuffix("s")) for number in self.published}
            ids |= {"datasets": self.datasets, "methods": self.methods}.get(kind, {}).keys()
            for name in named:
                known(kind.removesuffix("s"), name, ids, f"{self.where}, names, {kind}")
        for table in dict.fromkeys(number.table for number in self.published):
            if table not in self.definition["tables"]:
                raise ConfigError(f"{self.where}: the paper prints {table}, which has no layout under `tables`")

    def targets(self) -> Iterator[Target]:
        names = self.definition.get("datasets", {})
        for number in self.published:
            dataset = names.get(number.dataset, number.dataset)
            yield self._target(number, self.chosen.get(dataset, dataset))

    def _target(self, number: Published, dataset: str) -> Target:
        table = self.definition["tables"][number.table]
        metric = table.get("metrics", {}).get(number.metric, number.metric)
        if not keeps(self.only, number):
            return Target(number, metric, None, left_out=True)
        if dataset not in self.datasets:
            return Target(number, metric, None)
        run = self.run_of(number)
        protocol = run and run.get("protocol", self.definition.get("protocol"))
        if run is None or protocol is None:
            return Target(number, metric, dataset)
        cell = Cell(self._protocol(protocol, number), dataset, run["method"])
        several = cell.protocol.missing or "sweep" in self.methods[cell.method]
        setting = run.get("setting", number.setting if several else "").format(metric=metric)
        return Target(number, metric, dataset, cell, setting)

    def _protocol(self, definition: Mapping[str, Any], number: Published) -> Protocol:
        return shorten(protocol_from(definition), self.only, number.dataset)

    def run_of(self, number: Published) -> Run | None:
        """The run that reproduces a number: one for its data set stands in for one that is for all."""
        runs = self._runs(number, "reproduces")
        return next((run for run in runs if "datasets" in run), runs[0] if runs else None)

    def _runs(self, number: Published, role: str) -> list[Run]:
        return [
            run
            for run in self.definition["tables"][number.table].get("runs", [])
            if run.get("role", "reproduces") == role
            and run["name"] == number.method
            and number.dataset in run.get("datasets", [number.dataset])
        ]

    def variants(self, targets: Sequence[Target]) -> Iterator[Target]:
        """Our own variants of the paper's methods, against the numbers of the methods that they vary."""
        for target in targets:
            for run in self._runs(target.published, "variant") if target.cell else []:
                assert target.cell is not None
                own = self._protocol(run["protocol"], target.published) if "protocol" in run else None
                yield replace(
                    target,
                    published=replace(target.published, method=run["method"]),
                    cell=replace(target.cell, method=run["method"], protocol=own or target.cell.protocol),
                    setting=run.get("setting", target.setting).format(metric=target.metric),
                )

    def joined(self, targets: Sequence[Target], runs: Sequence[Run], where: str) -> list[Target]:
        """What methods that join the paper have beside its printed scores, on the same data sets and splits.

        They join the tables that compare methods, all of them.
        """
        for run in runs:
            known("method", run["method"], self.methods, where)
            if run["method"] in {number.method for number in self.published}:
                message = f"the paper's tables have a method {run['method']!r} already; choose another id"
                raise ConfigError(f"{where}: {message}")
            if "sweep" in self.methods[run["method"]]:
                message = f"{run['method']!r} has a sweep, but one place in a table; join an id for each value"
                raise ConfigError(f"{where}: {message}")
        return [_in_the_place_of(target, run["method"]) for target in self._places(targets) for run in runs]

    def _places(self, targets: Sequence[Target]) -> list[Target]:
        """A target for each place that a method has in the tables that compare methods by scores.

        It is one under the paper's protocol, not under one that a single run has.
        """
        places: dict[tuple[str, ...], Target] = {}
        for target in targets:
            number, table = target.published, self.definition["tables"][target.published.table]
            named = {field for fields in table["layout"].values() for field in fields}
            run = self.run_of(number)
            if "setting" not in named:  # then it is one of the printed method
                number = replace(number, setting="")
            if target.cell and target.metric in METRICS and "method" in named and run and "protocol" not in run:
                place = (number.table, number.dataset, number.metric, number.setting)
                places.setdefault(place, replace(target, published=number))
        return list(places.values())

    def cells(self, targets: Sequence[Target]) -> list[Cell]:
        """The cells of targets, and of what derived numbers of the same tables need."""
        cells: dict[Cell, None] = {}
        for target in targets:
            if target.cell:
                complete = replace(target.cell, protocol=target.cell.protocol.complete)
                runs = self.definition["tables"][target.published.table].get("runs", [])
                needed = [run["method"] for run in runs if run.get("role") == "reference"]
                cells |= dict.fromkeys([target.cell, *(replace(complete, method=name) for name in needed)])
        return list(cells)


def _in_the_place_of(target: Target, method: str) -> Target:
    assert target.cell is not None
    return replace(
        target,
        published=replace(target.published, method=method, printed="", note=""),
        cell=replace(target.cell, method=method),
        setting=target.published.setting if target.cell.protocol.missing else "",
    )


def chosen_settings(
    papers: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Mapping[str, str]]
) -> dict[str, list[Mapping[str, Any]]]:
    """What the choices under the papers' `settings` change, by paper; the config's own choices come first."""
    for paper, choices in settings.items():
        known("paper", paper, papers, "config, settings")
        for name, choice in choices.items():
            offered = papers[paper].get("settings", {})
            known("setting", name, offered, f"config, settings, {paper}")
            known("choice", choice, offered[name]["choices"], f"config, settings, {paper}, {name}")
    return {
        key: [
            one["choices"][settings.get(key, {}).get(name, one["choice"])]
            for name, one in paper.get("settings", {}).items()
        ]
        for key, paper in papers.items()
    }
