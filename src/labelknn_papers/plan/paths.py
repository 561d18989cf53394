"""Where each stage of a run keeps its files: the folders of the config, then the stage, then what the file is about.

A job that runs cells is <protocol>/<data set>/<name> (`plan.jobs`); where the cells themselves are, its results say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from labelknn_papers.plan.cells import Cell, tried
from labelknn_papers.plan.plan import Plan

# A table for programs, one to read, and the tests over its data sets.
COMPARISON_TABLES = (".csv", ".md", "_tests.csv")


@dataclass(frozen=True)
class Paths:
    """The files of a plan.

    pictures : the formats of a figure.
    """

    plan: Plan
    pictures: tuple[str, ...]

    @property
    def data(self) -> str:
        return self.plan.config["data"]

    @property
    def figures(self) -> str:
        return self.plan.config["figures"]

    def status(self, datasets: Iterable[str]) -> list[str]:
        """What could be had of the raw files of those data sets that are fetched."""
        return [f"{self.data}/raw/{name}.json" for name in datasets if not self.plan.bases(name)]

    @property
    def all_sources(self) -> str:
        """Which data sets of the run could be had, and from where; that depends on the config, as the figures do."""
        return f"{self.data}/sources/{self.figures}.csv"

    def sources(self, owner: str) -> str:
        """Which data sets of a paper or a comparison could be had."""
        return f"{self.data}/sources/{self.figures}/{owner}.csv"

    def prepared(self, datasets: Iterable[str], suffix: str = "npz") -> list[str]:
        return [f"{self.data}/prepared/{name}.{suffix}" for name in datasets]

    def splits(self, protocol: str, dataset: str) -> str:
        """The splits of a cell: the same at every rate of missing labels."""
        return f"{self.data}/splits/{self.plan.protocols[protocol].complete.id}/{dataset}.npz"

    def results(self, job: str) -> str:
        """What became of the cells of a job, and where their files are."""
        return f"{self.data}/results/{self.figures}/{job}.csv"

    def costs(self, job: str) -> str:
        """What the cells of a job took."""
        return f"{self.data}/costs/{self.figures}/{job}.csv"

    def block(self, job: str, name: str) -> str:
        """What a block of a job's queries took, whose cells are in the store."""
        return f"{self.data}/blocks/{self.figures}/{job}/{name}.csv"

    @property
    def division(self) -> str:
        """How jobs are divided; as long as it stands, they stay so."""
        return f"{self.data}/results/{self.figures}/division.json"

    def tried(self, key: str, unreached: Collection[str]) -> list[Cell]:
        """The cells of a comparison on the data that could be had, but those that are known not to run."""
        return [cell for cell in tried(self.plan.entries(key)) if cell.dataset not in unreached]

    def comparison(self, key: str, ending: str) -> str:
        return f"{self.figures}/comparisons/{key}{ending}"

    def comparison_diagrams(self, key: str) -> list[str]:
        """One for each metric; ranks over one data set are no diagram."""
        comparison = self.plan.comparisons[key]
        names = [f"_{metric}" for metric in comparison["metrics"]] if len(comparison["ranked"]) > 1 else []
        return [self.comparison(key, f"{name}.{suffix}") for name in names for suffix in self.pictures]

    def trade_off(self, key: str) -> list[str]:
        """Accuracy against time, where there are ranks: a table and its picture."""
        formats = ("csv", *self.pictures) if self.comparison_diagrams(key) else ()
        return [self.comparison(key, f"_trade_off.{suffix}") for suffix in formats]

    def comparison_files(self, key: str) -> list[str]:
        """All that a comparison gives but its page, and the seconds that the page shows."""
        tables = [self.comparison(key, ending) for ending in COMPARISON_TABLES]
        return [*tables, *self.comparison_diagrams(key), *self.trade_off(key)]

    def scale(self, paper: str) -> list[str]:
        """A measurement for each shape and scale that a paper's file has under `scale`."""
        return [
            f"{self.data}/scale/{paper}/{shape}/{scale:g}.json"
            for shape, sweep in self.plan.papers[paper]["scale"]["shapes"].items()
            for scale in sweep["scales"]
        ]
